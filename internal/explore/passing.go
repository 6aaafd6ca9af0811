package explore

import (
	"fmt"

	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// The run that passes and is nearest to one that fails. It is without one of its
// preemptions, or with a thread's turn some steps earlier, or without all switches that
// aren't needed. The bug needs the difference between the two (Zeller, FSE 2002,
// isolates the difference of two states so).

// passing is a run that passes, near a finding's, or nil.
func (h *hunt) passing(f *finding) []por.PathStep {
	if !f.own() && !f.passed() || h.Platform.Ticks {
		return nil
	}
	fine := h.finer
	run := h.refining(f)
	s := h.shortener(f, run)
	var path []por.PathStep
	h.within(s, func() {
		if path = s.Near(func() bool { return len(h.Guest.LetThrough()) == 0 }); path == nil && !passes(f.path) {
			path = h.sampledPassing(run)
		}
	})
	return h.unlessFiner(path, fine)
}

// passingSamples is how many executions are tried at random where none near the bug's
// passes: a bug may need no preemption, and come whichever thread goes first.
var passingSamples = 64

// sampledPassing is an execution at random that passes, or nil.
func (h *hunt) sampledPassing(run *counted) []por.PathStep {
	p := &passer{hunt: h}
	engine, err := por.New(fmt.Sprintf("random:runs=%d,seed=1", passingSamples), por.Options{
		OneEvent: h.OneEvent(), Uncounted: true, Longest: longestSample,
		Stop: func() bool { return run.Spent() || h.stop() },
	})
	if err != nil {
		panic(err) // there is such a search
	}
	h.Guest.Rewind(h.Root)
	stats, err := engine.Run(run, p)
	h.Guest.Rewind(h.Root)
	h.finer = h.finer || stats.Restarts > 0
	if err != nil {
		return nil // its end says nothing of the bug
	}
	return p.path
}

// passer is the por.Observer of a search for an execution that passes.
type passer struct {
	*hunt
	path []por.PathStep
}

// Ended implements por.Observer.
func (p *passer) Ended(x *por.Execution) bool {
	if x.Ending > por.EndedStuck || p.failureAt(x) != nil || len(p.Guest.LetThrough()) > 0 {
		return true
	}
	p.path = x.Path(nil)
	return false
}

// Progress implements por.Observer.
func (p *passer) Progress(por.Progress) {}

// Restarted implements por.Observer.
func (p *passer) Restarted() { p.path = nil }

// unlessFiner is a path whose steps are as they were, nil if they became finer.
func (h *hunt) unlessFiner(path []por.PathStep, before bool) []por.PathStep {
	if h.finer && !before {
		return nil
	}
	return path
}

// contrast says in a bug's report what differs in a run that passes.
func (h *hunt) contrast(f *finding, st *story.Story, b *result.Bug) {
	passes := h.passing(f)
	if passes == nil && h.finer {
		// Other threads' accesses have shown what is shared: the steps of both are finer.
		if h.refine(f) != nil {
			return
		}
		finer, err := story.Tell(h.Session, f.path)
		if err != nil {
			return
		}
		st, passes = finer, h.passing(f)
	}
	if passes == nil {
		return
	}
	against(h.Session, &f.failure, st, b, passes)
}

// against says in a bug's report what is the other way round in a run that passes: nothing
// where that can't be run again.
func against(s *session.Session, f *scheduler.Failure, st *story.Story, b *result.Bug, passes []por.PathStep) {
	other, err := story.Tell(s, passes)
	if err != nil {
		return
	}
	other.NameOthers(b)
	p := st.Against(other)
	if b.Passing = p.Text; b.Passing != "" {
		b.PassingSchedule, b.Difference = other.Schedule.String(), p.Differs
	}
	if b.Mistake == "" {
		b.Mistake = p.Mistake(b, f.Thread)
	}
}

// contrastAgain does so in a replay, by the run that the bug file has.
func contrastAgain(s *session.Session, file *result.BugFile, f *scheduler.Failure, st *story.Story, b *result.Bug) {
	sched, err := trace.ParseSchedule(file.Passing)
	if file.Passing == "" || err != nil || sched.Check != s.Check {
		return
	}
	path, failure, err := s.FollowAll(sched)
	if err == nil && failure == nil {
		against(s, f, st, b, path)
	}
}
