package host

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// asks connects an Asked with a Keeper in the same process. Descriptors are duplicated
// as the way between processes does it.
func asks(k *Keeper) *Asked {
	var a *Asked
	a = Ask(func(r Request) error {
		go func() {
			answer, f := k.Answer(r)
			var files []*os.File
			if f != nil {
				fd, err := syscall.Dup(int(f.Fd()))
				if err != nil {
					panic(err)
				}
				f.Close()
				files = append(files, os.NewFile(uintptr(fd), "passed"))
			}
			a.Answered(answer, files)
		}()
		return nil
	})
	return a
}

// TestKeeper: the files that were named are opened, with the errors of the system, and no
// others.
func TestKeeper(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return dir + "/" + name } // as it stands
	for name, text := range map[string]string{"guest": "elf", "secret": "s", "old": "before"} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := &Keeper{Read: []string{at("guest"), at("gone"), at("pipe")}, Write: []string{at("old")}, Folder: at("boots")}
	defer k.Close()
	a := asks(k)

	f, err := a.Open(at("guest"))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(f); err != nil || string(text) != "elf" {
		t.Errorf("%q, %v", text, err)
	}
	if i, err := a.Stat(at("guest")); err != nil || i.Size != 3 || !i.Mode.IsRegular() || !i.Own || i.Link || i.Null {
		t.Errorf("%+v, %v", i, err)
	}
	var p *fs.PathError
	if _, err := a.Open(at("gone")); !errors.Is(err, fs.ErrNotExist) || !errors.As(err, &p) || p.Path != at("gone") {
		t.Errorf("a file that isn't there: %v", err)
	}
	if _, err := a.Open(at("pipe")); err == nil {
		t.Error("a pipe is opened")
	}
	for _, path := range []string{at("secret"), at("boots/../secret"), at("guest/"), at("./guest"), "/etc/passwd", "", at("boots/x.boot/../../secret"), at("boots/nothex.boot")} {
		if _, err := a.Open(path); err == nil {
			t.Errorf("%q is opened", path)
		}
		if _, err := a.Stat(path); err == nil {
			t.Errorf("%q is described", path)
		}
		if _, err := a.Create(path); err == nil {
			t.Errorf("%q is created", path)
		}
		if _, err := a.Cache(path, 0); err == nil {
			t.Errorf("%q is kept", path)
		}
	}
	if _, err := a.Create(at("guest")); err == nil {
		t.Error("a file is written that is to be read only")
	}
	if _, err := a.Open(at("old")); err != nil {
		t.Errorf("what may be written can't be read: %v", err)
	}
}

// TestBegun: a file that was begun is in its place when it is kept, whole; not before,
// and never if it is dropped or the Keeper ends.
func TestBegun(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "ck")
	if err := os.WriteFile(path, []byte("before"), 0o600); err != nil {
		t.Fatal(err)
	}
	k := &Keeper{Write: []string{path}, Folder: filepath.Join(dir, "boots")}
	a := asks(k)
	is := func(when, want string) {
		t.Helper()
		if text, err := os.ReadFile(path); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", when, text, err)
		}
	}
	begin := func() New {
		t.Helper()
		n, err := a.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := n.File().WriteString("after"); err != nil {
			t.Fatal(err)
		}
		return n
	}
	n := begin()
	is("begun", "before")
	n.Drop()
	is("dropped", "before")
	n = begin()
	if err := n.Keep(); err != nil {
		t.Error(err)
	}
	n.Drop()
	is("kept", "after")
	begin()
	boot, err := a.Cache(filepath.Join(dir, "boots", "ab12.boot"), 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if err := boot.Keep(); err != nil {
		t.Error(err)
	}
	k.Close()
	if names, _ := filepath.Glob(filepath.Join(dir, ".landgo-*")); len(names) > 0 {
		t.Errorf("left: %v", names)
	}
	if info, err := os.Stat(filepath.Join(dir, "boots", "ab12.boot")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("a kept boot: %v, %v", info, err)
	}
}

// TestGone: a request ends with an error when no answer comes any more.
func TestGone(t *testing.T) {
	asked := make(chan bool, 1)
	a := Ask(func(Request) error { asked <- true; return nil })
	go func() { <-asked; a.Close() }()
	if _, err := a.Open("x"); err == nil {
		t.Error("a file came")
	}
	if _, err := a.Stat("x"); err == nil {
		t.Error("an answer came after the end")
	}
}
