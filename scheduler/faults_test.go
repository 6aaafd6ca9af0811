package scheduler

import (
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/trace"
)

const (
	sysMmap       = 9
	sysMunmap     = 11
	sysSigaction  = 13
	sysSigreturn  = 15
	sysAlarm      = 37
	sysGetpid     = 39
	sysExit       = 60
	sysTgkill     = 234
	sysExitGroup  = 231
	sysMembarrier = 324

	sigIll, sigAbort, sigUser, sigSegv, sigAlarm = 4, 6, 10, 11, 14
)

// scriptHandler is where a signal's handler is.
const scriptHandler = scriptCode + 0x2000

// handles installs a handler, whose code is further on; what it returns to is behind that.
func handles(sig uint64, handler func(*emutest.Code)) (installs, code func(*emutest.Code)) {
	const action, restorer, saRestorer = 100, scriptHandler + 0x200, 0x04000000
	installs = func(c *emutest.Code) {
		c.Put8(at(action), scriptHandler).Put8(at(action+1), saRestorer).Put8(at(action+2), restorer).Put8(at(action+3), 0)
		c.Syscall(sysSigaction, sig, at(action), 0, 8)
	}
	code = func(c *emutest.Code) {
		c.At(scriptHandler)
		handler(c)
		c.Return()
		c.At(restorer)
		c.Syscall(sysSigreturn)
	}
	return installs, code
}

// copies copies a shared number.
func copies(from, to int) func(*emutest.Code) {
	return func(c *emutest.Code) { c.Load(at(from)).Store(at(to)) }
}

// sends sends a signal to a thread whose number is in R13.
func sends(sig uint64) func(*emutest.Code) {
	return func(c *emutest.Code) {
		c.Syscall(sysGetpid)
		c.Do(func(p *emu.CPU) { p.RDI, p.RSI, p.RDX, p.RAX = p.RAX, p.R13, sig, sysTgkill })
		c.Enter()
	}
}

// toItself has the next signal go to the first thread itself, toChild to the one created last.
func toItself(c *emutest.Code) {
	c.Syscall(sysGetpid)
	c.Do(func(p *emu.CPU) { p.R13 = p.RAX }) // the first thread has the process's number
}
func toChild(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.R13 = p.RAX }) }

// TestBugs: what ends a guest with a bug, by the rules of the processor and of Linux.
func TestBugs(t *testing.T) {
	fatal := func(c *emutest.Code) {
		for _, part := range []func(*emutest.Code){toItself, sends(sigAbort)} {
			part(c)
		}
	}
	for _, tc := range []struct {
		name string
		code func(*emutest.Code)
		want string
	}{
		{"a null pointer", func(c *emutest.Code) { c.Load(8) }, "segfault: read from address 0x8: a null pointer"},
		{"a store into code", func(c *emutest.Code) { c.Put4(scriptCode, 1) }, "segfault: write to address 0x400000, which isn't mapped so"},
		{"a jump into data", func(c *emutest.Code) { c.Jump(scriptData) }, "segfault: jump to 0x600000, where no code is"},
		{"ud2", func(c *emutest.Code) { c.Illegal() }, "illegal-instruction: illegal instruction"},
		{"hlt", func(c *emutest.Code) { c.Halt() }, "segfault: a privileged instruction: hlt"},
		{"a failing status", calls(sysExitGroup, 3), "assertion: the guest exits with status 3"},
		{"SIGABRT", fatal, "assertion: killed by signal 6"},
		{"a use of what was unmapped", func(c *emutest.Code) {
			c.Syscall(sysMmap, 0, 4096, 3, 0x22, ^uint64(0), 0)
			c.Do(func(p *emu.CPU) { p.R12, p.RDI, p.RSI, p.RAX = p.RAX, p.RAX, 4096, sysMunmap }).Enter()
			c.Do(func(p *emu.CPU) { p.Store(p.R12+16, 4, 1) })
		}, "use-after-free: writes 4 bytes at offset 16 of a mapping of 4096 bytes that has been unmapped"},
		{"a stack that is used up", func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) { p.RSP = scriptData })
			c.Call(scriptCode)
		}, "stack-overflow: the thread's stack is used up"},
		{"no bug", calls(sysExitGroup, 0), "ends"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			// A second thread has another order of events about; the bug is there in each.
			for _, parts := range [][]func(*emutest.Code){{tc.code}, {tc.code, sets(0, 1)}} {
				got := script(t, Config{}, threadsOf(parts...)).verdicts(t)
				for i := range got {
					if strings.HasPrefix(got[i], tc.want) {
						got[i] = tc.want
					}
				}
				if !slices.Equal(got, []string{tc.want}) {
					t.Errorf("%d threads: %q, want %q", len(parts), got, tc.want)
				}
			}
		})
	}
}

