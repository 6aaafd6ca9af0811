package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const countedHead = heapHead + `
#include <stdatomic.h>
#include <sched.h>
static atomic_int flag, slow, seen;
static volatile int plain;
#define PAUSE __builtin_ia32_pause()
static void *gives(void *a) { for (int i = 0; i < 10; i++) { if (flag == 2) goto out; PAUSE; } slow = 1; while (flag != 2) ; out: seen = seen * 4 + 1; return a; }
static void *yields(void *a) { for (int i = 0; i < 6; i++) { if (flag == 2) goto out; if (i > 3) sched_yield(); PAUSE; } slow = 1; out: seen = seen * 4 + 1; return a; }
static void *ends(void *a) { for (int i = 0; i < 12; i++) { if (flag == 2) return a; if (i < 6) PAUSE; else sched_yield(); } while (flag != 2) ; return a; }
static void *backs(void *a) { for (int n = 1; flag != 2; n = n < 32 ? n * 2 : n) for (int i = 0; i < n; i++) PAUSE; seen = seen * 4 + 1; return a; }
static void *keeps(void *a) { int i = 0; while (i < 3 && flag != 2) i++; seen = seen * 8 + i; return a; }
static void *adds(void *a) { int n = 0; for (int i = 0; i < 3; i++) n += flag; seen = seen * 16 + n; return a; }
static void *takes(void *a) { for (int i = 0; i < 5; i++) { int e = 2; if (atomic_compare_exchange_strong(&flag, &e, 5)) goto out; PAUSE; } slow = 1; out: seen = seen * 4 + 1; return a; }
static void *plainly(void *a) { for (int i = 0; i < 8; i++) { if (plain == 2) goto out; PAUSE; } slow = 1; out: seen = seen * 4 + 1; return a; }
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
		{"ends behind it", "ends", "sets", 8, nil},
		{"backs off", "backs", "sets", 4, nil},
		{"keeps the count", "keeps", "sets", 1 << 20, nil},
		{"adds what it finds", "adds", "sets", 1 << 20, nil},
		{"takes a value", "takes", "sets", 16, nil},
		{"a data race", "plainly", "writes", 16, nil},
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
