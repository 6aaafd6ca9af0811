package scheduler

import "landgo/internal/trace"

// Accesses that a search is spared: polls (await.go), tries that fail (backout.go), loads right before an exchange
// (hint.go). Each is possible, and changes nothing. A detector of races sees them all the same, where they were
// possible behind the last step. It also asks before which steps they could have come. So it finds the races
// that it would find if they were run.
//
// Where races are bugs they are run (Config.Polls), for a bug is a run that can be shown.

// spared are the threads that stand before such accesses, and came there in the last step, or whose bytes it wrote.
type spared []sparedThread

type sparedThread struct {
	thread trace.TID
	came   bool // in that step
	waits  bool // behind it
}

// Polled calls f for the accesses of each such thread, but for those of variables that are declared atomic: their order
// is nothing to tell.
func (s *System) Polled(f func(*trace.Polls)) {
	if !s.awaits.on {
		return
	}
	for _, p := range s.spared {
		th := &s.threads[p.thread]
		if s.declared(&th.Access) {
			continue
		}
		polls := trace.Polls{Thread: th.ID, Came: p.came, Before: func(back int) bool { return s.couldPoll(th, len(s.steps)-1-back) }}
		switch {
		case th.hint != nil && s.hints.is(th):
			polls.Accesses = th.hint.Looks
		case s.awaits.backs.tries(th):
			polls.Accesses = s.awaits.backs.survey(th, nil).Looks
			polls.Past = !p.waits
		default:
			polls.Accesses = []trace.Access{th.Access}
		}
		f(&polls)
	}
}

// couldPoll reports whether a thread that stands before such an access could have made it before a step that wrote the
// bytes. It wouldn't have gone on there, and nothing that it has done comes after that step.
func (s *System) couldPoll(th *thread, step int) bool {
	if step < 0 || s.leads(step, th) {
		return false
	}
	if th.hint != nil && s.hints.is(th) {
		return true
	}
	for at, old := range s.writes.Before(&th.Access) {
		if int(at) == step {
			return s.awaits.polls(th, &old)
		}
	}
	return false
}

// leads reports whether what a thread has done so far comes after a step: its own, or by threads, bytes and objects
// that lead from one step to the next.
func (s *System) leads(step int, th *thread) bool {
	threads, written, read, objects := map[trace.TID]bool{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}
	for i := step; i < int(th.LastStep); i++ {
		tr := s.steps[i].tr
		if i > step && !threads[tr.Thread] && !meetsAny(tr, written, read, objects) {
			continue
		}
		threads[tr.Thread] = true
		for _, w := range tr.Wakes {
			threads[w] = true
		}
		eachGranule(tr, func(g uint64, write bool) bool {
			if write {
				written[g] = true
			}
			read[g] = true
			return true
		})
		for k := range tr.Ops {
			objects[tr.Ops[k].Obj] = true
		}
	}
	return threads[th.ID]
}

// meetsAny reports whether a step uses what others have used, and one of the two changes it.
func meetsAny(tr *trace.Transition, written, read, objects map[uint64]bool) bool {
	for k := range tr.Ops {
		if objects[tr.Ops[k].Obj] {
			return true
		}
	}
	return !eachGranule(tr, func(g uint64, write bool) bool { return !(written[g] || write && read[g]) })
}

// eachGranule calls f for each 8 bytes that a step accesses, until it returns false.
func eachGranule(tr *trace.Transition, f func(granule uint64, write bool) bool) bool {
	for k := range tr.Accesses {
		a := &tr.Accesses[k]
		for g := a.Addr &^ 7; g < a.Addr+uint64(a.Size); g += 8 {
			if !f(g, a.IsWrite()) {
				return false
			}
		}
	}
	return true
}