// TestSignals: where a handler comes in what its thread does. A signal to a thread that has ended
// is none (POSIX: ESRCH), and a handled fault isn't a bug. A timer's signal comes anywhere while
// the program runs, once, and also never.
func TestSignals(t *testing.T) {
	const unset = 9
	for _, tc := range []struct {
		name    string
		cfg     Config
		sig     uint64
		handler func(*emutest.Code)
		threads []func(*emutest.Code)
		of      []int
		want    []string
	}{
		{"to itself", Config{}, sigUser, func(c *emutest.Code) { c.LockAdd(at(0), 1) },
			[]func(*emutest.Code){all(toItself, sends(sigUser), copies(0, 1))}, []int{0, 1}, []string{"[1 1]"}},
		{"to another thread", Config{}, sigUser, copies(2, 3),
			[]func(*emutest.Code){all(toChild, sends(sigUser)), all(sets(2, 1), sets(2, 2))}, []int{2, 3}, []string{"[2 0]", "[2 1]", "[2 2]", "[2 9]"}},
		{"of a fault", Config{}, sigSegv, all(sets(0, 1), calls(sysExitGroup, 0)),
			[]func(*emutest.Code){func(c *emutest.Code) { c.Load(8) }, sets(1, 1)}, []int{0}, []string{"[1]"}},
		{"of ud2", Config{}, sigIll, all(sets(0, 1), calls(sysExitGroup, 0)),
			[]func(*emutest.Code){func(c *emutest.Code) { c.Illegal() }}, []int{0}, []string{"[1]"}},
		{"of a timer", Config{Ticks: 1}, sigAlarm, copies(2, 3),
			[]func(*emutest.Code){all(calls(sysAlarm, 1), sets(2, 1), sets(2, 2))}, []int{2, 3}, []string{"[2 0]", "[2 1]", "[2 2]", "[2 9]"}},
		{"a loop that waits for a timer", Config{Ticks: 1}, sigAlarm, sets(0, 1),
			[]func(*emutest.Code){all(calls(sysAlarm, 1), until(0, nil))}, []int{0}, []string{"[1]"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			installs, handler := handles(tc.sig, tc.handler)
			g := script(t, tc.cfg, func(c *emutest.Code) {
				sets(3, unset)(c)
				installs(c)
				threadsOf(tc.threads...)(c)
				handler(c)
			})
			if got := g.outcomes(t, tc.of...); !slices.Equal(got, tc.want) {
				t.Errorf("%v, want %v", got, tc.want)
			}
			if g.End("line", false); tc.cfg.Ticks > 0 && !g.Seen().Met.GoneOff {
				t.Error("it isn't known that the timer has gone off")
			}
		})
	}
}

// TestSleepInterrupted: a handler that comes in a sleep ends it with EINTR and what is left of
// the time; one that comes before or behind doesn't (POSIX, nanosleep).
func TestSleepInterrupted(t *testing.T) {
	const eintr, time, left = 4, 20, 22
	installs, handler := handles(sigUser, sets(2, 1))
	g := script(t, Config{}, func(c *emutest.Code) {
		installs(c)
		c.Put8(at(time), 5)
		threadsOf(all(toChild, sends(sigUser)), func(c *emutest.Code) {
			c.Syscall(sysNanosleep, at(time), at(left))
			c.Do(func(p *emu.CPU) { p.RAX = -p.RAX })
			c.Store(at(0))
		})(c)
		handler(c)
	})
	// The result, whether the handler has run, and the seconds left: not quite the five.
	if got, want := g.outcomes(t, 0, 2, left), []string{"[0 0 0]", "[0 1 0]", "[4 1 4]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// TestBarrierOfAll: membarrier empties all store buffers, so a light side needs no fence
// (the asymmetric Dekker of membarrier(2)).
func TestBarrierOfAll(t *testing.T) {
	const private, register = 8, 16
	for _, tc := range []struct {
		heavy func(*emutest.Code)
		want  []string
	}{
		{calls(sysMembarrier, private, 0), []string{"[0 1]", "[1 0]", "[1 1]"}},
		{calls(sysGetpid), []string{"[0 0]", "[0 1]", "[1 0]", "[1 1]"}},
	} {
		g := script(t, Config{Buffers: true}, func(c *emutest.Code) {
			c.Syscall(sysMembarrier, register, 0)
			threadsOf(all(sets(0, 1), tc.heavy, copies(1, 2)), all(sets(1, 1), copies(0, 3)))(c)
		})
		if got := g.outcomes(t, 2, 3); !slices.Equal(got, tc.want) {
			t.Errorf("%v, want %v", got, tc.want)
		}
	}
}

// TestFencesAdded: with a fence after each store, tried without building the guest anew, SB has
// no outcome beyond sequential consistency.
func TestFencesAdded(t *testing.T) {
	g := script(t, Config{Buffers: true}, threadsOf(all(sets(0, 1), copies(1, 2)), all(sets(1, 1), copies(0, 3))))
	delayed := map[uint64]bool{}
	g.explore(t, func() {
		for i := range trace.TID(len(g.threads)) {
			if !g.isBuffer(i) && g.threads[i].Exists {
				for _, a := range g.Delays(i) {
					delayed[a.Addr] = true
				}
			}
		}
	}, g.verdict)
	if !delayed[at(0)] || !delayed[at(1)] {
		t.Errorf("stores that loads overtake: %v", delayed)
	}
	g.FenceAfter(func(*trace.Access) bool { return true })
	if got, want := g.outcomes(t, 2, 3), []string{"[0 1]", "[1 0]", "[1 1]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
