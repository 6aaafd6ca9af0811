package main

import (
	"fmt"
	"slices"
)

// The thesis (Sachinoglou): traces of each search, and of each bounded search at
// bounds 0 to 2. Its traces are executions and those cut as redundant: for
// lastzero it has 97 where POPL 2014 has 64 complete ones.

// A synthetic is a program of its tables, with the traces that they give.
type synthetic struct {
	name            string // there
	guest           string
	source, classic uint64
	bounded         [3][3]uint64 // naive, nidhugg and source, lazy; at bounds 0, 1, 2
}

// The slides print 10614 for lastzero at bound 2 in one table, 10610 in the
// other, and leave Lazy-BPOR on lazy out of neither.
var synthetics = []synthetic{
	{"account", "account", 6, 7, [3][3]uint64{{1, 1, 4}, {6, 27, 42}, {6, 6, 6}}},
	{"lazy", "lazy", 6, 7, [3][3]uint64{{1, 1, 4}, {6, 27, 42}, {6, 6, 6}}},
	{"micro", "micro-N3-K2", 52495, 53084, [3][3]uint64{{1, 1, 10}, {6, 93, 886}, {60, 805, 4362}}},
	{"lastzero", "lastzero-N5", 97, 97, [3][3]uint64{{1, 2, 5}, {252, 2444, 10614}, {97, 97, 97}}},
	{"lastzeromod", "lastzero-N3", 13, 17, [3][3]uint64{{1, 1, 6}, {64, 290, 651}, {13, 13, 13}}},
	{"indexer0", "indexer-N12", 8, 8, [3][3]uint64{{1, 4, 1}, {2, 8, 14}, {4, 8, 8}}},
	{"indexermod", "indexermod", 120, 226, [3][3]uint64{{1, 1, 5}, {120, 1320, 7920}, {120, 120, 120}}},
}

// whyNot says of a program why its counts aren't the thesis's.
var whyNot = map[string]string{
	"account":     "the thesis repeats the six traces",
	"lazy":        "the thesis repeats the six traces",
	"micro":       "the thesis doesn't give the program",
	"lastzero":    "here main creates the threads, which is one more thread to switch from",
	"lastzeromod": "the thesis doesn't give the program; this one has three writers",
	"indexer0":    "here main creates the threads, which is one more thread to switch from",
	"indexermod":  "the thesis doesn't give the program",
}

func thesis(l *lab) error {
	unboundedTraces(l)
	boundedTraces(l)
	readers(l)
	return nil
}

// near is how many times a count may be another's for their rows to be of the same shape.
const near = 3

// compared is "equal", "same shape" or "differs", with the reason.
func compared(paper, ours []uint64, why string) string {
	equal, shape := true, true
	for i, p := range paper {
		o := ours[i]
		equal = equal && p == o
		shape = shape && p <= near*o && o <= near*p
	}
	switch {
	case equal:
		return "equal"
	case shape:
		return "same shape"
	}
	return "differs: " + why
}

// runsOf counts traces as the thesis does: executions, and those cut as redundant.
func runsOf(o outcome) uint64 { return o.Executions + o.Blocked }

func unboundedTraces(l *lab) {
	searches := []string{"source", "nidhugg", "classic", "optimal"}
	t := newTable("program", "guest", "Source-DPOR: thesis", "`source`", "Classic-DPOR: thesis", "`nidhugg`", "`classic`", "`optimal`", "`source` and `nidhugg`")
	for _, s := range synthetics {
		var runs []run
		for _, search := range searches {
			runs = append(runs, run{guest: bench(s.guest), search: search, executions: 100_000, seconds: 10})
		}
		o := l.run(runs...)
		t.add(s.name, s.guest, thousands(s.source), both(o[0]), thousands(s.classic), both(o[1]), both(o[2]), both(o[3]),
			compared([]uint64{s.source, s.classic}, []uint64{runsOf(o[0]), runsOf(o[1])}, whyNot[s.name]))
		if s.guest == "account" || s.guest == "lazy" {
			for i := range o {
				l.want(o[i].Executions == 6, "%s: %s explores %d traces, want 6", s.guest, searches[i], o[i].Executions)
			}
		}
	}
	l.fill("thesis_unbounded", t.String())
}

// both is executions, with the blocked ones that the thesis counts too.
func both(o outcome) string {
	if !o.ended() || o.Blocked == 0 {
		return o.counted(o.Executions)
	}
	return fmt.Sprintf("%s + %s", thousands(o.Executions), thousands(o.Blocked))
}

// A bounding is a row of the table of bounded searches.
type bounding struct {
	search    string
	allShared bool
	slides    int // the row of synthetic.bounded that it stands in
	only      []string
}

