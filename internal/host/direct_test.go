package host

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestTidy: the oldest boots go until the others have room; other files stay.
func TestTidy(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	for i := range 4 {
		path := filepath.Join(dir, fmt.Sprint(i, ".boot"))
		if err := os.WriteFile(path, make([]byte, 10), 0o600); err != nil {
			t.Fatal(err)
		}
		when := now.Add(-time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "notes"), make([]byte, 100), 0o600); err != nil {
		t.Fatal(err)
	}
	tidy(dir, ".boot", 25)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	left := ""
	for _, e := range entries {
		left += e.Name() + " "
	}
	if want := "0.boot 1.boot notes "; left != want {
		t.Errorf("left are %s, want %s", left, want)
	}
}
