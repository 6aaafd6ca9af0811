package compile

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// TestKept: a program is built once, and again when its header, its source, or an argument is
// another one.
func TestKept(t *testing.T) {
	dir := t.TempDir()
	source, header := filepath.Join(dir, "a.c"), filepath.Join(dir, "b.h")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	build := func(args ...string) os.FileInfo {
		t.Helper()
		path, err := kept("gcc", source, "", append([]string{"-DRETURN=7"}, args...))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { os.RemoveAll(filepath.Dir(path)) })
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(path)
		cmd.Run()
		if status := cmd.ProcessState.ExitCode(); status != 7 {
			t.Errorf("it exits with %d, want 7", status)
		}
		return info
	}
	write(header, "#define N RETURN\n")
	write(source, "#include \"b.h\"\nint main(void) { return N; }\n")
	first := build()
	if !os.SameFile(first, build()) {
		t.Error("it is built again, with nothing changed")
	}
	if os.SameFile(first, build("-O1")) {
		t.Error("another argument's program is the same")
	}
	write(header, "#define N (RETURN + 0)\n")
	second := build()
	if os.SameFile(first, second) {
		t.Error("it isn't built again when its header changes")
	}
	write(source, "#include \"b.h\"\nint main(void) { return 0 + N; }\n")
	if os.SameFile(second, build()) {
		t.Error("it isn't built again when its source changes")
	}
}

// TestTogether: tests that ask for one program at a time wait for one build of it. One that
// can't be built is an error each time.
func TestTogether(t *testing.T) {
	var all sync.WaitGroup
	paths := make([]string, 8)
	for i := range paths {
		all.Add(1)
		go func() {
			defer all.Done()
			paths[i], _ = kept("gcc", "guest.c", "int main(void) { return 0; } /* together */", []string{"-O1"})
		}()
	}
	all.Wait()
	for _, p := range paths {
		if p == "" || p != paths[0] {
			t.Fatalf("%q and %q", p, paths[0])
		}
	}
	os.RemoveAll(filepath.Dir(paths[0]))
	for range 2 {
		if path, err := kept("gcc", "guest.c", "int main(void) { return wrong; }", nil); err == nil {
			t.Errorf("%s of a wrong text", path)
		}
	}
}
