package main

import (
	"fmt"
	"strings"

	"landgo/internal/result"
)

// Coons, Musuvathi and McKinley, Table 1: the time to each bug, with the least
// bound that has it. If there are several measures, that is the least fair bound, and then the
// least number of preemptions. As in the paper, that bound is searched alone: the lower
// ones, which have no bug, aren't searched before it.

// A fault is a line of it, with the seconds that it gives; 0 is its dash.
type fault struct {
	paper, kind string
	guest       string
	seconds     []float64 // the paper's
}

var (
	preemptionColumns = []string{"DPOR", "no BPOR, preemption bound", "BPOR, preemption bound"}
	fairColumns       = []string{"DPOR", "no BPOR, fair and preemption bound", "BPOR, fair bound", "BPOR, fair and preemption bound"}
)

var preemptionFaults = []fault{
	{"MRSE", "deadlock", "mrse-N3-BAD", []float64{2, 6, 1}},
	{"CCR", "assertion", "ccr-N3-K4-BAD", []float64{69, 39, 9}},
	{"CCR", "assertion", "ccr-N3-K4-LATE", []float64{64, 35, 8}},
}

var fairFaults = []fault{
	{"NQueens", "assertion", "nqueens-N4-DRAW", []float64{0, 75, 5, 4}},
	{"NQueens", "livelock", "nqueens-N4-DONE", []float64{0, 3235, 502, 125}},
	{"NQueens", "assertion", "nqueens-N4-SUM", []float64{0, 312, 80, 11}},
	{"Matrix", "assertion", "matrix-N3-EARLY", []float64{0, 54, 2, 2}},
	{"Matrix", "livelock", "matrix-N3-COUNT", []float64{0, 1089, 787, 137}},
	{"Matrix", "livelock", "matrix-N3-SENSE", []float64{0, 0, 694, 136}},
	{"RegOwn", "exception", "regown-N2-BAD", []float64{0, 0, 3474, 1586}},
}

func papersBugs(l *lab) error {
	faultTable(l, "bugs_preemption", preemptionFaults, preemptionColumns)
	faultTable(l, "bugs_fair", fairFaults, fairColumns)
	return nil
}

func faultTable(l *lab, name string, faults []fault, columns []string) {
	head := []string{"test", "bug", "guest"}
	for _, c := range columns {
		head = append(head, c+": paper", "executions", "time")
	}
	t := newTable(append(head, "least bound", "order of the columns")...)
	for _, f := range faults {
		cells := []string{f.paper, f.kind, f.guest}
		ours, least := make([]float64, len(columns)), ""
		for i := range columns {
			search, bounds := columnSearch(len(columns), i)
			o, bound := leastBound(l, f.guest, search, bounds)
			paper := "-"
			if f.seconds[i] > 0 {
				paper = fmt.Sprintf("%g s", f.seconds[i])
			}
			if o.Verdict == result.Buggy {
				cells = append(cells, paper, thousands(o.Executions), seconds(o.SearchSeconds))
				ours[i], least = float64(o.Executions), bound.name
			} else {
				cells = append(cells, paper, "-", "")
			}
		}
		t.add(append(cells, least, sameOrder(columns, f.seconds, ours))...)
	}
	l.fill(name, t.String())
}

// sameOrder says whether two rows of a table order its columns alike: "same shape", or
// "differs" with the pairs that are reversed. 0 is no figure in the paper, which orders nothing, and
// a bug that wasn't found here, which comes last. Columns that are level are in order.
func sameOrder(columns []string, paper, ours []float64) string {
	var reversed []string
	for a := range columns {
		for b := range columns {
			if 0 < paper[a] && paper[a] < paper[b] && 0 < ours[b] && (ours[a] == 0 || ours[b] < ours[a]) {
				reversed = append(reversed, columns[b]+" before "+columns[a])
			}
		}
	}
	if len(reversed) == 0 {
		return "same shape"
	}
	return "differs: " + strings.Join(reversed, "; ")
}

// A level is a bound that is searched alone.
type level struct {
	name string
	from int
}

// columnSearch is the search that stands for a column of the paper, and the
// bounds that are tried, least first.
func columnSearch(columns, i int) (string, []level) {
	var preempt, fair, joint []level
	for k := range 4 {
		preempt = append(preempt, level{fmt.Sprintf("preempt=%d", k), k})
		fair = append(fair, level{fmt.Sprintf("fair=%d", k+1), k + 1})
		for p := range 4 {
			joint = append(joint, level{fmt.Sprintf("preempt=%d,fair=%d", p, k+1), p})
		}
	}
	switch {
	case i == 0:
		return "dpor", []level{{}}
	case columns == 3 && i == 1:
		return "bounded", preempt
	case columns == 3:
		return "bpor", preempt
	case i == 1:
		return "bounded", joint
	case i == 2:
		return "bpor", fair
	}
	return "bpor", joint
}

// leastBound is the search at the first of the bounds at which it finds a bug,
// or at the last.
func leastBound(l *lab, guest, search string, bounds []level) (last outcome, at level) {
	for _, at = range bounds {
		o := l.run(run{guest: bench(guest), search: search, bound: at.name, from: at.from, executions: 100_000, seconds: 5})
		if last = o[0]; last.Verdict == result.Buggy || last.late() {
			break
		}
	}
	return last, at
}
