package explore

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// build compiles a guest of guests/linux for a test.
func build(t testing.TB, cc, opt, name string, defines ...string) string {
	t.Helper()
	return compile.File(t, cc, filepath.Join("..", "..", "guests", "linux", name+".c"), append(defines, opt)...)
}

// ends is the por.Observer that collects how executions end.
type ends struct {
	*session.Session
	states     map[string]int // final state and bug, and how often
	executions int
}

func (e *ends) Ended(x *por.Execution) bool {
	if x.Ending == por.EndedBlocked || x.Ending == por.EndedPruned {
		return true
	}
	h := hunt{Session: e.Session}
	end := fmt.Sprintf("%016x", e.Guest.State())
	if f := h.failureAt(x); f != nil {
		end = h.key(f)
	}
	e.states[end]++
	e.executions++
	return true
}
func (e *ends) Progress(por.Progress) {}
func (e *ends) Restarted()            { clear(e.states); e.executions = 0 }

// explored runs a whole search on a guest of its own, within the configuration's
// bounds, and says how its executions end.
func explored(t testing.TB, search string, c config.Config) *ends {
	t.Helper()
	c.Search = search
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return exploredOn(t, s, search, c.Bounds)
}

// exploredOn runs one on a guest that has learned what searches before it have.
func exploredOn(t testing.TB, s *session.Session, search string, bounds por.Bounds) *ends {
	t.Helper()
	s.Guest.Rewind(s.Root)
	e := &ends{Session: s, states: map[string]int{}}
	spec, err := por.ParseSpec(search)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := por.New(search, por.Options{EndsAnywhere: true, OneEvent: s.Config.PP.Has(trace.MemPoints), Unmerged: spec.Kind().SingleEvents, MaxExecutions: 200_000, Bounds: bounds})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(s.Guest, e)
	if err != nil {
		t.Fatalf("%s: %v", search, err)
	}
	if !stats.Complete {
		t.Fatalf("%s: not complete after %d executions", search, stats.Executions)
	}
	return e
}

// small are guests that exhaustive search finishes in well under a second.
var small = []string{
	"lost_update", "increment", "withdraw", "deadlock_two", "lost_wakeup", "publication", "wrong_lock",
	"trylock_backoff", "unlock_other", "early_return", "early_exit", "stack_argument", "two_preemptions",
	"backout", "detached", "once_each", "write_under_rdlock", "ping_pong", "handoff", "livelock", "barrier_phase",
	"ttas", "ticket", "trylock_yield",
}

// agreeing are the searches that reach every final state and bug.
var agreeing = []string{"sleep", "stateful", "stateful:sleep=0", "dpor", "dpor:figure=3", "dpor:figure=4", "dpor:sleep=0",
	"dpor:figure=3,sleep=0", "dpor:figure=3,mark=1", "dpor:static=1", "dpor:sleep=0,static=1", "dpor:static=1,dynamic=0", "dpor:static=2,sleep=0,dynamic=0",
	"classic", "nidhugg", "source", "optimal"}

// TestSearchesAgree: every search reaches the same final states and bugs of
// real guests as no reduction does.
func TestSearchesAgree(t *testing.T) {
	t.Parallel()
	for i, name := range small {
		for v, variant := range []string{"-DFAULTY", "-DFIXED"} {
			cc, opt := "musl-gcc", "-O2"
			if i%2 == 0 {
				cc, opt = "gcc", "-O1"
			}
			t.Run(name+variant, func(t *testing.T) {
				c := config.Default()
				c.Guest = build(t, cc, opt, name, variant)
				points := []trace.Points{trace.MemPoints, possible(t, c, trace.PointYield, trace.PointLock, trace.PointUnlock)}
				if name == "barrier_phase" && variant == "-DFIXED" {
					points = points[1:] // without reduction as long as all the others together
				}
				for _, pp := range points {
					c.PP = pp
					c.Search = "none"
					guest, err := session.Open(c, nil)
					if err != nil {
						t.Fatal(err)
					}
					want := exploredOn(t, guest, "none", nil)
					searches := agreeing
					if pp == trace.MemPoints {
						searches = append(slices.Clone(agreeing), "trust")
					}
					for k, search := range searches {
						if turn := i + v + k; !soaks && (turn%3 != 0 || pp != trace.MemPoints && turn%2 == 0) {
							continue // its turn comes with the next guest
						}
						var got *ends
						if search == "trust" || (i+k/3)%3 == 0 { // each learns by itself somewhere; trust's steps are its own
							got = explored(t, search, c)
						} else {
							got = exploredOn(t, guest, search, nil)
						}
						if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
							t.Errorf("%v, %s: ends %v, want those of %v", pp, search, got.states, want.states)
						}
						if got.executions > want.executions {
							t.Errorf("%v, %s: %d executions, %d without reduction", pp, search, got.executions, want.executions)
						}
					}
					guest.Close()
				}
			})
		}
	}
}

// possible is the points that there can be in a guest, of those given.
func possible(t testing.TB, c config.Config, points ...trace.Points) (pp trace.Points) {
	t.Helper()
	for _, p := range points {
		c.PP = trace.PointYield | p
		s, err := session.Open(c, nil)
		if err == nil {
			pp |= p
		}
		if s != nil {
			s.Close()
		}
	}
	return pp
}

