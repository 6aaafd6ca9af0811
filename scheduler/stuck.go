package scheduler

import (
	"fmt"

	"landgo/image"
	"landgo/trace"
)

// Stuck explains a state in which threads are left that can never run: nil if
// there are none. ended: the process has ended, which lets off everybody but
// those in a cycle of locks (on Linux an exit ends the others, whatever they
// wait for).
func (s *System) Stuck(ended bool) *Failure {
	var waits []Wait
	spinning := false
	first := trace.NoThread
	for i := range s.threads {
		th := &s.threads[i]
		if !s.exists[i] || !th.live() {
			continue
		}
		what, obj, owner, waiting := s.waitsFor(th)
		if !waiting {
			continue
		}
		if first == trace.NoThread {
			first = th.id
		}
		spinning = spinning || th.stand == standSpin
		waits = append(waits, Wait{Thread: th.id, What: what, Obj: obj, Owner: owner})
	}
	cycle := markCycle(waits)
	if len(waits) == 0 || ended && !cycle {
		return nil
	}
	if ended {
		waits = onlyCycle(waits)
		spinning = false
	}
	f := &Failure{Kind: Deadlock, Thread: waits[0].Thread, PC: s.PC(waits[0].Thread), Waits: waits}
	if spinning && !cycle {
		f.Kind = Livelock
		for _, w := range waits {
			if s.threads[w.Thread].stand == standSpin {
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
	case f.Kind == Livelock:
		return fmt.Sprintf("thread %s spins for ever: no thread is left that could change what its loop reads", s.Name(f.Thread))
	case cycle && len(f.Waits) == 1:
		return fmt.Sprintf("thread %s waits for itself", s.Name(f.Thread))
	case cycle && ended:
		return "threads wait for each other in a cycle when the process ends"
	case cycle:
		return "threads wait for each other in a cycle"
	case len(f.Waits) == 1:
		return fmt.Sprintf("thread %s waits for ever: %s", s.Name(f.Thread), f.Waits[0].What)
	}
	return fmt.Sprintf("%d threads wait for ever, and nobody is left to let them go", len(f.Waits))
}

// waitsFor says what a thread that can't run waits for, and whose it is.
func (s *System) waitsFor(th *thread) (what string, obj uint64, owner trace.TID, waiting bool) {
	owner = trace.NoThread
	switch th.stand {
	case standSleep:
		return fmt.Sprintf("%v %s", th.pending.Kind, s.VariableName(th.pending.Obj)), th.pending.Obj, owner, true
	case standSpin:
		obj = th.access.Addr
		if len(th.waits) > 0 {
			obj = th.waits[0].Addr
			return "a loop that reads " + s.VariableName(obj), obj, owner, true
		}
		return "a loop that reads nothing", 0, owner, true
	case standOp:
	default:
		return "", 0, owner, false
	}
	if s.possible(th) {
		return "", 0, owner, false
	}
	obj = th.arg(0)
	name := s.VariableName(obj)
	switch {
	case th.phase == phaseQueued:
		return "a signal on " + name, obj, owner, true
	case th.phase == phaseReacquire:
		o := s.objectOf(th.mutex, kindMutex)
		return "mutex " + s.VariableName(th.mutex), th.mutex, o.owner, true
	case th.phase == phaseLeave:
		o := s.objectOf(obj, kindBarrier)
		return fmt.Sprintf("barrier %s (%d of %d have arrived)", name, len(o.waiters), o.value), obj, owner, true
	}
	switch acts[th.role].kind {
	case kindSem:
		return "semaphore " + name, obj, owner, true
	case kindRWLock:
		o := s.objectOf(obj, kindRWLock)
		if owner = o.owner; owner == trace.NoThread && len(o.readers) > 0 {
			owner = o.readers[0]
		}
		return "rwlock " + name, obj, owner, true
	case kindOnce:
		return "once " + name, obj, s.objectOf(obj, kindOnce).owner, true
	}
	if th.role == image.Join || th.role == image.TimedJoin || th.role == image.ClockJoin {
		t := s.threadOf(obj)
		return fmt.Sprintf("thread %s to end", s.Name(t)), obj, t, true
	}
	return "mutex " + name, obj, s.objectOf(obj, kindMutex).owner, true
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
