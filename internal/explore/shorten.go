package explore

import (
	"landgo/internal/explore/shorter"
	"landgo/scheduler"
)

// How a hunt has the executions of its findings changed (internal/explore/shorter).

// wants is a hunt as a shorter.Judge.
type wants struct{ *hunt }

func (w wants) Wanted(f *scheduler.Failure) *scheduler.Failure { return w.wanted(f) }
func (w wants) PassedAs(key string) *scheduler.Failure         { return w.passedAs(key) }
func (w wants) Key(f *scheduler.Failure) string                { return w.key(f) }
func (w wants) Stop() bool                                     { return w.stop() }

// shortener changes a finding's execution.
func (h *hunt) shortener(f *finding, run *counted) *shorter.Shortener {
	return shorter.New(h.Guest, wants{h}, run,
		shorter.Rules{OneKey: h.Config.KeepGoing, Buffers: h.Config.Buffers(), Parts: h.parts(f), Unreadable: h.unreadableSteps(), Root: h.Root},
		shorter.Bug{Failure: f.failure, Key: f.key, Path: f.path, Preemptions: f.preemptions})
}

// parts are the places where turns end in an execution that goes on past points, with the accesses that are made of the
// instructions there. They are nil where it doesn't go on.
func (h *hunt) parts(f *finding) map[shorter.Place]uint32 {
	if !passes(f.path) {
		return nil
	}
	parts := map[shorter.Place]uint32{}
	for _, g := range f.schedule.Segments {
		if t, ok := h.Guest.Lookup(g.Thread); ok && g.Part != 0 {
			parts[shorter.Place{Thread: t, Insns: g.Until}] = g.Part
		}
	}
	return parts
}

// within has a shortener work, with steps that end when the hunt is to stop.
func (h *hunt) within(s *shorter.Shortener, work func()) {
	h.stopsWithin(h.Session, true)
	work()
	h.stopsWithin(h.Session, false)
	h.finer = h.finer || s.Finer
}

// take takes an execution for the finding's.
func (f *finding) take(b shorter.Bug) {
	f.failure, f.key, f.path, f.preemptions = b.Failure, b.Key, b.Path, b.Preemptions
}

// shorten leaves out as many of a finding's preemptions as it can. It reports whether
// there were any.
func (h *hunt) shorten(f *finding, run *counted) bool {
	if !f.own() && !f.passed() {
		return false
	}
	s, fewer := h.shortener(f, run), false
	h.within(s, func() { fewer = s.Fewer() })
	if !s.Lost { // else its path's steps are others now
		f.take(s.Bug)
	}
	return fewer
}
