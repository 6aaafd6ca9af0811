package por

import (
	"errors"

	"landgo/internal/trace"
	"landgo/por/relation"
	"landgo/por/trust"
)

// The searches trust and rounder. Their walk is in package trust.

// graphWalk is a walk over execution graphs, and what the search counts of it.
type graphWalk struct {
	*trust.Walk
	budget
	sys System
	obs Observer
	// awaits: the System spares the search polls, if it can.
	awaits bool
	ends   Stats // but for what the walk counts itself
	ended  Execution
	finer  bool // the executions so far are void
}

// left are the rules of the walk that faults leave out.
var left = map[fault]trust.Rule{notMaximal: trust.Maximality, anyDisplacer: trust.Displacers, noPending: trust.Pending, oneOutcome: trust.Outcomes, dropBacktrack: trust.Revisits}

func newGraphWalk(sys System, obs Observer, spec Spec, opts *Options) *graphWalk {
	cfg := trust.Config{Limit: -1, Awaits: spec.awaits() && opts.OneEvent && opts.fault != noAwaiting, OneEvent: opts.OneEvent, Unmerged: opts.Unmerged, Without: left[opts.fault]}
	if k, ok := opts.Bounds.Limit(Rounds); ok {
		cfg.Limit, cfg.Dropping = int32(k), spec.Param(early.Name) == 0
	}
	w := &graphWalk{Walk: trust.New(cfg), sys: sys, obs: obs, awaits: cfg.Awaits}
	w.opts, w.ended.walk = opts, w
	return w
}

// runTrust is Kind.run of trust and rounder.
func runTrust(sys System, obs Observer, spec Spec, opts Options) (Stats, error) {
	b := &graphDivision{spec: spec, opts: opts, root: sys.Mark()}
	b.own = newGraphWalk(sys, obs, spec, &b.opts)
	from := opts.Resume
	for {
		w := b.own
		if err := w.taught(b.once(from)); err != nil {
			return w.counts(), err
		}
		w.sys.Rewind(b.root)
		if !w.finer {
			stats := w.counts()
			if stats.Complete && w.Cut && stats.Pruned == 0 {
				stats.Pruned = 1
			}
			if w.stopped {
				obs.Progress(b.progress())
			}
			return stats, nil
		}
		from = nil
		w.setCounts(Stats{Restarts: w.ends.Restarts + 1}, 0)
		w.finer = false
		obs.Restarted()
	}
}

// begin begins at the empty graph; the counts are those of the search so far.
func (w *graphWalk) begin() {
	if s, ok := w.sys.(Awaiter); ok {
		s.Await(w.awaits)
	}
	w.Begin(w.sys, w)
	w.ended.Last = nil
}

// taught takes an error that says that points became finer for that.
func (w *graphWalk) taught(err error) error {
	w.finer = w.finer || w.Finer()
	switch {
	case errors.Is(err, ErrFiner):
		w.finer, err = true, nil
	case errors.Is(err, trust.ErrElsewhere):
		err = ErrAway
	}
	return err
}

// counts are those of the search. setCounts sets them, with this many steps used.
func (w *graphWalk) counts() Stats {
	s := w.ends
	s.Pruned, s.Transitions, s.Replayed = w.Pruned, w.Transitions, w.Replayed
	return s
}

func (w *graphWalk) setCounts(s Stats, used uint64) {
	w.ends = s
	w.Counts = trust.Counts{Pruned: s.Pruned, Transitions: s.Transitions, Replayed: s.Replayed, Used: used}
}

func (w *graphWalk) progress() Progress { return Progress{Stats: w.counts(), Share: min(w.Done(), 1)} }

// Poll implements trust.Search.
func (w *graphWalk) Poll() bool {
	w.giveWay()
	stop := w.interrupted()
	if w.polled++; w.polled&0xf == 0 && w.batch == nil {
		w.obs.Progress(w.progress())
	}
	return stop
}

// Ended implements trust.Search.
func (w *graphWalk) Ended(e *trust.End) bool {
	ending := EndedProcess
	switch {
	case e.How == trust.Beyond:
		ending = EndedPruned // counted with the steps that the bound forbids
	case e.How == trust.Redundant:
		ending = EndedBlocked
		w.ends.Blocked++
	case e.ByProcess && e.Last.End == trace.EndBug:
		ending = EndedBug
	case !e.ByProcess:
		for k := range e.Threads {
			if e.Threads[k].Status != trace.Exited {
				ending = EndedStuck
			}
		}
	}
	if e.How == trust.Whole {
		w.ends.ended(ending, e.Threads)
	}
	w.ended.Ending, w.ended.Preemptions, w.ended.Threads, w.ended.Last = ending, e.Preemptions, e.Threads, e.Last
	if !w.obs.Ended(&w.ended) || w.opts.enough(&w.ends) {
		w.stopped = true
		return false
	}
	return true
}

// RunOut implements trust.Search.
func (w *graphWalk) RunOut(t *trace.Transition) (stop bool, err error) {
	w.stopped, err = runOut(w.sys, w.interrupted, t)
	return w.stopped, err
}

func (w *graphWalk) depth() int { return w.Len() }

func (w *graphWalk) pathSteps(dst []PathStep) []PathStep {
	for i := range w.Len() {
		e, preemption := w.Event(i)
		dst = append(dst, PathStep{Thread: e.Thread, Choice: e.Choice, Begin: e.Begin, Last: e.Last, Preemption: preemption})
	}
	return dst
}

// Put and PutStep implement trust.Writer.
func (p *packer) Put(numbers ...uint64) { p.put(numbers...) }

func (p *packer) PutStep(s *relation.Step) { p.putStep(&branch{Step: *s}) }

// The methods below implement trust.Reader.

func (u *unpacker) Get() uint64               { return u.get() }
func (u *unpacker) Below(limit uint64) uint64 { return u.below(limit) }
func (u *unpacker) Length() int               { return u.length() }
func (u *unpacker) Step() relation.Step       { return u.step().Step }
func (u *unpacker) Refuse()                   { u.bad = true }
func (u *unpacker) Refused() bool             { return u.bad }
