package main

import "fmt"

// The paper's contestants, by the name of ours: their name there, the bugs that they
// found and the tests that they verified, of 629 pairs.
var inPaper = map[string]struct{ name, bugs, verified string }{
	deepLimited.name: {"QS-Limited-HB", "153", "153"},
	deepPure.name:    {"QS-Pure-HB", "132", "167"},
	deepSync.name:    {"QS-Sync-Only", "90", "up to 36"},
	singleDPOR.name:  {"SSS-MC-DPOR", "88", "36"},
	singleBPOR.name:  {"SSS-MC-ICB", "102", "up to 36"},
	memBPOR.name:     {"SSS-MC-Shared-Mem", "122", "39"},
}

// summary has a row for each contestant: its bugs and verified tests at the end of
// the budget, beside the paper's.
func (l *lab) summary(subjects []*subject) string {
	t := newTable("name", "search", "name in the paper", "bugs there", "bugs here", "verified there", "verified here")
	for _, c := range l.contestants {
		bugs, verified := 0, 0
		for _, s := range subjects {
			tr, ok := s.trials[c.name]
			switch {
			case !ok:
			case found(s, tr):
				bugs++
			case s.class == right && tr.whole():
				verified++
			}
		}
		p := inPaper[c.name]
		t.add("`"+c.name+"`", c.about, p.name, p.bugs, number(bugs), p.verified, number(verified))
	}
	return t.String()
}

// A headline of the paper, with its figures and ours, and why ours differ if they do.
type headline struct {
	text      string
	more      [2]int // of the paper: the first is to be greater
	ours      [2]int
	otherwise string
}

// headlines are those of §6.3 that compare two contestants.
func (l *lab) headlines(subjects []*subject) string {
	bugs, verified := map[string]int{}, map[string]int{}
	for _, c := range l.contestants {
		for _, s := range subjects {
			switch tr, ok := s.trials[c.name]; {
			case ok && found(s, tr):
				bugs[c.name]++
			case ok && s.class == right && tr.whole():
				verified[c.name]++
			}
		}
	}
	mx := map[string]int{} // bugs in the tests of mutexes
	races, unseen := map[string]int{}, map[string]int{}
	for _, s := range subjects {
		for _, c := range []contestant{deepLimited, deepPure, singleDPOR} {
			if s.family() == "mx" && s.bugBy(c.name) {
				mx[c.name]++
			}
			if s.raceBug(c) {
				races[c.name]++
			}
			if s.beyondSinglePass(c) {
				unseen[c.name]++
			}
		}
	}
	share := func(c contestant) int { return 100 * unseen[c.name] / max(1, races[c.name]) }
	t := newTable("headline", "paper", "here", "")
	for _, h := range []headline{
		{"deepening finds more bugs than the best search of one space", [2]int{153, 122}, [2]int{bugs[deepLimited.name], bugs[memBPOR.name]},
			"a point at an access is cheap here, and is one only where threads meet; in the paper each execution has thousands"},
		{"it verifies more", [2]int{153, 39}, [2]int{verified[deepLimited.name], verified[memBPOR.name]},
			"one space at every access ends here, before thousands of its subsets do"},
		{"limited happens-before finds more bugs than pure", [2]int{153, 132}, [2]int{bugs[deepLimited.name], bugs[deepPure.name]},
			"executions are so fast here that the order in which pure happens-before shows a candidate comes within the time"},
		{"pure happens-before verifies more than limited", [2]int{167, 153}, [2]int{verified[deepPure.name], verified[deepLimited.name]},
			"the tests without a false candidate are the ones that end"},
		{"points at races find more than synchronisation alone", [2]int{153, 90}, [2]int{bugs[deepLimited.name], bugs[deepSync.name]}, "our sets of candidates are too many for the time"},
		{"they verify more", [2]int{153, 36}, [2]int{verified[deepLimited.name], verified[deepSync.name]}, "our sets of candidates are too many for the time"},
		{"in the tests of mutexes deepening finds bugs that synchronisation alone doesn't", [2]int{10, 1}, [2]int{mx[deepLimited.name], mx[singleDPOR.name]}, "of our mistakes"},
		{"of bugs that need a race's point, per cent that one execution doesn't show: pure more than limited", [2]int{48, 22}, [2]int{share(deepPure), share(deepLimited)}, "of our mistakes"},
		{"ascending bounds find more bugs than DPOR", [2]int{102, 88}, [2]int{bugs[singleBPOR.name], bugs[singleDPOR.name]},
			"spaces of synchronisation alone end within the time here, so that the order of their interleavings doesn't matter"},
	} {
		verdict := "differs because " + h.otherwise
		if h.ours[0] > h.ours[1] {
			verdict = "same shape"
		}
		t.add(h.text, fmt.Sprintf("%d > %d", h.more[0], h.more[1]), fmt.Sprintf("%d : %d", h.ours[0], h.ours[1]), verdict)
	}
	return t.String()
}

// deceived counts the pairs with a bug that a contestant calls verified by its candidates.
func deceived(subjects []*subject, by contestant) (n int) {
	for _, s := range subjects {
		if tr, ok := s.trials[by.name]; ok && s.class == wrong && tr.whole() {
			n++
		}
	}
	return n
}
