package image

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"testing"

	"landgo/internal/image/imagetest"

	"golang.org/x/arch/x86/x86asm"
)

func TestOpenRealExecutables(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static", "-static-pie", "-static -O2 -g", "-static -s", "-static-pie -s -O1"} {
			t.Run(l.Compiler+" "+flags, func(t *testing.T) {
				im := open(t, l.Compiler, "threads.c", flags)
				checkSegments(t, im)
				stripped := strings.Contains(flags+" ", " -s ")
				if im.Stripped != stripped {
					t.Errorf("stripped: %v", im.Stripped)
				}
				if want := l.Libc; im.Libc().String() != want && !(stripped && want == "musl" && im.Libc() == NoLibc) {
					t.Errorf("libc %v, want %v", im.Libc(), want)
				}
				if im.Kernel != Linux || im.Machine != X86_64 {
					t.Errorf("%v %v", im.Kernel, im.Machine)
				}
				pie := strings.Contains(flags, "pie")
				if pie && (im.Base != PIEBase || im.Entry < PIEBase) || !pie && im.Base != 0 {
					t.Errorf("base %#x entry %#x", im.Base, im.Entry)
				}
			})
		}
	}
}

// checkSegments compares what is loaded with the file through the program
// headers in guest memory, which a C library reads too.
func checkSegments(t *testing.T, im *Image) {
	t.Helper()
	file, err := os.ReadFile(im.Path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	if im.SHA256 != hex.EncodeToString(sum[:]) {
		t.Errorf("SHA256 %s", im.SHA256)
	}
	size := im.Phnum * im.Phent
	if got := im.Bytes(im.PhdrAddr, size); !bytes.Equal(got, file[64:64+size]) {
		t.Errorf("AT_PHDR %#x doesn't hold the program headers", im.PhdrAddr)
	}
	for i := 0; i < im.Phnum; i++ {
		p := decodeProg(im.Machine, file[64+i*im.Phent:])
		if p.Type != 1 {
			continue
		}
		if got := im.Bytes(p.Vaddr+im.Base, int(p.Filesz)); !bytes.Equal(got, file[p.Off:p.Off+p.Filesz]) {
			t.Errorf("segment at %#x isn't what the file has", p.Vaddr)
		}
		if !im.File.holds(p.Vaddr+im.Base, p.Memsz) {
			t.Errorf("segment at %#x is too small", p.Vaddr)
		}
	}
	for _, s := range im.Segments {
		if s.Addr%PageSize != 0 || s.MemSize%PageSize != 0 || uint64(len(s.Data)) > s.MemSize {
			t.Errorf("segment %#x+%#x, %d bytes", s.Addr, s.MemSize, len(s.Data))
		}
		if s.Exec && s.Write {
			t.Errorf("segment %#x is writable and executable", s.Addr)
		}
		if s.Exec != im.IsCode(s.Addr) {
			t.Errorf("segment %#x: code %v", s.Addr, im.IsCode(s.Addr))
		}
	}
	if !im.IsCode(im.Entry) {
		t.Errorf("entry %#x", im.Entry)
	}
}

func TestSymbols(t *testing.T) {
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static -O1", "-static-pie -O1"} {
			im := open(t, l.Compiler, "threads.c", flags)
			main, ok := im.Symbol("main")
			if !ok || main.Kind != Func || main.Size == 0 || !main.Global {
				t.Fatalf("main: %+v", main)
			}
			for _, addr := range []uint64{main.Addr, main.Addr + main.Size - 1} {
				if s, ok := im.SymbolAt(addr); !ok || s != main {
					t.Errorf("%#x is in %+v", addr, s)
				}
			}
			if s, ok := im.SymbolAt(main.Addr + main.Size); ok && s.Name == "main" {
				t.Error("main reaches beyond its end")
			}
			// The user's names, of all that the libraries have for the address.
			for _, name := range []string{"pthread_mutex_lock", "pthread_create", "puts", "free", "_start"} {
				s, ok := im.Symbol(name)
				if !ok {
					t.Fatalf("%s: no %s", l.Compiler, name)
				}
				if at, _ := im.SymbolAt(s.Addr); at.Name != name {
					t.Errorf("%s: %s is shown as %s", l.Compiler, name, at.Name)
				}
			}
			if s, _ := im.Symbol("mutex"); s.Kind != Object || s.Size < 40 {
				t.Errorf("mutex: %+v", s)
			}
			if s, ok := im.SymbolAt(im.Segments[len(im.Segments)-1].Addr); ok {
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
			if got := ranked[i].less(&ranked[j]); got != (i < j) {
				t.Errorf("%s before %s: %v", ranked[i].Name, ranked[j].Name, got)
			}
		}
	}
}

func TestRoles(t *testing.T) {
	source, err := os.ReadFile("testdata/threads.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static", "-static-pie"} {
			im := open(t, l.Compiler, "threads.c", flags)
			roles := im.Roles(&PthreadProfile)
			bound := map[string]Bound{}
			for _, b := range roles {
				bound[b.Name] = b
			}
			n := 0
			for _, b := range PthreadProfile.Bindings {
				if !bytes.Contains(source, []byte("\t"+b.Name+"(")) || (b.Only != NoLibc && b.Only != im.Libc()) {
					continue
				}
				s, ok := im.Symbol(b.Name)
				if !ok {
					continue // printf of a constant becomes puts
				}
				n++
				want := b.Role
				if im.Libc() == Glibc && (want == SpinInit || want == SpinUnlock) {
					want = SpinInitOrUnlock
				}
				if got := roles[s.Addr]; got.Role != want {
					t.Errorf("%s: %s is %v, want %v", l.Compiler, b.Name, got.Role, want)
				}
			}
			if n < 60 {
				t.Errorf("%s: only %d names of the profile found", l.Compiler, n)
			}
		}
	}
}

