package scheduler

import (
	"fmt"

	"landgo/heap"

	"landgo/internal/trace"
)

// A report's questions about a state, beside Stack and Stuck.

// Position is how far a thread is: the instructions that it has completed, and how
// many events it has made of the next one. It stands inside of that, unless the
// number is 0.
type Position struct {
	Insns uint64
	Part  uint32
}

// Position says how far a thread is.
func (s *state) Position(t trace.TID) Position {
	return Position{Insns: s.threads[t].Insns, Part: s.threads[t].Half}
}

// Held names the locks that a thread holds, oldest first.
func (s *named) Held(t trace.TID) []string {
	if s.isBuffer(t) {
		return nil
	}
	var out []string
	for _, a := range s.lib.Holds(t) {
		out = append(out, s.VariableName(a))
	}
	return out
}

// NextText says what a thread's next step begins with: "writes counter".
func (s *named) NextText(t trace.TID) string {
	th := &s.threads[t]
	if text := s.copyText(th); text != "" {
		return text
	}
	switch th.Stand {
	case StandAccess:
		verb := "reads"
		switch {
		case th.Access.Flags&trace.RMW != 0:
			verb = "updates"
		case th.Access.IsWrite():
			verb = "writes"
		}
		return verb + " " + s.VariableName(th.Access.Addr)
	case StandOp:
		return s.OpText(s.lib.PendingOp(th.ID))
	case StandTrap:
		return "calls " + s.planned(th).Name
	case StandArrival:
		return s.arrivals.text(t)
	case StandFailure:
		return "fails"
	}
	return ""
}

// StateText says why a thread doesn't go on by itself: "ended", "waits for ...".
func (s *named) StateText(t trace.TID) string {
	th := &s.threads[t]
	switch {
	case s.isBuffer(t):
		return ""
	case th.isTimer():
		return s.timers.text(t)
	case th.isArrival():
		return s.arrivals.text(t)
	case th.Stand == StandFence:
		if th.calls > 0 {
			return "waits until each store buffer was empty once"
		}
		return "waits until its stores are in memory"
	case th.Stand == StandExited:
		return "ended"
	case th.Stand == StandSpin && th.assumes:
		return "would read what it assumes isn't there"
	case th.Stand == StandSpin:
		w, _ := s.waitsFor(th)
		return "spins on " + w.Name
	case th.Yielding:
		return "yields"
	case th.Stand == StandFailure:
		return "is about to end the process"
	case th.Stand == StandOp:
		if op, _ := s.lib.Call(t); op == trace.OpEnd {
			return "is about to end the process"
		}
	}
	if w, waiting := s.waitsFor(th); waiting {
		text := "waits for " + w.String()
		if w.Owner != trace.NoThread && w.For != "thread" {
			text += ", which " + s.Name(w.Owner) + " holds"
		}
		return text
	}
	if s.Undrained(t) {
		return "waits until its stores are in memory"
	}
	return "stops"
}

// Verb is an operation in words, of those that read better than by their names.
func Verb(op trace.OpKind) (verb string, ok bool) {
	verb, ok = opVerbs[op]
	return verb, ok
}

var opVerbs = map[trace.OpKind]string{
	trace.OpLock: "locks", trace.OpTryLock: "tries to lock", trace.OpTryLockFail: "tries to lock, in vain,",
	trace.OpUnlock: "unlocks", trace.OpCondWait: "waits on", trace.OpCondSignal: "signals", trace.OpCondBroadcast: "broadcasts to",
	trace.OpSemWait: "waits on", trace.OpSemPost: "posts", trace.OpReadLock: "locks for reading", trace.OpWriteLock: "locks for writing",
	trace.OpReadUnlock: "unlocks", trace.OpWriteUnlock: "unlocks", trace.OpBarrierArrive: "arrives at", trace.OpBarrierLeave: "leaves",
	trace.OpMutexInit: "initialises", trace.OpMutexDestroy: "destroys", trace.OpFree: "frees", trace.OpReuse: "is given",
	trace.OpCondInit: "initialises", trace.OpCondDestroy: "destroys", trace.OpSemInit: "initialises", trace.OpSemDestroy: "destroys",
	trace.OpRWInit: "initialises", trace.OpRWDestroy: "destroys", trace.OpBarrierInit: "initialises", trace.OpBarrierDestroy: "destroys",
	trace.OpTryReadLock: "tries to lock for reading", trace.OpTryReadLockFail: "tries to lock for reading, in vain,",
	trace.OpTryWriteLock: "tries to lock for writing", trace.OpTryWriteLockFail: "tries to lock for writing, in vain,",
	trace.OpSemTryWait: "tries to wait on", trace.OpSemTryWaitFail: "tries to wait on, in vain,", trace.OpSemGet: "asks for the value of",
	trace.OpCondTimeout: "waits no longer on", trace.OpOnce: "passes", trace.OpOncePass: "passes",
	trace.OpSend: "writes to", trace.OpReceive: "reads from",
}

