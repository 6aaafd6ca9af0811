package main

import (
	"regexp"
	"sort"
	"strings"

	"landgo/internal/result"
)

var singlePlace = regexp.MustCompile(`^yield,race=([^+]+\+0x[0-9a-f]+)$`)

// A racePoint is an instruction that a deepening found in a data-race candidate:
// each has a set of its own beside the minimal one.
type racePoint struct {
	place      string
	first      bool // the first execution showed it
	bothOrders bool
	tested     bool // a set with it was explored to its end
}

// racePoints are those of a deepening, in the order in which it found them.
func racePoints(t trial) []racePoint {
	var all []racePoint
	for _, j := range t.Jobs {
		m := singlePlace.FindStringSubmatch(j.PP)
		if m == nil || j.Race == "" {
			continue
		}
		p := racePoint{place: m[1], first: j.After == 0, bothOrders: j.Race == "both orders", tested: t.Verdict == result.Verified}
		for _, o := range t.Jobs {
			if o.State == "verified" && strings.Contains(o.PP, "race=") && hasPlace(o.PP, p.place) {
				p.tested = true
			}
		}
		all = append(all, p)
	}
	return all
}

// hasPlace reports whether a list of points has an instruction.
func hasPlace(pp, place string) bool {
	return strings.HasSuffix(pp, "="+place) || strings.HasSuffix(pp, "+"+place) ||
		strings.Contains(pp, "="+place+"+") || strings.Contains(pp, "+"+place+"+")
}

// singlePass is one space, of synchronisation and of what a single execution
// shows to race: what a detector that looks at one run gives a model checker.
func singlePass(of contestant, t trial) (contestant, bool) {
	var places []string
	for _, p := range racePoints(t) {
		if p.first {
			places = append(places, p.place)
		}
	}
	sort.Strings(places)
	if len(places) == 0 {
		return contestant{}, false
	}
	return contestant{name: "first-" + of.name, args: []string{"--race", "off", "--pp", "yield,lock,unlock,race=" + strings.Join(places, "+"), "--search", "optimal"}}, true
}

// raceBug reports whether deepening found a bug that needs a point at a data
// race: all interleavings of synchronisation are without it.
func (s *subject) raceBug(by contestant) bool {
	return s.bugBy(by.name) && s.trials[singleDPOR.name].verified()
}

// beyondSinglePass reports whether it needs a point that the first execution
// doesn't show.
func (s *subject) beyondSinglePass(by contestant) bool {
	if !s.raceBug(by) {
		return false
	}
	t, ok := s.trials["first-"+by.name]
	return !ok || t.verified()
}

// firstPass runs the space of a single execution's candidates for each bug that
// needs a data-race point.
func (l *lab) firstPass(s *subject) error {
	for _, c := range []contestant{deepLimited, deepPure} {
		if !s.raceBug(c) {
			continue
		}
		if only, ok := singlePass(c, s.trials[c.name]); ok {
			if _, err := l.run(s, only, l.budget); err != nil {
				return err
			}
		}
	}
	return nil
}

// table3 counts data-race points where deepening with pure happens-before found
// no bug.
func (l *lab) table3(subjects []*subject) string {
	t := newTable("tests", "pairs without a bug found", "data-race points", "of them after the first execution", "seen in both orders", "refuted", "untested", "recycled blocks (limited)")
	sum := make([]int, 7)
	for _, f := range families {
		n := make([]int, 7)
		for _, s := range subjects {
			tr, ok := s.trials[deepPure.name]
			if !ok || !s.counted() || tr.bug() || s.family() != f.name {
				continue
			}
			n[0]++
			for _, p := range racePoints(tr) {
				n[1]++
				if !p.first {
					n[2]++
				}
				if p.bothOrders {
					n[3]++
				}
				if p.tested {
					n[4]++
				} else {
					n[5]++
				}
			}
			n[6] += int(s.trials[deepLimited.name].Recycled)
		}
		row := []string{strings.Join(f.tests, ", ")}
		for i := range n {
			row = append(row, number(n[i]))
			sum[i] += n[i]
		}
		t.add(row...)
	}
	row := []string{"**all**"}
	for _, n := range sum {
		row = append(row, number(n))
	}
	t.add(row...)
	return t.String()
}

// raceTable counts the bugs that need a data-race point, by family.
func (l *lab) raceTable(subjects []*subject) string {
	t := newTable("tests", "limited: all", "limited: nondeterministic", "pure: all", "pure: nondeterministic", "mutual timeouts", "sets verified in each of these")
	sum := make([]int, 6)
	line := func(name string, n []int) {
		average := "-"
		if n[4] > 0 {
			average = tenths(n[5], n[4])
		}
		t.add(name, number(n[0]), number(n[1]), number(n[2]), number(n[3]), number(n[4]), average)
	}
	for _, f := range families {
		n := make([]int, 6)
		for _, s := range subjects {
			if s.family() != f.name || !s.counted() {
				continue
			}
			for i, c := range []contestant{deepLimited, deepPure} {
				if s.raceBug(c) {
					n[2*i]++
				}
				if s.beyondSinglePass(c) {
					n[2*i+1]++
				}
			}
			deep, icb := s.trials[deepLimited.name], s.trials[singleBPOR.name]
			if deep.Verdict == result.Budget && icb.Verdict == result.Budget {
				n[4]++
				for _, j := range deep.Jobs {
					if j.State == "verified" {
						n[5]++
					}
				}
			}
		}
		line(strings.Join(f.tests, ", "), n)
		for i := range n {
			sum[i] += n[i]
		}
	}
	line("**all**", sum)
	return t.String()
}
