package linux

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

func (c *caller) text(addr uint64, s string) uint64 {
	c.m.Write(addr, append([]byte(s), 0))
	return addr
}

func (c *caller) read(addr, n uint64) string {
	b := make([]byte, n)
	c.m.Read(addr, b)
	return string(b)
}

func TestFiles(t *testing.T) {
	host := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(host, []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := newCaller(t, Config{Files: map[string]string{"data/f": host}, Stdin: []byte("input")})
	name := c.text(dataPage, "/data/../data/f")
	buf := uint64(dataPage + 0x400)
	at := int64(atFDCWD)
	cwd := uint64(at)
	fd := c.do(0, sysOpenat, cwd, name, 0)
	c.want("the lowest free descriptor", fd, 3)
	c.want("read", c.do(0, nrRead, fd, buf, 4), 4)
	if s := c.read(buf, 4); s != "0123" {
		t.Errorf("read %q", s)
	}
	dup := c.do(0, sysDup, fd)
	c.want("read through the other", c.do(0, nrRead, dup, buf, 100), 6)
	c.want("at the end", c.do(0, nrRead, fd, buf, 100), 0)
	c.want("lseek", c.do(0, 8, fd, ^uint64(1), 2), 8)
	c.want("pread64", c.do(0, sysPread64, fd, buf, 3, 5), 3)
	if s := c.read(buf, 3); s != "567" {
		t.Errorf("pread64 %q", s)
	}
	c.want("fstat", c.do(0, 5, fd, buf), 0)
	c.want("st_size", c.m.Read64(buf+48), 10)
	c.want("st_mode", uint64(c.m.Read32(buf+24)), modeRegular)
	c.want("close", c.do(0, nrClose, fd), 0)
	c.want("close again", c.do(0, nrClose, fd), ebadf)
	c.want("the other is open", c.do(0, 8, dup, 0, 1), 8)
	c.want("open", c.do(0, 2, name, 0), 3)
	c.want("no such file", c.do(0, 2, c.text(dataPage+64, "/nothing"), 0), enoent)
	c.want("access", c.do(0, sysAccess, name, 4), 0)
	c.want("access for writing", c.do(0, sysAccess, name, 2), eacces)
	c.want("stat of its folder", c.do(0, 4, c.text(dataPage+64, "/data"), buf), 0)
	c.want("a folder's mode", uint64(c.m.Read32(buf+24)), modeDir)
	c.want("a bad path", c.do(0, 2, 5, 0), efault)
	c.want("write to it", c.do(0, nrWrite, dup, buf, 1), ebadf)
	a := c.do(0, nrMmap, 0, 10, 1, mapPrivate, dup, 0)
	if s := c.read(a, 11); s != "0123456789\x00" {
		t.Errorf("mapped %q", s)
	}
	other := c.do(0, nrMmap, 0, abi.PageSize, 3, anonymous)
	for at, want := range map[uint64]kernel.Effect{a: kernel.Invalid, other: kernel.Local} {
		if p := c.plan(0, nrMadvise, at, abi.PageSize, madvDontneed); p.Effect != want {
			t.Errorf("madvise(MADV_DONTNEED) of %#x: %+v", at, p)
		}
	}

	c.want("stdin", c.do(0, nrRead, 0, buf, 3), 3)
	c.want("stdin", c.do(0, nrRead, 0, buf, 30), 2)
	c.want("its end", c.do(0, nrRead, 0, buf, 30), 0)
	c.want("no terminal", c.do(0, 16, 1, tcgets, buf), enotty)
	c.want("a pipe", c.do(0, 262, 1, c.text(dataPage+64, ""), buf, atEmptyPath), 0)
	c.want("a pipe's mode", uint64(c.m.Read32(buf+24)), modePipe)
	c.want("lseek of it", c.do(0, 8, 1, 0, 0), espipe)

	n := c.do(0, 89, c.text(dataPage+64, "/proc/self/exe"), buf, 100)
	if s := c.read(buf, n); s != exePath {
		t.Errorf("/proc/self/exe is %q", s)
	}
	maps := c.do(0, 2, c.text(dataPage+64, mapsPath), 0)
	n = c.do(0, nrRead, maps, buf, 4000)
	if s := c.read(buf, n); !strings.Contains(s, "[stack]") || !strings.Contains(s, "00401000-00402000 r-xp") {
		t.Errorf("maps: %q", s)
	}
	if _, err := New(c.driver.host(), c.k.img, Config{Files: map[string]string{"x": host + "-missing"}}); err == nil {
		t.Error("a file that isn't there was accepted")
	}
}

func TestOutput(t *testing.T) {
	c := newCaller(t, Config{OutputLimit: 10})
	buf := c.text(dataPage, "abcdef")
	c.want("write", c.do(0, nrWrite, 1, buf, 3), 3)
	m := c.m.Mark()
	c.do(0, nrWrite, 2, buf, 6)
	vec := uint64(dataPage + 64)
	c.m.Write(vec, append(pair(buf+3, 2), pair(buf, 1)...))
	c.want("writev", c.do(0, 20, 1, vec, 2), 3)
	if o, e := string(c.k.Output(1)), string(c.k.Output(2)); o != "abcdea" || e != "abcdef" {
		t.Errorf("%q, %q", o, e)
	}
	if _, o := c.choose1(0, 0, nrWrite, 1, buf, 6); !strings.Contains(o.Invalid, "prints more than 10 bytes") {
		t.Errorf("beyond the limit: %+v", o)
	}
	c.m.Rewind(m)
	if o, e := string(c.k.Output(1)), string(c.k.Output(2)); o != "abc" || e != "" {
		t.Errorf("after going back: %q, %q", o, e)
	}
	c.want("unreadable", c.do(0, nrWrite, 1, 1<<40, 5), efault)
	c.want("no descriptor", c.do(0, nrWrite, 9, buf, 1), ebadf)
	c.want("nothing", c.do(0, nrWrite, 1, buf, 0), 0)
}

// TestAccessMode: a file that was opened for writing isn't read, nor one written that was
// opened for reading.
func TestAccessMode(t *testing.T) {
	c := newCaller(t, Config{})
	buf := c.text(dataPage+0x400, "abc")
	at := int64(atFDCWD)
	vec := uint64(dataPage + 64)
	c.m.Write(vec, pair(buf, 1))
	for _, path := range []string{"/dev/shm/f", "/dev/zero", "/dev/null"} {
		name := c.text(dataPage, path)
		fd := c.do(0, sysOpenat, uint64(at), name, oWronly|oCreat, 0o600)
		c.want("write "+path, c.do(0, nrWrite, fd, buf, 1), 1)
		c.want("pwrite64 "+path, c.do(0, sysPwrite64, fd, buf, 1, 0), 1)
		c.want("read "+path, c.do(0, nrRead, fd, buf, 1), ebadf)
		c.want("pread64 "+path, c.do(0, sysPread64, fd, buf, 1, 0), ebadf)
		c.want("readv "+path, c.do(0, 19, fd, vec, 1), ebadf)
		fd = c.do(0, sysOpenat, uint64(at), name, oRdonly)
		c.want("read only "+path, c.do(0, nrWrite, fd, buf, 1), ebadf)
		c.want("pwrite64 to read only "+path, c.do(0, sysPwrite64, fd, buf, 1, 0), ebadf)
		fd = c.do(0, sysOpenat, uint64(at), name, oRdwr)
		c.want("both "+path, c.do(0, nrWrite, fd, buf, 1), 1)
		if n := c.do(0, nrRead, fd, buf, 1); n > 1 {
			t.Errorf("read of %s: %d", path, int64(n))
		}
	}
	own := c.text(dataPage, fmt.Sprintf("/proc/self/task/%d/comm", c.do(0, 186)))
	c.want("a thread's name", c.do(0, nrWrite, c.do(0, sysOpenat, uint64(at), own, oRdwr), buf, 1), 1)
	c.want("a thread's name has no places", c.do(0, sysPwrite64, c.do(0, sysOpenat, uint64(at), own, oRdwr), buf, 1, 0), espipe)
	c.want("a thread's name, read only", c.do(0, nrWrite, c.do(0, sysOpenat, uint64(at), own, oRdonly), buf, 1), ebadf)
}

// TestCommPaths: the process has its first thread's name, and each thread its own, by all paths that
// Linux has for them.
func TestCommPaths(t *testing.T) {
	c := newCaller(t, Config{})
	c.spawn(0, dataPage+8)
	at := uint64(dataPage + 0x800)
	name := func(thread trace.TID, path string) string {
		fd := c.do(thread, sysOpenat, uint64(at), c.text(at, path), oRdonly)
		if int64(fd) < 0 {
			return fmt.Sprint(int64(fd))
		}
		n := c.do(thread, nrRead, fd, dataPage+0x400, 16)
		text := make([]byte, n)
		c.m.Read(dataPage+0x400, text)
		return string(text)
	}
	first, second := c.do(0, 186), c.do(1, 186)
	for i, own := range []string{"boss", "hand"} {
		c.want("prctl", c.do(trace.TID(i), 157, 15, c.text(at, own)), 0)
	}
	for thread := range trace.TID(2) {
		for path, want := range map[string]string{
			"/proc/self/comm":                                  "boss\n",
			fmt.Sprintf("/proc/%d/comm", first):                "boss\n",
			fmt.Sprintf("/proc/%d/comm", second):               "hand\n",
			fmt.Sprintf("/proc/self/task/%d/comm", second):     "hand\n",
			fmt.Sprintf("/proc/%d/task/%d/comm", first, first): "boss\n",
			"/proc/thread-self/comm":                           []string{"boss\n", "hand\n"}[thread],
			"/proc/77777/comm":                                 "-2",
			"/proc/self/command":                               "-2",
		} {
			if got := name(thread, path); got != want {
				t.Errorf("thread %d reads %q from %s, want %q", thread, got, path, want)
			}
		}
	}
}

// TestRedirected: once a standard descriptor can mean something else, writes
// to it are events.
func TestRedirected(t *testing.T) {
	c := newCaller(t, Config{})
	buf := c.text(dataPage, "abc")
	c.want("dup2", c.do(0, 33, 1, 2), 2)
	if p := c.plan(0, nrWrite, 1, buf, 3); p.Effect != kernel.Event {
		t.Errorf("%+v", p)
	}
	c.do(0, nrWrite, 2, buf, 3)
	if o := string(c.k.Output(1)); o != "abc" {
		t.Errorf("standard output %q", o)
	}
	c.want("close", c.do(0, nrClose, 1), 0)
	c.want("write", c.do(0, nrWrite, 1, buf, 3), ebadf)
}

// TestNames: names of files and folders in memory, and what a file of the user's goes by.
func TestNames(t *testing.T) {
	host := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(host, []byte("0123456789"), 0o644); err != nil {
		t.Fatal(err)
	}
	c := newCaller(t, Config{Files: map[string]string{"given": host}, WriteFiles: true})
	at := uint64(dataPage + 0x800)
	name := func(s string) uint64 {
		at += 32
		return c.text(at, s)
	}
	buf := uint64(dataPage + 0x400)
	size := func(path string) uint64 {
		if r := c.do(0, 4, name(path), buf); r != 0 {
			return r
		}
		return c.m.Read64(buf + 48)
	}
	make := func(path, text string) {
		fd := c.do(0, 2, name(path), oCreat|oTrunc|1)
		c.want("write "+path, c.do(0, nrWrite, fd, name(text), uint64(len(text))), uint64(len(text)))
		c.do(0, nrClose, fd)
	}
	start := c.m.Mark()
	make("a", "one")
	c.want("rename", c.do(0, sysRename, name("a"), name("b")), 0)
	c.want("the old name", size("a"), enoent)
	c.want("the new one", size("b"), 3)
	make("a", "seven77")
	c.want("over another file", c.do(0, sysRename, name("a"), name("b")), 0)
	c.want("which it is now", size("b"), 7)
	c.want("nothing left", c.do(0, sysRename, name("a"), name("c")), enoent)
	cwd := int64(atFDCWD)
	make("a", "1")
	c.want("without replacing", c.do(0, sysRenameat2, uint64(cwd), name("a"), uint64(cwd), name("b"), renameNoreplace), eexist)
	c.want("of the user's", c.do(0, sysRename, name("given"), name("a")), 0)
	c.want("it is gone", size("given"), enoent)
	c.want("it is there", size("a"), 10)
	c.want("onto a removed name", c.do(0, sysRename, name("b"), name("given")), 0)
	c.want("which is found", size("given"), 7)
	c.do(0, nrClose, c.do(0, 2, name("given"), oTrunc))
	c.want("cut off by one that reads", size("given"), 0)
	c.want("removed", c.do(0, sysUnlink, name("given")), 0)
	c.want("and gone", size("given"), enoent)

	c.want("link", c.do(0, sysLink, name("a"), name("twin")), 0)
	c.want("both", size("twin"), 10)
	c.want("two names", c.m.Read64(buf+16), 2)
	c.want("one onto the other", c.do(0, sysRename, name("a"), name("twin")), 0)
	c.want("does nothing", size("a"), 10)
	c.want("unlink", c.do(0, sysUnlink, name("a")), 0)
	c.want("the other name", size("twin"), 10)
	c.want("a name that is there", c.do(0, sysLink, name("twin"), name("twin")), eexist)

	c.want("mkdir", c.do(0, sysMkdir, name("d"), 0o755), 0)
	c.want("again", c.do(0, sysMkdir, name("d"), 0o755), eexist)
	c.want("a folder", c.do(0, 4, name("d"), buf), 0)
	c.want("its mode", uint64(c.m.Read32(buf+24)), modeFolder|0o755)
	make("d/x", "1")
	c.want("one that isn't empty", c.do(0, sysRmdir, name("d")), enotempty)
	c.want("a file is none", c.do(0, sysRmdir, name("d/x")), enotdir)
	c.want("a folder is no file", c.do(0, sysUnlink, name("d")), eisdir)
	c.want("a file onto it", c.do(0, sysRename, name("twin"), name("d")), eisdir)
	c.want("without replacing", c.do(0, sysRenameat2, uint64(cwd), name("twin"), uint64(cwd), name("d"), renameNoreplace), eexist)
	c.want("a file in it onto it", c.do(0, sysRename, name("d/x"), name("d")), enotempty)
	c.want("to write to it", c.do(0, 2, name("d"), 1), eisdir)
	c.want("unlink", c.do(0, sysUnlink, name("d/x")), 0)
	c.want("rmdir", c.do(0, sysUnlinkat, uint64(cwd), name("d"), atRemovedir), 0)
	c.want("and no more", c.do(0, sysRmdir, name("d")), enoent)
	c.want("access for writing", c.do(0, sysAccess, name("twin"), 2), 0)
	c.want("to execute", c.do(0, sysAccess, name("twin"), 1), eacces)
	lock := func(cmd, kind, fd uint64) uint64 {
		c.m.Write(buf, append(pair(kind, 0), pair(0, 0)...))
		return c.do(0, 72, fd, cmd, buf)
	}
	reader := c.do(0, 2, name("twin"), 0)
	c.want("a read lock", lock(fSetlk, lockRead, reader), 0)
	c.want("a write lock of a reader", lock(fSetlkw, lockWrite, reader), ebadf)
	c.want("no such lock", lock(fSetlk, 9, reader), einval)
	c.want("no lock of another process", lock(fGetlk, lockWrite, reader), 0)
	c.want("which it says", c.m.Read64(buf)&0xffff, lockNone)
	c.want("a lock that can't be read", c.do(0, 72, reader, fSetlk, 5), efault)
	fd := c.do(0, 2, name("/tmp"), oTmpfile|2)
	c.want("a file without a name", c.do(0, nrWrite, fd, name("abc"), 3), 3)

	c.m.Rewind(start)
	c.want("gone back", size("given"), 10)
	c.want("gone back", size("twin"), enoent)
	if p := c.plan(0, sysRenameat2, uint64(cwd), name("a"), uint64(cwd), name("b"), 2); p.Effect != kernel.Invalid {
		t.Errorf("an exchange of names: %+v", p)
	}
	if p := c.plan(0, sysMkdirat, 5, name("a")); p.Effect != kernel.Invalid || !strings.Contains(p.Reason, "relative to a directory") {
		t.Errorf("a relative name: %+v", p)
	}
	read := newCaller(t, Config{})
	if p := read.plan(0, sysRename, read.text(dataPage, "a"), read.text(dataPage+8, "b")); p.Effect != kernel.Invalid || !strings.Contains(p.Reason, "--file rw") {
		t.Errorf("without --file rw: %+v", p)
	}
}

// TestDescriptorsRunOut: and nothing grows without bound.
func TestDescriptorsRunOut(t *testing.T) {
	c := newCaller(t, Config{})
	name := c.text(dataPage, "/dev/null")
	var r uint64
	for range maxDescriptors + 5 {
		r = c.do(0, 2, name, 0)
	}
	c.want("open", r, emfile)
	c.want("dup", c.do(0, sysDup, 1), emfile)
}
