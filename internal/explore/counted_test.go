package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const countedHead = heapHead + `
#include <stdatomic.h>
#include <sched.h>
#include <unistd.h>
#include <time.h>
static atomic_int flag, slow, seen;
static volatile int plain;
#define PAUSE __builtin_ia32_pause()
static void *gives(void *a) { for (int i = 0; i < 10; i++) { if (flag == 2) goto out; PAUSE; } slow = 1; while (flag != 2) ; out: seen = seen * 4 + 1; return a; }
static void *yields(void *a) { for (int i = 0; i < 6; i++) { if (flag == 2) goto out; if (i > 3) sched_yield(); PAUSE; } slow = 1; out: seen = seen * 4 + 1; return a; }
static void *phases(void *a) { for (int i = 0; i < 8; i++) { if (flag == 2) goto out; PAUSE; } for (int i = 0; i < 4; i++) { if (flag == 2) goto out; sched_yield(); } slow = 1; out: seen = seen * 4 + 1; return a; }
static void *ends(void *a) { for (int i = 0; i < 12; i++) { if (flag == 2) return a; if (i < 6) PAUSE; else sched_yield(); } while (flag != 2) ; return a; }
static void *backs(void *a) { for (int n = 1; flag != 2; n = n < 32 ? n * 2 : n) for (int i = 0; i < n; i++) PAUSE; seen = seen * 4 + 1; return a; }
static void *keeps(void *a) { int i = 0; while (i < 6 && flag != 2) i++; seen = seen * 8 + i; return a; }
static void *adds(void *a) { int n = 0; for (int i = 0; i < 6; i++) n += flag; seen = seen * 16 + n; return a; }
static void *takes(void *a) { for (int i = 0; i < 5; i++) { int e = 2; if (atomic_compare_exchange_strong(&flag, &e, 5)) goto out; PAUSE; } slow = 1; out: seen = seen * 4 + 1; return a; }
static void *plainly(void *a) { for (int i = 0; i < 8; i++) { if (plain == 2) goto out; PAUSE; } slow = 1; out: seen = seen * 4 + 1; return a; }
static void *rests(void *a) { while (flag != 2) sched_yield(); seen = seen * 4 + 1; return a; }
static void *sleeps(void *a) { while (flag != 2) usleep(5); seen = seen * 4 + 1; return a; }
static void *longer(void *a) { for (int d = 1; flag != 2; d = d < 500 ? d * 2 : d) usleep(d); seen = seen * 4 + 1; return a; }
static void *often(void *a) { int n = 0; while (flag != 2) if (++n > 1) { usleep(5); n = 0; } seen = seen * 4 + 1; return a; }
static long now(void) { struct timespec t; clock_gettime(CLOCK_MONOTONIC, &t); return t.tv_sec * 1000000000 + t.tv_nsec; }
static void *timed(void *a) { long from = now(); for (int i = 0; i < 6 && flag != 2; i++) usleep(5); seen = seen * 8 + (now() - from) / 5000; return a; }
static void *sets(void *a) { flag = 1; flag = 2; seen = seen * 4 + 2; return a; }
static void *writes(void *a) { plain = 1; plain = 2; seen = seen * 4 + 2; return a; }
`

