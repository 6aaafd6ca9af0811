// Package compile builds the programs of tests: statically, unless Dynamic is among the
// flags, with debug information, and once. A program is kept in bin/programs for the next
// run of the tests, under a name made of all that it depends on (kept.go).
package compile

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"landgo/internal/part"
)

// Dynamic, as a flag, has a program linked with its libraries when it runs.
const Dynamic = "-dynamic"

// programs has what was built in this process, by all that it depends on.
var programs sync.Map // of *program

// program is one that is built, or is being built.
type program struct {
	once sync.Once
	path string
	err  error
}

// Main runs a package's tests and removes what no test has used for days.
func Main(m *testing.M) int {
	status := m.Run()
	trim()
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

// Exact is the path of a program that a compiler makes with these arguments and no others.
// Its source is the text, in a file of this name, or the file itself if the text is empty.
func Exact(t testing.TB, cc, name, source string, args ...string) string {
	t.Helper()
	return built(t, cc, name, source, args)
}

// once has a program built with the arguments of a test's program.
func once(t testing.TB, cc, name, source string, flags []string) string {
	t.Helper()
	if _, err := exec.LookPath(cc); err != nil && strings.HasSuffix(cc, "++") {
		t.Skip("no " + cc)
	}
	return built(t, cc, name, source, arguments(cc, flags))
}

// built has a program built by the first test that asks for it.
// A test of another part ends here (internal/part).
func built(t testing.TB, cc, name, source string, args []string) string {
	t.Helper()
	part.Row(t)
	p := &program{}
	if x, other := programs.LoadOrStore(strings.Join(append([]string{cc, name, source}, args...), "\x00"), p); other {
		p = x.(*program)
	}
	p.once.Do(func() { p.path, p.err = kept(cc, name, source, args) })
	if p.err != nil {
		t.Fatal(p.err)
	}
	return p.path
}

// arguments are the compiler's, but for its files.
func arguments(cc string, flags []string) []string {
	args := []string{"-g", "-w", "-pthread"}
	if !slices.Contains(flags, Dynamic) {
		args = append(append(args, "-static"), quickLink()...)
	}
	flags = slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == Dynamic })
	if !slices.ContainsFunc(flags, func(f string) bool { return strings.HasPrefix(f, "-O") }) {
		args = append(args, "-O1")
	}
	args = append(args, flags...)
	if cc == "musl-gcc" { // which doesn't know the kernel's headers
		args = append(args, "-idirafter", "/usr/include", "-idirafter", "/usr/include/x86_64-linux-gnu")
	}
	return args
}

// Made is the path of a program that a folder's Makefile builds, with variables, and
// what make said. The error is make's, or that the program isn't there all the same.
func Made(folder, name string, variables ...string) (path, said string, err error) {
	dir, err := room()
	if err != nil {
		return "", "", err
	}
	if folder, err = filepath.Abs(folder); err != nil {
		return "", "", err
	}
	dir = filepath.Join(dir, "make-"+digest(append([]string{folder}, variables...)...))
	free, err := alone(dir) // two runs of make can't share a folder
	if err != nil {
		return "", "", err
	}
	defer free()
	used(dir)
	return run(folder, dir, name, variables)
}

// run has make build OUT/name by a folder's Makefile.
func run(folder, out, name string, variables []string) (path, said string, err error) {
	path = filepath.Join(out, name)
	cmd := exec.Command("make", "-s", "-C", folder, "OUT="+out, path)
	cmd.Env = append(os.Environ(), variables...) // so that a Makefile can add to them
	words, err := cmd.CombinedOutput()
	if _, missing := os.Stat(path); missing != nil {
		err = errors.Join(err, missing)
	}
	return path, string(words), err
}
