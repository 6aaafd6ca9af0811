package por

import (
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// The differential test: each search against exhaustive search on random
// programs. soak_test.go does it on many more.

const (
	// programsPerTest is for the tests that have no numbers of their own.
	programsPerTest = 500
	// A search's errors show on a soak's programs (soak_test.go), most of which are
	// small: all mutants but two need fewer (mutants_test.go). A large one takes as long as
	// five of them. Programs with steps of several events are fewer, as in a
	// soak.
	smallPrograms, largePrograms = 800, 150
	smallOfSteps, largeOfSteps   = 400, 80
)

// givenSeed is -rapid.seed as the user gave it, 0 if not; checksGiven, that -rapid.checks
// was given.
var (
	givenSeed   string
	checksGiven bool
)

func TestMain(m *testing.M) {
	flag.Parse()
	// Much is allocated, and little of it stays: a third of the time was the collector's.
	debug.SetGCPercent(800)
	debug.SetMemoryLimit(512 << 20)
	flag.Visit(func(f *flag.Flag) { checksGiven = checksGiven || f.Name == "rapid.checks" })
	set := func(name, value string) {
		if f := flag.Lookup(name); f.Value.String() == f.DefValue {
			flag.Set(name, value)
		}
	}
	checks := programsPerTest
	if testing.Short() {
		checks = 300
	}
	set("rapid.checks", fmt.Sprint(checks))
	set("rapid.nofailfile", "true")
	givenSeed = flag.Lookup("rapid.seed").Value.String()
	set("rapid.seed", "20140122")
	os.Exit(m.Run())
}

var reductions = []string{"none", "source", "optimal", "sleep", "dpor", "dpor:figure=3", "dpor:figure=4", "dpor:sleep=0",
	"dpor:figure=3,sleep=0", "dpor:figure=4,sleep=0", "dpor:figure=3,mark=1", "dpor:figure=3,sleep=0,mark=1", "dpor:static=1", "dpor:sleep=0,static=1",
	"dpor:figure=3,sleep=0,mark=1,static=1", "dpor:figure=4,sleep=0,static=2", "dpor:static=1,dynamic=0", "dpor:sleep=0,static=2,dynamic=0", "classic", "nidhugg", "stateful", "stateful:sleep=0"}

// again are searches that may run a trace more than once: without sleep sets.
var again = map[string]bool{"none": true, "dpor:sleep=0": true, "dpor:figure=3,sleep=0": true, "dpor:figure=4,sleep=0": true, "dpor:figure=3,sleep=0,mark=1": true,
	"dpor:sleep=0,static=1": true, "dpor:figure=3,sleep=0,mark=1,static=1": true, "dpor:figure=4,sleep=0,static=2": true, "dpor:sleep=0,static=2,dynamic=0": true, "classic": true}

// casts reports whether a program has operations that may fail: reversed, they
// may turn out to do what need not be explored.
func casts(p *model.Program) bool {
	for _, code := range p.Threads {
		for _, in := range code {
			switch in.Code {
			case model.CompareEx, model.CompareXR, model.CasAdd, model.CasSet, model.TryLock, model.SemTry:
				return true
			}
		}
	}
	return false
}

// disagree compares a search with the judge.
func disagree(name string, p *model.Program, judge *survey, opts Options) error {
	s, err := explore(name, p, opts)
	if err != nil {
		return err
	}
	return compare(name, p, judge, s, opts)
}

// compare compares what a search found with what the judge did.
func compare(name string, p *model.Program, judge, s *survey, opts Options) error {
	if !s.stats.Complete {
		return fmt.Errorf("%s: incomplete: %+v", name, s.stats)
	}
	for o := range judge.outcomes {
		if _, ok := s.outcomes[o]; !ok {
			return fmt.Errorf("%s: missed %+v", name, o)
		}
	}
	for o := range s.outcomes {
		if _, ok := judge.outcomes[o]; !ok {
			return fmt.Errorf("%s: invented %+v", name, o)
		}
	}
	if spins(p) || strings.HasPrefix(name, "stateful") {
		return nil // not the same traces
	}
	for c := range judge.traces {
		if _, ok := s.traces[c]; !ok {
			return fmt.Errorf("%s: missed trace %x of %d", name, c, len(judge.traces))
		}
	}
	if len(s.traces) != len(judge.traces) {
		return fmt.Errorf("%s: %d traces, %d are there", name, len(s.traces), len(judge.traces))
	}
	if !again[name] && int(s.stats.Executions) != len(s.traces) {
		return fmt.Errorf("%s: %d executions of %d traces", name, s.stats.Executions, len(s.traces))
	}
	if name == "optimal" && opts.Unmerged && opts.OneEvent && s.stats.Blocked > 0 && !casts(p) {
		return fmt.Errorf("%s: %d blocked executions", name, s.stats.Blocked)
	}
	if name == "trust" && s.stats.Blocked > 0 && !patches(p) {
		return fmt.Errorf("%s: %d blocked executions", name, s.stats.Blocked)
	}
	return nil
}

// patches reports whether trust may run executions of a program in vain. There is a
// compare-and-exchange of bytes that another access writes in parts, or a lock that
// several threads may keep from one.
func patches(p *model.Program) bool {
	type extent struct{ at, size int }
	casts, written := false, map[extent]bool{}
	for _, code := range p.Threads {
		for _, in := range code {
			switch in.Code {
			case model.ReadLock, model.WriteLock:
				return true
			case model.CompareEx, model.CompareXR:
				casts = true
				fallthrough
			case model.Store, model.StoreR, model.FetchAdd, model.Exchange:
				size := in.Size
				if size == 0 {
					size = 8
				}
				written[extent{in.A, size}] = true
			}
		}
	}
	return casts && len(written) > 1
}

// sample says what the programs of a test were like.
type sample struct {
	programs, ten, block, bug, two int
	// sums
	threads, events, executions, traces int
}

func (s *sample) add(p *model.Program, judge *survey) {
	s.programs++
	s.threads += len(p.Threads)
	s.events += judge.longest
	s.executions += int(judge.stats.Executions)
	s.traces += len(judge.traces)
	if len(judge.traces) >= 10 {
		s.ten++
	}
	if judge.blocked {
		s.block++
	}
	bug, two := false, false
	for o, least := range judge.outcomes {
		bug = bug || o.ending == EndedBug || o.ending == EndedStuck
		two = two || least.preempt >= 2
	}
	if bug {
		s.bug++
	}
	if two {
		s.two++
	}
}

func (s *sample) String() string {
	n := float64(max(s.programs, 1))
	mean := func(sum int) float64 { return float64(sum) / n }
	return fmt.Sprintf("%d programs of %.1f threads, %.1f events, %.0f executions, %.1f traces; ten traces %.0f%%, a thread waits %.0f%%, bugs %.0f%%, two preemptions %.0f%%",
		s.programs, mean(s.threads), mean(s.events), mean(s.executions), mean(s.traces),
		100*mean(s.ten), 100*mean(s.block), 100*mean(s.bug), 100*mean(s.two))
}

func (s *sample) check(t *testing.T) {
	t.Log(s)
	if testing.Short() {
		return // sixty programs are too few to judge a sample by
	}
	if 2*s.ten < s.programs || 4*s.block < s.programs || 4*s.bug < s.programs || 10*s.two < s.programs {
		t.Errorf("a poor sample: %v", s)
	}
}

func TestDifferential(t *testing.T) {
	single := func(few bool) func(*rapid.T, *model.Program, *survey) error {
		return func(_ *rapid.T, p *model.Program, judge *survey) error { return agreeAll(p, judge, few) }
	}
	var large, small sample
	t.Run("large", func(t *testing.T) { differ(t, drawn(false, false), largePrograms, &large, single(false)) })
	large.check(t)
	t.Run("small", func(t *testing.T) { differ(t, soaked(false, false), smallPrograms, &small, single(true)) })
	t.Log(&small)
}

// setChecks sets the number of programs, unless -rapid.checks says it. The function that it
// returns takes that back.
func setChecks(checks int) (restore func()) {
	if checksGiven {
		return func() {}
	}
	if testing.Short() {
		checks /= 4
	}
	old := flag.Lookup("rapid.checks").Value.String()
	flag.Set("rapid.checks", fmt.Sprint(checks))
	return func() { flag.Set("rapid.checks", old) }
}

// differ compares searches with the judge on this many programs, or on as many as -rapid.checks
// says. The programs after a finding, to make it smaller, aren't in the sample.
func differ(t *testing.T, gen *rapid.Generator[sized], checks int, seen *sample, agree func(*rapid.T, *model.Program, *survey) error) {
	t.Helper()
	defer setChecks(checks)()
	skipped, found := 0, false
	rapid.Check(t, func(rt *rapid.T) {
		p := gen.Draw(rt, "program")
		judge := judged(rt, p.Program, p.limit)
		if judge == nil {
			skipped++
			rt.Skip("too large")
		}
		if !found {
			seen.add(p.Program, judge)
		}
		if err := agree(rt, p.Program, judge); err != nil {
			found = true
			tellFinding(rt, err, p.Program)
		}
	})
	t.Log("skipped", skipped)
}

// agreeAll compares every search, within every bound, with the judge, on a program
// of single events. few: samples are smaller, and not all searches run a second
// time on every program without knowing that events are single.
func agreeAll(p *model.Program, judge *survey, few bool) error {
	if err := checkBoundings(boundings, p, judge, Options{OneEvent: true, Unmerged: true}); err != nil {
		return err
	}
	if err := checkTrust(p, judge, false); err != nil {
		return err
	}
	for _, name := range reductions {
		for _, oneEvent := range []bool{true, false} {
			if !wanted(name) || !oneEvent && (few && judge.stats.Executions%4 > 0 || name == "none" || strings.Contains(name, ":") || strings.HasPrefix(name, "stateful")) {
				continue // it is nothing to them, or they meet it in the coarse test
			}
			if err := disagree(name, p, judge, Options{OneEvent: oneEvent, Unmerged: true}); err != nil {
				return fmt.Errorf("%v (one event %v)", err, oneEvent)
			}
		}
	}
	runs := 20
	if few {
		runs = 5
	}
	for _, name := range samplers {
		if !wanted(name) {
			continue
		}
		if err := strays(name, runs, p, judge); err != nil {
			return err
		}
	}
	return nil
}

// TestDifferentialCoarse: steps of many events.
func TestDifferentialCoarse(t *testing.T) { agree(t, true, false, Options{}) }

// TestDifferentialMerged: locks and unlocks in one step with accesses.
func TestDifferentialMerged(t *testing.T) { agree(t, false, true, Options{OneEvent: true}) }

func agree(t *testing.T, coarse, merge bool, opts Options) {
	steps := func(_ *rapid.T, p *model.Program, judge *survey) error { return agreeSteps(p, judge, opts) }
	var seen sample
	t.Run("large", func(t *testing.T) { differ(t, drawn(coarse, merge), largeOfSteps, &seen, steps) })
	t.Run("small", func(t *testing.T) { differ(t, soaked(coarse, merge), smallOfSteps, &seen, steps) })
	t.Log(&seen)
}

// agreeSteps does the same on a program with steps of several events.
func agreeSteps(p *model.Program, judge *survey, opts Options) error {
	if err := checkBoundings(coarsely, p, judge, opts); err != nil {
		return err
	}
	for _, name := range reductions {
		if !wanted(name) {
			continue
		}
		if err := disagree(name, p, judge, opts); err != nil {
			return err
		}
	}
	return nil
}