// TestBoundedSearchesAgree: the same within bounds, where what no reduction
// reaches within them is the judge.
func TestBoundedSearchesAgree(t *testing.T) {
	t.Parallel()
	for i, name := range small {
		variant := []string{"-DFAULTY", "-DFIXED"}[i%2]
		cc, opt := "gcc", "-O1"
		if i%2 == 0 {
			cc, opt = "musl-gcc", "-O2"
		}
		t.Run(name+variant, func(t *testing.T) {
			c := config.Default()
			c.Guest = build(t, cc, opt, name, variant)
			locks := possible(t, c, trace.PointYield, trace.PointLock, trace.PointUnlock)
			for n, k := range []struct {
				pp       trace.Points
				bounds   string
				searches []string
			}{
				{trace.MemPoints, "preempt=0", []string{"bpor", "nidhugg-bpor", "source-bpor"}},
				{trace.MemPoints, "preempt=1", []string{"bounded", "bpor", "nidhugg-bpor", "source-bpor"}},
				{trace.MemPoints, "preempt=2", []string{"bpor"}},
				{trace.MemPoints, "fair=1", []string{"bpor"}},
				{trace.MemPoints, "preempt=1,fair=0", []string{"bounded", "bpor"}},
				{locks, "preempt=1", []string{"bpor", "nidhugg-bpor", "source-bpor"}},
			} {
				if !soaks && n%2 != i/2%2 {
					continue // its turn comes with another guest
				}
				bounds, err := por.ParseBounds(k.bounds)
				if err != nil {
					t.Fatal(err)
				}
				c.PP, c.Bounds = k.pp, bounds
				c.Search = "none"
				guest, err := session.Open(c, nil)
				if err != nil {
					t.Fatal(err)
				}
				want := exploredOn(t, guest, "none", bounds)
				for j, search := range k.searches {
					var got *ends
					if (i+j+n)%3 == 0 {
						got = explored(t, search, c)
					} else {
						got = exploredOn(t, guest, search, bounds)
					}
					if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
						t.Errorf("%v, %v, %s: ends %v, want those of %v", c.PP, bounds, search, got.states, want.states)
					}
				}
				guest.Close()
			}
		})
	}
}

// TestSharingDeclared: what is found doesn't depend on when sharing is learned.
func TestSharingDeclared(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lost_update", "increment", "late_sharing", "aba", "trylock_backoff", "stack_argument"} {
		t.Run(name, func(t *testing.T) {
			c := config.Default()
			c.Guest = build(t, "musl-gcc", "-O2", name, "-DFIXED")
			learned := explored(t, "optimal", c)
			c.AllShared = true
			declared := explored(t, "optimal", c)
			if learned.executions != declared.executions || !maps.Equal(learned.states, declared.states) {
				t.Errorf("%d executions with learned sharing, %d with all declared", learned.executions, declared.executions)
			}
		})
	}
}

// TestOwnCodeAgrees: libc's own code for threads and locks reaches the same
// bugs as landgo's model of it, and none where there is none.
func TestOwnCodeAgrees(t *testing.T) {
	t.Parallel()
	for i, name := range []string{"lost_update", "withdraw", "deadlock_two", "wrong_lock", "ping_pong"} {
		for v, variant := range []string{"-DFAULTY", "-DFIXED"} {
			for _, cc := range libraries(i + v) {
				t.Run(name+variant+"/"+cc, func(t *testing.T) {
					c := config.Default()
					c.Guest = build(t, cc, "-O1", name, variant)
					c.PP = possible(t, c, trace.PointYield, trace.PointLock, trace.PointUnlock, trace.PointAtomic)
					// model has the model's kinds of bugs, nil where it is asked for.
					bugs := func(native bool, model []string) []string {
						c.NativeSync = native
						s, err := session.Open(c, nil)
						if err != nil {
							t.Fatal(err)
						}
						defer s.Close()
						seen := &kindsSeen{Session: s, kinds: map[string]bool{}, wanted: model}
						engine, err := por.New("optimal", por.Options{MaxExecutions: 20_000})
						if err != nil {
							t.Fatal(err)
						}
						if _, err := engine.Run(s.Guest, seen); err != nil {
							t.Fatalf("native %v: %v", native, err)
						}
						return slices.Sorted(maps.Keys(seen.kinds))
					}
					model := bugs(false, nil)
					if own := bugs(true, model); !slices.Equal(own, model) {
						t.Errorf("libc's own code has the bugs %v, landgo's model %v", own, model)
					}
				})
			}
		}
	}
}

// kindsSeen is the por.Observer that collects kinds of bugs, of as many executions as show all
// that are wanted, and of enoughForKinds.
type kindsSeen struct {
	*session.Session
	kinds      map[string]bool
	wanted     []string
	executions int
}

const enoughForKinds = 4_000

func (k *kindsSeen) Ended(x *por.Execution) bool {
	h := hunt{Session: k.Session}
	if f := h.failureAt(x); f != nil {
		k.kinds[string(f.Kind)] = true
	}
	k.executions++
	return k.executions < enoughForKinds || slices.ContainsFunc(k.wanted, func(kind string) bool { return !k.kinds[kind] })
}
func (k *kindsSeen) Progress(por.Progress) {}
func (k *kindsSeen) Restarted()            { clear(k.kinds); k.executions = 0 }