// In account and lazy the first event of each thread is its lock, so that a
// conservative point, at the start of a block, is always the ordinary one. With
// every access taken as shared other events come before, as in Nidhugg.
var boundings = []bounding{
	{search: "naive-bpor", slides: 0}, {search: "naive-bpor", allShared: true, slides: 0, only: []string{"account", "lazy"}},
	{search: "nidhugg-bpor", slides: 1}, {search: "source-bpor", slides: 1}, {search: "lazy-bpor", slides: 2},
	{search: "nidhugg-bpor", allShared: true, slides: 1, only: []string{"account", "lazy"}},
	{search: "nidhugg-bpor:optimised=0", allShared: true, slides: 1, only: []string{"account", "lazy"}},
}

func (b bounding) String() string {
	if b.allShared {
		return "`" + b.search + " --all-shared`"
	}
	return "`" + b.search + "`"
}

// runs are those of a search at bounds 0, 1 and 2, each alone, as in the thesis.
func (b bounding) runs(guest string) (runs []run) {
	for k := range 3 {
		r := alone(guest, b.search, k)
		r.allShared = b.allShared
		runs = append(runs, r)
	}
	return runs
}

// alone is a search within k preemptions that doesn't search the lower bounds first.
func alone(guest, search string, k int) run {
	r := run{guest: bench(guest), search: search, bound: fmt.Sprintf("preempt=%d", k), from: k, executions: 100_000, seconds: 10}
	if search == "lazy-bpor" {
		r.from = 0 // it never does
	}
	return r
}

func boundedTraces(l *lab) {
	t := newTable("program", "search", "thesis: 0", "1", "2", "landgo: 0", "1", "2", "comparison")
	for _, s := range synthetics {
		for _, b := range boundings {
			if b.only != nil && !slices.Contains(b.only, s.name) {
				continue
			}
			cells := []string{s.name, b.String()}
			for _, n := range s.bounded[b.slides] {
				cells = append(cells, thousands(n))
			}
			ours := make([]uint64, 3)
			for k, o := range l.run(b.runs(s.guest)...) {
				cells = append(cells, both(o))
				ours[k] = runsOf(o)
				sixTraces(l, s, b, k, o)
			}
			why := whyNot[s.name]
			switch b.search {
			case "naive-bpor":
				why = "what it misses depends on the order in which threads are tried"
			case "lazy-bpor":
				why = "the thesis's estimate lets in more than the bound does"
			}
			t.add(append(cells, compared(s.bounded[b.slides][:], ours, why))...)
		}
	}
	l.fill("thesis_bounded", t.String())
}

// sixTraces compares account and lazy with the slides: six traces at bound 0.
// Beyond it there are not fewer than six, and not more than in the slides,
// except if every access is an event.
func sixTraces(l *lab, s synthetic, b bounding, k int, o outcome) {
	if s.name != "account" && s.name != "lazy" {
		return
	}
	if b.slides == 0 {
		l.want(!b.allShared || k > 0 || o.Executions < 6, "%s: %v at bound %d explores %d traces of six: it should miss some", s.name, b, k, o.Executions)
		return
	}
	most := s.bounded[b.slides][k]
	if b.allShared && k > 0 {
		most = o.Executions
	}
	l.want(o.Executions >= 6 && o.Executions <= most, "%s: %v at bound %d explores %d executions, want 6 to %d", s.name, b, k, o.Executions, most)
}

// observed are the columns of writer-N-readers.
var observed = []bounding{
	{search: "naive-bpor", allShared: true}, {search: "nidhugg-bpor", allShared: true}, {search: "nidhugg-bpor:optimised=0", allShared: true}, {search: "lazy-bpor", allShared: true},
}

// readers is writer-N-readers, which the slides draw and give no numbers of.
func readers(l *lab) {
	head := []string{"readers", "`optimal`"}
	for _, b := range observed {
		head = append(head, "`"+b.search+"`: 0", "1", "2")
	}
	t := newTable(head...)
	for n := 1; n <= 5; n++ {
		guest := fmt.Sprintf("writer_readers-N%d", n)
		runs := []run{{guest: bench(guest), search: "optimal", allShared: true}}
		for _, b := range observed {
			runs = append(runs, b.runs(guest)...)
		}
		cells := []string{fmt.Sprint(n)}
		for i, o := range l.run(runs...) {
			cells = append(cells, both(o))
			if i == 0 {
				l.want(o.Executions == 1<<n, "%s: %d traces, want 2^%d", guest, o.Executions, n)
			}
		}
		t.add(cells...)
	}
	l.fill("readers", t.String())
}
