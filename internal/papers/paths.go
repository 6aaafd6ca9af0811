package main

import (
	"fmt"
	"slices"
	"strings"
)

// Flanagan and Godefroid, Figures 6 and 8: transitions by the number of threads.
//
// Their tool takes each access to the table, and to data under a lock, as
// visible, whether other threads access it or not. landgo finds out what
// threads share, so that where no two meet it has one path without any
// reduction. --all-shared is the paper's view.

// A configuration is a column of them.
type configuration struct {
	head, search string
	pp           string
	asSeen       bool // landgo finds out what is shared
	single       bool // it has to follow a single path where no threads meet
}

var withoutReduction = []configuration{
	{head: "none, sharing learned", search: "none", asSeen: true},
	{head: "none", search: "none"},
	{head: "none, stateful", search: "stateful:sleep=0"},
	{head: "sleep", search: "sleep"},
	{head: "sleep, stateful", search: "stateful"},
}

// A static analysis finds that the file system's data are always accessed under
// their locks, and can't tell one lock from another: that is all interleavings
// of the locks.
var static = []configuration{
	{head: "static", search: "none", pp: "lock", asSeen: true},
	{head: "static, stateful", search: "stateful:sleep=0", pp: "lock", asSeen: true},
	{head: "static, sleep", search: "sleep", pp: "lock", asSeen: true},
	{head: "static, sleep, stateful", search: "stateful", pp: "lock", asSeen: true},
}

// Our own static persistent sets, in which a variable is one object with all its
// elements, alone and with dynamic ones within them.
var persistent = []configuration{
	{head: "static sets", search: "dpor:static=2,dynamic=0,sleep=0"},
	{head: "static sets, sleep", search: "dpor:static=2,dynamic=0"},
	{head: "static + dynamic", search: "dpor:static=2,sleep=0", single: true},
	{head: "static + dynamic, sleep", search: "dpor:static=2", single: true},
}

var dynamic = []configuration{
	{head: "dpor", search: "dpor:sleep=0", single: true},
	{head: "dpor, sleep", search: "dpor", single: true},
	{head: "source", search: "source", single: true},
	{head: "optimal", search: "optimal", single: true},
	{head: "trust", search: "trust", single: true},
}

func paths(l *lab) error {
	figure2(l)
	threads(l, "indexer", 15, 11, slices.Concat(withoutReduction, persistent, dynamic))
	threads(l, "filesystem", 26, 13, slices.Concat(withoutReduction, static, persistent, dynamic))
	return nil
}

// figure2 is the indexer of Figure 2: two threads with a message each.
func figure2(l *lab) {
	t := newTable("search", "executions", "transitions")
	for _, search := range []string{"none", "stateful:sleep=0", "dpor:figure=3,sleep=0", "dpor:figure=4,sleep=0", "dpor:sleep=0"} {
		o := l.run(run{guest: bench("indexer-N2-K1"), search: search, allShared: true, executions: 20_000, seconds: 8})[0]
		t.add("`"+search+"`", o.counted(o.Executions), o.counted(o.Transitions))
		dpor := strings.HasPrefix(search, "dpor")
		l.want(!dpor || o.Executions == 1 && o.Blocked == 0, "indexer-N2-K1: %s explores %d executions, want a single path", search, o.Executions)
	}
	l.fill("figure2", t.String())
}

// threads measures a guest at 1 to most threads. Up to single of them no two
// meet. A configuration that was cut isn't asked for more threads.
func threads(l *lab, guest string, most, single int, all []configuration) {
	head := []string{"threads"}
	for _, c := range all {
		head = append(head, c.head)
	}
	t := newTable(head...)
	cut := make([]bool, len(all))
	for n := 1; n <= most; n++ {
		name := fmt.Sprintf("%s-N%d", guest, n)
		if !known(name) {
			continue
		}
		var runs []run
		for i, c := range all {
			if !cut[i] {
				runs = append(runs, run{guest: bench(name), search: c.search, pp: c.pp, allShared: !c.asSeen, executions: 20_000, seconds: 8})
			}
		}
		outcomes := l.run(runs...)
		cells := []string{fmt.Sprint(n)}
		for i, c := range all {
			if cut[i] {
				cells = append(cells, "")
				continue
			}
			o := outcomes[0]
			outcomes = outcomes[1:]
			cut[i] = !o.ended()
			cells = append(cells, o.counted(o.Transitions))
			if c.single && n <= single {
				l.want(o.Executions == 1 && o.Blocked == 0, "%s: %s explores %d executions and %d blocked, want a single path", name, c.search, o.Executions, o.Blocked)
			}
		}
		t.add(cells...)
	}
	l.fill(guest, t.String())
	// Each way of Figures 3 to 5, asserted without a column of its own.
	for n := 1; n <= single; n++ {
		var runs []run
		for _, s := range []string{"dpor:figure=3,sleep=0", "dpor:figure=3", "dpor:figure=4,sleep=0", "dpor:figure=4", "classic", "nidhugg"} {
			for _, shared := range []bool{false, true} {
				runs = append(runs, run{guest: bench(fmt.Sprintf("%s-N%d", guest, n)), search: s, allShared: shared, executions: 100})
			}
		}
		outcomes := l.run(runs...)
		for i, o := range outcomes {
			l.want(o.Executions == 1 && o.Blocked == 0, "%s: %s explores %d executions and %d blocked, want a single path", runs[i].guest, runs[i].search, o.Executions, o.Blocked)
		}
	}
}
