package library

import (
	"slices"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/linear"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// TestAllocatorCalls: what the allocator's calls return, by C11 7.22.3, POSIX and malloc(3).
func TestAllocatorCalls(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		w := newWorld(t, libc, 1, Config{})
		for _, tc := range []struct {
			name    string
			role    profile.Role
			args    []uint64
			aligned uint64 // 0: it returns 0
		}{
			{"malloc", profile.Malloc, []uint64{24}, 16},
			{"malloc of nothing", profile.Malloc, []uint64{0}, 16},
			{"calloc", profile.Calloc, []uint64{5, 8}, 16},
			{"calloc of too much", profile.Calloc, []uint64{1 << 63, 4}, 0},
			{"malloc of too much", profile.Malloc, []uint64{1 << 62}, 0},
			{"aligned_alloc", profile.AlignedAlloc, []uint64{64, 128}, 64},
			{"memalign", profile.Memalign, []uint64{256, 10}, 256},
			{"valloc", profile.Valloc, []uint64{10}, 4096},
			{"pvalloc", profile.Pvalloc, []uint64{10}, 4096},
			{"realloc of nothing", profile.Realloc, []uint64{0, 40}, 16},
			{"reallocarray of too much", profile.ReallocArray, []uint64{0, 1 << 40, 1 << 40}, 0},
		} {
			p := w.does(t, 0, tc.role, tc.args...)
			if tc.aligned == 0 && p != 0 || tc.aligned != 0 && (p == 0 || p%tc.aligned != 0) {
				t.Errorf("%s: %#x", tc.name, p)
			}
		}
		p := w.does(t, 0, profile.Malloc, 16)
		w.machine.Write64(p, 77)
		q := w.does(t, 0, profile.Realloc, p, 4000)
		if q == 0 || w.machine.Read64(q) != 77 || w.does(t, 0, profile.MallocUsableSize, q) != 4000 {
			t.Errorf("realloc moves %#x to %#x, where %d is", p, q, w.machine.Read64(q))
		}
		for i := range uint64(4000) {
			w.machine.Write8(q+i, 0xff)
		}
		w.does(t, 0, profile.Free, q)
		if r := w.does(t, 0, profile.Calloc, 1, 4000); slices.ContainsFunc(w.machine.Bytes(r, 4000), func(b byte) bool { return b != 0 }) {
			t.Error("calloc's memory isn't 0")
		}
		if got := w.does(t, 0, profile.PosixMemalign, result, 24, 8); got != abi.EINVAL {
			t.Errorf("posix_memalign at 24 returns %d", got)
		}
		if got := w.does(t, 0, profile.PosixMemalign, result, 128, 8); got != 0 || w.machine.Read64(result) == 0 || w.machine.Read64(result)%128 != 0 {
			t.Errorf("posix_memalign returns %d, and gives %#x", got, w.machine.Read64(result))
		}
		w.does(t, 0, profile.Free, 0)
		if libc == elffile.Glibc { // its manual: realloc(p, 0) frees, and returns NULL
			if p := w.does(t, 0, profile.Malloc, 8); w.does(t, 0, profile.Realloc, p, 0) != 0 {
				t.Error("realloc to nothing gives a block")
			}
		}
	})
}

// TestWrongFrees: what may not be given back.
func TestWrongFrees(t *testing.T) {
	for _, tc := range []struct {
		name string
		role profile.Role
		args func(p uint64) []uint64
		kind trace.BugKind
	}{
		{"the middle of a block", profile.Free, func(p uint64) []uint64 { return []uint64{p + 8} }, trace.InvalidFree},
		{"a variable", profile.Free, func(uint64) []uint64 { return []uint64{fakeData} }, trace.InvalidFree},
		{"what was freed", profile.Free, func(p uint64) []uint64 { return []uint64{p - 1<<63} }, trace.DoubleFree},
		{"what was freed, by realloc", profile.Realloc, func(p uint64) []uint64 { return []uint64{p - 1<<63, 8} }, trace.DoubleFree},
		{"the size of what was freed", profile.MallocUsableSize, func(p uint64) []uint64 { return []uint64{p - 1<<63} }, trace.UseAfterFree},
	} {
		w := newWorld(t, elffile.Glibc, 1, Config{})
		p := w.does(t, 0, profile.Malloc, 32)
		args := tc.args(p)
		if args[0] == p-1<<63 {
			w.does(t, 0, profile.Free, p)
			args[0] = p
		}
		w.call(t, 0, tc.role, args...)
		if f := w.failure(0); f == nil || f.Kind != tc.kind {
			t.Errorf("%s: %+v", tc.name, f)
		}
	}
}

