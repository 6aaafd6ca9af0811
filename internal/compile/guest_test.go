package compile

import (
	"os"
	"path/filepath"
	"testing"
)

// TestGuest: a guest for Linux that isn't there is built, and one that no Makefile knows is an
// error. Those that share objects aren't built here.
func TestGuest(t *testing.T) {
	const name = "nolibc/counter" // a process of its own, in no test's way: its build is a moment's
	path, err := MakeGuest(name)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if again, err := MakeGuest(name); err != nil || again != path {
		t.Fatalf("%s, %v; want %s", again, err, path)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
	if filepath.Base(filepath.Dir(filepath.Dir(path))) != "guests" {
		t.Errorf("%s isn't in bin/guests", path)
	}
	for _, name := range []string{"nolibc/none", "musl-O1/none", "pebbles/none", "kernel-i386/none"} {
		if path, err := MakeGuest(name); err == nil {
			t.Errorf("%s is %s, want an error", name, path)
		}
	}
}
