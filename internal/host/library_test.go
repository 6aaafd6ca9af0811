package host

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLibraries: a Keeper hands out shared libraries from the folders that have them, and
// nothing else, whatever it is asked for.
func TestLibraries(t *testing.T) {
	root := t.TempDir()
	at := func(name string) string { return filepath.Join(root, name) }
	for _, dir := range []string{"in/lib", "out"} {
		if err := os.MkdirAll(at(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	source := at("x.c")
	if err := os.WriteFile(source, []byte("int x;"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, out := range []string{"in/lib/a.so", "out/b.so"} {
		if said, err := exec.Command("gcc", "-shared", "-nostdlib", "-o", at(out), source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	for name, text := range map[string]string{"in/lib/secret.so": "a secret that is no library", "in/lib/short.so": "\x7fELF"} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{"in/lib/link.so": "/lib/a.so", "in/lib/away.so": "../../out/b.so", "in/lib/far.so": at("out/b.so")} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	ask := func(l Libraries, root, path string) bool {
		k := &Keeper{Libraries: l}
		defer k.Close()
		f, err := asks(k).Library(root, path)
		if err == nil {
			f.Close()
		}
		return err == nil
	}
	folders, beneath := Libraries{Folders: []string{at("in")}}, Libraries{Root: at("in")}
	for _, c := range []struct {
		l          Libraries
		root, path string
		want       bool
	}{
		{folders, "", at("in/lib/a.so"), true},
		{folders, "", at("out/b.so"), false},
		{folders, "", at("in/../out/b.so"), false},
		{folders, "", at("in/lib/secret.so"), false},
		{folders, "", at("in/lib/short.so"), false},
		{folders, "", at("in/lib"), false},
		{folders, "", at("in/lib/none.so"), false},
		{folders, "", "", false},
		{folders, at("in"), "/lib/a.so", false},
		{Libraries{}, "", at("in/lib/a.so"), false},
		{beneath, at("in"), "/lib/a.so", true},
		{beneath, at("in"), "/lib/link.so", true}, // a link to /lib/a.so of that root
		{beneath, at("in"), "/lib/away.so", false},
		{beneath, at("in"), "/lib/far.so", false},
		{beneath, at("in"), "lib/a.so", false},
		{beneath, at("out"), "/b.so", false},
		{beneath, "", at("in/lib/a.so"), false},
	} {
		if got := ask(c.l, c.root, c.path); got != c.want {
			t.Errorf("%+v: %q of %q is opened: %v", c.l, c.path, c.root, got)
		}
	}
}