func TestStaticFunctionHasNoRole(t *testing.T) {
	im := open(t, "gcc", "clash.c", "-static -O1")
	for addr, b := range im.Roles(&PthreadProfile) {
		if s, _ := im.SymbolAt(addr); !s.Global {
			t.Errorf("the guest's own %s has role %v", s.Name, b.Role)
		}
	}
	if s, ok := im.Symbol("perror"); !ok || s.Global {
		t.Fatalf("perror: %+v", s)
	}
}

func TestKernel(t *testing.T) {
	for _, tc := range []struct {
		name, flags string
		kernel      Kernel
		machine     Machine
	}{
		{"symbol", "-static -nostdlib -ffreestanding -DSYMBOL", Pebbles, X86_64},
		{"note, stripped", "-static -nostdlib -ffreestanding -DNOTE -s", Pebbles, X86_64},
		{"neither", "-static -nostdlib -ffreestanding", Linux, X86_64},
		{"i386", "-m32 -static -nostdlib -ffreestanding -no-pie", UnknownKernel, I386},
		{"i386, begins at _main", "-m32 -static -nostdlib -ffreestanding -no-pie -D_start=_main -Wl,-e,_main", Pebbles, I386},
		{"i386, text at 0x1000000, stripped", "-m32 -static -nostdlib -ffreestanding -no-pie -s -Wl,-Ttext,0x1000000", Pebbles, I386},
		{"i386 with symbol", "-m32 -static -nostdlib -ffreestanding -no-pie -DSYMBOL", Pebbles, I386},
	} {
		t.Run(tc.name, func(t *testing.T) {
			im := open(t, "gcc", "bare.c", tc.flags)
			if im.Kernel != tc.kernel || im.Machine != tc.machine || im.Libc() != NoLibc {
				t.Errorf("%v, %v, %v", im.Kernel, im.Machine, im.Libc())
			}
			s, ok := im.Symbol("_start")
			if !ok {
				s, ok = im.Symbol("_main")
			}
			if !im.Stripped && (!ok || s.Addr != im.Entry) {
				t.Errorf("_start %#x, entry %#x", s.Addr, im.Entry)
			}
		})
	}
}

func TestP2Roles(t *testing.T) {
	im := open(t, "gcc", "bare.c", "-static -nostdlib -ffreestanding -DSYMBOL")
	if im.DefaultProfile() != &P2Profile {
		t.Fatal("not the P2 profile")
	}
	s, _ := im.Symbol("mutex_lock")
	if b := im.Roles(im.DefaultProfile())[s.Addr]; b.Role != MutexLock || b.Name != "mutex_lock" {
		t.Errorf("%+v", b)
	}
}

func TestRoleNames(t *testing.T) {
	seen := map[string]bool{}
	for r := NoRole; r < NumRoles; r++ {
		if n := r.String(); n == "" || seen[n] {
			t.Errorf("role %d is called %q", r, n)
		}
		seen[r.String()] = true
	}
}

// A file after strip -g and strip must still open.
func TestStrip(t *testing.T) {
	path := imagetest.Compile(t, "gcc", "threads.c", "-static -g")
	out := t.TempDir() + "/stripped"
	if b, err := imagetest.Command("strip", "-g", "-o", out, path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, b)
	}
	im, err := Open(out)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := im.Symbol("main"); !ok || im.Stripped {
		t.Error("strip -g keeps symbols")
	}
}

// The functions of C11 threads are bound, or call one that is (by a path of
// plain calls and jumps), so that no lock escapes the profile.
func TestC11ThreadsAreCovered(t *testing.T) {
	for _, l := range imagetest.Libcs {
		im := open(t, l.Compiler, "threads.c", "-static")
		roles := im.Roles(&PthreadProfile)
		for name, want := range map[string]Role{
			"mtx_init": MutexInit, "mtx_lock": MutexLock, "mtx_trylock": MutexTryLock, "mtx_timedlock": MutexTimedLock, "mtx_unlock": MutexUnlock,
			"cnd_init": CondInit, "cnd_wait": CondWait, "cnd_timedwait": CondTimedWait, "cnd_signal": CondSignal, "cnd_broadcast": CondBroadcast,
			"call_once": Once, "thrd_create": Create, "thrd_join": Join, "thrd_detach": Detach, "thrd_exit": ThreadExit, "thrd_yield": Yield, "thrd_sleep": Sleep,
		} {
			f, ok := im.Symbol(name)
			if !ok {
				t.Fatalf("%s: no %s", l.Compiler, name)
			}
			if got := roleOf(im, roles, f.Addr, 3); got != want {
				t.Errorf("%s: %s leads to %v, want %v", l.Compiler, name, got, want)
			}
		}
	}
}

// roleOf is the role of the function at addr, or of the last function with one
// that it calls or jumps to.
func roleOf(im *Image, roles map[uint64]Bound, addr uint64, depth int) Role {
	if b, ok := roles[addr]; ok {
		return b.Role
	}
	found := NoRole
	f, _ := im.SymbolAt(addr)
	for pc := addr; depth > 0 && pc < f.Addr+f.Size; {
		inst, _, err := decode(im.Bytes(pc, MaxInst), im.Machine)
		if err != nil {
			break
		}
		pc += uint64(inst.Len)
		rel, ok := inst.Args[0].(x86asm.Rel)
		target := pc + uint64(int64(rel))
		if !ok || target-f.Addr < f.Size || (inst.Op != x86asm.CALL && inst.Op != x86asm.JMP) {
			continue
		}
		if r := roleOf(im, roles, target, depth-1); r != NoRole {
			found = r
		}
	}
	return found
}