// OpText puts an operation into words.
func (s *named) OpText(op trace.Op) string {
	switch op.Kind {
	case trace.OpCreate, trace.OpJoin, trace.OpDetach, trace.OpName, trace.OpMakeRunnable:
		if t := trace.TID(op.Obj); int(t) < s.names.Len() && t >= 0 {
			return map[trace.OpKind]string{trace.OpCreate: "creates", trace.OpJoin: "joins", trace.OpDetach: "detaches", trace.OpName: "names",
				trace.OpMakeRunnable: "makes runnable"}[op.Kind] + " " + s.Name(t)
		}
	case trace.OpCancel, trace.OpPost:
		if op.Arg == trace.PassedOver {
			return ""
		}
		t := trace.TID(op.Obj)
		if int(t) >= s.names.Len() || t < 0 {
			break
		}
		if sig := op.Caught(); sig != 0 {
			return fmt.Sprintf("finds %s still on its way to %s", trace.SignalName(sig), s.Name(t))
		}
		switch sig := op.Signal(); {
		case op.Arg&trace.Arrives != 0:
			return "gets " + trace.SignalName(sig)
		case sig != 0 && !s.lib.Own(sig):
			return fmt.Sprintf("sends %s to %s", trace.SignalName(sig), s.Name(t))
		}
	case trace.OpTurn, trace.OpJudged, trace.OpStores, trace.OpStored, trace.OpPage:
		return ""
	case trace.OpCallBegins:
		return "begins a call on " + s.VariableName(op.Obj)
	case trace.OpCallEnds:
		return "ends a call on " + s.VariableName(op.Obj)
	case trace.OpDrained:
		return s.Name(trace.TID(op.Obj)) + "'s store buffer is empty"
	case trace.OpFenceAll:
		return "empties all store buffers"
	case trace.OpExit:
		return "ends"
	case trace.OpFree:
		if op.Arg == trace.Returns {
			return "returns from " + s.Stacks.function(op.PC)
		}
		if !s.Blocks.InHeap(op.Obj) {
			return "gives its stack up"
		}
	case trace.OpEnd:
		return "ends the process"
	case trace.OpYield:
		return "yields"
	case trace.OpSleep:
		return "sleeps"
	case trace.OpAdvance:
		if op.Arg == ofSleep {
			return "has slept its time"
		}
		return "times out"
	}
	if v, ok := Verb(op.Kind); ok {
		return v + " " + s.VariableName(op.Obj)
	}
	if op.Size != 0 {
		return fmt.Sprintf("%v %s", op.Kind, s.VariableName(op.Obj))
	}
	return op.Kind.String()
}

// Start says where a thread came from.
type Start struct {
	Thread  trace.TID
	Entry   uint64 // its start routine
	Created uint64 // the return address of the creating call; 0: no thread created it
}

// Starts lists the threads of the present state.
func (s *state) Starts() []Start {
	var out []Start
	for i := range s.threads {
		if s.threads[i].Exists {
			th := &s.threads[i]
			out = append(out, Start{Thread: th.ID, Entry: th.Entry, Created: th.Created})
		}
	}
	return out
}

// Timed reports whether a trusted function was called with a time at which it gives up.
func (s *System) Timed() bool { return s.known.Timed }

// HeapEvent is a call for memory by a thread, in the step under way.
func (s *state) HeapEvent(t trace.TID, pc uint64) heap.Event {
	return heap.Event{Thread: t, Step: int32(len(s.steps)), PC: pc}
}
