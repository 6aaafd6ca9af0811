package scheduler

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
)

// Numbers of system calls, and of a futex's operations (linux/futex.h).
const (
	sysYield     = 24
	sysNanosleep = 35
	sysFutex     = 202
	sysTime      = 228 // clock_gettime
	futexWait    = 0
	futexWake    = 1
)

// until loops while a shared number is 0; turn is in the loop.
func until(n int, turn func(*emutest.Code)) func(*emutest.Code) {
	return func(c *emutest.Code) {
		again := c.Here()
		if turn != nil {
			turn(c)
		}
		c.Load(at(n)).JumpIf(emutest.Zero, again)
	}
}

// sets gives a shared number a value.
func sets(n int, v uint64) func(*emutest.Code) {
	return func(c *emutest.Code) { c.Put4(at(n), v) }
}

// spinLock takes a lock of one bit, by xchg in a loop; unlocks lets it go.
func spinLock(n int) func(*emutest.Code) {
	return func(c *emutest.Code) {
		again := c.Here()
		c.Set(1).Exchange(at(n)).JumpIf(emutest.NotZero, again)
	}
}
func unlocks(n int) func(*emutest.Code) { return sets(n, 0) }

func all(parts ...func(*emutest.Code)) func(*emutest.Code) {
	return func(c *emutest.Code) {
		for _, part := range parts {
			part(c)
		}
	}
}

func calls(nr uint64, args ...uint64) func(*emutest.Code) {
	return func(c *emutest.Code) { c.Syscall(nr, args...) }
}

// TestWaits: how programs that wait end, over all their interleavings. A loop without an effect
// waits until what it reads changes; one that nothing can end is a livelock, and a sleep that
// nothing can end a deadlock.
func TestWaits(t *testing.T) {
	spin := func(c *emutest.Code) { c.Pause() }
	const timeout = 20 // two numbers: 1 ns
	for _, tc := range []struct {
		name    string
		threads []func(*emutest.Code)
		want    []string
	}{
		{"a flag that is set", []func(*emutest.Code){until(0, spin), sets(0, 1)}, []string{"ends"}},
		{"a flag that is never set", []func(*emutest.Code){until(0, spin), sets(1, 1)}, []string{"livelock: thread 0 spins for ever"}},
		{"a flag that is set and taken back", []func(*emutest.Code){until(0, spin), all(sets(0, 1), sets(0, 0))},
			[]string{"ends", "livelock: thread 0 spins for ever"}},
		{"a loop with a yield", []func(*emutest.Code){until(0, calls(sysYield)), sets(0, 1)}, []string{"ends"}},
		{"a loop that reads two numbers", []func(*emutest.Code){func(c *emutest.Code) {
			again := c.Here()
			c.Load(at(1)).JumpIf(emutest.NotZero, again+1+6+1+6)
			c.Load(at(0)).JumpIf(emutest.Zero, again)
		}, sets(1, 1)}, []string{"ends"}},
		{"a loop that gives up after three turns", []func(*emutest.Code){func(c *emutest.Code) {
			again := c.Here()
			c.Do(func(p *emu.CPU) { p.R12++ })
			c.Load(at(0)).JumpIf(func(p *emu.CPU) bool { return p.RAX == 0 && p.R12 < 3 }, again)
		}, sets(0, 1)}, []string{"ends"}},
		{"a spin lock", []func(*emutest.Code){all(spinLock(0), sets(1, 1), unlocks(0)), all(spinLock(0), sets(1, 2), unlocks(0))}, []string{"ends"}},
		{"two spin locks in opposite order", []func(*emutest.Code){
			all(spinLock(0), spinLock(1), unlocks(1), unlocks(0)), all(spinLock(1), spinLock(0), unlocks(0), unlocks(1)),
		}, []string{"ends", "livelock: thread 0 spins for ever"}},
		{"a futex whose waker sets the number first", []func(*emutest.Code){
			until(0, calls(sysFutex, at(0), futexWait, 0, 0)), all(sets(0, 1), calls(sysFutex, at(0), futexWake, 1)),
		}, []string{"ends"}},
		{"a futex whose waker sets nothing", []func(*emutest.Code){
			calls(sysFutex, at(0), futexWait, 0, 0), calls(sysFutex, at(0), futexWake, 1),
		}, []string{"deadlock: thread 0 waits for ever: a wake-up at futex", "ends"}},
		{"a futex with a time", []func(*emutest.Code){
			all(func(c *emutest.Code) { c.Put8(at(timeout+1), 1) }, calls(sysFutex, at(0), futexWait, 0, at(timeout))), calls(sysFutex, at(0), futexWake, 1),
		}, []string{"ends"}},
		{"a sleep is no wait", []func(*emutest.Code){
			all(func(c *emutest.Code) { c.Put8(at(timeout+1), 1) }, calls(sysNanosleep, at(timeout), 0)), sets(0, 1),
		}, []string{"ends"}},
		{"a loop that looks at the clock", []func(*emutest.Code){func(c *emutest.Code) {
			c.Syscall(sysTime, 0, at(timeout))
			c.Do(func(p *emu.CPU) { p.R12 = p.Load(at(timeout), 8) + 2 })
			again := c.Here()
			c.Syscall(sysTime, 0, at(timeout))
			c.Do(func(p *emu.CPU) { p.RAX = p.Load(at(timeout), 8) })
			c.JumpIf(func(p *emu.CPU) bool { return p.RAX < p.R12 }, again)
		}, sets(0, 1)}, []string{"ends"}},
		{"a loop without anything", []func(*emutest.Code){func(c *emutest.Code) { c.Jump(c.Here()) }, sets(0, 1)},
			[]string{"livelock: thread 0 spins for ever"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for how, cfg := range map[string]func(*System){
				"each turn": func(*System) {}, "without polls": func(s *System) { s.Await(true); s.EndLate(true) },
				"blended": func(s *System) { s.Await(true); s.Blend(true); s.Count(true); s.Overwrite(true); s.Unread(true) },
			} {
				g := script(t, Config{}, threadsOf(tc.threads...))
				cfg(g.System)
				got := g.verdicts(t)
				for i := range got {
					got[i], _, _ = strings.Cut(got[i], ": no thread is left")
					if head, _, cut := strings.Cut(got[i], "futex "); cut {
						got[i] = head + "futex"
					}
				}
				if !slices.Equal(got, tc.want) {
					t.Errorf("%s: %q, want %q", how, got, tc.want)
				}
			}
		})
	}
}

// TestStepBudget: a step that never reaches a point, and counts, ends as one that is too long.
func TestStepBudget(t *testing.T) {
	const most = 50_000
	g := script(t, Config{StepBudget: most}, threadsOf(func(c *emutest.Code) {
		again := c.Here()
		c.Do(func(p *emu.CPU) { p.R12++ }).Jump(again)
	}, sets(0, 1)))
	_, err := g.Step(0, 0)
	var b *BudgetError
	if !errors.As(err, &b) || b.Insns != most || b.Thread != 0 {
		t.Errorf("the error is %v", err)
	}
}
