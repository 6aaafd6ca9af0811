package linked

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/image/elffile"
)

// system is a folder with a program and libraries of a system of its own.
type system struct {
	t    *testing.T
	root string
}

// build makes a file of a C source; the flags come last.
func (s system) build(name, source string, flags ...string) string {
	s.t.Helper()
	out := filepath.Join(s.root, name)
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		s.t.Fatal(err)
	}
	text := filepath.Join(s.t.TempDir(), "x.c")
	if err := os.WriteFile(text, []byte(source), 0o600); err != nil {
		s.t.Fatal(err)
	}
	args := append([]string{"-nostdlib", "-fPIC", "-o", out, text}, flags...)
	if said, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		s.t.Fatalf("gcc %s: %v\n%s", strings.Join(args, " "), err, said)
	}
	return out
}

// newSystem has a dynamic linker that is a C library too, by its names.
func newSystem(t *testing.T) system {
	s := system{t, t.TempDir()}
	s.build("lib/ld.so", "void __libc_start_main(void){} void gnu_get_libc_version(void){} void _start(void){}", "-shared", "-Wl,-soname,ld.so")
	return s
}

// program is one that needs libraries.
func (s system) program(flags ...string) string {
	return s.build("prog", "void _start(void){}", append([]string{"-pie", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", "-Wl,--dynamic-linker=/lib/ld.so"}, flags...)...)
}

func (s system) join(program string) (*elffile.File, error) {
	f, err := elffile.Open(program)
	if err != nil {
		return nil, err
	}
	return Join(f, Search{Sysroot: s.root})
}

func (s system) library(name, needs string, flags ...string) {
	args := append([]string{"-shared", "-Wl,--no-as-needed", "-Wl,--allow-shlib-undefined", "-Wl,-soname," + name}, flags...)
	if needs != "" {
		args = append(args, filepath.Join(s.root, "lib", needs))
	}
	s.build("lib/"+name, "int in_"+strings.NewReplacer(".", "_").Replace(name)+"(void){return 1;}", args...)
}

// TestClosure: libraries that need each other are found once each, breadth first, at
// places of their own; a name is that of the first that gives it out.
func TestClosure(t *testing.T) {
	s := newSystem(t)
	s.library("liba.so", "")
	s.library("libb.so", "liba.so", "-Dx=y")
	s.library("liba.so", "libb.so")
	f, err := s.join(s.program(filepath.Join(s.root, "lib/liba.so")))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	last := uint64(0)
	for _, p := range f.Parts {
		names = append(names, filepath.Base(p.Path))
		if p.Base <= last && p != f.Parts[0] {
			t.Errorf("%s at %#x", p.Path, p.Base)
		}
		last = p.End()
	}
	if got := strings.Join(names, " "); got != "prog ld.so liba.so libb.so" {
		t.Errorf("the parts are %s", got)
	}
	if b, ok := f.Symbol("in_libb_so"); !ok || f.PartAt(b.Addr) != f.Parts[3] {
		t.Errorf("in_libb_so: %#x, %v", b.Addr, ok)
	}
}

// TestHostile: what can't be loaded ends in one line that names the file, soon.
func TestHostile(t *testing.T) {
	good := newSystem(t)
	good.library("liba.so", "")
	program := good.program(filepath.Join(good.root, "lib/liba.so"))
	at := func(name string) string { return filepath.Join(good.root, "lib", name) }
	library, linker := readFile(t, at("liba.so")), readFile(t, at("ld.so"))
	changed := func(b []byte, f func([]byte)) []byte {
		b = append([]byte(nil), b...)
		f(b)
		return b
	}
	for _, c := range []struct {
		name, file string
		content    []byte // nil: it isn't there
		want       string
	}{
		{"no library", "liba.so", nil, "it needs liba.so, which isn't"},
		{"no dynamic linker", "ld.so", nil, "the dynamic linker /lib/ld.so, which isn't"},
		{"another machine's dynamic linker", "ld.so", changed(linker, func(b []byte) { b[18] = byte(elf.EM_AARCH64) }), "another machine"},
		{"another machine's library", "liba.so", changed(library, func(b []byte) { b[18] = byte(elf.EM_AARCH64) }), "another machine"},
		{"a truncated library", "liba.so", library[:len(library)/2], "truncated"},
		{"a library's header alone", "liba.so", library[:64], "truncated"},
		{"a library of nothing", "liba.so", []byte("\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00\x3e\x00"), "truncated"},
		{"text", "liba.so", []byte("not a library, but long enough"), "not a shared library"},
		{"a program in a library's place", "liba.so", changed(library, func(b []byte) { b[16] = byte(elf.ET_EXEC) }), "not a shared library"},
		{"needs without end", "liba.so", withNeeds(t, library, 10_000), "needs more than 512"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, b := range map[string][]byte{"liba.so": library, "ld.so": linker} {
				if name == c.file {
					b = c.content
				}
				os.Remove(at(name))
				if b != nil {
					if err := os.WriteFile(at(name), b, 0o755); err != nil {
						t.Fatal(err)
					}
				}
			}
			begun := time.Now()
			_, err := good.join(program)
			if err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %q", err, c.want)
			}
			if took := time.Since(begun); took > 10*time.Second {
				t.Errorf("it took %v", took)
			}
		})
	}
	if err := os.WriteFile(at("ld.so"), linker, 0o755); err != nil {
		t.Fatal(err)
	}
	huge, err := os.Create(at("liba.so"))
	if err != nil {
		t.Fatal(err)
	}
	defer huge.Close()
	huge.Write(library)
	if err := huge.Truncate(maxLibrary + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := good.join(program); err == nil || !strings.Contains(err.Error(), "512 MiB") {
		t.Errorf("a huge library: %v", err)
	}
}

// withNeeds puts a dynamic section with many entries behind a library's end.
func withNeeds(t *testing.T, library []byte, n int) []byte {
	b := append([]byte(nil), library...)
	phoff := binary.LittleEndian.Uint64(b[32:])
	for i := range binary.LittleEndian.Uint16(b[56:]) {
		p := b[phoff+uint64(i)*56:]
		if elf.ProgType(binary.LittleEndian.Uint32(p)) != elf.PT_DYNAMIC {
			continue
		}
		from, size := binary.LittleEndian.Uint64(p[8:]), binary.LittleEndian.Uint64(p[32:])
		old := append([]byte(nil), b[from:from+size]...)
		binary.LittleEndian.PutUint64(p[8:], uint64(len(b)))
		binary.LittleEndian.PutUint64(p[32:], uint64(n*16)+size)
		binary.LittleEndian.PutUint64(p[40:], uint64(n*16)+size)
		for range n {
			b = binary.LittleEndian.AppendUint64(b, uint64(elf.DT_NEEDED))
			b = binary.LittleEndian.AppendUint64(b, 1)
		}
		return append(b, old...)
	}
	t.Fatal("no dynamic section")
	return nil
}

func readFile(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSeparate: debug information that was taken out of a library is found by its build-id.
// A file with another one adds nothing.
func TestSeparate(t *testing.T) {
	s := newSystem(t)
	s.library("ours.so", "", "-g", "-Wl,--build-id")
	whole := filepath.Join(s.root, "lib/ours.so")
	f, err := elffile.ParseLibrary("ours.so", readFile(t, whole), 0)
	if err != nil {
		t.Fatal(err)
	}
	id := f.BuildID()
	separate := filepath.Join(s.root, "usr/lib/debug/.build-id", id[:2], id[2:]+".debug")
	if err := os.MkdirAll(filepath.Dir(separate), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"objcopy", "--only-keep-debug", whole, separate}, {"strip", "--strip-all", whole}} {
		if said, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", args, err, said)
		}
	}
	library := func() *elffile.File {
		f, err := s.join(s.program(whole))
		if err != nil {
			t.Fatal(err)
		}
		return f.Parts[len(f.Parts)-1]
	}
	lines := func(f *elffile.File) bool {
		sections, size := f.DebugSections()
		return sections.Section(".debug_line") != nil && size > 0
	}
	if f := library(); f.Separate == nil || f.Separate.Path != "/usr/lib/debug/.build-id/"+id[:2]+"/"+id[2:]+".debug" || len(f.Separate.SHA256) != 64 || !lines(f) {
		t.Errorf("%+v, lines %t", f.Separate, lines(f))
	}
	data := readFile(t, separate)
	at := bytes.Index(data, []byte("GNU\x00")) + 4
	data[at]++
	if err := os.WriteFile(separate, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if f := library(); f.Separate != nil || lines(f) {
		t.Errorf("another build-id: %+v, lines %t", f.Separate, lines(f))
	}
}

// TestDebugFile: a stripped program has the symbols and lines of the file that its link or its build-id names,
// wherever debuggers look for it. Another program's file adds nothing, and is missing.
func TestDebugFile(t *testing.T) {
	for _, flags := range []string{"-no-pie -Wl,--build-id", "-no-pie -Wl,--build-id=none", "-static -Wl,--build-id=none", "-pie -Wl,--build-id"} {
		t.Run(flags, func(t *testing.T) {
			source := "#include <pthread.h>\nstatic int n; void *f(void *a) { n++; return a; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return n; }\n"
			build := func(source string) string {
				return compile.Exact(t, "gcc", "guest.c", source, append([]string{"-g", "-pthread"}, strings.Fields(flags)...)...)
			}
			folder := t.TempDir()
			program := filepath.Join(folder, "guest")
			if err := os.WriteFile(program, readFile(t, build(source)), 0o700); err != nil {
				t.Fatal(err)
			}
			whole, err := elffile.Open(program)
			if err != nil {
				t.Fatal(err)
			}
			run := func(args ...string) {
				t.Helper()
				cmd := exec.Command(args[0], args[1:]...)
				cmd.Dir = folder
				if said, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %v\n%s", args, err, said)
				}
			}
			run("objcopy", "--only-keep-debug", program, "own.debug")
			run("strip", "--strip-all", program)
			run("objcopy", "--add-gnu-debuglink=own.debug", program)
			root := t.TempDir()
			open := func() *elffile.File {
				t.Helper()
				f, err := elffile.Open(program)
				if err != nil {
					t.Fatal(err)
				}
				AddDebug(f, Search{Sysroot: root})
				return f
			}
			at, id := "own.debug", whole.BuildID()
			places := []string{".debug/own.debug", filepath.Join(root, "usr/lib/debug", folder, "own.debug")}
			if id != "" {
				places = append(places, filepath.Join(root, "usr/lib/debug/.build-id", id[:2], id[2:]+".debug"))
			}
			for _, next := range append([]string{at}, places...) {
				run("mkdir", "-p", filepath.Dir(next))
				if next != at {
					run("mv", at, next)
					at = next
				}
				f := open()
				sections, _ := f.DebugSections()
				if f.Stripped || f.NoDebug != "" || f.Separate == nil || f.Libc() != whole.Libc() || sections.Section(".debug_line") == nil || f.PartsDigest() == whole.PartsDigest() {
					t.Fatalf("%s: %q, %v, %d symbols of %d", at, f.NoDebug, f.Libc(), len(f.Symbols), len(whole.Symbols))
				}
				// objcopy gives the bounds of an empty section another type.
				bound := func(s elffile.Symbol) bool { return strings.HasPrefix(s.Name, "__preinit_array_") }
				if got, want := slices.DeleteFunc(f.Symbols, bound), slices.DeleteFunc(slices.Clone(whole.Symbols), bound); !slices.Equal(got, want) {
					t.Fatalf("%d symbols, want %d", len(got), len(want))
				}
			}
			run("mv", at, "gone")
			run("objcopy", "--only-keep-debug", build(source+"int more;\n"), "own.debug")
			if f := open(); f.Separate != nil || f.NoDebug != "own.debug" {
				t.Errorf("another's: %+v, %q", f.Separate, f.NoDebug)
			}
		})
	}
}
