package deepen

import (
	"errors"
	"slices"
)

// Saved is a Plan as plain data. Restore makes a Plan with the same Options of
// it.
type Saved struct {
	Jobs    []Job            `json:"jobs"`
	Maximal *Set             `json:"maximal,omitempty"` // Options.Maximal, as it has grown
	Classes map[uint64]Class `json:"classes,omitempty"` // of the candidates' instructions
	Spent   uint64           `json:"spent"`
}

// errSaved is a plan that can't be: a checkpoint that isn't landgo's own.
var errSaved = errors.New("its jobs can't be: not written by landgo")

// Save is the plan. It has no proof yet: with one there is nothing to go on with.
func (p *Plan) Save() *Saved {
	s := &Saved{Maximal: p.opts.Maximal, Classes: p.classes, Spent: p.spent}
	for _, j := range p.jobs {
		s.Jobs = append(s.Jobs, *j)
	}
	return s
}

// Restore gives a new Plan the state of a saved one.
func (p *Plan) Restore(s *Saved) error {
	if (s.Maximal == nil) != (p.opts.Maximal == nil) || len(s.Jobs) < len(p.jobs) {
		return errSaved
	}
	jobs := make([]*Job, len(s.Jobs))
	for i := range s.Jobs {
		j := s.Jobs[i]
		if j.ID != i+1 || j.State > Stuck || j.Class > OneOrder || !slices.IsSorted(j.Set.At) {
			return errSaved
		}
		jobs[i] = &j
	}
	p.jobs, p.opts.Maximal, p.spent = jobs, s.Maximal, s.Spent
	p.with, p.largest = map[uint64][]*Job{}, nil
	for _, j := range jobs {
		p.index(j, j.Set.At)
		switch {
		case j.State == Finished:
			p.explored.add(j.Set, p.opts.Seeds[0].Kinds)
		case j.State == Failing:
			p.failing = append(p.failing, j)
		}
	}
	if s.Maximal != nil {
		p.largest = p.find(*s.Maximal)
	}
	for at, c := range s.Classes {
		if c > OneOrder {
			return errSaved
		}
		p.classes[at] = c
	}
	return nil
}
