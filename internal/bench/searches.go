package main

import (
	"errors"
	"fmt"
	"strings"

	"landgo/internal/result"
)

// A searcher is a search with the bound that it is measured with.
type searcher struct{ search, bound string }

func (s searcher) String() string { return strings.TrimSpace(s.search + " " + s.bound) }

// searchers are all searches, the unbounded ones first.
var searchers = []searcher{
	{"none", ""}, {"sleep", ""}, {"stateful", ""}, {"dpor", ""}, {"classic", ""}, {"nidhugg", ""}, {"source", ""}, {"optimal", ""}, {"trust", ""},
	{"random", ""}, {"pct", ""}, {"pos", ""},
	{"bounded", "preempt=2"}, {"bpor", "preempt=2"}, {"naive-bpor", "preempt=2"}, {"nidhugg-bpor", "preempt=2"}, {"source-bpor", "preempt=2"}, {"lazy-bpor", "preempt=2"}, {"rounder", "rounds=2"},
}

// programs are small, so that what is measured is the search, and of different
// kinds: plain accesses, locks, arrays.
var programs = []string{"nwriters-N7", "micro-N2-K3", "fib_bench-N3", "mutex_inc-N3-K3", "ring-N4", "two_cells-N3", "indexer-N14", "lastzero-N10"}

// At most so much is run of each.
var searchLimits = []string{"--pp", "mem", "--max-executions", "20000", "--time", "3s"}

// measure runs a searcher on a guest with musl -O2, within the limits.
func (s searcher) measure(guest string) (sample, error) {
	args := append([]string{"--search", s.search}, searchLimits...)
	if s.bound != "" {
		args = append(args, "--bound", s.bound)
	}
	return measure(append(args, "bin/guests/musl-O2/"+guest)...)
}

// perSecond is executions per second of the processor's time, start included:
// two searches are held against each other, whatever else the machine does.
func perSecond(s sample) float64 { return float64(s.Executions) / max(s.cpu.Seconds(), 1e-9) }

// searches prints the executions a second of each search, and how TruSt and
// BPOR stand to what they have to reach.
func searches() error {
	fmt.Printf("%-26s", "executions/s of processor")
	for _, p := range programs {
		fmt.Printf(" %15s", p)
	}
	fmt.Println()
	rates := map[searcher]map[string]sample{}
	for _, s := range searchers {
		fmt.Printf("%-26s", s)
		rates[s] = map[string]sample{}
		for _, p := range programs {
			x, err := s.measure(p)
			if err != nil {
				return err
			}
			if x.Verdict == result.Invalid || x.Verdict == result.Buggy {
				return fmt.Errorf("%s %s: %s %s", p, s, x.Verdict, x.Reason)
			}
			rates[s][p] = x
			fmt.Printf(" %15.0f", perSecond(x))
		}
		fmt.Println()
	}
	fmt.Println()
	for _, p := range programs {
		trust, optimal := rates[searcher{"trust", ""}][p], rates[searcher{"optimal", ""}][p]
		by := perSecond(optimal) / max(perSecond(trust), 1e-9)
		goal("trust on "+p, fmt.Sprintf("%.1f times optimal's time", by), "2.0", by <= 2)
	}
	return fewer()
}

// fewer shows how many times fewer executions BPOR runs than a search without reduction at the
// same bound. In that search each access is a step (--all-shared): to leave out private steps is
// a reduction too. It shows how much BPOR saves of the rest, and the number of traces, which is
// the least that a search can run.
func fewer() error {
	for _, p := range []string{"micro-N2-K3", "micro-N3-K2", "ring-N4", "ring-N8", "fft-N4-K2"} {
		count := func(search string, more ...string) (sample, error) {
			args := append([]string{"--search", search, "--bound", "preempt=2", "--max-executions", "200000", "--time", "60s"}, more...)
			return measure(append(args, "bin/guests/musl-O2/"+p)...)
		}
		all, err1 := count("bounded", "--all-shared")
		allBPOR, err2 := count("bpor", "--all-shared")
		own, err3 := count("bounded")
		ownBPOR, err4 := count("bpor")
		traces, err5 := count("lazy-bpor")
		if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
			return err
		}
		text, by := fewerThan(all, allBPOR)
		goal("bpor preempt=2 on "+p, text, "10", by >= 10 && allBPOR.Verdict != result.Budget)
		text, _ = fewerThan(own, ownBPOR)
		fmt.Printf("%-30s %s; %d traces\n", "  without local steps", text, traces.Executions)
	}
	return nil
}

// fewerThan says how many times fewer executions the second ran.
func fewerThan(plain, reduced sample) (text string, by float64) {
	more := ""
	if plain.Verdict == result.Budget {
		more = "over "
	}
	by = float64(plain.Executions) / float64(max(reduced.Executions, 1))
	return fmt.Sprintf("%s%d to %d executions, %s%.1f times fewer", more, plain.Executions, reduced.Executions, more, by), by
}

// goal prints a figure beside what it has to be.
func goal(what, figure, target string, ok bool) {
	fmt.Printf("%-30s %55s  target %-5s %s\n", what, figure, target, reached(ok))
}
