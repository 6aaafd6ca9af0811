package explore

import (
	"context"
	"math/rand/v2"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const alikeHead = heapHead + `
#include <stdatomic.h>
#include <stdint.h>
static atomic_int n; static volatile int x, y, seen[3]; static volatile uintptr_t where; static __thread volatile int own;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, l = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER; static pthread_barrier_t bar; static volatile pthread_t t, u, v;
static int next(void) { int k = x; x = k + 1; return k; }
static void *locks(void *a) { pthread_mutex_lock(&m); x++; pthread_mutex_unlock(&m); return a; }
static void *reads(void *a) { int k = x; (void)k; return a; }
static void *writes(void *a) { x = 1; return a; }
static void *races(void *a) { int k = x; x = k + 1; return a; }
static void *calls(void *a) { y += next(); return a; }
static void *twice(void *a) { for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); x = x * 3 + i; pthread_mutex_unlock(&m); } return a; }
static void *tries(void *a) { if (!pthread_mutex_trylock(&m)) { x++; pthread_mutex_unlock(&m); } else y++; return a; }
static void *awaits(void *a) { int k = n++; while (y != k) ; x = x * 2 + k; y = k + 1; return a; }
static void *waits(void *a) { pthread_mutex_lock(&m); if (++x < 3) { while (x < 3) pthread_cond_wait(&cond, &m); } else pthread_cond_broadcast(&cond); y++; pthread_mutex_unlock(&m); return a; }
static void *meets(void *a) { if (pthread_barrier_wait(&bar)) x++; y = y * 2 + 1; return a; }
static void *fails(void *a) { int k = x; x = k + 1; assert(k == 0 || y == 0); y = k; return a; }
static void *hangs(void *a) { pthread_mutex_lock(&m); if (x++ == 1) pthread_mutex_lock(&l); pthread_mutex_unlock(&m); return a; }
static void *local(void *a) { int k = x; where = (uintptr_t)&k; x = k + 1; return a; }
static void *hides(void *a) { volatile int k; uintptr_t p = (uintptr_t)&k; if (p >> 12 & 1) x++; else x *= 2; return a; }
static void *named(void *a) { x += pthread_self() == t ? 1 : 10; return a; }
static void *lonely(void *a) { own++; where = (uintptr_t)&own; return a; }
static void *owns(void *a) { pthread_mutex_lock(&m); x += m.__data.__owner; pthread_mutex_unlock(&m); return a; }
static void *peeks(void *a) { if (n++ == 0) x = *(volatile int *)(t - 4096) + 1; return a; }
static void *pokes(void *a) { if (n++ == 0) *(volatile int *)(t - 64) = 1; x++; return a; }
static void *returns(void *a) { return a + x++; }
static void *prints(void *a) { printf("%d", x++); return a; }
`

const (
	threeAlike = "pthread_create((pthread_t *)&t, 0, THREAD, 0); pthread_create((pthread_t *)&u, 0, THREAD, 0); pthread_create((pthread_t *)&v, 0, THREAD, 0); "
	joinsAlike = "pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); "
)

// TestAlike: programs have the outcomes that they have in all orders, with fewer executions where
// threads are alike, and with as many where something tells them apart.
func TestAlike(t *testing.T) {
	t.Parallel()
	all := threeAlike + joinsAlike
	for i, p := range []struct {
		name, thread, body string
		alike              bool
	}{
		{"a lock", "locks", all, true},
		{"a data race", "races", all, true},
		{"a function", "calls", all, true},
		{"two locks each", "twice", all, true},
		{"tries", "tries", all, true},
		{"a loop that waits", "awaits", all, true},
		{"a condition variable", "waits", all, true},
		{"a barrier", "meets", all, true},
		{"a failure", "fails", all, true},
		{"a deadlock", "hangs", "pthread_mutex_lock(&l); " + all, false},
		{"work before the joins", "races", threeAlike + "x = 7; " + joinsAlike, true},
		{"no joins", "locks", threeAlike, true},
		{"one that isn't one of them", "races", "GO(other, locks); " + all + "pthread_join(other, 0);", true},
		{"a place that escapes", "local", all, false},
		{"a place that is computed with", "hides", all, false},
		{"its own number", "named", all, false},
		{"its own variable", "lonely", all, false},
		{"the owner of a lock", "owns", all, false},
		{"the owner of a lock, for another thread", "locks", threeAlike + "seen[0] = m.__data.__owner; " + joinsAlike, false},
		{"another's stack", "peeks", all, false},
		{"another's stack written", "pokes", all, false},
		{"another's stack, from outside", "races", threeAlike + "seen[0] = *(volatile int *)(u - 4096) == 1; " + joinsAlike, false},
		{"output", "prints", all, false},
		{"work between the joins", "races", threeAlike + "pthread_join(t, 0); seen[0] = x; pthread_join(u, 0); pthread_join(v, 0);", false},
		{"one that isn't joined", "races", threeAlike + "pthread_join(t, 0); pthread_join(u, 0); seen[0] = x;", false},
		{"results", "returns", threeAlike + "void *r; pthread_join(t, &r); seen[0] = (long)r; pthread_join(u, 0); pthread_join(v, 0);", false},
		{"one is asked for", "races", threeAlike + "seen[0] = pthread_tryjoin_np(u, 0); pthread_join(t, 0); pthread_join(v, 0);", false},
		{"one is let go", "races", threeAlike + "pthread_detach(t); " + "pthread_join(u, 0); pthread_join(v, 0);", false},
		{"work between the creations", "races", "pthread_create((pthread_t *)&t, 0, THREAD, 0); x++; pthread_create((pthread_t *)&u, 0, THREAD, 0); pthread_join(t, 0); pthread_join(u, 0);", false},
		{"arguments", "races", "pthread_create((pthread_t *)&t, 0, THREAD, 0); pthread_create((pthread_t *)&u, 0, THREAD, (void *)&u); pthread_join(t, 0); pthread_join(u, 0);", false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, flags := range inTurn(i, "-O0", "-O2") {
				comesToAll(t, alikeProgram(p.thread, p.body), flags, func(r *result.Result) {
					if got := len(alikeIn(r)) > 0; got != p.alike {
						t.Errorf("%s: interchangeable: %v, want %v: %q", flags, got, p.alike, r.Certificate.Assumptions)
					}
				})
			}
		})
	}
}

