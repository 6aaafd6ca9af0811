package main

import (
	"strings"

	"landgo/internal/result"
)

// compare runs the contestants on a pair that counts, and compares their verdicts: that tests
// landgo beside the study.
func (l *lab) compare(s *subject) error {
	if s.class != right && s.class != wrong && s.class != undecided {
		return nil
	}
	for _, c := range l.contestants {
		t, err := l.run(s, c, l.budget)
		if err != nil {
			return err
		}
		if s.class == missing || s.class == unbuilt {
			return nil
		}
		if t.bug() && s.class == undecided {
			s.class = wrong
		}
	}
	if err := l.firstPass(s); err != nil {
		return err
	}
	l.contradictions(s)
	return nil
}

// contradictions notes where two searches can't both be right.
func (l *lab) contradictions(s *subject) {
	for name, t := range s.trials {
		switch {
		case s.class == right && t.bug():
			l.fail("%s: %s finds a bug in the library as it is: %s %s", s.name(), name, t.Kind, t.Message)
		case s.class == wrong && t.whole() && !t.byCandidates():
			l.fail("%s: %s says verified at %s, and others find a bug", s.name(), name, t.Granularity)
		}
		// A preemption bound is raised only when all below it is done.
		least, bounded := s.trials[memBPOR.name]
		if bounded && least.bug() && t.bug() && t.Preemptions < least.Preemptions {
			l.fail("%s: %s finds a bug with %d preemptions, and bpor at every access none below %d", s.name(), name, t.Preemptions, least.Preemptions)
		}
	}
}

// whole reports whether a trial verified the pair for whatever interleaving: at
// every access, or at points beyond which there is nothing left to order.
func (t trial) whole() bool {
	return t.Verdict == result.Verified && (strings.HasPrefix(t.Granularity, "mem") || t.Unexamined == 0 || t.byCandidates())
}

// byCandidates: it counts as verified by the paper's Theorem 1. Its proof adds both accesses
// of a candidate, its program the later one only after it was seen in both orders (§3.5). So
// landgo doesn't call that a proof, and the study counts where it is none.
func (t trial) byCandidates() bool {
	return t.Contestant == deepLimited.name || t.Contestant == deepPure.name || t.Contestant == byClock.name
}
