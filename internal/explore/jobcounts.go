package explore

import (
	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// The jobs of an iterative deepening, as a result shows them.

// account puts the jobs and their counts into the result: those of the job that
// is the proof, else the sums.
func (d *deepening) account() {
	var sum por.Stats
	d.date()
	for i, j := range d.plan.Jobs() {
		d.plan.Suspend(j) // the run is over
		out := result.Job{PP: d.name(j), State: j.State.String(), Explored: result.Amount(j.Share), After: d.after[i]}
		if j.Class != deepen.Seed {
			out.Race = map[deepen.Class]string{deepen.BothOrders: "both orders", deepen.OneOrder: "one order"}[j.Class]
		}
		if sp := d.spaces[j]; sp != nil {
			s := sp.stats
			out.Executions, out.Blocked, out.Transitions = s.Executions, s.Blocked, s.Transitions+s.Replayed
			sum.Executions += s.Executions
			sum.Assumed += s.Assumed
			sum.Blocked += s.Blocked
			sum.Transitions += s.Transitions
			sum.Replayed += s.Replayed
			if d.whole(j) {
				d.share, d.sized, d.moves = j.Share, j.Executions, sp.moves
			}
		}
		out.Estimate = result.Total(float64(j.Executions), j.Share)
		d.result.Jobs = append(d.result.Jobs, out)
	}
	for _, b := range d.besides() {
		state := deepen.Suspended
		switch {
		case b.proves():
			state = deepen.Finished
		case len(b.found) > 0:
			state = deepen.Failing
		}
		out := result.Job{PP: trace.MemPoints.Name(), State: state.String(), Executions: b.stats.Executions, Blocked: b.stats.Blocked, Transitions: b.steps}
		if len(b.bounds) == 0 {
			out.Search = b.search
		} else {
			out.Bound, out.At = string(b.bounds[0].Measure), b.at()
		}
		d.result.Jobs = append(d.result.Jobs, out)
		sum.Executions += b.stats.Executions
		sum.Assumed += b.stats.Assumed
		sum.Blocked += b.stats.Blocked
		sum.Transitions += b.stats.Transitions
		sum.Replayed += b.stats.Replayed
		d.result.Threads = max(d.result.Threads, b.result.Threads)
	}
	if d.bounded != nil && d.bounded.proves() {
		sum = d.bounded.stats
	}
	if w := d.ways; w != nil && w.slices > 0 {
		state := deepen.Suspended
		if len(w.found) > 0 {
			state = deepen.Failing
		}
		d.result.Jobs = append(d.result.Jobs, result.Job{PP: trace.MemPoints.Name(), Search: result.Samples, State: state.String(),
			Executions: w.counts.Executions, Transitions: w.steps})
		sum.Executions += w.counts.Executions
		sum.Assumed += w.counts.Assumed
		sum.Pruned += w.counts.Pruned
		sum.Transitions += w.counts.Transitions
	}
	if o := d.byStates; o != nil {
		state := deepen.Suspended
		switch {
		case o.proves():
			state, sum = deepen.Finished, o.stats
		case len(o.found) > 0:
			state = deepen.Failing
		}
		d.result.Jobs = append(d.result.Jobs, result.Job{PP: trace.MemPoints.Name(), Search: config.Stateful, State: state.String(),
			Executions: o.stats.Executions, Blocked: o.stats.Blocked, Transitions: o.stats.Transitions + o.stats.Replayed})
		d.result.Threads = max(d.result.Threads, o.result.Threads)
	}
	if p := d.plan.Proof(); p != nil {
		sum = d.spaces[p].stats
	} else if d.fewer.proves() {
		sum = d.fewer.stats
	} else if d.states.proves() {
		sum = d.states.stats
	} else if !d.byStates.proves() && !d.states.proves() && len(d.plan.Jobs()) == 1 {
		sum = d.spaces[d.plan.Jobs()[0]].stats
		d.share, d.sized = d.plan.Jobs()[0].Share, sum.Executions
	}
	d.accountOutcomes()
	d.stats = sum
	d.counts(sum)
}

// at is the bound's value that a search has explored in part; nil if it is over.
func (b *bounded) at() *int {
	if b.err == nil && b.stats.Complete || len(b.found) > 0 {
		return nil
	}
	at := int(b.stats.Levels)
	return &at
}

// name is a job's set, as --pp takes it.
func (d *deepening) name(j *deepen.Job) string {
	var places []string
	for _, pc := range j.Set.At {
		places = append(places, d.PlaceOf(pc))
	}
	p := j.Set.Kinds
	if len(places) > 0 {
		p |= trace.PointRace
	}
	name := p.At(places)
	for _, f := range j.Set.Within {
		name += " within " + f
	}
	return name
}

// accountOutcomes tells the outcomes of the executions that are counted: those of the
// job that is the proof, else of all searches.
func (d *deepening) accountOutcomes() {
	all := &outputs{}
	switch p := d.plan.Proof(); {
	case p != nil:
		all = &d.spaces[p].outcomes
	case d.bounded != nil && d.bounded.proves():
		all = &d.bounded.outcomes
	case d.fewer.proves():
		all = &d.fewer.outcomes
	case d.byStates.proves():
		all = &d.byStates.outcomes
	case d.states.proves():
		all = &d.states.outcomes
	default:
		for _, j := range d.plan.Jobs() {
			if sp := d.spaces[j]; sp != nil {
				all.merge(&sp.outcomes)
			}
		}
		for _, b := range d.besides() {
			all.merge(&b.outcomes)
		}
		if d.ways != nil && d.ways.hunt != nil {
			all.merge(&d.ways.outcomes)
		}
		if d.byStates != nil {
			all.merge(&d.byStates.outcomes)
		}
	}
	all.tell(d.hunt, d.shown)
	all.tellIgnored(d.result)
}
