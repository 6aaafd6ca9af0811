package deepen

import (
	"slices"

	"landgo/internal/trace"
)

// Options are the input of a Plan.
type Options struct {
	// All is the kinds that include every point there can be.
	All trace.Points
	// Seeds are the first spaces, from the smallest on (§3.2).
	Seeds []Set
	// Maximal, if not nil, is the set with all points of synchronisation: with
	// the instructions that Conclude names, its space proves the same as All's.
	Maximal *Set
	// Naive: the maximal space only (Algorithm 1), with every candidate's
	// instructions.
	Naive bool
	// Warm is how many steps the job with All may take before others; 0: there
	// is no such job.
	Warm uint64
	// Factor scales the time that is left when an estimate is compared with it,
	// Least is the number of executions before which no job is suspended (§3.5).
	// 0: 2 and 32.
	Factor float64
	Least  uint64
}

// Plan is the state of an iterative deepening.
type Plan struct {
	opts    Options
	jobs    []*Job
	classes map[uint64]Class // of the candidates' instructions
	spent   uint64           // steps of all jobs but those that may be the proof
	proof   *Job
	// Derived from the jobs, which may be thousands:
	explored explored
	with     map[uint64][]*Job // those that have an instruction, by it
	failing  []*Job
	largest  *Job // the one with Options.Maximal
}

// New returns the plan with its seeds.
func New(o Options) *Plan {
	if o.Factor == 0 {
		o.Factor = 2
	}
	if o.Least == 0 {
		o.Least = 32
	}
	p := &Plan{opts: o, classes: map[uint64]Class{}, explored: explored{at: map[uint64]bool{}}, with: map[uint64][]*Job{}}
	if o.Warm > 0 {
		p.add(Set{Kinds: o.All}, Seed)
	}
	for _, s := range o.Seeds {
		p.add(s, Seed)
	}
	if o.Maximal != nil {
		p.add(*o.Maximal, Seed)
		p.largest = p.find(*o.Maximal)
	}
	return p
}

// find is the job with a set; nil if there is none.
func (p *Plan) find(s Set) *Job {
	if i := slices.IndexFunc(p.jobs, func(j *Job) bool { return j.Set.equal(s) }); i >= 0 {
		return p.jobs[i]
	}
	return nil
}

// Jobs lists all jobs, in the order in which they were added.
func (p *Plan) Jobs() []*Job { return p.jobs }

// Proof is the job whose end proves that there is no bug whatever the points;
// nil as long as there is none.
func (p *Plan) Proof() *Job { return p.proof }

// add adds a job, unless its set is there already, a subset has bugs, or a
// superset is finished.
func (p *Plan) add(s Set, c Class) *Job {
	larger := p.jobs
	if len(s.At) > 0 {
		larger = p.with[s.At[0]]
	}
	known := func(j *Job) bool {
		return j.Set.equal(s) || j.State == Finished && s.within(j.Set, p.opts.All)
	}
	fails := func(j *Job) bool { return j.Set.within(s, p.opts.All) }
	if p.proof != nil && s.within(p.proof.Set, p.opts.All) || slices.ContainsFunc(larger, known) || slices.ContainsFunc(p.failing, fails) {
		return nil
	}
	j := &Job{ID: len(p.jobs) + 1, Set: s, Class: c}
	p.jobs = append(p.jobs, j)
	p.index(j, s.At)
	return j
}

// index notes that a job has instructions.
func (p *Plan) index(j *Job, at []uint64) {
	for _, a := range at {
		p.with[a] = append(p.with[a], j)
	}
}

// whole reports whether j preempts at every access.
func (p *Plan) whole(j *Job) bool { return j.Set.Kinds&p.opts.All == p.opts.All }

// Verifies reports whether j is there for a proof, not for finding bugs early. Algorithm 2
// ignores such jobs: otherwise it would add no small job, because a superset is there.
func (p *Plan) Verifies(j *Job) bool {
	return p.whole(j) || p.opts.Maximal != nil && !p.opts.Naive && j.Set.Kinds == p.opts.Maximal.Kinds
}

