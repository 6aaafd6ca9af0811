package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"sort"
	"strings"

	"landgo/guests"
	"landgo/internal/result"
)

// The time to the first bug, by search, over all guests that have one.

// The limits of each run. A search that needs more is one that doesn't find it.
const (
	bugExecutions = 20_000
	bugSeconds    = 4
)

// A hunter is a search with a bound, as a column of the table.
type hunter struct {
	search, bound string
	proves        bool // it can end in verified
}

func (h hunter) String() string {
	if h.bound == "" {
		return h.search
	}
	return h.search + " " + h.bound
}

var hunters = []hunter{
	{"none", "", true}, {"sleep", "", true}, {"stateful", "", true}, {"stateful:sleep=0", "", true},
	{"dpor", "", true}, {"dpor:sleep=0", "", true}, {"classic", "", true}, {"nidhugg", "", true}, {"source", "", true}, {"optimal", "", true}, {"observers", "", false}, {"readsfrom", "", false}, {"trust", "", true},
	{"bounded", "preempt=2", false}, {"bounded", "delay=2", false}, {"bounded", "switches=4", false}, {"bounded", "fair=2", false}, {"bounded", "preempt=2,fair=2", false},
	{"bpor", "preempt=2", false}, {"bpor", "fair=2", false}, {"bpor", "preempt=2,fair=2", false},
	{"naive-bpor", "preempt=2", false}, {"nidhugg-bpor", "preempt=2", false}, {"source-bpor", "preempt=2", false}, {"lazy-bpor", "preempt=2", false},
	{"rounder", "rounds=2", false}, {"rounder", "rounds=3", false},
	{"random", "", false}, {"pct", "", false}, {"pos", "", false},
}

// shown are the hunters that the table by guest has room for.
var shown = []hunter{
	{"none", "", true}, {"dpor", "", true}, {"source", "", true}, {"optimal", "", true}, {"trust", "", true},
	{"bounded", "preempt=2", false}, {"bpor", "preempt=2", false}, {"lazy-bpor", "preempt=2", false}, {"rounder", "rounds=2", false},
	{"random", "", false}, {"pct", "", false}, {"pos", "", false},
}

// buggy lists the guests with a concurrency bug, by the path of their binary.
func buggy() ([]string, error) {
	var all []string
	for _, list := range []func() ([]guests.Guest, error){guests.Linux, guests.Bench, guests.Papers} {
		rows, err := list()
		if err != nil {
			return nil, err
		}
		for _, g := range rows {
			if g.Verdict == guests.Bug && g.Concurrent && len(g.Flags) == 0 && !slices.Contains(all, bench(g.Name)) {
				all = append(all, bench(g.Name))
			}
		}
	}
	pebbles, err := pebblesBugs("guests/pebbles/expect.json")
	return append(all, pebbles...), err
}

// pebblesBugs are those of guests/pebbles.
func pebblesBugs(path string) (all []string, err error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var file struct {
		Guests []struct{ Name, Verdict string }
	}
	if err := json.Unmarshal(b, &file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	for _, g := range file.Guests {
		if g.Verdict == guests.Bug {
			all = append(all, "pebbles/"+g.Name)
		}
	}
	return all, nil
}

func firstBug(l *lab) error {
	names, err := buggy()
	if err != nil {
		return err
	}
	var runs []run
	for _, h := range hunters {
		for _, g := range names {
			runs = append(runs, run{guest: g, search: h.search, bound: h.bound, executions: bugExecutions, seconds: bugSeconds})
		}
	}
	outcomes := l.run(runs...)
	found := map[hunter]map[string]outcome{}
	for i, o := range outcomes {
		h := hunters[i/len(names)]
		if found[h] == nil {
			found[h] = map[string]outcome{}
		}
		found[h][names[i%len(names)]] = o
	}
	bySearch(l, names, found)
	byGuest(l, names, found)
	return nil
}

// summary is a hunter's result over all guests.
type summary struct {
	hunter
	found  int
	median float64 // executions
	most   uint64
	hits   float64 // seconds, of those found
	total  float64 // of all, a miss counting as what it took
}

func summarise(h hunter, outcomes map[string]outcome) summary {
	s := summary{hunter: h}
	var executions []float64
	for _, o := range outcomes {
		s.total += o.SearchSeconds
		n := o.Executions
		if o.Verdict == result.Buggy {
			s.found++
			s.hits += o.SearchSeconds
			s.most = max(s.most, n)
		} else {
			n = bugExecutions
		}
		executions = append(executions, float64(n))
	}
	s.median = quantile(executions, 0.5)
	return s
}

// bySearch is the table of all hunters: those that find most first, and of them
// the fastest.
func bySearch(l *lab, names []string, found map[hunter]map[string]outcome) {
	var all []summary
	for _, h := range hunters {
		all = append(all, summarise(h, found[h]))
	}
	sort.SliceStable(all, func(i, j int) bool {
		if all[i].found != all[j].found {
			return all[i].found > all[j].found
		}
		return all[i].total < all[j].total
	})
	t := newTable("search", "bound", "found", "executions, median", "most", "time of those found", "time in all", "can verify")
	for _, s := range all {
		verifies := ""
		if s.proves {
			verifies = "yes"
		}
		t.add("`"+s.search+"`", s.bound, fmt.Sprintf("%d of %d", s.found, len(names)), thousands(uint64(s.median)), thousands(s.most), seconds(s.hits), seconds(s.total), verifies)
	}
	l.fill("firstbug", t.String())
	l.fill("buggy", fmt.Sprint(len(names)))
	l.fill("bug_executions", thousands(bugExecutions))
	l.fill("bug_seconds", fmt.Sprint(bugSeconds))
}

func byGuest(l *lab, names []string, found map[hunter]map[string]outcome) {
	head := []string{"guest"}
	for _, h := range shown {
		head = append(head, "`"+h.String()+"`")
	}
	t := newTable(head...)
	for _, g := range names {
		cells := []string{strings.TrimPrefix(g, "musl-O2/")}
		for _, h := range shown {
			o := found[h][g]
			if o.Verdict == result.Buggy {
				cells = append(cells, thousands(o.Executions))
			} else if o.ended() {
				cells = append(cells, "none")
			} else {
				cells = append(cells, "-")
			}
		}
		t.add(cells...)
	}
	l.fill("firstbug_guests", t.String())
}
