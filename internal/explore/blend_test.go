package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const blendHead = heapHead + `
#include <stdatomic.h>
static atomic_int n, bits; static atomic_uint half[2]; static int seen[3]; static volatile int plain;
static pthread_barrier_t bar;
static int add(void) { return atomic_fetch_add(&n, 1); }
static void *adds(void *a) { atomic_fetch_add(&n, 1); atomic_fetch_sub(&n, 3); return a; }
static void *two(void *a) { add(); n += 2; return a; }
static void *uses(void *a) { seen[(long)a] = atomic_fetch_add(&n, 1); return a; }
static void *asks(void *a) { if (atomic_fetch_sub(&n, 1) == 1) seen[(long)a] = 1; return a; }
static void *counts(void *a) { if (atomic_fetch_add(&n, 1) == 2) seen[(long)a] = 1; return a; }
static void *frees(void *a) { plain = (int)(long)a + 1; if (atomic_fetch_sub(&n, 1) == 1) plain = 7; return a; }
static void *takes(void *a) { __asm__ goto("lock incl %0; jle %l1" : : "m"(n) : "memory", "cc" : over); asks(a); return asks(a); over: abort(); }
static void *sets(void *a) { atomic_fetch_or(&bits, 1 << (long)a); atomic_fetch_and(&bits, ~8); atomic_fetch_xor(&bits, 16); return a; }
static void *looks(void *a) { n++; seen[(long)a] = n; return a; }
static void *stores(void *a) { n++; n = 10; return a; }
static void *around(void *a) { n++; plain = (int)(long)a + 1; n++; return a; }
static void *arrives(void *a) { seen[(long)a] = 1; pthread_barrier_wait(&bar); assert(seen[0] && seen[1] && seen[2]); return a; }
static void *checks(void *a) { seen[(long)a] = 1; int r = pthread_barrier_wait(&bar); assert(r == 0 || r == PTHREAD_BARRIER_SERIAL_THREAD); assert(seen[0] && seen[1] && seen[2]); return a; }
static void *aborts(void *a) { int r = pthread_barrier_wait(&bar); if (r != 0 && r != PTHREAD_BARRIER_SERIAL_THREAD) abort(); seen[(long)a] = 1; return a; }
static void *keeps(void *a) { int r = pthread_barrier_wait(&bar); if (r > 0) abort(); seen[(long)a] = -r; return a; }
static void *serial(void *a) { if (pthread_barrier_wait(&bar)) seen[(long)a] = 1; return a; }
static void *rounds(void *a) { for (int i = 0; i < 2; i++) pthread_barrier_wait(&bar); return a; }
static void *meets(void *a) { n++; while (n != 3) ; assert(n == 3); return a; }
static void *early(void *a) { n++; while (n < 2) ; seen[(long)a] = n; return a; }
`

