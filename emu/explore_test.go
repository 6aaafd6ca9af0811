package emu

import (
	"syscall"
	"testing"
	"time"

	"landgo/internal/trace"
)

// explorer is a depth-first search without reduction over the two threads of
// counter.S: the least that any search does with a machine.
type explorer struct {
	*guest
	rounds            uint64
	runs, transitions uint64
	wrong             uint64
}

// strand is one thread's part of a state.
type strand struct {
	ctx   Ctx
	allow uint32 // 1: poised at an access
	state uint8
}

const (
	ready    = iota
	yielding // at the pause of its spin lock: waits for the other to move
	done
)

func newExplorer(t testing.TB, rounds uint64) (*explorer, [2]strand) {
	e := &explorer{guest: load(t, "counter.S", Config{}), rounds: rounds}
	e.Break(e.symbols["spin"], 1)
	start := e.Mark()
	e.learn()
	e.Rewind(start)
	return e, e.begin()
}

func (e *explorer) begin() (s [2]strand) {
	for i := range s {
		s[i].ctx = e.Start(&Regs{RIP: e.entry, RSP: stackAt + 0x1000*uint64(i+1), RCX: e.rounds, RFLAGS: 2})
	}
	return s
}

// learn runs the threads one after the other, so that the machine knows what
// they share.
func (e *explorer) learn() {
	for i, s := range e.begin() {
		e.Run(&Run{From: s.ctx, Thread: trace.TID(i)})
	}
}

func (e *explorer) search(s [2]strand) {
	moved := false
	mark := e.Mark()
	for t := range s {
		other := s[1-t]
		if s[t].state == done || s[t].state == yielding && other.state != done {
			continue
		}
		moved = true
		next := s
		next[t] = e.step(trace.TID(t), s[t])
		if other.state == yielding {
			next[1-t].state = ready
		}
		e.search(next)
		e.Rewind(mark)
	}
	if !moved {
		e.runs++
		if e.Read32(dataAt+8) != uint32(2*e.rounds) {
			e.wrong++
		}
	}
}

func (e *explorer) step(t trace.TID, s strand) strand {
	e.transitions++
	stop := e.Run(&Run{From: s.ctx, Thread: t, Flags: StopShared, Allow: s.allow, SkipBreak: true})
	switch stop.Why {
	case StopAccess:
		return strand{stop.Ctx, 1, ready}
	case StopBreak:
		return strand{stop.Ctx, 0, yielding}
	}
	return strand{stop.Ctx, 0, done}
}

// The numbers are those of an abstract model of the two threads.
func TestExploreSpinLock(t *testing.T) {
	for _, c := range []struct{ rounds, runs, transitions uint64 }{{1, 94, 676}, {2, 50004, 371448}} {
		e, s := newExplorer(t, c.rounds)
		e.search(s)
		if e.runs != c.runs || e.transitions != c.transitions || e.wrong != 0 {
			t.Errorf("%d rounds: %d runs, %d transitions, %d wrong; want %d, %d, 0", c.rounds, e.runs, e.transitions, e.wrong, c.runs, c.transitions)
		}
	}
}

// Machines share nothing: eight goroutines, each with its own, all count right.
func TestParallelMachines(t *testing.T) {
	type counts struct{ runs, transitions, wrong uint64 }
	ch := make(chan counts)
	for range 8 {
		e, s := newExplorer(t, 1)
		go func() {
			for range 20 {
				e.runs, e.transitions = 0, 0
				e.search(s)
			}
			ch <- counts{e.runs, e.transitions, e.wrong}
		}()
	}
	for range 8 {
		if c := <-ch; c != (counts{94, 676, 0}) {
			t.Errorf("got %+v", c)
		}
	}
}

// processorTime is the time that this process has used. The computer's other work
// counts less in it than in wall-clock time.
func processorTime() time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		panic(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// A step that is made by the engine, and one that was made before.
func BenchmarkStep(b *testing.B) {
	for _, name := range []string{"made", "recalled"} {
		b.Run(name, func(b *testing.B) {
			e, s := newExplorer(b, 2)
			e.Recall(name == "recalled")
			b.ResetTimer()
			begun := processorTime()
			for range b.N {
				e.search(s)
			}
			spent := processorTime() - begun
			b.ReportMetric(float64(spent.Nanoseconds())/float64(e.transitions), "cpu-ns/step")
			b.ReportMetric(float64(e.transitions)/spent.Seconds(), "steps/cpu-s")
		})
	}
}

func BenchmarkInstruction(b *testing.B) {
	for _, c := range []struct {
		name  string
		flags RunFlags
	}{{"solo", Solo}, {"private", StopShared}, {"recorded", RecordAll}, {"traced", TracePCs}} {
		b.Run(c.name, func(b *testing.B) {
			g := load(b, "mix.c", Config{})
			start := g.start(0)
			mark := g.Mark()
			insns := uint64(0)
			b.ResetTimer()
			begun := processorTime()
			for range b.N {
				s := g.Run(&Run{From: start, Flags: c.flags})
				insns += s.Insns
				g.Rewind(mark)
			}
			b.ReportMetric(float64((processorTime()-begun).Nanoseconds())/float64(insns), "cpu-ns/insn")
		})
	}
}
