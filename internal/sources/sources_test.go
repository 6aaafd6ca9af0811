package sources

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"landgo/internal/explore/config"
)

// TestSources: line information is followed only to regular files beneath the
// folders that are looked at, with openat2 and where the kernel hasn't got it.
func TestSources(t *testing.T) {
	top := t.TempDir()
	lab, other := filepath.Join(top, "lab"), filepath.Join(top, "other")
	write := func(path, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(lab, "own.c"), "own\n")
	write(filepath.Join(lab, "src", "deep.c"), "deep\n")
	write(filepath.Join(top, "canary.txt"), "canary\n")
	write(filepath.Join(other, "far.c"), "far\n")
	for link, to := range map[string]string{"link.c": "../canary.txt", "inside.c": "own.c", "folder": "../other"} {
		if err := os.Symlink(to, filepath.Join(lab, link)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(lab, "pipe.c"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(filepath.Join(lab, "own.c"), 4); err != nil {
		t.Fatal(err)
	}
	write(filepath.Join(lab, "huge.c"), "x")
	if err := os.Truncate(filepath.Join(lab, "huge.c"), maxSource+1); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		dirs Folders
		name string
		want string // "": isn't read
	}{
		{Folders{lab}, "own.c", "own\n"},
		{Folders{lab}, "src/deep.c", "deep\n"},
		{Folders{lab}, "./src/../own.c", "own\n"},
		{Folders{lab}, filepath.Join(lab, "own.c"), "own\n"},
		{Folders{other, lab}, "own.c", "own\n"},
		{Folders{other, lab}, filepath.Join(other, "far.c"), "far\n"},
		{Folders{filepath.Join(lab, "src")}, "../src/deep.c", "deep\n"},
		{Folders{lab}, "../canary.txt", ""},
		{Folders{lab}, "src/../../canary.txt", ""},
		{Folders{lab}, filepath.Join(top, "canary.txt"), ""},
		{Folders{lab}, filepath.Join(lab, "../canary.txt"), ""},
		{Folders{lab}, "link.c", ""},
		{Folders{lab}, "inside.c", ""},
		{Folders{lab}, "folder/far.c", ""},
		{Folders{lab}, "pipe.c", ""},
		{Folders{lab}, "huge.c", ""},
		{Folders{lab}, "src", ""},
		{Folders{lab}, ".", ""},
		{Folders{lab}, "", ""},
		{Folders{lab}, "own.c\x00", ""},
		{Folders{lab}, "/dev/zero", ""},
		{Folders{lab}, "/proc/self/root" + filepath.Join(top, "canary.txt"), ""},
		{Folders{"/proc"}, "self/status", ""}, // a link
		{nil, "own.c", ""},
	} {
		text, err := c.dirs.Read(c.name)
		if string(text) != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%v, %q: %.20q, %v", c.dirs, c.name, text, err)
		}
	}
	// As on kernels before 5.6.
	root, err := syscall.Open(lab, syscall.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(root)
	for name, good := range map[string]bool{"own.c": true, "src/deep.c": true, "link.c": false, "inside.c": false, "folder/far.c": false, "pipe.c": false, "src": false, "huge.c": false} {
		f, err := openRegular(root, name, maxSource, walk)
		if (err == nil) != good {
			t.Errorf("without openat2, %s: %v", name, err)
		}
		if err == nil {
			f.Close()
		}
	}
}

// TestSourcesOf: the folders are those of --source, the working directory and
// the guest's; the root of all isn't one unless it is asked for.
func TestSourcesOf(t *testing.T) {
	back, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Chdir(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	defer os.Chdir(back)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		given []string
		guest string
		named bool
		want  []string
	}{
		{nil, "g.elf", true, []string{here, here}},
		{nil, "/opt/lab/g.elf", true, []string{here, "/opt/lab"}},
		{nil, "/opt/lab/g.elf", false, []string{here}},
		{nil, "/g.elf", true, []string{here}},
		{[]string{"/"}, "/g.elf", true, []string{"/", here}},
	} {
		s, err := Of(&config.Config{Given: config.Given{Guest: c.guest}, Output: config.Output{Sources: c.given}}, c.named)
		if err != nil || !slices.Equal(s, c.want) {
			t.Errorf("%v: %v, %v", c, s, err)
		}
	}
	if _, err := Of(&config.Config{Output: config.Output{Sources: []string{"nowhere"}}}, true); err == nil {
		t.Error("a folder that isn't there is taken")
	}
}
