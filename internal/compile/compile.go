// Package compile builds the programs of tests: statically, unless Dynamic is among the
// flags, with debug information, once per process however many tests ask for the same one.
package compile

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// Dynamic, as a flag, has a program linked with its libraries when it runs.
const Dynamic = "-dynamic"

// built has what was built in this process, by all that it depends on.
var built sync.Map // of *program

// program is one that is built, or is being built.
type program struct {
	once sync.Once
	path string
	err  error
}

// room is the folder that everything is built in.
var room = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "landgo-programs-") })

// Main runs a package's tests and removes what they have built.
func Main(m *testing.M) int {
	status := m.Run()
	if dir, err := room(); err == nil {
		os.RemoveAll(dir)
	}
	return status
}

// Text is the path of a program with this source text, in a file guest.c, or guest.cc
// for a compiler whose name ends so. Without -O among the flags it is built with -O1.
func Text(t testing.TB, cc, source string, flags ...string) string {
	t.Helper()
	name := "guest.c"
	if strings.HasSuffix(cc, "++") {
		name = "guest.cc"
	}
	return once(t, cc, name, source, flags)
}

// File is the path of a program with this source file, which nothing changes.
func File(t testing.TB, cc, source string, flags ...string) string {
	t.Helper()
	return once(t, cc, source, "", flags)
}

// Assembly is the path of a program of assembly text alone, which begins at _start.
func Assembly(t testing.TB, source string, flags ...string) string {
	t.Helper()
	return once(t, "gcc", "guest.s", source, append([]string{"-nostdlib"}, flags...))
}

// once has a program built by the first test that asks for it.
func once(t testing.TB, cc, name, source string, flags []string) string {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil && strings.HasSuffix(cc, "++") {
		t.Skip("no " + cc)
	}
	own := source != ""
	key := sha256.Sum256([]byte(strings.Join(append([]string{cc, name, source}, flags...), "\x00")))
	x, _ := built.LoadOrStore(key, &program{})
	p := x.(*program)
	p.once.Do(func() { p.path, p.err = compile(cc, name, source, own, flags, fmt.Sprintf("%x", key[:8])) })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.path
}

// compile builds a program in a folder of its own.
func compile(cc, name, source string, own bool, flags []string, folder string) (string, error) {
	dir, err := room()
	if err != nil {
		return "", err
	}
	dir = filepath.Join(dir, folder)
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if own {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, []byte(source), 0o600); err != nil {
			return "", err
		}
	}
	base := filepath.Base(name)
	out := filepath.Join(dir, strings.TrimSuffix(base, filepath.Ext(base)))
	args := []string{"-g", "-w", "-pthread"}
	if !slices.Contains(flags, Dynamic) {
		args = append(args, "-static")
	}
	flags = slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == Dynamic })
	if !slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-O") }) {
		args = append(args, "-O1")
	}
	args = append(append(args, flags...), "-o", out, name)
	if cc == "musl-gcc" { // which doesn't know the kernel's headers
		args = append(args, "-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu")
	}
	if said, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("%s %s: %w\n%s", cc, strings.Join(args, " "), err, said)
	}
	return out, nil
}

// making keeps two runs of make out of one folder.
var making sync.Mutex

// Made is the path of a program that a folder's Makefile builds, with variables, and
// what make said. The error is make's, or that the program isn't there all the same.
func Made(folder, name string, variables ...string) (path, said string, err error) {
	dir, err := room()
	if err != nil {
		return "", "", err
	}
	making.Lock()
	defer making.Unlock()
	key := sha256.Sum256([]byte(strings.Join(append([]string{folder}, variables...), "\x00")))
	dir = filepath.Join(dir, fmt.Sprintf("make-%x", key[:8]))
	path = filepath.Join(dir, name)
	run := exec.Command("make", "-s", "-C", folder, "OUT="+dir, path)
	run.Env = append(os.Environ(), variables...) // so that a Makefile can add to them
	out, err := run.CombinedOutput()
	if _, missing := os.Stat(path); missing != nil {
		err = errors.Join(err, missing)
	}
	return path, string(out), err
}
