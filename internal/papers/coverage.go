package main

import (
	"fmt"

	"landgo/internal/result"
)

// Coons, Musuvathi and McKinley, Figures 6 and 7: what a search explores, and in
// what time, as the bound grows; without partial-order reduction, with it, and
// DPOR without a bound. They count local states; here the transitions run stand
// for the work and the traces reached for the coverage.

var curves = []struct {
	name, guest, bound string
	least, most        int
}{
	{"mrse", "mrse-N3", "preempt", 0, 4},
	{"fft4", "fft-N4-K2", "preempt", 0, 3},
	{"fft", "fft-N8", "preempt", 0, 1},
	{"exception", "ccr-N3-K4", "preempt", 0, 4},
	{"fair", "fair-N2", "fair", 1, 3},
}

func coverage(l *lab) error {
	for _, c := range curves {
		t := newTable("bound", "no reduction: executions", "transitions", "time", "`bpor`: executions", "transitions", "time", "fewer executions")
		for k := c.least; k <= c.most; k++ {
			bound := fmt.Sprintf("%s=%d", c.bound, k)
			o := l.run(
				run{guest: bench(c.guest), search: "bounded", bound: bound, executions: 100_000, seconds: 10},
				run{guest: bench(c.guest), search: "bpor", bound: bound, executions: 100_000, seconds: 10})
			cells := []string{fmt.Sprint(k)}
			for _, x := range o {
				cells = append(cells, x.counted(x.Executions), x.counted(x.Transitions), seconds(x.SearchSeconds))
			}
			t.add(append(cells, factor(o[0], o[1]))...)
			if o[1].Verdict == result.Verified && o[0].ended() {
				break // the bound cuts nothing any more
			}
		}
		for _, search := range []string{"dpor", "optimal"} {
			if c.bound == "fair" {
				break
			}
			o := l.run(run{guest: bench(c.guest), search: search, executions: 100_000, seconds: 10})
			t.add("none: `"+search+"`", "", "", "", o[0].counted(o[0].Executions), o[0].counted(o[0].Transitions), seconds(o[0].SearchSeconds), "")
		}
		l.fill("coverage_"+c.name, t.String())
	}
	return nil
}

// atTwo has what BPOR saves at two preemptions: ten times at the least, of what
// a search without any reduction runs. Leaving out private memory, and making
// one step of a lock and the access after it, are reductions too. So the wanted
// figure is of runs in which every access is a step.
func atTwo(l *lab) error {
	t := newTable("guest", "no reduction: executions", "`bpor`", "fewer", "`lazy-bpor`: traces",
		"every access a step, no reduction: executions", "`bpor`", "fewer")
	for _, g := range atTwoGuests {
		at := func(search string, all bool) run {
			return run{guest: bench(g), search: search, bound: "preempt=2", allShared: all, executions: 100_000, seconds: 120}
		}
		o := l.run(at("bounded", false), at("bpor", false), at("bounded", true), at("bpor", true), at("lazy-bpor", false))
		all, some := o[2], o[3]
		l.want(!all.late() && some.ended() && all.Executions >= 10*some.Executions,
			"%s, preempt=2: bpor runs %d executions, without reduction there are %d: less than ten times", g, some.Executions, all.Executions)
		t.add(g, o[0].counted(o[0].Executions), o[1].counted(o[1].Executions), factor(o[0], o[1]), o[4].counted(o[4].Executions),
			all.counted(all.Executions), some.counted(some.Executions), factor(all, some))
	}
	l.fill("at_two", t.String())
	return nil
}

var atTwoGuests = []string{"micro-N3-K2", "ring-N8", "fft-N4-K2"}

// factor is how many times fewer executions b ran than a.
func factor(a, b outcome) string {
	if a.late() || !b.ended() {
		return ""
	}
	f := times(float64(a.Executions) / float64(max(b.Executions, 1)))
	if !a.ended() {
		return "> " + f
	}
	return f
}
