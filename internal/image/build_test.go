package image

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The tests look at real executables, which they build from testdata with the
// compilers of the machine, each combination once a test run.

var buildDir string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "image")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	buildDir = dir
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}

type built struct {
	once sync.Once
	path string
	err  error
}

var (
	buildMu sync.Mutex
	builds  = map[string]*built{}
)

// tool is a command of the machine that ends in a reasonable time, or fails.
func tool(name string, args ...string) *exec.Cmd {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(2*time.Minute, cancel)
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.WaitDelay = time.Second
	return cmd
}

// compile builds testdata/source with a compiler (gcc or musl-gcc) and flags,
// and returns the executable's path.
func compile(t testing.TB, compiler, source, flags string) string {
	t.Helper()
	key := compiler + " " + source + " " + flags
	buildMu.Lock()
	b := builds[key]
	if b == nil {
		b = &built{path: filepath.Join(buildDir, fmt.Sprintf("guest%d", len(builds)))}
		builds[key] = b
	}
	buildMu.Unlock()
	b.once.Do(func() {
		if compiler == "musl-gcc" && strings.Contains(flags, "-static-pie") {
			flags = muslPIE(t, flags)
		}
		args := append(strings.Fields(flags), "-w", "-o", b.path, filepath.Join("testdata", source), "-pthread")
		out, err := tool(compiler, args...).CombinedOutput()
		if err != nil {
			b.err = fmt.Errorf("%s %s: %v\n%s(the tests need gcc and musl-gcc: install musl-tools)", compiler, strings.Join(args, " "), err, out)
		}
	})
	if b.err != nil {
		t.Fatal(b.err)
	}
	return b.path
}

// muslPIE spells out -static-pie, which the musl-gcc of Debian turns into a
// dynamic executable.
func muslPIE(t testing.TB, flags string) string {
	t.Helper()
	out, _ := tool("musl-gcc", "-###", "-static", "x.c").CombinedOutput()
	for _, word := range strings.Fields(strings.ReplaceAll(string(out), `"`, "")) {
		if dir, ok := strings.CutSuffix(word, "/crti.o"); ok {
			start := dir + "/rcrt1.o " + dir + "/crti.o -nostartfiles -static -fPIE -Wl,-pie,--no-dynamic-linker"
			return strings.Replace(flags, "-static-pie", start, 1)
		}
	}
	t.Fatalf("musl-gcc names no crti.o (install musl-tools): %s", out)
	return ""
}

// open compiles and opens.
func open(t testing.TB, compiler, source, flags string) *Image {
	t.Helper()
	im, err := Open(compile(t, compiler, source, flags))
	if err != nil {
		t.Fatal(err)
	}
	return im
}

// libcs are the compilers of the two C libraries.
var libcs = []struct {
	compiler string
	libc     Libc
}{{"gcc", Glibc}, {"musl-gcc", Musl}}