// TestBlends: what can't be told apart has one execution, and a program has the outcomes
// that it has with all orders, data races included.
func TestBlends(t *testing.T) {
	t.Parallel()
	for i, p := range []struct {
		name, thread, setup string
		executions          uint64 // 0: more
	}{
		{"add and subtract", "adds", "", 1},
		{"in a function", "two", "", 1},
		{"the result is used", "uses", "", 6},
		{"the last one is told apart", "asks", "n = 3;", 3},
		{"no last one", "asks", "n = -1;", 6},
		{"the last to arrive", "counts", "", 3},
		{"a data race before the last", "frees", "n = 3;", 0},
		{"a data race behind the last", "frees", "n = 2;", 0},
		{"a reference is given back", "asks", "n = 4;", 1},
		{"taken and given back", "takes", "n = 4;", 1},
		{"the last is given back by any", "takes", "n = 3;", 0},
		{"a reference too few", "takes", "n = 2;", 0},
		{"of several kinds", "sets", "", 0},
		{"a read behind it", "looks", "", 0},
		{"a write behind it", "stores", "", 0},
		{"a data race between", "around", "", 0},
		{"a barrier", "arrives", "pthread_barrier_init(&bar, 0, 3);", 1},
		{"a barrier whose result is checked", "checks", "pthread_barrier_init(&bar, 0, 3);", 1},
		{"that is checked, and the process ended", "aborts", "pthread_barrier_init(&bar, 0, 3);", 1},
		{"that is checked and kept", "keeps", "pthread_barrier_init(&bar, 0, 3);", 6},
		{"which is last at a barrier", "serial", "pthread_barrier_init(&bar, 0, 3);", 6},
		{"two rounds", "rounds", "pthread_barrier_init(&bar, 0, 3);", 1},
		{"a counter that is waited for", "meets", "", 1},
		{"a counter that goes on", "early", "", 0},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, cc := range libraries(i) {
				cfg := onProgram(compile.Text(t, cc, blendHead+"int main(void) { "+p.setup+" pthread_t u, v; GO(t, "+p.thread+"); "+
					"pthread_create(&u, 0, "+p.thread+", (void *)1); pthread_create(&v, 0, "+p.thread+", (void *)2); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); "+
					`printf("%d %d %d%d%d %d\n", n, bits, seen[0], seen[1], seen[2], plain); return 0; }`))
				cfg.Search = "optimal"
				if p.executions > 0 {
					if r := ran(t, cfg); r.Executions != p.executions || r.Blocked > 0 {
						t.Errorf("%s: %d executions, %d blocked, want %d", cc, r.Executions, r.Blocked, p.executions)
					}
				}
				for _, mode := range inTurn(i/2, config.RaceLimited, config.RaceHB) {
					cfg.Race = mode
					cfg.Search = "optimal:commute=0"
					all := ran(t, cfg)
					cfg.Search = "optimal"
					few := ran(t, cfg)
					if differentOutputs(all) != differentOutputs(few) || few.Verdict != all.Verdict {
						t.Errorf("%s: race %s: %s, outputs %q, with all orders %s, %q", cc, mode, few.Verdict, differentOutputs(few), all.Verdict, differentOutputs(all))
					}
					if few.Executions > all.Executions {
						t.Errorf("%d executions, in all orders %d", few.Executions, all.Executions)
					}
					if few.RaceCount != all.RaceCount {
						t.Errorf("%s: race %s: %d races, with all orders %d", cc, mode, few.RaceCount, all.RaceCount)
						continue
					}
					for i := range few.Races {
						if few.Races[i].Class != all.Races[i].Class {
							t.Errorf("%s: race %s: a race is %q, with all orders %q", cc, mode, few.Races[i].Class, all.Races[i].Class)
						}
					}
				}
			}
		})
	}
}

// TestCountsInLoops: references are taken and given back hundreds of times, each of them in any
// order with hundreds of another thread's. Without a first one, they may find none.
func TestCountsInLoops(t *testing.T) {
	t.Parallel()
	for first, want := range map[string]string{"n = 1;": "verified", "": "budget"} {
		cfg := onProgram(compile.Text(t, "gcc", blendHead+`
static void *loops(void *a) { for (int i = 0; i < 200; i++) { n++; asks(a); } return a; }
int main(void) { `+first+` pthread_t u; GO(t, loops); pthread_create(&u, 0, loops, (void *)1); pthread_join(t, 0); pthread_join(u, 0); return seen[0] + seen[1] > 2; }`))
		cfg.MaxExecutions = 2
		endsAs(t, cfg, want, "optimal", "source")
	}
}

