package library

import (
	"landgo/internal/trace"
	"landgo/scheduler"
)

// What a function that landgo carries out reads and writes of the guest's memory for its
// thread are accesses like any others: another thread may come between, or change what
// is read. All of it goes through a door, which has it on record.
//
// A thread that reads or writes what others use has to begin a step with it. A call that is a step
// of its own does so (operation.go). Of the others it isn't known beforehand what
// they touch (a deadline, errno, where posix_memalign leaves its result), and nearly none
// touches anything shared. So the first that does is learned by its place, and the search
// starts again: from then on a thread stands before that call (phaseTouch).

// door is the way to the guest's memory for the call at which a thread is.
type door struct {
	s  *Library
	th *thread
	tr *trace.Transition
}

func (s *Library) door(th *thread, tr *trace.Transition) door { return door{s, th, tr} }

func (d door) read32(addr uint64) uint32 {
	d.touch(addr, 4, 0)
	return d.s.machine.Read32(addr)
}

func (d door) read64(addr uint64) uint64 {
	d.touch(addr, 8, 0)
	return d.s.machine.Read64(addr)
}

func (d door) write32(addr uint64, v uint32) {
	d.touch(addr, 4, trace.Write)
	d.s.machine.Write32(addr, v)
}

func (d door) write64(addr, v uint64) {
	d.touch(addr, 8, trace.Write)
	d.s.machine.Write64(addr, v)
}

// touch records an access. The step has to begin with the call if others tell.
func (d door) touch(addr uint64, size uint32, flags trace.AccessFlags) {
	n := len(d.tr.Accesses)
	d.s.core.Touch(d.th.ID, d.tr, d.s.callSite(d.th)-1, addr, size, flags)
	if len(d.tr.Accesses) > n {
		d.s.needsPoint(d.th)
	}
}

// needsPoint learns that a thread has to stand before the call at which it is.
func (s *Library) needsPoint(th *thread) {
	if s.begins || th.quiet.on || th.Starting || s.core.Alone(th.ID) || !s.isPoint(th) {
		return
	}
	site := s.callSite(th)
	if s.known.Meeting[site] && s.core.Refined() {
		return // learned in this very step, which is void
	}
	if s.known.Meeting[site] {
		panic("scheduler: a call that touches what others do isn't a step of its own")
	}
	s.known.Meeting[site] = true
	s.core.Refine()
}

// standsBefore has a thread stand before a call that was seen to touch what others do. It
// reports whether it does.
func (s *Library) standsBefore(th *thread) bool {
	if s.begins || !s.known.Meeting[s.callSite(th)] || s.core.Alone(th.ID) || !s.isPoint(th) {
		return false
	}
	th.Stand, th.phase, th.timed = scheduler.StandOp, phaseTouch, false
	return true
}

// stepTouch begins such a call. It may come to stand at its operation, in the same
// instruction: to a schedule that is half of it.
func (s *Library) stepTouch(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	th.phase, s.begins, tr.Loose = phaseEntry, true, true
	at := th.Insns
	v, err := s.atBreak(th, tr)
	if s.begins = false; v == scheduler.Stay && err == nil && th.Stand == scheduler.StandOp && th.Insns == at {
		th.Half = 1
	}
	return v, err
}