// TestCounted: a spin that counts its turns is one step, and the program has the outcomes
// that it has with its turns one by one. Without optimisation the count is on the stack.
func TestCounted(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		name, waits, sets string
		executions        uint64 // the most that optimal runs
		flags             []string
	}{
		{"gives up", "gives", "sets", 16, nil},
		{"yields", "yields", "sets", 24, nil},
		{"pauses, then yields", "phases", "sets", 16, nil},
		{"pauses, then yields, -O0", "phases", "sets", 24, []string{"-O0"}},
		{"ends behind it", "ends", "sets", 8, nil},
		{"backs off", "backs", "sets", 4, nil},
		{"keeps the count", "keeps", "sets", 1 << 20, nil},
		{"adds what it finds", "adds", "sets", 1 << 20, nil},
		{"takes a value", "takes", "sets", 16, nil},
		{"a data race", "plainly", "writes", 16, nil},
		{"yields at once", "rests", "sets", 4, nil},
		{"sleeps", "sleeps", "sets", 4, nil},
		{"sleeps longer and longer", "longer", "sets", 4, nil},
		{"sleeps at times", "often", "sets", 4, nil},
		{"looks at the clock behind it", "timed", "sets", 1 << 20, nil},
		{"yields at once, -O0", "rests", "sets", 4, []string{"-O0"}},
		{"sleeps, -O0", "sleeps", "sets", 4, []string{"-O0"}},
		{"sleeps longer and longer, -O0", "longer", "sets", 4, []string{"-O0"}},
		{"sleeps at times, -O0", "often", "sets", 4, []string{"-O0"}},
		{"looks at the clock behind it, -O0", "timed", "sets", 1 << 20, []string{"-O0"}},
		{"gives up, -O0", "gives", "sets", 24, []string{"-O0"}},
		{"yields, -O0", "yields", "sets", 24, []string{"-O0"}},
		{"ends behind it, -O0", "ends", "sets", 8, []string{"-O0"}},
		{"backs off, -O0", "backs", "sets", 4, []string{"-O0"}},
		{"keeps the count, -O0", "keeps", "sets", 1 << 20, []string{"-O0"}},
		{"adds what it finds, -O0", "adds", "sets", 1 << 20, []string{"-O0"}},
		{"takes a value, -O0", "takes", "sets", 16, []string{"-O0"}},
		{"a data race, -O0", "plainly", "writes", 16, []string{"-O0"}},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", countedHead+"int main(void) { GO(t, "+p.waits+"); GO(u, "+p.sets+"); pthread_join(u, 0); pthread_join(t, 0); printf(\"%d %d\\n\", seen, slow); return 0; }", p.flags...))
			cfg.Model = config.ModelSC
			for _, mode := range []string{config.RaceLimited, config.RaceOff} {
				cfg.Race = mode
				cfg.Search = "none"
				all := ran(t, cfg)
				cfg.Search = "optimal"
				few := ran(t, cfg)
				t.Logf("%s: %d executions, %d with all turns and orders", mode, few.Executions, all.Executions)
				if few.Verdict != "verified" || few.Executions > p.executions {
					t.Errorf("%s: %d executions", few.Verdict, few.Executions)
				}
				if differentOutputs(all) != differentOutputs(few) {
					t.Errorf("race %s: outputs %q, with all turns %q", mode, differentOutputs(few), differentOutputs(all))
				}
				if few.RaceCount != all.RaceCount {
					t.Errorf("%d races, with all turns %d", few.RaceCount, all.RaceCount)
				}
			}
		})
	}
}

// TestShortLoops: a loop of three turns is run turn by turn, in ten executions: the looks find any values
// that come one after the other, up to 2. With the turns as one step there is one for each value.
func TestShortLoops(t *testing.T) {
	t.Parallel()
	const looks = "static void *looks(void *a) { for (int i = 0; i < TURNS; i++) if (flag == 2) return a; return a; }\nstatic void *twice(void *a) { flag = 1; flag = 2; return a; }\n"
	for turns, want := range map[string]uint64{"3": 10, "8": 3} {
		t.Run(turns, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", countedHead+looks+"int main(void) { GO(t, looks); GO(u, twice); pthread_join(u, 0); pthread_join(t, 0); return 0; }", "-DTURNS="+turns))
			cfg.Model, cfg.Search, cfg.Race = config.ModelSC, "optimal", config.RaceOff
			if r := ran(t, cfg); r.Verdict != "verified" || r.Executions != want {
				t.Errorf("%s: %d executions, want %d", r.Verdict, r.Executions, want)
			}
		})
	}
}

// TestRest: threads that yield or sleep in a loop that nothing ends spin for ever, and the replay of that
// run says so too.
func TestRest(t *testing.T) {
	t.Parallel()
	for _, waits := range []string{"rests", "sleeps", "longer", "often"} {
		for _, level := range []string{"-O0", "-O2"} {
			t.Run(waits+level, func(t *testing.T) {
				t.Parallel()
				cfg := onProgram(compile.Text(t, "gcc", countedHead+"int main(void) { GO(t, "+waits+"); GO(u, "+waits+"); flag = 1; pthread_join(u, 0); pthread_join(t, 0); return 0; }", level))
				cfg.Model, cfg.Search = config.ModelSC, "optimal"
				found := ran(t, cfg)
				if found.Bug == nil || found.Bug.Kind != "livelock" {
					t.Fatalf("%s: %s", found.Verdict, found.Reason)
				}
				again, err := Replay(context.Background(), *cfg.For(&found.Guest, found.Bug), result.NewBugFile(found, found.Bug, cfg.For(&found.Guest, found.Bug).Saved()), nil)
				if err != nil || again.Bug == nil || again.Bug.Kind != "livelock" {
					t.Errorf("the replay ends as %s: %s (%v)", again.Verdict, again.Reason, err)
				}
			})
		}
	}
}