// TestSides: code without optimisation keeps an addition's result, and hands it on. Its use is found by
// trying. The programs have the outputs that they have with all orders.
func TestSides(t *testing.T) {
	t.Parallel()
	const head = blendHead + `
static int drop(void) { int left = atomic_fetch_sub(&n, 1) - 1; return left == 0; }
static int kept[3];
static void *drops(void *a) { if (drop()) seen[(long)a] = 1; return a; }
static void *again(void *a) { int k = atomic_fetch_sub(&n, 1); if (k == 1) seen[(long)a] = 1; plain; if (k == 2) seen[(long)a] = 2; return a; }
static void *tells(void *a) { int k = atomic_fetch_sub(&n, 1); if (k == 1) seen[(long)a] = 1; kept[(long)a] = k; return a; }
static void *item(void *a) { int k; while ((k = n++) < 3) seen[(long)a] += k == 2; return a; }
static void *odd(void *a) { if (atomic_fetch_sub(&n, 1) & 1) seen[(long)a] = 1; return a; }
static void *turns(void *a) { for (int i = atomic_fetch_sub(&n, 1); i > 1; i--) plain = 1; return a; }
static void *variable(void *a) { if (atomic_fetch_add(&n, 1) == bits - 1) seen[(long)a] = 1; return a; }
static void *copied(void *a) { int k = n++; if (k == bits - 1) seen[(long)a] = 1; kept[(long)a] = k; return a; }
static void *pair(void *a) { int k = n++; if (k == bits - 1) seen[(long)a] = 1; if (k == plain + 2) seen[(long)a] += 2; return a; }
static void *last(void *a) { if (atomic_fetch_add(&n, 1) == 3) seen[(long)a] = 1; return a; }
static void *both(void *a) { int k = atomic_fetch_add(&n, 1); if (k == 0) seen[(long)a] = 1; if (k == 3) seen[(long)a] = 2; return a; }
static void *changes(void *a) { bits = 1; return a; }
static void *moves(void *a) { plain = -1; return a; }
static void *fails(void *a) { assert(atomic_fetch_sub(&n, 1) != 1); return a; }
`
	for i, p := range []struct {
		name, threads, setup string // one function for all, or three
		executions           uint64 // 0: not counted
	}{
		{"in a variable of a function that returns", "drops", "n = 3;", 3},
		{"read again", "again", "n = 3;", 6},
		{"kept", "tells", "n = 3;", 6},
		{"items alike but for the last", "item", "", 0},
		{"its lowest bit", "odd", "n = 3;", 6},
		{"so many turns", "turns", "n = 3;", 0},
		{"compared with a variable", "variable", "bits = 3;", 3},
		{"compared with a variable, and kept", "copied", "bits = 3;", 6},
		{"compared with two variables", "pair", "bits = 3;", 3},
		{"compared with two variables, of which one changes", "pair pair moves", "bits = 3;", 0},
		{"compared with a variable that changes", "variable variable changes", "bits = 2;", 0},
		{"the first and the last differ in one thread", "last both last", "", 0},
		{"the last one comes first", "last both last", "n = 3;", 0},
		{"the last fails", "fails", "n = 3;", 0},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			cc := libraries(i)[0]
			run := strings.Fields(p.threads)
			if len(run) == 1 {
				run = append(run, run[0], run[0])
			}
			cfg := onProgram(compile.Text(t, cc, head+"int main(void) { "+p.setup+" pthread_t u, v; GO(t, "+run[0]+"); "+
				"pthread_create(&u, 0, "+run[1]+", (void *)1); pthread_create(&v, 0, "+run[2]+", (void *)2); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); "+
				`printf("%d %d%d%d %d%d%d\n", n, seen[0], seen[1], seen[2], kept[0], kept[1], kept[2]); return 0; }`, "-O0"))
			cfg.Search = "optimal:commute=0"
			all := ran(t, cfg)
			cfg.Search = "optimal"
			few := ran(t, cfg)
			if differentOutputs(all) != differentOutputs(few) || few.Verdict != all.Verdict {
				t.Errorf("%s: %s, outputs %q, with all orders %s, %q", cc, few.Verdict, differentOutputs(few), all.Verdict, differentOutputs(all))
			}
			if few.Executions > all.Executions || p.executions > 0 && few.Executions != p.executions || few.Blocked > 0 {
				t.Errorf("%s: %d executions, %d blocked, in all orders %d", cc, few.Executions, few.Blocked, all.Executions)
			}
			t.Logf("%d executions, in all orders %d", few.Executions, all.Executions)
		})
	}
}
