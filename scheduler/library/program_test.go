package library

import (
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// locked does something with a mutex.
func locked(mutex int, do ...part) part {
	return all(invoke(profile.MutexLock, at(mutex)), all(do...), invoke(profile.MutexUnlock, at(mutex)))
}

// unlockIf unlocks a mutex if the last result is 0.
func unlockIf(mutex int) part {
	return func(c *emutest.Code) {
		c.JumpIf(emutest.NotZero, c.Here()+6+1+5)
		invoke(profile.MutexUnlock, at(mutex))(c)
	}
}

// kinds leaves out what is said of a bug, but where it is wanted.
func kinds(got, want []string) []string {
	for i := range got {
		if head, _, cut := strings.Cut(got[i], ":"); cut && !slices.Contains(want, got[i]) {
			got[i] = head
		}
	}
	return slices.Compact(got)
}

// TestPrograms: how programs of POSIX's functions end, over all interleavings.
func TestPrograms(t *testing.T) {
	const m, n, cv, sem, bar, rw, once = 20, 21, 22, 23, 24, 25, 26
	nothing := func(*emutest.Code) {}
	spins := all(invoke(profile.SpinLock, at(27)), add(0), invoke(profile.SpinUnlock, at(27)))
	waitsWhile := func(flag int) part { // while (!flag) pthread_cond_wait(cv, m)
		return func(c *emutest.Code) {
			again := c.Here()
			over := again + 1 + 6 + 1 + 5 + 5
			c.Load(at(flag)).JumpIf(emutest.NotZero, over)
			invoke(profile.CondWait, at(cv), at(m))(c)
			c.Jump(again)
		}
	}
	for _, tc := range []struct {
		name  string
		last  part
		parts []part
		of    []int
		want  []string
	}{
		{"additions without a lock", take(0, 1), []part{add(0), add(0)}, []int{1}, []string{"[1] ends", "[2] ends"}},
		{"additions with one", take(0, 1), []part{locked(m, add(0)), locked(m, add(0))}, []int{1}, []string{"[2] ends"}},
		{"two locks in opposite order", nothing, []part{locked(m, locked(n)), locked(n, locked(m))}, nil,
			[]string{"[] deadlock: threads wait for each other in a cycle", "[] ends"}},
		{"a lock that is taken twice", nothing, []part{locked(m, invoke(profile.MutexLock, at(m)))}, nil, []string{"[] lock-misuse"}},
		{"a mutex that another thread unlocks", nothing, []part{invoke(profile.MutexLock, at(m)), invoke(profile.MutexUnlock, at(m))}, nil,
			[]string{"[] lock-misuse"}},
		{"a try", nothing, []part{locked(m), all(invoke(profile.MutexTryLock, at(m)), keep(0), unlockIf(m))}, []int{0}, []string{"[0] ends", "[16] ends"}},
		{"a condition that is looked at", nothing, []part{locked(m, waitsWhile(0)), locked(m, put(0, 1), invoke(profile.CondSignal, at(cv)))}, nil, []string{"[] ends"}},
		{"one that isn't", nothing, []part{locked(m, invoke(profile.CondWait, at(cv), at(m))), locked(m, invoke(profile.CondBroadcast, at(cv)))}, nil,
			[]string{"[] deadlock: 2 threads wait for ever, and no thread is left to release them", "[] ends"}},
		{"a semaphore", take(0, 1), []part{all(invoke(profile.SemWait, at(sem)), take(2, 0)), all(put(2, 5), invoke(profile.SemPost, at(sem)))}, []int{1}, []string{"[5] ends"}},
		{"a semaphore that nothing posts", nothing, []part{invoke(profile.SemWait, at(sem))}, nil,
			[]string{"[] deadlock: 2 threads wait for ever, and no thread is left to release them"}},
		{"a barrier", nothing, []part{all(put(0, 1), invoke(profile.BarrierWait, at(bar)), take(1, 2)), all(put(1, 1), invoke(profile.BarrierWait, at(bar)), take(0, 3))},
			[]int{2, 3}, []string{"[1 1] ends"}},
		{"readers and a writer", take(0, 1), []part{all(invoke(profile.RWWriteLock, at(rw)), put(0, 1), put(0, 2), invoke(profile.RWUnlock, at(rw))),
			all(invoke(profile.RWReadLock, at(rw)), take(0, 3), invoke(profile.RWUnlock, at(rw)))}, []int{3}, []string{"[0] ends", "[2] ends"}},
		{"once", take(0, 1), []part{invoke(profile.Once, at(once), progThread), invoke(profile.Once, at(once), progThread)}, []int{1}, []string{"[1] ends"}},
		{"a spin lock", take(0, 1), []part{spins, spins}, []int{1}, []string{"[2] ends"}},
		{"pthread_exit", nothing, []part{all(invoke(profile.ThreadExit, 3), put(0, 1))}, []int{0}, []string{"[0] ends"}},
		{"joined twice", all(joins(1), keep(0)), []part{nothing}, []int{0}, []string{"[0] lock-misuse"}},
		{"freed while it is used", nothing, []part{all(invoke(profile.Malloc, 32), func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) { p.RBX = p.RAX }).Do(func(p *emu.CPU) { p.Store(at(0), 8, p.RBX) })
			c.Do(func(p *emu.CPU) { p.RDI = p.RBX }).Call(progCalls + 16*uint64(profile.Free))
		}), func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) { p.RBX = p.Load(at(0), 8) })
			c.JumpIf(func(p *emu.CPU) bool { return p.RBX == 0 }, c.Here()+6+1).Do(func(p *emu.CPU) { p.Store(p.RBX, 4, 1) })
		}}, nil, []string{"[] ends", "[] use-after-free"}},
		{"freed twice", nothing, []part{all(invoke(profile.Malloc, 32), func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) { p.RBX = p.RAX })
			for range 2 {
				c.Do(func(p *emu.CPU) { p.RDI = p.RBX }).Call(progCalls + 16*uint64(profile.Free))
			}
		})}, nil, []string{"[] double-free"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			first, threads := beside(tc.last, tc.parts...)
			init := all(invoke(profile.SemInit, at(sem), 0, 0), invoke(profile.BarrierInit, at(bar), 0, 2), invoke(profile.SpinInit, at(27), 0))
			routine := func(c *emutest.Code) { // of once, where thread 0 would be
				here := c.Here()
				c.At(progThread).Add(at(0), 1).Return()
				c.At(here)
			}
			// Store buffers make no difference: these programs are free of races, or have one
			// that shows without them.
			for _, buffers := range []bool{false, true} {
				if buffers && tc.name == "a spin lock" {
					continue // its own code runs then, and this guest's has none
				}
				got := kinds(bootProgram(t, scheduler.Config{Buffers: buffers}, Config{}, all(routine, init, first), threads...).ends(t, tc.of...), tc.want)
				if !slices.Equal(got, tc.want) {
					t.Errorf("store buffers %t: %q, want %q", buffers, got, tc.want)
				}
			}
		})
	}
}