// Candidate receives an instruction of a data-race candidate that j found: the
// earlier access's, or either's of one seen in both orders (§3.5). It adds jobs
// by Algorithm 2, or 1 if the plan is naive.
func (p *Plan) Candidate(j *Job, at uint64, c Class) {
	if old, ok := p.classes[at]; !ok || c < old {
		p.classes[at] = c
	}
	if p.opts.Naive {
		if !j.Set.Has(at) {
			p.extend([]uint64{at})
		}
		return
	}
	if p.largest != nil && p.largest.State == Pending {
		p.extend([]uint64{at})
	}
	if j.Set.Has(at) {
		return // it isn't new to this job
	}
	if big := j.Set.With(at); !p.Verifies(j) && len(j.Set.Within) == 0 && !p.included(big, at) {
		p.add(big, c)
	}
	p.add(Set{Kinds: p.opts.Seeds[0].Kinds, At: []uint64{at}}, c)
}

// TooLarge reports whether j, a small job of a candidate's instruction, may be
// narrowed by function. It takes long, or was left because there isn't the time for
// it. left is how many steps there is time for.
func (p *Plan) TooLarge(j *Job, left float64) bool {
	if p.opts.Naive || j.State != Suspended && j.State != Running || len(j.Set.At) != 1 || len(j.Set.Within) > 0 || j.Set.Kinds != p.opts.Seeds[0].Kinds {
		return false
	}
	return j.Steps >= narrowAfter*p.opts.Warm || j.Executions >= p.opts.Least && j.ETA() >= p.opts.Factor*left
}

// narrowAfter is how many warm-ups a job takes before it counts as long.
const narrowAfter = 2

// Narrow adds the job that has the points of j within a function only: a subset of
// j's, whose end says nothing of j.
//
// Deviation from the paper, which leaves this to the test's author (§7).
func (p *Plan) Narrow(j *Job, function string) {
	s := j.Set
	s.Within = []string{function}
	p.add(s, j.Class)
}

// included reports whether a job has all points of s, including at (Algorithm
// 2, line 1).
func (p *Plan) included(s Set, at uint64) bool {
	return slices.ContainsFunc(p.with[at], func(j *Job) bool { return !p.Verifies(j) && s.within(j.Set, p.opts.All) })
}

// extend makes a new maximal job, with more instructions (Algorithm 1). The
// rest of the old one is part of it.
func (p *Plan) extend(at []uint64) {
	old := p.opts.Maximal
	m := old.WithAll(at)
	if m.equal(*old) {
		return
	}
	p.opts.Maximal = &m
	if p.largest == nil || p.largest.State != Pending {
		p.largest = p.add(m, Seed)
		return
	}
	p.largest.Set = m
	p.index(p.largest, slices.DeleteFunc(slices.Clone(m.At), old.Has))
}

// Conclude takes in that the maximal job has finished, and which instructions of
// it still conflict with others without a point. None: it proves the same as
// the job with All.
func (p *Plan) Conclude(j *Job, open []uint64) {
	p.Finished(j)
	if len(open) == 0 {
		p.proof = j
		return
	}
	p.extend(open)
}

// Finished takes in that j's space was explored to its end, without a bug.
func (p *Plan) Finished(j *Job) {
	j.State = Finished
	j.Share = 1
	p.explored.add(j.Set, p.opts.Seeds[0].Kinds)
	if p.whole(j) {
		p.proof = j
	}
	for _, o := range p.jobs {
		if !o.State.Over() && o.Set.within(j.Set, p.opts.All) {
			o.State = Covered
		}
	}
}

// Failed takes in that j has a bug; goesOn: it may have others, and goes on.
func (p *Plan) Failed(j *Job, goesOn bool) {
	if !goesOn {
		j.State = Failing
		p.failing = append(p.failing, j)
	}
	for _, o := range p.jobs {
		// The job with All is left: it finds all bugs that there are.
		if o != j && !o.State.Over() && j.Set.within(o.Set, p.opts.All) && !p.whole(o) {
			o.State = Dropped
		}
	}
}

// Again takes in that j's search begins again: points became finer. Its estimate is to come,
// and so is a warm-up.
func (p *Plan) Again(j *Job) { j.Void, j.Share = j.Steps, 0 }

// Took takes in that j has run some more steps.
func (p *Plan) Took(j *Job, steps uint64) {
	j.Steps += steps
	if !p.Verifies(j) {
		p.spent += steps
	}
}