// TestNamedSemaphores: sem_open, sem_close and sem_unlink as POSIX has them.
func TestNamedSemaphores(t *testing.T) {
	both(t, func(t *testing.T, libc elffile.Libc) {
		const create, exclusive, name, other, wrong = 0x40, 0x80, fakeData + 0x1000, fakeData + 0x1040, fakeData + 0x1080
		w := newWorld(t, libc, 2, Config{})
		for at, text := range map[uint64]string{name: "/one\x00", other: "/two\x00", wrong: "/a/b\x00"} {
			w.machine.Write(at, []byte(text))
		}
		if p := w.does(t, 0, profile.SemOpen, name, 0); p != 0 {
			t.Errorf("one that doesn't exist is at %#x", p)
		}
		a := w.does(t, 0, profile.SemOpen, name, create, 0o600, 1)
		b := w.does(t, 1, profile.SemOpen, name, create, 0o600, 5)
		if a == 0 || b != a {
			t.Fatalf("one name is at %#x and %#x", a, b)
		}
		if p := w.does(t, 1, profile.SemOpen, name, create|exclusive, 0o600, 1); p != 0 {
			t.Errorf("it is created again at %#x", p)
		}
		if p := w.does(t, 1, profile.SemOpen, wrong, create, 0o600, 1); p != 0 {
			t.Errorf("a name with a slash in it is at %#x", p)
		}
		if p := w.does(t, 1, profile.SemOpen, other, create, 0o600, 0); p == 0 || p == a {
			t.Errorf("another name is at %#x", p)
		}
		w.does(t, 0, profile.SemWait, a)
		if got := w.does(t, 1, profile.SemTryWait, a); int32(got) != -1 {
			t.Errorf("its value was 1: the second try returns %d", int32(got))
		}
		w.does(t, 1, profile.SemPost, a)
		if got := w.does(t, 0, profile.SemUnlink, name); got != 0 {
			t.Errorf("unlink returns %d", got)
		}
		if got := w.does(t, 0, profile.SemUnlink, name); int32(got) != -1 {
			t.Errorf("unlink of what isn't there returns %d", int32(got))
		}
		if got := w.does(t, 1, profile.SemTryWait, a); got != 0 {
			t.Errorf("an unlinked one that is open: %d", got)
		}
		if p := w.does(t, 0, profile.SemOpen, name, create, 0o600, 0); p == 0 || p == a {
			t.Errorf("a new one of the name is at %#x", p)
		}
		for range 2 {
			if got := w.does(t, 0, profile.SemClose, a); got != 0 {
				t.Errorf("close returns %d", got)
			}
		}
	})
}

// TestLinearizable: results that an order of the calls explains, and others. A counter whose
// add is a load and a store loses one; one with a lock doesn't (Herlihy and Wing, 1990).
func TestLinearizable(t *testing.T) {
	const obj, m = 30, 20
	begins := func(op, arg uint64) part { return invoke(profile.CallBegins, at(obj), op, arg) }
	ends := func(c *emutest.Code) {
		c.Do(func(p *emu.CPU) { p.RDI, p.RSI = at(obj), p.RBX }).Call(progCalls + 16*uint64(profile.CallEnds))
	}
	increases := func(c *emutest.Code) {
		c.Load(at(0)).Do(func(p *emu.CPU) { p.RBX = p.RAX; p.RAX++ }).Store(at(0))
	}
	for _, tc := range []struct {
		name string
		add  part
		want []string
	}{
		{"with a lock", locked(m, increases), []string{"[] ends"}},
		{"without", increases, []string{"[] ends", "[] linearizability"}},
	} {
		op := all(begins(linear.Increase, 1), tc.add, ends)
		first, threads := beside(func(*emutest.Code) {}, op, op)
		g := bootProgram(t, scheduler.Config{}, Config{}, all(invoke(profile.Linearizable, at(obj), uint64(linear.Register), 0), first), threads...)
		if got := kinds(g.ends(t), tc.want); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestConditions: what the guest wants to hold always, or at some time, by landgo's header.
func TestConditions(t *testing.T) {
	const function = progCode + 0x7800
	isNot := func(v uint64) part {
		return func(c *emutest.Code) {
			here := c.Here()
			c.At(function).Load(at(0)).Do(func(p *emu.CPU) { p.RAX = trace.Bit(p.RAX != v) }).Return()
			c.At(here)
		}
	}
	for _, tc := range []struct {
		name string
		role profile.Role
		code part
		want []string
	}{
		{"it holds", profile.Always, isNot(9), []string{"[] ends"}},
		{"it doesn't", profile.Always, isNot(1), []string{"[] invariant"}},
		{"it does at some time", profile.Eventually, isNot(0), []string{"[] ends"}},
	} {
		first, threads := beside(func(*emutest.Code) {}, all(put(0, 1), put(0, 2)), take(0, 1))
		g := bootProgram(t, scheduler.Config{}, Config{}, all(tc.code, invoke(tc.role, function, 0), first), threads...)
		if got := kinds(g.ends(t), tc.want); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestOwnAllocators: blocks of an allocator whose own code runs, the library's or one of the
// program's, are known by its calls.
func TestOwnAllocators(t *testing.T) {
	frees := func(free uint64) part {
		return func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.RDI = p.RBX }).Call(free) }
	}
	uses := func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.Store(p.RBX+8, 4, 1) }) }
	beyond := func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.Store(p.RBX+32, 4, 1) }) }
	for _, how := range []string{"native", "pool"} {
		cfg, alloc, free := scheduler.Config{OwnAllocator: true}, progCalls+16*uint64(profile.Malloc), progCalls+16*uint64(profile.Free)
		if how == "pool" {
			cfg, alloc, free = scheduler.Config{Pools: true}, poolCalls[profile.Malloc], poolCalls[profile.Free]
		}
		gets := func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) { p.RDI = 32 }).Call(alloc).Do(func(p *emu.CPU) { p.RBX = p.RAX })
		}
		for _, tc := range []struct {
			name string
			code part
			want string
		}{
			{"used and freed", all(gets, uses, frees(free)), "[] ends"},
			{"used after it was freed", all(gets, frees(free), uses), "[] use-after-free"},
			{"freed twice", all(gets, frees(free), frees(free)), "[] double-free"},
			{"used beyond its end", all(gets, beyond), "[] heap-overflow"},
		} {
			first, threads := beside(func(*emutest.Code) {}, tc.code, tc.code)
			got := kinds(bootProgram(t, cfg, Config{}, first, threads...).ends(t), nil)
			if !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%s, %s: %q, want %q", how, tc.name, got, tc.want)
			}
		}
	}
}