// TestTimedWaits: a timed wait runs out where no other thread can run. That it may at any time is
// a choice of the kernel's: then threads and locks are left to the guest's own code.
func TestTimedWaits(t *testing.T) {
	const m, when = 20, 60
	for any := range 2 {
		first, threads := beside(func(*emutest.Code) {}, locked(m, add(1)), all(invoke(profile.MutexTimedLock, at(m), at(when)), keep(0), unlockIf(m)))
		g := bootProgram(t, scheduler.Config{}, Config{AnyTimeout: any > 0}, all(func(c *emutest.Code) { c.Put8(at(when), 1<<40) }, first), threads...)
		if got := g.ends(t, 0); any == 0 && !slices.Equal(got, []string{"[0] ends"}) {
			t.Errorf("%q", got)
		}
		if g.lib.known.Native != (any > 0) {
			t.Errorf("its own code runs: %t", g.lib.known.Native)
		}
	}
}

// TestCallsMayFail: an allocation, a wait on a condition and the creation of a thread fail in some
// execution, where that may be.
func TestCallsMayFail(t *testing.T) {
	malloc := all(invoke(profile.Malloc, 32), func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.Store(at(0), 4, trace.Bit(p.RAX == 0)) }) })
	g := bootProgram(t, scheduler.Config{Faults: trace.Faults{trace.FaultMalloc: 1}}, Config{}, malloc)
	if got, want := g.ends(t, 0), []string{"[0] ends", "[1] ends"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	const m, cv = 20, 22
	wakes := locked(m, invoke(profile.CondSignal, at(cv)))
	first, threads := beside(func(*emutest.Code) {}, all(locked(m, invoke(profile.CondWait, at(cv), at(m)), put(0, 1))), wakes)
	for n, want := range []string{"[0] deadlock", "[1] ends"} {
		faults := trace.Faults{trace.FaultSpurious: uint8(n)}
		got := bootProgram(t, scheduler.Config{Faults: faults}, Config{}, first, threads...).ends(t, 0)
		// Without spurious wake-ups the signal may come too early; one lets each execution end somehow.
		if !slices.ContainsFunc(got, func(s string) bool { return strings.HasPrefix(s, want) }) {
			t.Errorf("%d spurious: %q", n, got)
		}
	}
}