func alikeProgram(thread, body string) string {
	return alikeHead + "#define THREAD " + thread + "\nint main(void) { " + body + ` printf("%d %d %d %d %d\n", x, y, n, seen[0] != 0, own); return 0; }`
}

// TestAlikeCounts: of the orders in which threads begin that are alike, one is run.
func TestAlikeCounts(t *testing.T) {
	t.Parallel()
	for _, p := range []struct {
		thread, body string
		all, few     uint64
	}{
		{"locks", threeAlike + joinsAlike, 6, 1},
		{"reads", "GO(other, writes); " + threeAlike + joinsAlike + "pthread_join(other, 0);", 8, 4}, // how many read before the write
	} {
		for search, want := range map[string]uint64{"optimal": p.all, "optimal:symmetry=1": p.few} {
			cfg := onProgram(compile.Text(t, "gcc", alikeProgram(p.thread, p.body), "-O1"))
			cfg.Model, cfg.Search = config.ModelSC, search
			if r := ran(t, cfg); r.Verdict != result.Verified || r.Executions != want || r.Blocked > 0 {
				t.Errorf("%s of %s: %s, %d executions, %d blocked, want %d", search, p.thread, r.Verdict, r.Executions, r.Blocked, want)
			}
		}
	}
}

// TestAlikeRaces: data races are listed from the steps of the search that found them, in which loops
// that count were run turn by turn.
func TestAlikeRaces(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
#include <stdio.h>
static struct { volatile int x, y; } both;
static int seen;
static void *spins(void *p) { for (int i = 0; i < 20 && !both.x; i++); seen = both.y; return p; }
static void *writes(void *p) { *(volatile char *)&both.y = 2; return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, spins, 0); pthread_create(&u, 0, writes, 0); pthread_join(t, 0); pthread_join(u, 0); printf("%d\n", seen); return 0; }
`
	for _, search := range []string{"optimal:symmetry=1", "source:symmetry=1", "optimal"} {
		cfg := onProgram(compile.Text(t, "gcc", program, "-O1"))
		cfg.Model, cfg.Search, cfg.Deepen, cfg.PP = config.ModelSC, search, false, trace.MemPoints
		if r, err := Run(context.Background(), cfg, nil); err != nil || r.Verdict != result.Verified || r.RaceCount != 1 || r.Executions != 2 {
			t.Errorf("%s: %v, %+v", search, err, r)
		}
	}
}

// alikeIn are the lines of a certificate that say which threads are interchangeable.
func alikeIn(r *result.Result) (lines []string) {
	for _, line := range r.Certificate.Assumptions {
		if strings.Contains(line, "are interchangeable") {
			lines = append(lines, line)
		}
	}
	return lines
}

// comesToAll compares a program's outputs, verdict and races with those of all orders.
func comesToAll(t *testing.T, source, flags string, check func(few *result.Result)) {
	t.Helper()
	cfg := onProgram(compile.Text(t, "gcc", source, flags))
	cfg.Model = config.ModelSC
	for _, mode := range []string{config.RaceOff, config.RaceHB} {
		cfg.Race = mode
		cfg.Search = "optimal"
		all := ran(t, cfg)
		cfg.Search = "optimal:symmetry=1"
		few := ran(t, cfg)
		if few.Verdict != all.Verdict || few.Verdict == result.Verified && differentOutputs(few) != differentOutputs(all) || few.RaceCount != all.RaceCount {
			t.Errorf("%s: race %s: %s, outputs %q, %d races; in all orders %s, %q, %d\n%s", flags, mode, few.Verdict, differentOutputs(few), few.RaceCount, all.Verdict, differentOutputs(all), all.RaceCount, source)
		}
		if few.Verdict == result.Verified && (few.Executions > all.Executions || len(alikeIn(few)) == 0 && few.Executions < all.Executions) {
			t.Errorf("%s: %d executions, interchangeable: %v; in all orders %d", flags, few.Executions, alikeIn(few), all.Executions)
		}
		check(few)
	}
}

// TestAlikeRandom: so do programs of random threads.
func TestAlikeRandom(t *testing.T) {
	t.Parallel()
	parts := []string{
		"x++;", "y = x + 1;", "if (x > y) y++; else x += 2;", "pthread_mutex_lock(&m); x = x * 2 + 1; pthread_mutex_unlock(&m);",
		"pthread_mutex_lock(&m); y += x; pthread_mutex_unlock(&m);", "n++;", "x = atomic_fetch_add(&n, 1);", "if (!pthread_mutex_trylock(&l)) { y = x; pthread_mutex_unlock(&l); }",
		"assert(x < 5);", "sched_yield();", "next();", "pthread_barrier_wait(&bar);",
	}
	some := 0
	for i := range 6 {
		r := rand.New(rand.NewPCG(uint64(i), 23))
		draw := func(k int) (code string) {
			for range k {
				code += parts[r.IntN(len(parts))] + " "
			}
			return code
		}
		source := alikeHead + "static void *same(void *a) { " + draw(1+r.IntN(2)) + "return a; }\n" +
			"int main(void) { pthread_barrier_init(&bar, 0, 2); pthread_create((pthread_t *)&t, 0, same, 0); pthread_create((pthread_t *)&u, 0, same, 0); " +
			draw(r.IntN(2)) + "pthread_join(t, 0); " + draw(r.IntN(4)/3) + `pthread_join(u, 0); printf("%d %d %d\n", x, y, n); return 0; }` + "\n"
		comesToAll(t, source, []string{"-O0", "-O1", "-O2"}[i%3], func(r *result.Result) { some += len(alikeIn(r)) })
	}
	if some == 0 {
		t.Error("none had threads that are alike")
	}
}
