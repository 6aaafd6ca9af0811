package main

// The paper's contestants, by the name of ours: their name there, the bugs that they
// found and the tests that they verified, of 629 pairs.
var inPaper = map[string]struct{ name, bugs, verified string }{
	deepLimited.name: {"QS-Limited-HB", "153", "153"},
	deepPure.name:    {"QS-Pure-HB", "132", "167"},
	deepSync.name:    {"QS-Sync-Only", "90", ""},
	singleDPOR.name:  {"SSS-MC-DPOR", "88", ""},
	singleBPOR.name:  {"SSS-MC-ICB", "102", ""},
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
