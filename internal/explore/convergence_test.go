package explore

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landgo/guests/random"
	"landgo/internal/compile"
	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// leaveOutWhole has iterative deepening without the space that has a point
// before every access, so that a verdict of verified rests on Theorem 1.
func leaveOutWhole(t *testing.T) {
	old := warmSteps
	warmSteps = 0
	t.Cleanup(func() { warmSteps = old })
}

// TestDeepeningAgrees: deepening that never preempts at every access says the
// same as deepening that does.
func TestDeepeningAgrees(t *testing.T) {
	leaveOutWhole(t)
	for i, name := range small {
		for _, variant := range []string{"-DFAULTY", "-DFIXED"} {
			cc, opt := "gcc", "-O1"
			if i%2 == 0 {
				cc, opt = "musl-gcc", "-O2"
			}
			t.Run(name+variant, func(t *testing.T) {
				t.Parallel() // with the others of this test, which has the variables to itself
				c := config.Default()
				c.Guest, c.Out, c.Model = build(t, cc, opt, name, variant), config.NoFile, config.ModelSC
				got, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				c.Race = config.RaceOff // what is needed for a proof isn't known from races
				off, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				c.Deepen = false
				want, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if got.Verdict != want.Verdict {
					t.Fatalf("%s, and %s at mem", got.Verdict, want.Verdict)
				}
				if off.Verdict != want.Verdict || len(off.Races) > 0 || len(off.Jobs) < 2 {
					t.Errorf("without races: %s, %d races, %d jobs; at mem %s", off.Verdict, len(off.Races), len(off.Jobs), want.Verdict)
				}
				if got.Verdict == result.Verified && (got.Granularity != "mem" || !strings.Contains(got.Reason, "yield,sync")) {
					t.Errorf("verified at %s: %q", got.Granularity, got.Reason)
				}
				if len(got.Jobs) < 2 || len(want.Jobs) > 0 {
					t.Errorf("%d jobs, and %d at mem", len(got.Jobs), len(want.Jobs))
				}
			})
		}
	}
}

// outcomes is the por.Observer that collects bugs, and the final states of executions
// in which no thread was cut short by the end of the process. No other thread sees an
// unfinished thread's private acts by then, and they are more at coarser steps.
type outcomes struct {
	*session.Session
	bugs, whole, cut map[string]bool
}

func (o *outcomes) Ended(x *por.Execution) bool {
	if x.Ending == por.EndedBlocked {
		return true
	}
	h := hunt{Session: o.Session}
	if f := h.failureAt(x); f != nil {
		o.bugs[h.key(f)] = true
		return true
	}
	into := o.whole
	for _, th := range x.Threads {
		if th.Status != trace.Exited && x.Last != nil && th.ID != x.Last.Thread {
			into = o.cut
		}
	}
	into[strconv.FormatUint(o.Guest.State(), 16)] = true
	return true
}
func (o *outcomes) Progress(por.Progress) {}
func (o *outcomes) Restarted()            { clear(o.bugs); clear(o.whole); clear(o.cut) }

// outcomesOf runs a search to its end, or says that it is too large.
func outcomesOf(t *testing.T, s *session.Session, search string, at deepen.Set, limit uint64) (o *outcomes, open []uint64, complete bool, err error) {
	t.Helper()
	s.Guest.Rewind(s.Root)
	s.Guest.SetGranularity(s.Granularity(at.Kinds, at.At))
	s.Guest.Seen().Look(nil)
	o = &outcomes{s, map[string]bool{}, map[string]bool{}, map[string]bool{}}
	engine, err := por.New(search, por.Options{EndsAnywhere: true, OneEvent: at.Kinds.Has(trace.MemPoints), MaxExecutions: limit})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(s.Guest, o)
	for _, p := range s.Guest.Seen().Unexamined() {
		open = append(open, p.First.PC, p.Second.PC)
	}
	return o, open, stats.Complete, err
}

