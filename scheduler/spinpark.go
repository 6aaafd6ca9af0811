package scheduler

import "landgo/internal/trace"

// Turns for nothing: a thread has gone round a loop of several steps (spin.go), and has changed nothing on its
// way. It stands where it stood before the turn, in the same state. Locks without a lock, and waits for several
// variables, do so again and again. A search that asks (por.Parker) has such a thread stop there for good.
//
// That misses nothing. Take an execution in which the thread goes on behind the turn, and leave the turn out. Its
// steps were looks, stores of what was there, and locks that it has given back. All others do what they did,
// and the thread goes on from the same state. That is an execution with one turn for nothing less. So each
// outcome is one of an execution without such turns, but for those with which a thread ends. A thread that stops
// is what a program could do by itself: whether it has gone round for nothing is settled by its own steps and by
// what they found. So the searches are right for the program with such stops, as for any other.
//
// An execution ends where no other thread can run. If nothing that the turn read was changed since, the thread
// waits for ever: that is a bug, as without all this. Else the execution stands for nothing, and is cut: in the one
// without the turn the thread goes on. No timed wait runs out in an execution that is to be cut, for the thread could run.
//
// A turn counts only if its own steps say so. It left every byte of the thread's memory as it was, its writes
// have their order with all others (no additions that commute), and it looked at no clock. And no timed wait
// may have run out since the turn began: that it could was due to the turn. Where threads are sent
// signals, none stops.
//
// Kokologiannakis, Ren and Vafeiadis cut executions off behind such turns, too (FMCAD 2021). They prove of the code
// that a turn has no effect; here it is seen to have none.
//
// Judged by TestParked in por.

// Park implements por.Parker.
func (s *System) Park(on bool) {
	s.spins.parks = on && s.awaits.on && !s.cfg.Buffers && !s.cfg.Polls && !s.timers.on() && len(s.twins.beside) == 0
	s.Unlist()
}

// forNothing reports whether a thread may stop for good behind its own steps from index i on. They are a turn of a
// loop that left its memory as it was.
func (s *spinFinder) forNothing(th *thread, i int32) bool {
	if !s.parks || len(s.learning.known.Signalled) > 0 || len(s.in.promises) > 0 {
		return false
	}
	for ; int(i) < len(s.in.steps); i++ {
		if tr := s.in.steps[i].tr; advances(tr) || tr.Thread == th.ID && !s.stillness.looksOnly(tr) {
			return false
		}
	}
	return true
}

// park has a thread that has gone round a loop for nothing stop there, now that something has changed that it read.
func (s *state) park(th edit, reads []trace.Access) {
	s.spinOn(th, reads)
	th.whole, th.parked = true, true
}
