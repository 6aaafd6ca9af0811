package explore

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/races"
	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/race"
)

// racing is a configuration in which races are bugs.
func racing(t *testing.T, guest string, options ...string) config.Config {
	t.Helper()
	cfg := config.Default()
	cfg.Guest, cfg.Out = guest, config.NoFile
	for _, o := range append([]string{"pp=mem", "fail-on=race", "keep-going=true"}, options...) {
		name, value, _ := strings.Cut(o, "=")
		if err := config.OptionNamed(name).Apply(&cfg, value); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

// raceBugs are the variables that a run calls racing, each once.
func raceBugs(t *testing.T, cfg config.Config) (names []string, r *result.Result) {
	t.Helper()
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range r.Bugs {
		if b.Kind != trace.Race {
			continue
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(b.Message, "data race on "), ": ")
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		replayed(t, cfg, r, b)
	}
	slices.Sort(names)
	return names, r
}

// replayed: a fresh process that knows nothing of the run has the same result
// race.
func replayed(t *testing.T, cfg config.Config, r *result.Result, b *result.Bug) {
	t.Helper()
	file := result.NewBugFile(r, b, cfg.Kept())
	again, err := Replay(context.Background(), cfg, file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !again.Replay.Same || again.Bug == nil || again.Bug.Preemptions != b.Preemptions || len(again.Bug.Accesses) != 2 || len(b.Accesses) != 2 {
		t.Errorf("%s: replay of %q: %+v %+v", cfg.Guest, b.Message, again.Replay, again.Bug)
	}
}

// TestRaceIsBug: with --fail-on race, neighbours that were seen in both orders
// are bugs, in every guest in which there are some, and nothing else is.
func TestRaceIsBug(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		guest string
		want  string // the variables
	}{
		{compile.Guest(t, "musl-O2/lost_update"), "x"},
		{compile.Guest(t, "glibc-O1/increment"), "x"},
		{compile.Guest(t, "musl-O1/peterson_spin"), "flag[0] flag[1] inside turn"},
		{compile.Guest(t, "musl-O2/lost_update-fixed"), ""},
		{compile.Guest(t, "musl-O2/increment-fixed"), ""},
		{compile.Guest(t, "glibc-O2/barrier_phase-fixed"), ""},
		{compile.Guest(t, "musl-O2/use_after_free-fixed"), ""},
		{compile.Guest(t, "musl-O2/write_under_rdlock"), "x"},
		{compile.Guest(t, "musl-O2/write_under_rdlock-fixed"), ""},
		{compile.Guest(t, "musl-O2/nwriters-N4"), ""}, // atomic
		// Happens-before takes a flag, and a lock made of atomic variables, for
		// nothing: what they protect would be a false alarm.
		{racesGuest(t, "flag"), "flag"},
		{racesGuest(t, "peterson"), ""},
		{racesGuest(t, "ownership"), ""},
		{racesGuest(t, "readers"), "x"},
		{racesGuest(t, "posts"), "x"},
	} {
		got, _ := raceBugs(t, racing(t, c.guest))
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: races on %v, want %q", c.guest, got, c.want)
		}
		if off, _ := raceBugs(t, racing(t, c.guest, "race=off", "jobs=3")); !slices.Equal(off, got) {
			t.Errorf("%s, three workers, --race off: races on %v, want %v", c.guest, off, got)
		}
	}
}

// TestLibraryRaces: what the C library reads and writes by plain instructions to
// synchronise is no race where its code is tested, nor what the kernel does to a
// futex. The program's own accesses are races.
func TestLibraryRaces(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
static int x;
static void *f(void *a) { if (a) x = 1; return a; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, ARG); READ; pthread_join(t, 0); return 0; }
`
	for _, libc := range []string{"gcc", "musl-gcc"} {
		for _, c := range []struct{ arg, read, want string }{
			{"0", "(void)0", ""},
			{"&x", "(void)*(volatile int *)&x", "x"},
			{"&x", "(void)*(_Atomic int *)&x", "x"},
		} {
			guest := compile.Text(t, libc, strings.NewReplacer("ARG", c.arg, "READ", c.read).Replace(program))
			if got, r := raceBugs(t, racing(t, guest, "locks=tested", "time=20s")); strings.Join(got, " ") != c.want || r.Verdict == result.Budget {
				t.Errorf("%s, %s: races on %v, want %q (%s)", libc, c.read, got, c.want, r.Verdict)
			}
		}
	}
	// glibc's code runs where a timed wait may run out at any point.
	const waits = `#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int item;
static void *f(void *a)
{
	struct timespec ts = {2000000000, 0};
	pthread_mutex_lock(&m);
	for (int r = 0; !item && !r;) r = pthread_cond_timedwait(&c, &m, &ts);
	pthread_mutex_unlock(&m);
	return a;
}
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_mutex_lock(&m); item = 1; pthread_cond_signal(&c); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }
`
	if got, r := raceBugs(t, racing(t, compile.Text(t, "gcc", waits), "timeouts=any", "max-executions=1500")); len(got) > 0 || r.Executions < 1500 {
		t.Errorf("a timed wait: races on %v after %d executions", got, r.Executions)
	}
	if got, r := raceBugs(t, racing(t, compile.Guest(t, "glibc-O2/lost_update-fixed"), "locks=tested")); len(got) > 0 || r.Verdict != result.Verified {
		t.Errorf("lost_update-fixed: %s, races on %v", r.Verdict, got)
	}
}

// racesGuest is a case of testdata/races.c.
func racesGuest(t *testing.T, name string) string {
	t.Helper()
	return compile.File(t, "musl-gcc", "testdata/races.c", "-D"+strings.ToUpper(name))
}

// TestRaceUnderSearches: whatever search runs both orders calls the race a
// bug, and without being asked none does.
func TestRaceUnderSearches(t *testing.T) {
	t.Parallel()
	guest := compile.Guest(t, "musl-O2/lost_update")
	for _, search := range []string{"none", "sleep", "stateful", "dpor", "classic", "nidhugg", "source", "optimal", "trust", "random:runs=50", "pct:d=2,runs=50", "pos:runs=50"} {
		if got, r := raceBugs(t, racing(t, guest, "search="+search)); len(got) != 1 || r.Verdict != result.Buggy {
			t.Errorf("%s: %s, races on %v", search, r.Verdict, got)
		}
	}
	for _, search := range []string{"bounded", "bpor"} {
		if got, r := raceBugs(t, racing(t, guest, "search="+search, "bound=preempt=1")); len(got) != 1 || r.Verdict != result.Buggy {
			t.Errorf("%s: %s, races on %v", search, r.Verdict, got)
		}
	}
	cfg := racing(t, guest)
	cfg.FailOnRace = false
	if got, r := raceBugs(t, cfg); len(got) > 0 || r.RaceCount == 0 {
		t.Errorf("without --fail-on race, %v are bugs", got)
	}
}

// TestRaceEndsSearch: the first race ends a search that isn't to go on, and a
// bare schedule shows it again.
func TestRaceEndsSearch(t *testing.T) {
	t.Parallel()
	cfg := racing(t, compile.Guest(t, "musl-O2/increment"))
	cfg.KeepGoing = false
	_, r := raceBugs(t, cfg)
	if r.Bug == nil || r.Bug.Kind != trace.Race || r.Bug.Preemptions != 0 || r.Bug.Minimal != result.Proven || r.ExitStatus() != result.ExitBug {
		t.Fatalf("%s %+v", r.Verdict, r.Bug)
	}
	bare := &result.BugFile{Schedule: r.Bug.Schedule}
	again, err := Replay(context.Background(), cfg, bare, nil)
	if err != nil || again.Bug == nil || again.Bug.Message != r.Bug.Message {
		t.Errorf("%v %+v", err, again)
	}
}

// TestRaceAcrossCheckpoint: the order that was seen before a search was saved
// counts after it.
func TestRaceAcrossCheckpoint(t *testing.T) {
	cfg := racing(t, compile.Guest(t, "musl-O2/lost_update"))
	h := &hunt{}
	s, err := session.Open(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	h.Session = s
	w := races.Watch(h.Session)
	s.Guest.Rewind(s.Root)
	begin := w.Mark()
	// run lets threads go on as far as they can, or for one step if negative.
	run := func(order ...int) {
		w.Rewind(begin)
		for _, n := range order {
			t := max(n, -n)
			for w.Threads(nil)[t].Status == trace.Ready {
				if _, err := w.Step(trace.TID(t), 0); err != nil {
					w.Restart()
					w.Rewind(begin)
					return
				}
				if n < 0 {
					break
				}
			}
		}
	}
	run(0, 1, 0, 2) // learns what is shared
	run(0, 1, 0, 2)
	if w.Adjacent.Confirmed() || len(w.Adjacent.Candidates()) == 0 {
		t.Fatalf("%d candidates after one order", len(w.Adjacent.Candidates()))
	}
	text, err := json.Marshal(w.Adjacent.Saved("adjacent"))
	if err != nil {
		t.Fatal(err)
	}
	var saved []saved.Race
	if err := json.Unmarshal(text, &saved); err != nil {
		t.Fatal(err)
	}
	s.Guest.Rewind(s.Root)
	w = races.Watch(h.Session)
	begin = w.Mark()
	for i := range saved {
		of[saved[i].Of](w).Reload(&saved[i])
	}
	run(0, -1, 2, 1)
	if !w.Adjacent.Confirmed() {
		t.Error("the order before the checkpoint is forgotten")
	}
}

// TestRaceClasses: what becomes of a candidate, in the words of Blum and Gibson.
func TestRaceClasses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		guest   string
		options []string
		want    string // of each variable's races
	}{
		{compile.Guest(t, "musl-O2/lost_update"), nil, "x bug, x bug"}, // preempted before the write, which both have
		{racesGuest(t, "flag"), nil, "flag benign, x false positive"},
		{racesGuest(t, "flag"), []string{"max-executions=1"}, "flag untested, x untested"},
		{racesGuest(t, "flag"), []string{"bound=preempt=0", "search=bpor"}, "flag untested, x untested"},
		{racesGuest(t, "flag"), []string{"fail-on=race"}, "flag bug, x untested"},
		// The x of each thread is in the middle of its step.
		{racesGuest(t, "ownership"), []string{"pp=yield"}, "x untested"},
		{racesGuest(t, "ownership"), nil, ""}, // in each execution a lock orders them
	} {
		cfg := config.Default()
		cfg.Guest, cfg.Out = c.guest, config.NoFile
		for _, o := range append([]string{"pp=mem"}, c.options...) {
			name, value, _ := strings.Cut(o, "=")
			if err := config.OptionNamed(name).Apply(&cfg, value); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range r.Races {
			got = append(got, p.Variable+" "+p.Class)
		}
		slices.Sort(got)
		if text := strings.Join(got, ", "); text != c.want {
			t.Errorf("%s %v: %s (%s), want %s", c.guest, c.options, text, r.Verdict, c.want)
		}
	}
}

// TestRaceNames: what races is called as its programmer does, on all builds; and
// memory that an allocator gives out again isn't a race.
func TestRaceNames(t *testing.T) {
	t.Parallel()
	for _, build := range []string{"glibc-O1", "glibc-O2", "musl-O1", "musl-O2"} {
		for _, c := range []struct {
			guest, want string
			recycled    uint64
		}{
			{"race_stack", "main::total[0] of thread 0", 0},
			{"race_heap", "node.value, allocated in main (linux/race_heap.c:41)", 0},
			{"race_array", "slot[1]", 0},
			{"race_field", "stats.misses", 0},
			{"race_flag", "ready", 0},
			// The two blocks have one place of memory, and one of the giver's
			// writes is to each: the first and the taker's only seem to race.
			{"race_recycled", "uses", 1},
		} {
			got, r := raceBugs(t, racing(t, compile.Guest(t, build+"/"+c.guest)))
			if strings.Join(got, ", ") != c.want || r.RacesRecycled != c.recycled {
				t.Errorf("%s/%s: %v, want %s; %d recycled, want %d", build, c.guest, got, c.want, r.RacesRecycled, c.recycled)
			}
		}
	}
}

// TestRaceUnderDeepening: a race whose two orders different jobs run is a
// bug too.
func TestRaceUnderDeepening(t *testing.T) {
	defer func(n uint64) { warmSteps = n }(warmSteps)
	for _, warmSteps = range []uint64{1, 50_000} {
		for guest, want := range map[string]string{"lost_update": "x", "race_field": "stats.misses", "race_flag": "ready", "race_flag-fixed": "", "lost_update-fixed": ""} {
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.FailOnRace, cfg.KeepGoing = compile.Guest(t, "musl-O1/"+guest), config.NoFile, true, true
			got, r := raceBugs(t, cfg)
			if strings.Join(got, " ") != want || (want == "") != (r.Verdict == result.Verified) {
				t.Errorf("%s: %s, races on %v, want %q", guest, r.Verdict, got, want)
			}
			for _, p := range r.Races {
				if p.Class == race.Untested.String() && want == "" {
					t.Errorf("%s: verified, and %s is untested", guest, p.Variable)
				}
			}
		}
	}
}

// TestBenignAt: a race that a deepening calls benign before it is through says at
// which points.
func TestBenignAt(t *testing.T) {
	t.Parallel()
	// Few interleavings at the accesses to x, millions at the others.
	parts := heapCase{source: `