// TestConvergence is Theorem 1 (Blum and Gibson, OOPSLA 2016, §5.1) as deepen.go
// has it, on random C programs. Points lie before synchronisation, and before the
// accesses of the instructions that conflict without one, added as they are found.
// They reach all bugs and final states that a search by sleep sets with a point
// before every access reaches, and none besides. LANDGO_SOAK_GUESTS, LANDGO_SEED
// and LANDGO_PROGRAM as for TestRandomPrograms.
func TestConvergence(t *testing.T) {
	t.Parallel()
	seed, n, only, soak := randomRun(t, 7, 28)
	limit := uint64(2000)
	if soak {
		limit = 20_000
	}
	compared, buggy, extended, refused, tooLarge := 0, 0, 0, 0, 0
	var guest string
	for i := range n {
		if i%randomBatch == 0 {
			guest = compileRandom(t, []string{"gcc", "musl-gcc"}[i/randomBatch%2], seed+uint64(i/randomBatch), min(randomBatch, n-i))
		}
		if only >= 0 && i != only {
			continue
		}
		c := config.Default()
		c.Guest, c.Args = guest, []string{strconv.Itoa(i % randomBatch)}
		s, err := session.Open(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, _, complete, err := outcomesOf(t, s, "sleep", deepen.Set{Kinds: trace.MemPoints}, limit)
		switch {
		case err != nil:
			refused++
		case !complete:
			tooLarge++
		}
		if err != nil || !complete {
			s.Close()
			continue
		}
		at := deepen.Set{Kinds: trace.SyncPoints}
		for {
			search := []string{"optimal", "sleep", "source"}[i%3]
			got, open, complete, err := outcomesOf(t, s, search, at, 100*limit)
			if err != nil || !complete {
				t.Errorf("seed %d, program %d: %s at %d instructions: complete %v, error %v", seed, i, search, len(at.At), complete, err)
				break
			}
			if more := at.WithAll(open); len(more.At) > len(at.At) {
				at = more
				extended++
				continue
			}
			if len(open) > 0 {
				t.Logf("program %d: %d instructions stay open", i, len(open))
				break
			}
			compared++
			if len(want.bugs) > 0 {
				buggy++
			}
			for state := range got.whole {
				if !want.whole[state] && !want.cut[state] {
					t.Errorf("seed %d, program %d: a final state that no interleaving has", seed, i)
				}
			}
			for state := range want.whole {
				if !got.whole[state] && !got.cut[state] {
					t.Errorf("seed %d, program %d (%s, %d points): a final state isn't reached\n%s", seed, i, search, len(at.At), random.Program(seed+uint64(i/randomBatch), i%randomBatch))
				}
			}
			if a, b := slices.Sorted(maps.Keys(got.bugs)), slices.Sorted(maps.Keys(want.bugs)); !slices.Equal(a, b) {
				t.Errorf("seed %d, program %d (%s, %d points):\n got bugs %q\nwant %q\n%s", seed, i, search, len(at.At), a, b, random.Program(seed+uint64(i/randomBatch), i%randomBatch))
			}
			break
		}
		s.Close()
	}
	t.Logf("%d programs compared, %d with bugs, %d too large, %d refused; points added %d times", compared, buggy, tooLarge, refused, extended)
	if only < 0 && (compared < n/3 || buggy == 0 || extended == 0) {
		t.Errorf("%d programs compared, %d with bugs, points added %d times: the test tests little", compared, buggy, extended)
	}
}

// TestConvergenceOfRounds: jobs work in rounds from the start, by one worker or
// several, with the space of all points and without it. Deepening of random C
// programs then finds a bug where sleep sets with a point before every access find
// one, and all of them if it goes on. Elsewhere it says verified.
func TestConvergenceOfRounds(t *testing.T) {
	seed, n, only, soak := randomRun(t, 23, 16)
	limit := uint64(1000)
	if soak {
		limit = 20_000
	}
	warm(t, 1)
	rounds(t, 1, 40)
	restless = true
	defer func() { restless = false }()
	compared, buggy, together := 0, 0, 0
	var guest string
	for i := range n {
		if i%randomBatch == 0 {
			guest = compileRandom(t, []string{"musl-gcc", "gcc"}[i/randomBatch%2], seed+uint64(i/randomBatch), min(randomBatch, n-i))
		}
		if only >= 0 && i != only {
			continue
		}
		c := config.Default()
		c.Guest, c.Args, c.Out, c.KeepGoing = guest, []string{strconv.Itoa(i % randomBatch)}, config.NoFile, true
		s, err := session.Open(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, _, complete, err := outcomesOf(t, s, "sleep", deepen.Set{Kinds: trace.MemPoints}, limit)
		s.Close()
		if err != nil || !complete {
			continue
		}
		compared++
		if len(want.bugs) > 0 {
			buggy++
		}
		for _, warmSteps = range []uint64{1, 0} {
			var one string
			for _, c.Jobs = range []int{1, 3} {
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if (r.Verdict == result.Buggy) != (len(want.bugs) > 0) || r.Verdict != result.Buggy && r.Verdict != result.Verified || warmSteps > 0 && len(r.Bugs) != len(want.bugs) {
					t.Errorf("seed %d, program %d, warm-up %d, %d workers: %s (%s), %d bugs; all interleavings have %d\n%s", seed, i, warmSteps, c.Jobs,
						r.Verdict, r.Reason, len(r.Bugs), len(want.bugs), random.Program(seed+uint64(i/randomBatch), i%randomBatch))
				}
				if one == "" {
					one = untimed(t, r)
				} else if two := untimed(t, r); two != one {
					t.Errorf("seed %d, program %d, warm-up %d: three workers report\n%s\none\n%s", seed, i, warmSteps, two, one)
				}
				ran := 0
				for _, j := range r.Jobs {
					if j.Transitions > 0 {
						ran++
					}
				}
				if ran > 2 {
					together++
				}
			}
		}
	}
	t.Logf("%d programs compared, %d with bugs; in %d runs there were several jobs", compared, buggy, together)
	if only < 0 && (compared < n/3 || buggy == 0 || together == 0) {
		t.Errorf("%d programs compared, %d with bugs, %d runs of several jobs: the test tests little", compared, buggy, together)
	}
}

// TestLoopIsNamedByItsOwnRead: a livelock is the same bug at any points, though a
// thread has read what its loop reads just before the loop.
func TestLoopIsNamedByItsOwnRead(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", `#include <pthread.h>
static volatile int v, never;
static void *f(void *p) {
	if (v == 1) never = 1;
	while (!v) ;
	return p;
}
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, f, 0); pthread_join(t, 0); v = never; return 0; }
`)
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, p := range []trace.Points{trace.MemPoints, trace.SyncPoints} {
		o, _, complete, err := outcomesOf(t, s, "sleep", deepen.Set{Kinds: p}, 1000)
		if err != nil || !complete || len(o.bugs) != 1 {
			t.Errorf("%s: complete %v, error %v", p, complete, err)
		}
		for key := range o.bugs {
			if strings.Contains(key, "guest.c:4") || !strings.Contains(key, "guest.c:5") {
				t.Errorf("%s: %s", p, key)
			}
		}
	}
}
