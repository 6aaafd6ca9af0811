package por

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// The differential test: each search against exhaustive search on random
// programs. LANDGO_SOAK=N in the environment runs N programs with a fresh
// seed, which is printed.

const programsPerTest = 2000

func TestMain(m *testing.M) {
	flag.Parse()
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
	if n := os.Getenv("LANDGO_SOAK"); n != "" {
		seed := fmt.Sprint(time.Now().UnixNano() | 1)
		fmt.Println("soak of", n, "programs, seed", seed)
		flag.Set("rapid.checks", n)
		set("rapid.seed", seed)
	} else {
		set("rapid.seed", "20140122")
	}
	os.Exit(m.Run())
}

// outcome is where an execution of a program led.
type outcome struct {
	ending Ending
	bug    int
	state  uint64
}

// survey is what a search found.
type survey struct {
	m        *model.Machine
	r        *recorder
	stats    Stats
	outcomes map[outcome]price  // the least
	traces   map[string]reached // by canonical form
	buf      []byte
	clash    string // two equivalent executions with different outcomes
}

func (s *survey) Ended(x *Execution) bool {
	if x.Ending == EndedBlocked || x.Ending == EndedPruned {
		return true
	}
	o := outcome{ending: x.Ending, state: s.m.State()}
	if x.Ending == EndedBug {
		o.bug = s.m.Bug + 1
	}
	p := s.r.price()
	if p.preempt != x.Preemptions {
		s.clash = fmt.Sprintf("%d preemptions are %d", x.Preemptions, p.preempt)
	}
	if old, ok := s.outcomes[o]; ok {
		s.outcomes[o] = p.least(old)
	} else {
		s.outcomes[o] = p
	}
	s.buf = s.r.canonical(s.buf)
	old, ok := s.traces[string(s.buf)]
	switch {
	case !ok:
		old = reached{o, p, s.r.rounds()}
	case old.outcome != o:
		s.clash = fmt.Sprintf("%v and %v", old.outcome, o)
	}
	old.price = old.price.least(p)
	s.traces[string(s.buf)] = old
	return true
}

// reached is where a trace leads, and what it costs at least.
type reached struct {
	outcome
	price  price
	rounds int
}

func (s *survey) Progress(Progress) {}
func (s *survey) Restarted()        { s.outcomes, s.traces = map[outcome]price{}, map[string]reached{} }

// judgeLimit is the number of executions that exhaustive search may take.
const judgeLimit = 2500

var reductions = []string{"source", "optimal", "sleep", "dpor", "dpor:figure=3", "dpor:figure=4", "dpor:sleep=0",
	"dpor:figure=3,sleep=0", "dpor:figure=4,sleep=0", "classic", "nidhugg", "stateful", "stateful:sleep=0"}

// again are searches that may run a trace more than once: without sleep sets.
var again = map[string]bool{"none": true, "dpor:sleep=0": true, "dpor:figure=3,sleep=0": true, "dpor:figure=4,sleep=0": true, "classic": true}

func explore(name string, p *model.Program, opts Options) (*survey, error) {
	s := &survey{m: model.New(p)}
	s.Restarted()
	s.r = &recorder{System: s.m}
	search, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	s.stats, err = search.Run(s.r, s)
	return s, err
}

// spins reports whether a program has loops, so that waiting has no fixed
// number of events.
func spins(p *model.Program) bool {
	for _, code := range p.Threads {
		for pc, in := range code {
			if (in.Code == model.Jump || in.Code == model.JumpIf || in.Code == model.JumpNe) && in.A <= pc {
				return true
			}
		}
	}
	return false
}

// casts reports whether a program has operations that may fail: reversed, they
// may turn out to do what need not be explored.
func casts(p *model.Program) bool {
	for _, code := range p.Threads {
		for _, in := range code {
			switch in.Code {
			case model.CompareEx, model.CompareXR, model.TryLock, model.SemTry:
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
	return nil
}

// judged runs the exhaustive search; nil if the program is too large for it.
func judged(t interface{ Fatal(...any) }, p *model.Program) *survey {
	if quick, _ := explore("optimal", p, Options{OneEvent: !p.Coarse, Unmerged: true, MaxExecutions: judgeLimit / 10}); !quick.stats.Complete {
		return nil // don't spend the judge's time on what it won't finish
	}
	judge, err := explore("none", p, Options{MaxExecutions: judgeLimit})
	if err != nil {
		t.Fatal(err)
	}
	if judge.clash != "" && !spins(p) {
		t.Fatal("the model isn't deterministic, or the canonical form is wrong:", judge.clash)
	}
	if !judge.stats.Complete {
		return nil
	}
	return judge
}

// sample says what the programs of a test were like.
type sample struct{ programs, ten, block, bug, two, blockedRuns int }

func (s *sample) add(judge *survey) {
	s.programs++
	if len(judge.traces) >= 10 {
		s.ten++
	}
	if judge.r.blocked {
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

func (s *sample) check(t *testing.T) {
	t.Logf("%+v", *s)
	if 2*s.ten < s.programs || 4*s.block < s.programs || 4*s.bug < s.programs || 10*s.two < s.programs {
		t.Errorf("a poor sample: %+v", *s)
	}
}

func TestDifferential(t *testing.T) {
	var seen sample
	skipped := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := programs(false, false).Draw(rt, "program")
		judge := judged(rt, p)
		if judge == nil {
			skipped++
			rt.Skip("too large")
		}
		seen.add(judge)
		if err := checkBoundings(boundings, p, judge, Options{OneEvent: true, Unmerged: true}); err != nil {
			rt.Fatalf("%v\n%v", err, p)
		}
		if err := checkTrust(p, judge); err != nil {
			rt.Fatalf("%v\n%v", err, p)
		}
		for _, name := range reductions {
			for _, oneEvent := range []bool{true, false} {
				if !oneEvent && (strings.Contains(name, ":") || strings.HasPrefix(name, "stateful")) {
					continue // they meet steps of unknown contents in the coarse test
				}
				if err := disagree(name, p, judge, Options{OneEvent: oneEvent, Unmerged: true}); err != nil {
					rt.Fatalf("%v (one event %v)\n%v", err, oneEvent, p)
				}
			}
		}
		for _, name := range samplers {
			if err := strays(name, p, judge); err != nil {
				rt.Fatalf("%v\n%v", err, p)
			}
		}
	})
	t.Log("skipped", skipped)
	seen.check(t)
}

// TestDifferentialCoarse: steps of many events.
func TestDifferentialCoarse(t *testing.T) { agree(t, true, false, Options{}) }

// TestDifferentialMerged: locks and unlocks in one step with accesses.
func TestDifferentialMerged(t *testing.T) { agree(t, false, true, Options{OneEvent: true}) }

func agree(t *testing.T, coarse, merge bool, opts Options) {
	rapid.Check(t, func(rt *rapid.T) {
		p := programs(coarse, merge).Draw(rt, "program")
		judge := judged(rt, p)
		if judge == nil {
			rt.Skip("too large")
		}
		if err := checkBoundings(coarsely, p, judge, opts); err != nil {
			rt.Fatalf("%v\n%v", err, p)
		}
		for _, name := range reductions {
			if err := disagree(name, p, judge, opts); err != nil {
				rt.Fatalf("%v\n%v", err, p)
			}
		}
	})
}
