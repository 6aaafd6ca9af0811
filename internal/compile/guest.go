package compile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"landgo/internal/part"
)

// guests has what is known of each guest that a test of this process has asked for.
var guests sync.Map // of func() (string, error)

// Guest is the path of a guest in bin/guests, by its name there: a folder and a program.
// The Makefile of guests builds one for Linux now, if it has to: a run of the tests needs a tenth of
// them. Those of pebbles and kernel share objects, and `make test` has built them all before.
// A test of another part ends here (internal/part).
func Guest(t testing.TB, names ...string) string {
	t.Helper()
	part.Row(t)
	name := filepath.Join(names...)
	once, _ := guests.LoadOrStore(name, sync.OnceValues(func() (string, error) { return MakeGuest(name) }))
	path, err := once.(func() (string, error))()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// MakeGuest is Guest for a test that each part has.
func MakeGuest(name string) (string, error) {
	dir, err := room()
	if err != nil {
		return "", err
	}
	built := filepath.Join(filepath.Dir(dir), "guests")
	path := filepath.Join(built, name)
	if folder, _, _ := strings.Cut(name, "/"); strings.HasPrefix(folder, "pebbles") || strings.HasPrefix(folder, "kernel") {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("%w: run make guests first", err)
		}
		return path, nil
	}
	// The compiler writes where the program is to be: no other process may look meanwhile.
	free, err := alone(filepath.Join(dir, "guest-"+digest(name)))
	if err != nil {
		return "", err
	}
	defer free()
	run := exec.Command("make", "-s", "-C", filepath.Join(filepath.Dir(filepath.Dir(built)), "guests"), "OUT="+built, path)
	if said, err := run.CombinedOutput(); err != nil {
		return "", fmt.Errorf("make %s: %w\n%s", name, err, said)
	}
	return path, nil
}
