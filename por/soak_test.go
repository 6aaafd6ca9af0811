package por

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// The soak: the differential test on very many programs, of a seed that no one has
// tried. Most of them are small: what is wrong with a search shows on small
// programs as well, and the judge needs a twentieth of the time for one. Errors
// that need more are left to the few large ones. That nothing is lost by it is a
// test too: the mutants are hunted among these programs (mutants_test.go).

const (
	// soakTail: one in this many programs is drawn as large as those of the differential test. A
	// quarter are like those, but small: threads are created, and end by a step. The rest have
	// their threads from the start.
	soakTail = 32
	// soakLimit is the number of executions that the judge may take for the
	// others.
	soakLimit = 300
	// soakBatch programs have a seed of their own; for as many as soakSteps
	// more, steps are of several events; as many more again go through divided
	// searches.
	soakBatch, soakSteps, soakDivided = 1000, 100, 100
)

// sized is a program, and the number of executions that it may have.
type sized struct {
	*model.Program
	limit uint64
}

// drawn draws large programs only.
func drawn(coarse, merge bool) *rapid.Generator[sized] {
	return rapid.Map(programs(coarse, merge), func(p *model.Program) sized { return sized{p, judgeLimit} })
}

// soaked draws the programs of a soak.
func soaked(coarse, merge bool) *rapid.Generator[sized] {
	return rapid.Custom(func(t *rapid.T) sized {
		switch k := pick(t, "size", soakTail); {
		case k == soakTail-1:
			return sized{draw(t, coarse, merge, false), judgeLimit}
		case k > soakTail*3/4:
			return sized{draw(t, coarse, merge, true), soakLimit}
		}
		return sized{drawStanding(t, coarse, merge), soakLimit}
	})
}

// soakSearches are the searches that the soak is for, all if it is empty:
// LANDGO_SOAK_SEARCHES, names with commas between them.
var soakSearches = strings.FieldsFunc(os.Getenv("LANDGO_SOAK_SEARCHES"), func(r rune) bool { return r == ',' })

// wanted reports whether a search takes part.
func wanted(search string) bool {
	name, _, _ := strings.Cut(search, ":")
	return len(soakSearches) == 0 || slices.Contains(soakSearches, name)
}

// TestSoakSearches: a soak for searches that aren't there isn't one of all.
func TestSoakSearches(t *testing.T) {
	for _, name := range soakSearches {
		if kindNamed(name) == nil {
			t.Errorf("LANDGO_SOAK_SEARCHES: no search %q", name)
		}
	}
}

// TestSoak runs as many programs as LANDGO_SOAK says, in batches; one with a
// finding ends there, and the next goes on. LANDGO_SOAK=1 and -rapid.seed with
// a batch's seed runs that batch again. With LANDGO_SOAK_SEARCHES it is for those
// searches only.
func TestSoak(t *testing.T) {
	several := len(soakSearches) == 0 || slices.ContainsFunc(soakSearches, func(s string) bool { k := kindNamed(s); return k != nil && !k.SingleEvents })
	seen, steps, divided := &sample{}, &sample{}, &sample{}
	soakBatches(t, func(seed uint64) bool {
		ok := soak(t, "single", seed, soakBatch, seen)
		if several {
			ok = soak(t, "coarse", seed, soakSteps, steps) && ok
			ok = soak(t, "merged", seed, soakSteps, steps) && ok
			ok = soak(t, "chosen", seed, soakSteps, seen) && ok
			ok = soak(t, "chosen, coarse", seed, soakSteps, steps) && ok
			ok = soak(t, "chosen, divided", seed, soakSteps, divided) && ok
		}
		return soak(t, "divided", seed, soakDivided, divided) && ok
	}, func() string {
		return fmt.Sprintf("%v\nsteps of several events: %v\ndivided: %v", seen, steps, divided)
	})
}

// TestSoakDivided does so with divided searches only.
func TestSoakDivided(t *testing.T) {
	seen := &sample{}
	soakBatches(t, func(seed uint64) bool { return soak(t, "divided", seed, soakBatch, seen) }, seen.String)
}

