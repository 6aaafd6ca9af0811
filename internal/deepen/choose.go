package deepen

import (
	"slices"

	"landgo/internal/trace"
)

// Which job to run: Algorithm 3.

// Deal is which jobs to run now, up to n of them at a time: none if there is
// nothing left to run. Those that are running stay, in the order in which they
// were added, and the most urgent others join them; but the job whose turn it is
// is alone. All are Running then.
//
// Deviation from the paper, where a job may begin beside a subset of its own.
// It would repeat the subset's executions, and would not be run if the subset
// failed.
func (p *Plan) Deal(n int) (list []*Job) {
	for _, j := range p.jobs {
		if j.State == Running {
			list = append(list, j)
		}
	}
	if w := p.turn(); w != nil {
		for _, j := range list {
			p.Suspend(j)
		}
		w.State = Running
		return []*Job{w}
	}
	for len(list) < n {
		j := p.next()
		if j == nil {
			break
		}
		j.State = Running
		list = append(list, j)
	}
	return list
}

// next is the job that is begun or taken up next: nil if there is none.
func (p *Plan) next() *Job {
	if j := p.pending(); j != nil {
		return j
	}
	open := p.open()
	for _, s := range p.suspended() {
		if !p.covers(s, open) {
			return s
		}
	}
	return nil
}

// turn is the job that may be the proof, if it is its turn in any case. It is
// so for its warm-up, for its share, and when the others have had as much as it
// needs. If several do, it is the one that needs least. Naive plans have nothing
// else.
func (p *Plan) turn() (best *Job) {
	if p.opts.Naive {
		return nil
	}
	for _, j := range p.jobs {
		switch {
		case !p.Verifies(j):
		case j.State == Pending, j.State == Suspended && p.cold(j):
			return j
		case j.State == Suspended && p.owed(j) > p.opts.Warm:
			return j
		case j.State == Suspended && (best == nil || p.needs(j) < p.needs(best)):
			best = j
		}
	}
	if best != nil && best.ETA() > float64(p.spent) {
		return nil
	}
	return best
}

// wholeShare: of this many steps of others the job with All has one, whatever its estimate. Its
// space has bugs without a candidate so far, and races that take two points at a time.
const wholeShare = 2

// owed is how many steps the job with All is behind its share; 0 for others.
func (p *Plan) owed(j *Job) uint64 {
	if share := p.spent / wholeShare; p.whole(j) && share > j.Steps {
		return share - j.Steps
	}
	return 0
}

// needs is the job's estimate, doubled for one that may end without a proof.
func (p *Plan) needs(j *Job) float64 {
	if p.whole(j) {
		return j.ETA()
	}
	return 2 * j.ETA()
}

// worthwhile is how many warm-ups the rest of a job may take that isn't worth a
// change.
const worthwhile = 100

// mostWarming is how many warm-ups a job may have whose search begins again and again.
const mostWarming = 8

// cold: j hasn't had a warm-up since its search began, or began again.
func (p *Plan) cold(j *Job) bool {
	return j.counted() < p.opts.Warm && j.Steps < mostWarming*p.opts.Warm
}

// warming: j may be the proof, and hasn't had its warm-up. Or so little of it
// is left, also of its part that there is time for, that a change isn't worth
// it.
func (p *Plan) warming(j *Job, left float64) bool {
	return p.Verifies(j) && !p.opts.Naive && (p.cold(j) || j.ETA() < min(worthwhile*float64(p.opts.Warm), left/4))
}

// Goes reports whether j, which is running, goes on. left is how many steps
// there is time for.
func (p *Plan) Goes(j *Job, left float64) bool {
	switch {
	case j.State != Running:
		return false
	case p.warming(j, left) || !p.opts.Naive && p.owed(j) > 0:
		return true
	case p.opts.Naive:
	case p.Verifies(j) && j.ETA() > float64(p.spent+j.Steps) && p.pending() != nil:
		return false // its warm-up is over, or it was taken for shorter than it is
	case !p.Verifies(j) && p.turn() != nil:
		return false
	}
	if j.Executions < p.opts.Least || j.ETA() < p.opts.Factor*left {
		return true // the common case: it is expected to finish
	}
	if p.pending() != nil {
		return false
	}
	open := p.open()
	for _, s := range p.suspended() {
		if !j.Set.within(s.Set, p.opts.All) && j.ETA() > s.ETA() && !p.covers(s, open) {
			return false
		}
	}
	return true
}

// Suspend takes in that j, which was running, isn't any more.
func (p *Plan) Suspend(j *Job) {
	if j.State == Running {
		j.State = Suspended
	}
}

// pending is the most urgent pending job without a subset that is running, or
// suspended: its estimate would be as bad.
func (p *Plan) pending() (best *Job) {
	open, urgency := p.open(), 0
	for _, j := range p.jobs {
		if j.State != Pending {
			continue
		}
		u := p.urgency(j)
		if (best == nil || u < urgency || u == urgency && before(j, best)) && !p.covers(j, open) {
			best, urgency = j, u
		}
	}
	return best
}

// open lists the jobs that are suspended or running.
func (p *Plan) open() (list []*Job) {
	for _, j := range p.jobs {
		if j.State == Suspended || j.State == Running {
			list = append(list, j)
		}
	}
	return list
}

// covers reports whether one of the jobs that are open is a proper subset of j.
func (p *Plan) covers(j *Job, open []*Job) bool {
	return slices.ContainsFunc(open, func(s *Job) bool {
		return s != j && s.Set.within(j.Set, p.opts.All) && !j.Set.equal(s.Set)
	})
}

// suspended lists the suspended jobs by estimate.
func (p *Plan) suspended() (list []*Job) {
	for _, j := range p.jobs {
		if j.State == Suspended {
			list = append(list, j)
		}
	}
	slices.SortStableFunc(list, func(a, b *Job) int {
		switch {
		case a.ETA() < b.ETA():
			return -1
		case a.ETA() > b.ETA():
			return 1
		}
		return a.ID - b.ID
	})
	return list
}

// before reports whether pending job a comes before b, which is as urgent: by size.
func before(a, b *Job) bool {
	if x, y := len(a.Set.At), len(b.Set.At); x != y {
		return x < y
	}
	return a.ID < b.ID
}

// urgency of a job: that of its most urgent point which no finished job had
// (the authors' program: unexplored_priority); 0 for the minimal space.
func (p *Plan) urgency(j *Job) int {
	least := p.opts.Seeds[0].Kinds
	if len(j.Set.At) == 0 && j.Set.Kinds == least {
		return 0
	}
	if p.Verifies(j) {
		return 1 << 21 // after all that it includes
	}
	best := 1 << 20
	for _, a := range j.Set.At {
		if c, ok := p.classes[a]; ok && int(c) < best && !p.explored.at[a] {
			best = int(c)
		}
	}
	for bit := trace.Points(1); bit != 0; bit <<= 1 {
		if j.Set.Kinds&bit != 0 && least&bit == 0 && p.explored.kinds&bit == 0 {
			return min(best, 4*int(bit))
		}
	}
	return best
}

// explored is the union of finished jobs with the points of the minimal space.
type explored struct {
	at    map[uint64]bool
	kinds trace.Points
}

func (e *explored) add(s Set, least trace.Points) {
	if s.Kinds&least != least || len(s.Within) > 0 {
		return
	}
	e.kinds |= s.Kinds
	for _, a := range s.At {
		e.at[a] = true
	}
}
