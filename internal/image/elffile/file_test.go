package elffile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"landgo/internal/abi"
	"landgo/internal/image/imagetest"
)

func TestOpenRealExecutables(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static", "-static-pie", "-static -O2 -g", "-static -s", "-static-pie -s -O1"} {
			t.Run(l.Compiler+" "+flags, func(t *testing.T) {
				f := open(t, l.Compiler, "threads.c", flags)
				checkSegments(t, f)
				stripped := strings.Contains(flags+" ", " -s ")
				if f.Stripped != stripped {
					t.Errorf("stripped: %v", f.Stripped)
				}
				if want := l.Libc; f.Libc().String() != want && !(stripped && want == "musl" && f.Libc() == NoLibc) {
					t.Errorf("libc %v, want %v", f.Libc(), want)
				}
				if f.Machine != X86_64 {
					t.Errorf("%v", f.Machine)
				}
				pie := strings.Contains(flags, "pie")
				if pie && (f.Base != PIEBase || f.Entry < PIEBase) || !pie && f.Base != 0 {
					t.Errorf("base %#x entry %#x", f.Base, f.Entry)
				}
			})
		}
	}
}

// checkSegments compares what is loaded with the file through the program
// headers in guest memory, which a C library reads too.
func checkSegments(t *testing.T, f *File) {
	t.Helper()
	file, err := os.ReadFile(f.Path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	if f.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("SHA256 %s", f.SHA256)
	}
	size := f.Phnum * f.Phent
	if got := f.Bytes(f.PhdrAddr, size); !bytes.Equal(got, file[64:64+size]) {
		t.Errorf("AT_PHDR %#x doesn't hold the program headers", f.PhdrAddr)
	}
	for i := 0; i < f.Phnum; i++ {
		p := decodeProg(f.Machine, file[64+i*f.Phent:])
		if p.Type != 1 {
			continue
		}
		if got := f.Bytes(p.Vaddr+f.Base, int(p.Filesz)); !bytes.Equal(got, file[p.Off:p.Off+p.Filesz]) {
			t.Errorf("segment at %#x isn't what the file has", p.Vaddr)
		}
		if !f.Holds(p.Vaddr+f.Base, p.Memsz) {
			t.Errorf("segment at %#x is too small", p.Vaddr)
		}
	}
	for _, s := range f.Segments {
		if s.Addr%abi.PageSize != 0 || s.MemSize%abi.PageSize != 0 || uint64(len(s.Data)) > s.MemSize {
			t.Errorf("segment %#x+%#x, %d bytes", s.Addr, s.MemSize, len(s.Data))
		}
		if s.Exec && s.Write {
			t.Errorf("segment %#x is writable and executable", s.Addr)
		}
		if s.Exec != f.IsCode(s.Addr) {
			t.Errorf("segment %#x: code %v", s.Addr, f.IsCode(s.Addr))
		}
	}
	if !f.IsCode(f.Entry) {
		t.Errorf("entry %#x", f.Entry)
	}
}

func TestSymbols(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static -O1", "-static-pie -O1"} {
			f := open(t, l.Compiler, "threads.c", flags)
			main, ok := f.Symbol("main")
			if !ok || main.Kind != Func || main.Size == 0 || !main.Global {
				t.Fatalf("main: %+v", main)
			}
			for _, addr := range []uint64{main.Addr, main.Addr + main.Size - 1} {
				if s, ok := f.SymbolAt(addr); !ok || s != main {
					t.Errorf("%#x is in %+v", addr, s)
				}
			}
			if s, ok := f.SymbolAt(main.Addr + main.Size); ok && s.Name == "main" {
				t.Error("main reaches beyond its end")
			}
			// The user's names, of all that the libraries have for the address.
			for _, name := range []string{"pthread_mutex_lock", "pthread_create", "puts", "free", "_start"} {
				s, ok := f.Symbol(name)
				if !ok {
					t.Fatalf("%s: no %s", l.Compiler, name)
				}
				if at, _ := f.SymbolAt(s.Addr); at.Name != name {
					t.Errorf("%s: %s is shown as %s", l.Compiler, name, at.Name)
				}
			}
			if s, _ := f.Symbol("mutex"); s.Kind != Object || s.Size < 40 {
				t.Errorf("mutex: %+v", s)
			}
			if s, ok := f.SymbolAt(f.Segments[len(f.Segments)-1].Addr); ok {
				t.Errorf("a function in data: %+v", s)
			}
		}
	}
}

func TestSymbolRank(t *testing.T) {
	ranked := []Symbol{
		{Name: "puts", Global: true, Weak: true},
		{Name: "alongername", Global: true, Weak: true},
		{Name: "_IO_puts", Global: true},
		{Name: "_IO_putz", Global: true},
		{Name: "_a", Global: true, Weak: true},
		{Name: "__puts", Global: true},
		{Name: "local"},
		{Name: "_local"},
		{Name: "label", Kind: Label, Global: true},
	}
	for i := range ranked {
		for j := range ranked {
			if got := ranked[i].compare(&ranked[j]) < 0; got != (i < j) {
				t.Errorf("%s before %s: %v", ranked[i].Name, ranked[j].Name, got)
			}
		}
	}
}

// A file after strip -g and strip must still open.
func TestStrip(t *testing.T) {
	path := imagetest.Compile(t, "gcc", "threads.c", "-static -g")
	out := t.TempDir() + "/stripped"
	if b, err := imagetest.Command("strip", "-g", "-o", out, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	f, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := f.Symbol("main"); !ok || f.Stripped {
		t.Error("strip -g keeps symbols")
	}
}