// soakBatches runs batches, each with a seed, and says now and then what was seen.
func soakBatches(t *testing.T, run func(seed uint64) bool, seen func() string) {
	n, err := strconv.Atoi(os.Getenv("LANDGO_SOAK"))
	if err != nil {
		t.Skip("LANDGO_SOAK is the number of programs")
	}
	seed, _ := strconv.ParseUint(givenSeed, 10, 64)
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) | 1
	}
	fmt.Printf("soak of %d programs, seed %d\n", n, seed)
	began, failed := time.Now(), 0
	for done := 0; done < n; done += soakBatch {
		if newest = ""; !run(seed) {
			failed++
			fmt.Printf("a finding, seed %d:\n%s\n", seed, newest)
		}
		if batch := done / soakBatch; batch%10 == 0 || done+soakBatch >= n {
			var used syscall.Rusage
			syscall.Getrusage(syscall.RUSAGE_SELF, &used)
			fmt.Printf("%v, %d s of processor time, %d batches with a finding\n%v\n",
				time.Since(began).Round(time.Second), used.Utime.Sec+used.Stime.Sec, failed, seen())
		}
		seed += 0x9e3779b97f4a7c15
	}
}

// newest is the last program that failed, and how: the smallest of its batch, once rapid is done with
// making it smaller.
var newest string

// tellFinding fails with a program.
func tellFinding(t *rapid.T, err error, p *model.Program) {
	newest = fmt.Sprintf("%v\n%v", err, p)
	t.Fatal(newest)
}

// soak runs a batch of programs, or a part of it.
func soak(t *testing.T, mode string, seed uint64, checks int, seen *sample) bool {
	coarse, merge := strings.HasSuffix(mode, "coarse"), mode == "merged"
	return t.Run(fmt.Sprintf("%s/%d", mode, seed), func(t *testing.T) {
		flag.Set("rapid.seed", fmt.Sprint(seed))
		gen := soaked(coarse, merge)
		if strings.HasPrefix(mode, "chosen") {
			gen = chosen(coarse, merge)
		}
		differ(t, gen, checks, seen, func(rt *rapid.T, p *model.Program, judge *survey) error {
			switch {
			case mode == "divided" || mode == "chosen, divided":
				return agreeAllDivided(p, judge, pick(rt, "division", 40*7*3))
			case coarse || merge:
				return agreeSteps(p, judge, Options{OneEvent: merge})
			}
			return agreeAll(p, judge, true)
		})
	})
}

// agreeAllDivided compares the searches that can be divided with the judge, and
// with themselves after a kill. How they are divided is a matter of n.
func agreeAllDivided(p *model.Program, judge *survey, n int) error {
	if err := agreeDivided(p, judge, n, single); err != nil {
		return err
	}
	for k := -1; k < 3; k++ {
		name, opts := "trust", single
		if k >= 0 {
			name, opts.Bounds = "rounder", Bounds{{Rounds, k}}
		}
		if k >= 0 && k != n/3%3 || !wanted(name) {
			continue
		}
		if _, err := agreeTrustDivision(name, p, n, opts); err != nil {
			return fmt.Errorf("%s, rounds=%d: %w", name, k, err)
		}
	}
	jobs := allWorkers[1+n%3]
	for i, name := range append(splitting(), "bounded", "pct:runs=30") {
		opts := single
		opts.WarmUp, opts.UnitSteps, opts.batchUnits = uint64(1+n%50), uint64(1+n%40), 2+n%7
		if name == "bounded" {
			opts.Bounds, opts.Iterate = Bounds{{Preempt, 2}}, true
		}
		if !wanted(name) || i%4 != n/3%4 && name != "bounded" {
			continue
		}
		whole, err := explore(name, p, opts)
		if err != nil {
			return err
		}
		one, err := together(name, p, 1, opts)
		if err != nil || one.stats.Executions != whole.stats.Executions && !again[name] || !sameOutcomes(one, whole) {
			return fmt.Errorf("%s, divided: %+v, %v; in one go %+v", name, one.stats, err, whole.stats)
		}
		if s, kills, err := interrupted(name, p, jobs, opts); err != nil || s.stats != one.stats || !sameOutcomes(s, one) {
			return fmt.Errorf("%s, %d workers, %d kills: %+v, %v; undisturbed %+v", name, jobs, kills, s.stats, err, one.stats)
		}
	}
	return nil
}
