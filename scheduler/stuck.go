package scheduler

import (
	"fmt"

	"landgo/internal/trace"
)

// Stuck explains a state in which threads are left that can never run: nil if there
// are none. With ended, the process has ended. That lets off all threads but those
// in a cycle of locks (an exit ends the others, whatever they wait for).
func (s *System) Stuck(ended bool) *Failure {
	var waits []Wait
	spinning := false
	first := trace.NoThread
	for i := range s.threads {
		th := &s.threads[i]
		if !s.threads[i].Exists || !th.Live() {
			continue
		}
		w, waiting := s.waitsFor(th)
		if !waiting || w.Timed {
			continue // its time would run out
		}
		if first == trace.NoThread {
			first = th.ID
		}
		spinning = spinning || w.Spins && !s.meantLoop(th)
		waits = append(waits, w)
	}
	cycle := markCycle(waits)
	assumed := s.unassumed()
	if cycle && !ended && assumed {
		waits = onlyCycle(waits) // the others may wait for what was assumed away
	}
	if len(waits) == 0 || !cycle && (ended || assumed) {
		return nil
	}
	if ended {
		waits = onlyCycle(waits)
		spinning = false
	} else if !cycle {
		if text := s.meant(waits); text != "" {
			s.record.Met.AddMeant(text)
			return nil
		}
	}
	f := &Failure{Kind: trace.Deadlock, Thread: waits[0].Thread, PC: s.PC(waits[0].Thread), Waits: waits}
	if spinning && !cycle {
		f.Kind = trace.Livelock
		for _, w := range waits {
			if w.Spins {
				f.Thread, f.PC = w.Thread, s.PC(w.Thread)
				break
			}
		}
	}
	f.Message = stuckMessage(s, f, cycle, ended)
	return f
}

func stuckMessage(s *System, f *Failure, cycle, ended bool) string {
	switch {
	case f.Kind == trace.Livelock:
		return fmt.Sprintf("thread %s spins for ever: no thread is left that could change what its loop reads", s.Name(f.Thread))
	case cycle && len(f.Waits) == 1:
		return fmt.Sprintf("thread %s waits for itself", s.Name(f.Thread))
	case cycle && ended:
		return "threads wait for each other in a cycle when the process ends"
	case cycle:
		return "threads wait for each other in a cycle"
	case len(f.Waits) == 1:
		return fmt.Sprintf("thread %s waits for ever: %s", s.Name(f.Thread), f.Waits[0].String())
	}
	return fmt.Sprintf("%d threads wait for ever, and no thread is left to release them", len(f.Waits))
}

// waitsFor says what a thread that can't run waits for, and whose it is.
func (s *named) waitsFor(th *thread) (Wait, bool) {
	w := Wait{Thread: th.ID, Owner: trace.NoThread}
	switch th.Stand {
	case StandSleep:
		if _, at := s.Asleep(th.ID); at {
			if w, ok := s.lib.WaitOf(th.ID); ok {
				return w, true // in the own code of a function whose meaning is known
			}
		}
		w.For, w.Obj = th.pending.Kind.String(), th.pending.Obj
		w.Name = s.VariableName(w.Obj)
		switch th.pending.Kind {
		case trace.OpDeschedule:
			w.For, w.Name = "make_runnable", "of thread "+s.Name(th.ID)
		case trace.OpCancel, trace.OpTurn:
			w.For, w.Name = "a signal", ""
		case trace.OpFutexWait:
			w.For = "a wake-up at futex"
		}
		if k, ok := s.kernel.(sleepTeller); ok {
			if what, at, ok := k.Sleeper(th.ID); ok {
				w.For, w.Obj, w.Name = what, at, s.VariableName(at)
				if ends := k.Ends(at); ends != "" {
					w.Name += " (" + ends + ")"
				}
			}
		}
		return w, true
	case StandSpin:
		if th.assumes {
			return w, false
		}
		if w, ok := s.lib.WaitOf(th.ID); ok {
			return w, true // in a spin lock's function
		}
		w.For, w.Spins, w.Reads = "a loop that reads", true, changeable(th.Waits)
		w.Name = "nothing"
		if len(w.Reads) > 0 {
			w.Obj = w.Reads[0].Addr
			w.Name = s.VariableName(w.Obj)
		}
		return w, true
	case StandOp:
		return s.lib.WaitOf(th.ID)
	}
	return w, false
}

// sleepTeller is a kernel that says what a thread sleeps for in a call.
type sleepTeller interface {
	// Sleeper names the thing that a thread waits for, and has the address of its words.
	Sleeper(t trace.TID) (what string, at uint64, ok bool)
	// Ends says how it is open, "" if there is nothing to say.
	Ends(at uint64) string
}

// markCycle marks the threads that wait for each other in a cycle and reports
// whether there is one.
func markCycle(waits []Wait) bool {
	next := map[trace.TID]int{}
	for i := range waits {
		next[waits[i].Thread] = i
	}
	found := false
	for i := range waits {
		j, ok := i, true
		for n := 0; n <= len(waits); n++ {
			if j, ok = next[waits[j].Owner]; !ok {
				break
			}
			if j == i {
				waits[i].Cycle, found = true, true
				break
			}
		}
	}
	return found
}

func onlyCycle(waits []Wait) []Wait {
	var out []Wait
	for _, w := range waits {
		if w.Cycle {
			out = append(out, w)
		}
	}
	return out
}
