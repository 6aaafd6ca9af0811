package main

import (
	"errors"
	"fmt"

	"landgo/internal/result"
)

// A class says what a pair is to the study.
type class string

const (
	right      class = "right"      // the library as it is
	wrong      class = "wrong"      // some search finds a bug
	equivalent class = "equivalent" // no interleaving at all has a bug
	sameAs     class = "same"       // its code is that of the right library, or of an earlier mutant
	unbuilt    class = "discarded"  // it isn't C
	forced     class = "forced"     // the first interleaving has a bug already
	undecided  class = "undecided"  // no search finds a bug, and the space isn't finished
	missing    class = "missing"    // not done, of a page made of what was found so far
)

// order is that in which pairs are compared.
var order = map[class]int{wrong: 0, right: 1, undecided: 2}

// A subject is a pair with what is known of it.
type subject struct {
	pair
	program string
	class   class
	why     string // of sameAs and unbuilt
	trials  map[string]trial
	// checked: optimal DPOR says equivalent too.
	checked bool
	// preempted: without a preemption there is no bug.
	preempted bool
}

// prepare builds a pair and leaves out those whose code isn't new.
func (l *lab) prepare(p pair) (*subject, error) {
	s := &subject{pair: p, trials: map[string]trial{}, class: undecided}
	if p.mutant == nil {
		s.class = right
	}
	var no discarded
	program, err := l.build(p)
	switch {
	case errors.As(err, &no):
		s.class, s.why = unbuilt, string(no)
		return s, nil
	case err != nil:
		return nil, err
	}
	s.program = program
	code, err := loaded(program)
	if err != nil {
		return nil, err
	}
	key := p.library + "-" + p.test + string(code)
	if first, ok := l.codes[key]; ok {
		s.class, s.why = sameAs, first
		return s, nil
	}
	l.codes[key] = p.folder()
	return s, nil
}

// checkBudget is the time for the searches that only check what others say.
const checkBudget = 1

// classify decides what a pair is: by a search that stores states and reorders
// nothing, which is exhaustive, and has the shortest way to an end.
func (l *lab) classify(s *subject) error {
	if s.class == sameAs || s.class == unbuilt {
		return nil
	}
	exhaustive := states
	if s.kernel() {
		exhaustive = everyAccess // states of a machine aren't stored
	}
	all, err := l.run(s, exhaustive, l.budget)
	if err != nil {
		return err
	}
	still, err := l.run(s, calm, l.budget)
	if err != nil || s.class == unbuilt {
		return err
	}
	s.preempted = still.Verdict == result.Bounded || still.Verdict == result.Verified
	switch {
	case s.mutant == nil && (all.bug() || still.bug()):
		return fmt.Errorf("%s: the library as it is has a bug: %s%s", s.name(), all.Message, still.Message)
	case all.verified() && still.bug():
		l.fail("%s: states says verified, and without any preemption there is: %s", s.name(), still.Message)
	case s.mutant == nil:
	case still.bug() && still.Executions == 1:
		s.class = forced // the paper's authors mended such by hand (§6.1)
	case all.bug() || still.bug():
		s.class = wrong
	case all.verified():
		s.class = equivalent
		t, err := l.run(s, everyAccess, checkBudget)
		if err != nil {
			return err
		}
		s.checked = t.verified()
		if t.bug() {
			l.fail("%s: states says verified, and optimal finds: %s", s.name(), t.Message)
		}
	}
	return nil
}

func (l *lab) run(s *subject, c contestant, budget float64) (trial, error) {
	t, err := l.try(s.pair, s.program, c, budget)
	if errors.Is(err, errMissing) {
		s.class = missing
		return t, nil
	}
	if err == nil && t.Verdict == result.Invalid && s.kernel() && s.mutant != nil {
		s.class, s.why = unbuilt, t.Reason // it tells what isn't so
		return t, nil
	}
	if err == nil && t.Verdict == result.Invalid {
		err = fmt.Errorf("%s: %s: invalid: %s", s.name(), c.name, t.Reason)
	}
	if err == nil {
		l.mu.Lock()
		s.trials[c.name] = t
		l.mu.Unlock()
	}
	return t, err
}
