package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/guests"
	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// crowded are bugs that one or two preemptions show, in programs whose depth-first
// search varies other threads for hours. The shapes are those of public benchmarks of
// concurrency bugs; the programs are ours.
var crowded = []struct {
	name, source string
	preemptions  int // the least
}{
	{"a pair that is read half-written", `
static volatile int x, y;
static void *put(void *p) { x = 1; y = 1; return p; }
static void *get(void *p) { int a = x, b = y; assert(a == b || a == 0); assert(a == b || b == 1); return p; }
int main(void) { return crowd(12, put, 1, get); }`, 1},
	{"two locks where one was needed", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int balance, logged;
static void *pay(void *p) {
	pthread_mutex_lock(&m); balance = 5; pthread_mutex_unlock(&m);
	pthread_mutex_lock(&n); logged = 5; pthread_mutex_unlock(&n);
	return p;
}
static void *audit(void *p) {
	pthread_mutex_lock(&m); int b = balance; pthread_mutex_unlock(&m);
	if (!b) return p;
	pthread_mutex_lock(&n); int l = logged; pthread_mutex_unlock(&n);
	assert(l == b);
	return p;
}
int main(void) { return crowd(15, pay, 15, audit); }`, 1},
	{"check, then act", `
static volatile int seats = 1, taken;
static void *work(void *p) { for (volatile int i = 0; i < 3; i++) seats = seats; return p; }
static void *take(void *p) { if (taken == 0) { taken = taken + 1; } assert(taken == 1); return p; }
int main(void) { return crowd(8, work, 2, take); }`, 1},
	{"account without a lock around both", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int sum;
static void *add(void *p) {
	pthread_mutex_lock(&m); int s = sum; pthread_mutex_unlock(&m);
	pthread_mutex_lock(&m); sum = s + 1; pthread_mutex_unlock(&m);
	return p;
}
static void *nothing(void *p) { return p; }
int main(void) { crowd(9, add, 1, nothing); assert(sum == 9); return 0; }`, 1},
	{"locks in two orders", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static int c;
static void *one(void *p) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); c++; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return p; }
static void *two(void *p) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); c++; pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return p; }
int main(void) { return crowd(10, one, 1, two); }`, 1},
	{"a signal that comes before the wait", `
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int ready, noise;
static void *noisy(void *p) { noise++; noise++; return p; }
static void *waits(void *p) {
	if (!ready) { pthread_mutex_lock(&m); pthread_cond_wait(&c, &m); pthread_mutex_unlock(&m); }
	return p;
}
static void *wakes(void *p) { ready = 1; pthread_cond_signal(&c); return p; }
int main(void) {
	pthread_t t, u;
	pthread_create(&t, 0, waits, 0);
	pthread_create(&u, 0, wakes, 0);
	crowd(9, noisy, 0, 0);
	pthread_join(t, 0); pthread_join(u, 0);
	return 0;
}`, 1},
	{"two rounds", `
