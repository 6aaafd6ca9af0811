package profile

import (
	"bytes"
	"os"
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
	"landgo/internal/image/x86"
)

func TestRoles(t *testing.T) {
	source, err := os.ReadFile("../testdata/threads.c")
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range imagetest.Libcs {
		for _, flags := range []string{"-static", "-static-pie"} {
			info := open(t, l.Compiler, "threads.c", flags)
			roles := Roles(info, &Pthread)
			bound := map[string]Bound{}
			for _, b := range roles {
				bound[b.Name] = b
			}
			n := 0
			for _, b := range Pthread.Bindings {
				if !bytes.Contains(source, []byte("\t"+b.Name+"(")) || (b.Only != elffile.NoLibc && b.Only != info.Libc()) {
					continue
				}
				s, ok := info.Symbol(b.Name)
				if !ok {
					continue // printf of a constant becomes puts
				}
				n++
				want := b.Role
				if info.Libc() == elffile.Glibc && (want == SpinInit || want == SpinUnlock) {
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
	info := open(t, "gcc", "clash.c", "-static -O1")
	for addr, b := range Roles(info, &Pthread) {
		if s, _ := info.SymbolAt(addr); !s.Global {
			t.Errorf("the guest's own %s has role %v", s.Name, b.Role)
		}
	}
	if s, ok := info.Symbol("perror"); !ok || s.Global {
		t.Fatalf("perror: %+v", s)
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

// The functions of C11 threads are bound, or call one that is (by a path of
// plain calls and jumps), so that no lock escapes the profile.
func TestC11ThreadsAreCovered(t *testing.T) {
	for _, l := range imagetest.Libcs {
		info := open(t, l.Compiler, "threads.c", "-static")
		roles := Roles(info, &Pthread)
		for name, want := range map[string]Role{
			"mtx_init": MutexInit, "mtx_lock": MutexLock, "mtx_trylock": MutexTryLock, "mtx_timedlock": MutexTimedLock, "mtx_unlock": MutexUnlock,
			"cnd_init": CondInit, "cnd_wait": CondWait, "cnd_timedwait": CondTimedWait, "cnd_signal": CondSignal, "cnd_broadcast": CondBroadcast,
			"call_once": Once, "thrd_create": Create, "thrd_join": Join, "thrd_detach": Detach, "thrd_exit": ThreadExit, "thrd_yield": Yield, "thrd_sleep": Sleep,
		} {
			f, ok := info.Symbol(name)
			if !ok {
				t.Fatalf("%s: no %s", l.Compiler, name)
			}
			if got := roleOf(info, roles, f.Addr, 3); got != want {
				t.Errorf("%s: %s leads to %v, want %v", l.Compiler, name, got, want)
			}
		}
	}
}

// roleOf is the role of the function at addr, or of the last function with one
// that it calls or jumps to.
func roleOf(info *debuginfo.Info, roles map[uint64]Bound, addr uint64, depth int) Role {
	if b, ok := roles[addr]; ok {
		return b.Role
	}
	found := NoRole
	f, _ := info.SymbolAt(addr)
	for pc := addr; depth > 0 && pc < f.Addr+f.Size; {
		inst, _, err := x86.Decode(info.Bytes(pc, x86.MaxInst), info.Machine)
		if err != nil {
			break
		}
		pc += uint64(inst.Len)
		rel, ok := inst.Args[0].(x86asm.Rel)
		target := pc + uint64(int64(rel))
		if !ok || target-f.Addr < f.Size || (inst.Op != x86asm.CALL && inst.Op != x86asm.JMP) {
			continue
		}
		if r := roleOf(info, roles, target, depth-1); r != NoRole {
			found = r
		}
	}
	return found
}
