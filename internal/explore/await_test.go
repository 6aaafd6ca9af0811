package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const awaitHead = heapHead + `
#include <stdatomic.h>
static atomic_int next, serving, lock, flag, seen;
static volatile int plain;
static int in, count;
static void *ticket(void *a) { int me = next++; while (serving != me) ; assert(!in++); count++; in--; serving = me + 1; return a; }
static void *swap(void *a) { while (atomic_exchange(&lock, 1)) ; assert(!in++); count++; in--; lock = 0; return a; }
static void *exchange(void *a) { int e; do e = 0; while (!atomic_compare_exchange_strong(&lock, &e, 1)); assert(!in++); count++; in--; lock = 0; return a; }
static void *waits(void *a) { while (flag != 2) ; seen = seen * 4 + 1; return a; }
static void *sets(void *a) { flag = 1; flag = 2; flag = 3; seen = seen * 4 + 2; return a; }
static void *halves(void *a) { *(volatile short *)&flag = 2; flag = 3; seen = seen * 4 + 2; return a; }
static void *again(void *a) { while (!plain) ; seen = 1; return a; }
static void *once(void *a) { plain = 1; return a; }
static sem_t sem;
static void *timed(void *a) { int f = flag; struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++; while (atomic_exchange(&lock, 1)) ; assert(sem_timedwait(&sem, &t) == 0 || !f); lock = 0; return a; }
static void *meets(void *a) { int mine = 0; for (int i = 0; i < 2; i++) { mine = !mine; if (next++ == 2) { next = 0; flag = mine; } else while (flag != mine) ; } return a; }
static void *raises(void *a) { flag = 1; return a; }
`

// TestAwaits: a lock of the program's own has as many executions as orders of its sections.
// Without its polls a program has the same ends as with all of them.
func TestAwaits(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		name, main, verdict string
		executions          uint64 // 0: not by a formula
	}{
		{"tickets", "GO(t, ticket); GO(u, ticket); GO(v, ticket); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); assert(count == 3);", "verified", 6},
		{"test and set", "GO(t, swap); GO(u, swap); GO(v, swap); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); assert(count == 3);", "verified", 6},
		{"compare and exchange", "GO(t, exchange); GO(u, exchange); pthread_join(t, 0); pthread_join(u, 0); assert(count == 2);", "verified", 2},
		{"a barrier, twice", "GO(t, meets); GO(u, meets); GO(v, meets); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 9},
		{"a value that passes", "GO(t, waits); GO(u, sets); pthread_join(u, 0); flag = 2; pthread_join(t, 0); printf(\"%d\\n\", seen);", "verified", 0},
		{"a value that stays away", "GO(t, waits); GO(u, sets); pthread_join(u, 0); pthread_join(t, 0);", "livelock", 0},
		{"a value in parts", "GO(t, waits); GO(u, halves); pthread_join(u, 0); flag = 2; pthread_join(t, 0); printf(\"%d\\n\", seen);", "verified", 0},
		{"a wait that runs out meanwhile", "sem_init(&sem, 0, 0); GO(t, timed); GO(u, swap); GO(v, raises); pthread_join(v, 0); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0},
		{"a data race", "GO(t, again); GO(u, once); pthread_join(t, 0); pthread_join(u, 0); printf(\"%d\\n\", seen);", "verified", 0},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			var flags []string
			if strings.Contains(p.main, "timed") {
				flags = append(flags, "-O1") // else what is found first is kept on the stack: a poll is run
			}
			cfg := onProgram(compile.Text(t, "gcc", awaitHead+"int main(void) { "+p.main+" return 0; }", flags...))
			endsAs(t, cfg, p.verdict, "optimal", "source")
			if p.verdict != "verified" {
				return
			}
			if p.executions > 0 {
				cfg.Search = "optimal"
				if r := ran(t, cfg); r.Executions != p.executions || r.Blocked > 0 {
					t.Errorf("%d executions, %d blocked, want %d", r.Executions, r.Blocked, p.executions)
				}
				return
			}
			for _, mode := range []string{config.RaceLimited, config.RaceOff} {
				cfg.Race = mode
				cfg.Search = "none"
				all := ran(t, cfg)
				cfg.Search = "optimal"
				few := ran(t, cfg)
				if differentOutputs(all) != differentOutputs(few) {
					t.Errorf("race %s: outputs %q, with all polls %q", mode, differentOutputs(few), differentOutputs(all))
				}
				if few.RaceCount != all.RaceCount {
					t.Errorf("%d races, with all polls %d", few.RaceCount, all.RaceCount)
				}
				for i := range few.Races {
					if few.Races[i].Class != all.Races[i].Class {
						t.Errorf("a race is %q, with all polls %q", few.Races[i].Class, all.Races[i].Class)
					}
				}
			}
		})
	}
}

func ran(t *testing.T, cfg config.Config) *result.Result {
	t.Helper()
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func differentOutputs(r *result.Result) string {
	texts, _ := outputsOf(r)
	slices.Sort(texts)
	return strings.Join(texts, "")
}