static volatile int turn, seen;
static void *noisy(void *p) { seen = seen + 1; return p; }
static void *steps(void *p) { turn = 1; turn = 2; turn = 3; turn = 4; return p; }
static void *looks(void *p) { int a = turn, b = turn, c = turn; assert(!(a == 1 && b == 2 && c == 3)); return p; }
int main(void) {
	pthread_t t, u;
	pthread_create(&t, 0, steps, 0);
	pthread_create(&u, 0, looks, 0);
	crowd(7, noisy, 0, 0);
	pthread_join(t, 0); pthread_join(u, 0);
	return 0;
}`, 5},
}

// crowd starts some threads of one kind, and some of another, and joins them.
const crowd = `#include <assert.h>
#include <pthread.h>
static int crowd(int n, void *(*f)(void *), int m, void *(*g)(void *)) {
	pthread_t t[64];
	for (int i = 0; i < n + m; i++) pthread_create(&t[i], 0, i < n ? f : g, 0);
	for (int i = 0; i < n + m; i++) pthread_join(t[i], 0);
	return 0;
}
`

// TestCrowded: the default run finds them soon, wherever the depth-first search is,
// the same way with any number of workers, and what it shows can be replayed.
func TestCrowded(t *testing.T) {
	for i, g := range crowded {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			c := config.Default()
			c.Guest, c.Out, c.Time = compile.Text(t, "gcc", crowd+g.source), config.NoFile, 0
			var before string
			for _, c.Jobs = range [][]int{{1, 3}, {3}}[i%2] {
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				r.Finish()
				if r.Verdict != result.Buggy {
					t.Fatalf("%s: %s", r.Verdict, r.Reason)
				}
				if r.Bug.Preemptions < g.preemptions || r.Bug.Preemptions > g.preemptions+1 || r.Transitions > 1_000_000 {
					t.Errorf("%d preemptions, %d steps", r.Bug.Preemptions, r.Transitions)
				}
				text := fmt.Sprint(r.Executions, r.Transitions, r.Bug.Schedule, r.Jobs)
				if before != "" && before != text {
					t.Errorf("with %d workers\n%s\nwith one\n%s", c.Jobs, text, before)
				}
				before = text
				again, err := Replay(context.Background(), c, result.NewBugFile(r, r.Bug, c.Saved()), nil)
				if err != nil || !again.Replay.Same {
					t.Errorf("%v: %+v", err, again)
				}
			}
		})
	}
}

// sampledBug is the bug that a random walk finds, still as long as there, and its hunt.
func sampledBug(t *testing.T, c config.Config, seed int) (*hunt, *finding) {
	t.Helper()
	c.Search = fmt.Sprintf("random:seed=%d", seed)
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &hunt{Session: s, result: s.NewResult(), seen: map[string]*finding{}}
	if err := h.search(); err != nil || len(h.found) != 1 {
		t.Fatalf("%s, seed %d: %v, %d bugs", c.Guest, seed, err, len(h.found))
	}
	return h, h.found[0]
}

// TestShorten: a sample's bug is the same one without the preemptions that it doesn't
// need, and never has fewer than a bounded search proves to be the least.
func TestShorten(t *testing.T) {
	t.Parallel()
	for _, g := range crowded {
		c := config.Default()
		c.Guest, c.Out, c.PP, c.Deepen = compile.Text(t, "gcc", crowd+g.source), config.NoFile, trace.PointMem, false
		for seed := range 2 {
			h, f := sampledBug(t, c, seed+1)
			s := h.Session
			before, key := f.preemptions, f.key
			shorter := h.shorten(f, h.counting(1<<40))
			if shorter != (f.preemptions < before) || f.preemptions < g.preemptions && before >= g.preemptions {
				t.Errorf("%s: %d preemptions of %d", g.name, f.preemptions, before)
			}
			if f.preemptions > g.preemptions+3 {
				t.Errorf("%s: %d preemptions are left of %d, it needs %d", g.name, f.preemptions, before, g.preemptions)
			}
			var preempted int
			for i := range f.path {
				if f.path[i].Preemption {
					preempted++
				}
			}
			failure := followed(t, s, f.path)
			if failure == "" || f.key == key && failure != key || preempted != f.preemptions {
				t.Errorf("%s: its path ends in %q, the bug is %q; %d preemptions, counted %d", g.name, failure, key, preempted, f.preemptions)
			}
			t.Logf("%s: %d preemptions of %d", g.name, f.preemptions, before)
			s.Close()
		}
	}
}

// TestShortenAligned: a bug is shortened by the steps that its execution has where it is
// shortened, if it was found with others.
func TestShortenAligned(t *testing.T) {
	t.Parallel()
	for _, g := range crowded {
		c := config.Default()
		c.Guest, c.Out, c.PP, c.Deepen = compile.Text(t, "gcc", crowd+g.source), config.NoFile, trace.PointMem, false
		h, f := sampledBug(t, c, 1)
		steps, before, kind := len(f.path), f.preemptions, f.failure.Kind
		var others []por.PathStep // some of them can't be taken
		for _, p := range f.path {
			others = append(others, p, p)
		}
		f.path = others
		h.shorten(f, h.counting(1<<40))
		if f.preemptions > before || len(f.path) > steps || f.failure.Kind != kind || followed(t, h.Session, f.path) != f.key {
			t.Errorf("%s: %d steps and %d preemptions of %d and %d", g.name, len(f.path), f.preemptions, steps, before)
		}
		h.Close()
	}
}

// TestShortenFiner: shortening goes on where it meets memory that threads weren't known
// to share. The bug stays one of its kind.
func TestShortenFiner(t *testing.T) {
	t.Parallel()
	met := 0
	for _, g := range [][2]string{{"create_unguarded", "create"}, {"sleep_unguarded", "sleep"}} {
		c := config.Default()
		c.Guest, c.Out, c.Cmdline, c.PP, c.Deepen = compile.Guest(t, "kernel/kernel-"+g[0]), config.NoFile, "test="+g[1], trace.PointMem, false
		for seed := range 2 {
			h, f := sampledBug(t, c, seed+1)
			s := h.Session
			before, kind, known := f.preemptions, f.failure.Kind, h.Epoch()
			h.shorten(f, h.counting(1<<40))
			if h.Epoch() != known {
				met++
			}
			if f.preemptions > 3 || f.failure.Kind != kind || followed(t, s, f.path) != f.key {
				t.Errorf("%s, seed %d: %d preemptions of %d: %s", g, seed+1, f.preemptions, before, f.failure.Message)
			}
			s.Close()
		}
	}
	if met == 0 {
		t.Error("points never became finer")
	}
}

// followed is the key of the bug that a path ends in.
func followed(t *testing.T, s *session.Session, path []por.PathStep) string {
	t.Helper()
	s.Guest.Rewind(s.Root)
	h := &hunt{Session: s}
	for i := range path {
		tr, err := s.Take(&path[i])
		if err != nil {
			t.Fatal(err)
		}
		if i == len(path)-1 {
			if f := s.Guest.Failure(tr.Thread); f != nil {
				return h.key(f)
			}
		}
	}
	if f := s.Guest.Stuck(false); f != nil {
		return h.key(f)
	}
	return ""
}

// TestDue: the ways have their share of the steps, and more of them where they find
// more than others.
func TestDue(t *testing.T) {
	const enough = firstSamples
	for _, c := range []struct {
		gained, bugs int
		samples      uint64 // of the way that has fewest
		share        uint64
	}{
		{0, 0, enough, waysShare}, {0, 3, enough, waysShare}, {1, 1, enough, gainShare}, {1, 3, enough, gainShare}, {1, 40, enough, waysShare},
		{0, 0, enough - 1, firstShare}, {1, 1, 0, firstShare}, // also where those so far were cut off
	} {
		onLinux := &session.Session{Program: session.Program{Platform: &session.Platform{StepCost: 1}}}
		w := &ways{hunt: &hunt{Session: onLinux}, gained: c.gained}
		for _, n := range []uint64{enough, c.samples} {
			w.list = append(w.list, &way{stats: por.Stats{Executions: n}, most: mostSample})
		}
		if !w.due(0, 0) {
			t.Error("the first slices wait")
		}
		w.slices, w.steps = 2, 1000
		steps := w.steps * (c.share - 1)
		if w.due(steps-steps/8, c.bugs) || !w.due(steps+steps/8, c.bugs) {
			t.Errorf("%d of %d bugs: not one step in %d", c.gained, c.bugs, c.share)
		}
	}
}

// TestCutSamples: where all samples are too long, most of the next ones are as short as the
// first all the same, and the others ever longer.
func TestCutSamples(t *testing.T) {
	o := &way{most: longestSample, reach: longestSample}
	var got []int
	for range 9 {
		got = append(got, o.most/longestSample)
		o.cut()
	}
	if want := []int{1, 1, 8, 1, 1, 64, 1, 1, 64}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// guestsLike are the guests whose names have a pattern. A build's programs for Linux are those of
// the tables, for they may not be built yet.
func guestsLike(t *testing.T, pattern string) (names []string) {
	t.Helper()
	if build, all := strings.CutSuffix(pattern, "/*"); all && slices.Contains(guests.Builds, build) {
		for _, table := range []func() ([]guests.Guest, error){guests.Linux, guests.Bench} {
			rows, err := table()
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range rows {
				names = append(names, g.Binary(build))
			}
		}
		slices.Sort(names)
		return names
	}
	paths, err := filepath.Glob("../../bin/guests/" + pattern)
	if err != nil || len(paths) == 0 {
		t.Fatal(pattern, err)
	}
	for _, path := range paths {
		names = append(names, strings.TrimPrefix(path, "../../bin/guests/"))
	}
	return names
}

// TestWaysAlone: a bug that only samples have found is the same one when the jobs' guest runs its
// execution, its story is reported, and its file replays.
func TestWaysAlone(t *testing.T) {
	t.Parallel()
	found := 0
	for _, pattern := range []string{"musl-O1/*", "glibc-O2/*", "pebbles/*-*-*", "kernel-i386/*"} {
		for i, name := range guestsLike(t, pattern) {
			if !soaks && i%90 != 2 {
				continue
			}
			path := compile.Guest(t, name)
			c := config.Default()
			c.Guest, c.Out = path, config.NoFile
			s, err := session.Open(c, nil)
			if err != nil {
				if s != nil {
					s.Close()
				}
				continue // it needs options
			}
			h := &hunt{Session: s, result: s.NewResult(), seen: map[string]*finding{}}
			d := newDeepening(h)
			d.try()
			for range 2 * len(samplers) {
				if len(d.found) == 0 && d.ways.slice() {
					d.takeWays()
				}
			}
			d.endWays()
			if len(d.found) > 0 {
				found++
				d.account()
				if err := d.verdict(); err != nil {
					t.Errorf("%s: %v", path, err)
				} else if err := d.report(); err != nil {
					t.Errorf("%s: %v", path, err)
				} else if again, err := Replay(context.Background(), c, result.NewBugFile(h.result, h.result.Bug, c.For(&h.result.Guest, h.result.Bug).Kept()), nil); err != nil || !again.Replay.Same {
					t.Errorf("%s: %v %+v", path, err, again)
				}
			}
			s.Close()
		}
	}
	if found < 3 {
		t.Errorf("%d bugs: too few to say anything", found)
	}
	t.Logf("%d bugs", found)
}

// pool is a pool of threads whose owner stops it without its mutex: a worker that has
// looked whether to stop misses the wake-up.
const pool = `
#include <pthread.h>
#include <stdatomic.h>
enum { WORKERS = 3, JOBS = 6 };
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static int jobs, sum;
static atomic_int over;
static void *work(void *u)
{
	for (;;) {
		pthread_mutex_lock(&m);
		while (!jobs && !over) pthread_cond_wait(&more, &m);
		if (!jobs) break;
		sum += jobs--;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_unlock(&m);
	return u;
}
int main(void)
{
	pthread_t t[WORKERS];
	for (int i = 0; i < WORKERS; i++) pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < JOBS; i++) {
		pthread_mutex_lock(&m);
		jobs++;
		pthread_cond_signal(&more);
		pthread_mutex_unlock(&m);
	}
	over = 1;
	pthread_cond_broadcast(&more);
	for (int i = 0; i < WORKERS; i++) pthread_join(t[i], 0);
	return 0;
}`

// TestShortenByPlaces: a bug is shown with the two preemptions that it needs, where no
// preemption of the sample's can be left out alone.
func TestShortenByPlaces(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out, c.PP, c.Deepen = compile.Text(t, "gcc", pool), config.NoFile, trace.PointMem, false
	for _, seed := range []int{2, 3} {
		h, f := sampledBug(t, c, seed)
		s := h.Session
		before, key := f.preemptions, f.key
		run := h.counting(minimiseSteps)
		h.shorten(f, run)
		if f.preemptions > 2 || f.failure.Kind != trace.Deadlock || followed(t, s, f.path) != f.key {
			t.Errorf("seed %d: %d preemptions of %d: %s, was %s", seed, f.preemptions, before, f.key, key)
		}
		if run.steps > minimiseSteps {
			t.Errorf("seed %d: %d steps", seed, run.steps)
		}
		t.Logf("%d preemptions of %d, %d steps", f.preemptions, before, run.steps)
		s.Close()
	}
}

// ring: each thread takes a lock and then the next.
const ring = `#include <pthread.h>
static pthread_mutex_t m[N];
static int sum[N];
static void *two(void *p)
{
	long i = (long)p;
	pthread_mutex_lock(&m[i]);
	pthread_mutex_lock(&m[(i + 1) % N]);
	sum[i]++;
	pthread_mutex_unlock(&m[(i + 1) % N]);
	pthread_mutex_unlock(&m[i]);
	return p;
}
int main(void)
{
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_mutex_init(&m[i], 0);
	for (long i = 0; i < N; i++) pthread_create(&t[i], 0, two, (void *)i);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	return 0;
}`

// TestRing: the default run closes a ring of forty locks, by one preemption.
func TestRing(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out, c.Time = compile.Text(t, "gcc", "#define N 40\n"+ring), config.NoFile, 0
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Bug.Kind != trace.Deadlock || r.Bug.Preemptions != 1 || r.Transitions > 1_000_000 {
		t.Errorf("%s %s: %+v, %d steps", r.Verdict, r.Reason, r.Bug, r.Transitions)
	}
}

// TestShortenBehind: of a ring's threads most wait by themselves, where each comes behind the one that
// it waits for.
func TestShortenBehind(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out, c.PP, c.Deepen = compile.Text(t, "gcc", "#define N 6\n"+ring), config.NoFile, trace.PointMem, false
	most := 0
	for seed := range 6 {
		h, f := sampledBug(t, c, seed+1)
		before, key := f.preemptions, f.key
		h.shorten(f, h.counting(minimiseSteps))
		if most = max(most, f.preemptions); f.failure.Kind != trace.Deadlock || followed(t, h.Session, f.path) != f.key {
			t.Errorf("seed %d: %d preemptions of %d: %s, was %s", seed+1, f.preemptions, before, f.key, key)
		}
		t.Logf("%d preemptions of %d", f.preemptions, before)
		h.Session.Close()
	}
	if most > 1 {
		t.Errorf("%d preemptions are left", most)
	}
}
