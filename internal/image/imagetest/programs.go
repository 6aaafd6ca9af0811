// Package imagetest is shared by the tests of internal/image and of its rooms. It has
// real executables, built from internal/image/testdata with the machine's compilers,
// and a tracer that runs one instruction by instruction.
package imagetest

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
)

// Main runs a package's tests.
func Main(m *testing.M) int { return compile.Main(m) }

// Command is a command of the machine that ends in a reasonable time, or fails.
func Command(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(2*time.Minute, cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	return cmd
}

// Compile builds testdata/source with a compiler (gcc or musl-gcc) and flags,
// and returns the executable's path.
func Compile(t testing.TB, compiler, source, flags string) string {
	t.Helper()
	if compiler == "musl-gcc" && strings.Contains(flags, "-static-pie") {
		flags = muslPIE(t, flags)
	}
	return compile.Exact(t, compiler, filepath.Join(sources(), source), "", append(strings.Fields(flags), "-w", "-pthread")...)
}

// Open is such a program as a room's own function opens it.
func Open[T any](t testing.TB, open func(path string) (T, error), compiler, source, flags string) T {
	t.Helper()
	opened, err := open(Compile(t, compiler, source, flags))
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

// muslPIE spells out -static-pie, which the musl-gcc of Debian turns into a
// dynamic executable.
func muslPIE(t testing.TB, flags string) string {
	t.Helper()
	out, _ := Command("musl-gcc", "-###", "-static", "x.c").CombinedOutput()
	for _, word := range strings.Fields(strings.ReplaceAll(string(out), `"`, "")) {
		if dir, ok := strings.CutSuffix(word, "/crti.o"); ok {
			start := dir + "/rcrt1.o " + dir + "/crti.o -nostartfiles -static -fPIE -Wl,-pie,--no-dynamic-linker"
			return strings.Replace(flags, "-static-pie", start, 1)
		}
	}
	t.Fatalf("musl-gcc names no crti.o (install musl-tools): %s", out)
	return ""
}

// sources is the folder testdata, seen from a test of internal/image or of a room.
func sources() string {
	for _, dir := range []string{"testdata", filepath.Join("..", "testdata")} {
		if _, err := os.Stat(filepath.Join(dir, "threads.c")); err == nil {
			return dir
		}
	}
	panic("no internal/image/testdata")
}

// Libcs are the compilers of the two C libraries, and what elffile calls those.
var Libcs = []struct{ Compiler, Libc string }{{"gcc", "glibc"}, {"musl-gcc", "musl"}}
