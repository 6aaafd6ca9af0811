package scheduler

import "landgo/kernel"

// Functions that landgo carries out no more, because the guest has threads of its own.

// Distrust leaves threads and locks to the guest's own code, at the root, for a replay of
// what was found afterwards. It reports whether that makes a difference.
func (s *System) Distrust() bool {
	if s.cfg.Tested || !s.lib.Distrust() {
		return false
	}
	for _, w := range s.twins.beside {
		w.lib.Distrust()
	}
	return true
}

// distrustAfter does so after a call of the guest's own that trusted functions don't know
// of.
func (q *Traps) distrustAfter(th *thread, p *kernel.Plan) {
	if p.About&kernel.AboutThread != 0 && !q.in.trusted(th) && q.in.Entered() && q.runs.Distrust() {
		q.learning.finer = true
	}
}

// CatchUp is called where a schedule can't be followed. The run that it is of may
// have known that signals come: there a wait for a semaphore is two steps; or that time
// has to pass for loops (spinclock.go). It reports whether that makes a difference.
func (s *System) CatchUp() bool {
	if s.spins.hurryBack() {
		for _, w := range s.twins.beside {
			w.known.Hurried = true
		}
		return true
	}
	if !s.lib.CatchUp() {
		return false
	}
	s.Unlist()
	s.lib.Expect()
	for _, w := range s.twins.beside {
		w.lib.Expect()
	}
	return true
}
