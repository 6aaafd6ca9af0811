package emu

import (
	"fmt"
	"os"
	"testing"
)

// resident is the process's memory in use, in bytes.
func resident(t *testing.T) int {
	t.Helper()
	p, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		t.Skip("no /proc here")
	}
	var size, pages int
	if _, err := fmt.Sscan(string(p), &size, &pages); err != nil {
		t.Fatal(err)
	}
	return pages * os.Getpagesize()
}