volatile int x, y[8];
static void *f(void *a) { x = 1; for (int i = 0; i < 8; i++) y[i]++; return a; }
int main(void) { pthread_t t[3]; for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0); for (int i = 0; i < 3; i++) pthread_join(t[i], 0); }`}
	guest, _ := parts.build(t, "musl-gcc")
	cfg := config.Default()
	cfg.Guest, cfg.Out, cfg.Time, cfg.MaxExecutions = guest, config.NoFile, 0, 20000
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Finish(); r.Verdict != result.Budget {
		t.Fatalf("%s, want budget", r.Verdict)
	}
	for _, p := range r.Races {
		if p.Variable == "x" {
			if p.Class != "benign" || !strings.HasPrefix(p.VerifiedAt, "yield,race=f+0x") || !slices.ContainsFunc(r.Jobs, func(j result.Job) bool { return j.PP == p.VerifiedAt && j.State == "verified" }) {
				t.Errorf("x is %s at %q, want benign at its own set: %+v", p.Class, p.VerifiedAt, r.Jobs)
			}
		} else if p.VerifiedAt != "" || p.Class != "untested" {
			t.Errorf("%s is %s at %q, want untested", p.Variable, p.Class, p.VerifiedAt)
		}
	}
	if len(r.Races) < 2 {
		t.Errorf("races: %+v", r.Races)
	}
}

// TestKernelsWords: what calls of a Pebbles kernel read and write of its own (which thread can
// run) is no race of the program's.
func TestKernelsWords(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Guest, cfg.Out = compile.Guest(t, "pebbles/spin-cond"), config.NoFile
	r, err := Run(context.Background(), cfg, nil)
	if err != nil || r.Verdict != result.Verified || len(r.Races) == 0 {
		t.Fatalf("%v, %+v", err, r)
	}
	for _, p := range r.Races {
		if strings.HasPrefix(p.Variable, "0x") {
			t.Errorf("a race on %s: %+v", p.Variable, p)
		}
	}
}
