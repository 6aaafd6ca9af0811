package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"landgo/internal/trace"
)

// A table is one in Markdown.
type table struct{ lines []string }

func newTable(head ...string) *table {
	t := &table{}
	t.add(head...)
	t.lines = append(t.lines, strings.Repeat("|---", len(head))+"|")
	return t
}

func (t *table) add(cells ...string)   { t.lines = append(t.lines, "| "+strings.Join(cells, " | ")+" |") }
func (t *table) String() string        { return strings.Join(t.lines, "\n") }
func number(n int) string              { return fmt.Sprint(n) }
func tenths(n, all int) string         { return fmt.Sprintf("%.1f", float64(n)/float64(all)) }
func of(n, all int) string             { return fmt.Sprintf("%d of %d", n, all) }
func (s *subject) family() string      { return familyOf[s.test] }
func (s *subject) bugBy(c string) bool { return s.class == wrong && s.trials[c].bug() }

var familyOf = func() map[string]string {
	m := map[string]string{}
	for _, f := range families {
		for _, t := range f.tests {
			m[t] = f.name
		}
	}
	return m
}()

// moments are the columns of Figures 7 and 8, in seconds.
var moments = []float64{0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60}

// cumulative is a figure as a table: for each contestant, how many trials that
// count were over by when.
func (l *lab) cumulative(subjects []*subject, counts func(*subject, trial) bool) string {
	head := []string{"by s of processor time"}
	var until []float64
	for _, m := range moments {
		if m < l.budget {
			until = append(until, m)
		}
	}
	until = append(until, l.budget)
	for _, m := range until {
		head = append(head, fmt.Sprintf("%g", m))
	}
	t := newTable(head...)
	for _, c := range l.contestants {
		row := []string{c.about}
		for i, m := range until {
			n := 0
			for _, s := range subjects {
				tr, ok := s.trials[c.name]
				// A search looks at its clock now and then only.
				if ok && counts(s, tr) && (tr.Found <= m || i == len(until)-1) {
					n++
				}
			}
			row = append(row, number(n))
		}
		t.add(row...)
	}
	return t.String()
}

// figure7b is the bugs that were found by when, by the clock.
func (l *lab) figure7b(subjects []*subject) string {
	if !l.clock {
		return "On the last run that wasn't measured, because the machine wasn't idle (`-clock=false`)."
	}
	all := l.contestants
	defer func() { l.contestants = all }()
	l.contestants = []contestant{byClock, deepLimited, singleDPOR, singleBPOR, memBPOR}
	return strings.Replace(l.cumulative(subjects, found), "s of processor time", "s of the clock", 1)
}

// found: the trial found the pair's bug.
func found(s *subject, t trial) bool { return s.class == wrong && t.bug() }

func (l *lab) figure7(subjects []*subject) string {
	return l.cumulative(subjects, found)
}

func (l *lab) figure8(subjects []*subject) string {
	return l.cumulative(subjects, func(s *subject, t trial) bool { return s.class == right && t.whole() })
}

// table1 counts the bugs by family.
func (l *lab) table1(subjects []*subject) string {
	head := []string{"tests", "pairs", "with a bug", "that needs a preemption"}
	for _, c := range l.contestants {
		head = append(head, c.name)
	}
	t := newTable(append(head, "no search")...)
	sum := make([]int, len(head)+1)
	line := func(name string, family string) {
		n := make([]int, len(head)+1)
		for _, s := range subjects {
			if family != "" && s.family() != family || !s.counted() {
				continue
			}
			n[1]++
			if s.class != wrong {
				continue
			}
			n[2]++
			if s.preempted {
				n[3]++
			}
			none := 1
			for i, c := range l.contestants {
				if s.bugBy(c.name) {
					n[4+i]++
					none = 0
				}
			}
			n[len(head)] += none
		}
		row := []string{name}
		for i := 1; i < len(n); i++ {
			row = append(row, number(n[i]))
			sum[i] += n[i]
		}
		t.add(row...)
	}
	for _, f := range families {
		line(strings.Join(f.tests, ", "), f.name)
	}
	line("**all**", "")
	return t.String()
}

// counted: the pair is one of the study.
func (s *subject) counted() bool { return s.class == wrong || s.class == undecided || s.class == right }

// table2 is the least numbers of preemptions, as the searches by ascending bound
// find them.
func (l *lab) table2(subjects []*subject) string {
	t := newTable("preemptions", "paper: ICB", "paper: Shared-Mem", singleBPOR.about, memBPOR.about)
	paper := [][2]string{{"2", "1"}, {"82", "86"}, {"16", "32"}, {"2", "3"}, {"0", "0"}}
	ours := func(c contestant, least, most int) int {
		n := 0
		for _, s := range subjects {
			if tr := s.trials[c.name]; s.bugBy(c.name) && tr.Preemptions >= least && tr.Preemptions <= most {
				n++
			}
		}
		return n
	}
	for bound, p := range paper {
		name, most := number(bound), bound
		if bound == len(paper)-1 {
			name, most = name+" and more", 1<<30
		}
		t.add(name, p[0], p[1], number(ours(singleBPOR, bound, most)), number(ours(memBPOR, bound, most)))
	}
	t.add("all", "102", "122", number(ours(singleBPOR, 0, 1<<30)), number(ours(memBPOR, 0, 1<<30)))
	return t.String()
}

// operatorTable counts the mutants by class.
func operatorTable(subjects []*subject) string {
	t := newTable("operator", "pairs", "not C", "same code", "equivalent", "undecided", "bug", "kinds")
	var names []string
	rows := map[string]map[class]int{}
	kinds := map[string]map[trace.BugKind]int{}
	for _, s := range subjects {
		if s.mutant == nil {
			continue
		}
		o := s.mutant.Operator
		if rows[o] == nil {
			rows[o], kinds[o] = map[class]int{}, map[trace.BugKind]int{}
			names = append(names, o)
		}
		rows[o][s.class]++
		if s.class == wrong {
			kinds[o][s.kind()]++
		}
	}
	total := map[class]int{}
	row := func(name string, n map[class]int, kinds string) {
		all := 0
		for _, k := range n {
			all += k
		}
		t.add(name, number(all), number(n[unbuilt]), number(n[sameAs]), number(n[equivalent]), number(n[undecided]), number(n[wrong]), kinds)
	}
	for _, o := range names {
		var list []string
		for _, k := range slices.SortedFunc(maps.Keys(kinds[o]), func(a, b trace.BugKind) int {
			return cmp.Or(kinds[o][b]-kinds[o][a], cmp.Compare(a, b))
		}) {
			list = append(list, fmt.Sprintf("%d %s", kinds[o][k], k))
		}
		row("`"+o+"`", rows[o], strings.Join(list, ", "))
		for c, n := range rows[o] {
			total[c] += n
		}
	}
	row("**all**", total, "")
	return t.String()
}

// kind is that of the bug which the classification found.
func (s *subject) kind() trace.BugKind {
	for _, c := range append([]contestant{states, calm}, contestants...) {
		if t := s.trials[c.name]; t.bug() {
			return t.Kind
		}
	}
	return ""
}
