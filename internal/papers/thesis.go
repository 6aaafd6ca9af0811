package main

import "fmt"

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
	{"indexer0", "indexer-N12", 8, 8, [3][3]uint64{{1, 4, 1}, {2, 8, 14}, {4, 8, 8}}},
	{"indexermod", "indexermod", 120, 226, [3][3]uint64{{1, 1, 5}, {120, 1320, 7920}, {120, 120, 120}}},
}

func thesis(l *lab) error {
	unboundedTraces(l)
	boundedTraces(l)
	readers(l)
	return nil
}

func unboundedTraces(l *lab) {
	searches := []string{"source", "nidhugg", "classic", "optimal"}
	t := newTable("program", "guest", "Source-DPOR: thesis", "`source`", "Classic-DPOR: thesis", "`nidhugg`", "`classic`", "`optimal`")
	for _, s := range synthetics {
		var runs []run
		for _, search := range searches {
			runs = append(runs, run{guest: bench(s.guest), search: search, executions: 100_000, seconds: 10})
		}
		o := l.run(runs...)
		t.add(s.name, s.guest, thousands(s.source), both(o[0]), thousands(s.classic), both(o[1]), both(o[2]), both(o[3]))
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

var bporsOfThesis = []string{"naive-bpor", "nidhugg-bpor", "source-bpor", "lazy-bpor"}

// row is the row of synthetic.bounded that a search stands in.
func (s synthetic) row(search string) [3]uint64 {
	return s.bounded[map[string]int{"naive-bpor": 0, "nidhugg-bpor": 1, "source-bpor": 1, "lazy-bpor": 2}[search]]
}

func boundedTraces(l *lab) {
	t := newTable("program", "search", "thesis: 0", "1", "2", "landgo: 0", "1", "2")
	for _, s := range synthetics {
		for _, search := range bporsOfThesis {
			cells := []string{s.name, "`" + search + "`"}
			for k := range 3 {
				cells = append(cells, thousands(s.row(search)[k]))
			}
			var runs []run
			for k := range 3 {
				runs = append(runs, run{guest: bench(s.guest), search: search, bound: fmt.Sprintf("preempt=%d", k), executions: 100_000, seconds: 10})
			}
			o := l.run(runs...)
			for k := range 3 {
				cells = append(cells, both(o[k]))
			}
			t.add(cells...)
		}
	}
	l.fill("thesis_bounded", t.String())
}

// readers is writer-N-readers, which the slides draw and give no numbers of.
func readers(l *lab) {
	head := []string{"readers", "`optimal`", "`source`", "`nidhugg`"}
	for _, s := range bporsOfThesis {
		head = append(head, "`"+s+"`: 0", "1", "2")
	}
	t := newTable(head...)
	for n := 1; n <= 5; n++ {
		guest := bench(fmt.Sprintf("writer_readers-N%d", n))
		var runs []run
		for _, s := range []string{"optimal", "source", "nidhugg"} {
			runs = append(runs, run{guest: guest, search: s})
		}
		for _, s := range bporsOfThesis {
			for k := range 3 {
				runs = append(runs, run{guest: guest, search: s, bound: fmt.Sprintf("preempt=%d", k), executions: 100_000, seconds: 10})
			}
		}
		o := l.run(runs...)
		cells := []string{fmt.Sprint(n)}
		for _, x := range o {
			cells = append(cells, both(x))
		}
		t.add(cells...)
		l.want(o[0].Executions == 1<<n, "%s: %d traces, want 2^%d", guest, o[0].Executions, n)
	}
	l.fill("readers", t.String())
}
