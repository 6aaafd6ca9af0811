package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const backoutHead = heapHead + `
#include <stdatomic.h>
#include <stdio.h>
enum { all = 0x1000 };
static atomic_int l = all, seen;
static int data, plain = all;
static void rlock(void) { int v = atomic_fetch_sub(&l, 1); while (v <= 0) { atomic_fetch_add(&l, 1); while (atomic_load(&l) <= 0) ; v = atomic_fetch_sub(&l, 1); } }
static void wlock(void) { int v = atomic_fetch_sub(&l, all); while (v != all) { atomic_fetch_add(&l, all); while (atomic_load(&l) != all) ; v = atomic_fetch_sub(&l, all); } }
static void *rd(void *a) { rlock(); int d = data; atomic_fetch_add(&l, 1); atomic_fetch_add(&seen, d); return a; }
static void *wr(void *a) { wlock(); data++; atomic_fetch_add(&l, all); return a; }
static void *leaves(void *a) { wlock(); data++; return a; }
static void *tries(void *a) { if (atomic_fetch_sub(&l, all) == all) data++; else seen += 8; atomic_fetch_add(&l, all); return a; }
static void *looks(void *a) { if (atomic_load(&l) < 0) seen += 16; return a; }
static void *half(void *a) { short s = *(volatile short *)&l; if (s == 1) seen += 32; return a; }
static void *old(void *a) {
	while (__atomic_fetch_sub(&plain, all, __ATOMIC_SEQ_CST) != all) {
		__atomic_fetch_add(&plain, all, __ATOMIC_SEQ_CST);
		while (*(volatile int *)&plain != all) ;
	}
	data++;
	__atomic_fetch_add(&plain, all, __ATOMIC_SEQ_CST);
	return a;
}
static sem_t sem;
static void *timed(void *a) { int f = seen; struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++; wlock(); assert(sem_timedwait(&sem, &t) == 0 || !f); atomic_fetch_add(&l, all); return a; }
static void *raises(void *a) { seen = 1; return a; }
static void *greedy(void *a) { while (atomic_fetch_sub(&l, all) != all) atomic_fetch_add(&l, all); data++; atomic_fetch_add(&l, all); return a; }
static inline __attribute__((always_inline)) void slower(int most) {
	int n = 0;
	while (atomic_fetch_sub(&l, all) != all) { atomic_fetch_add(&l, all); for (int i = 0; i < 1 << n; i++) __asm__ volatile(""); if (n < most) n++; while (atomic_load(&l) != all) ; }
	data++; atomic_fetch_add(&l, all);
}
static void *slow(void *a) { slower(4); return a; }
static void *slowest(void *a) { slower(18); return a; }
static void *late(void *a) { int v = atomic_fetch_sub(&l, 1); while (v <= 0) { atomic_fetch_add(&l, 1); while (atomic_load(&l) != all) ; v = atomic_fetch_sub(&l, 1); } atomic_fetch_add(&l, 1); return a; }
static void *keeps(void *a) { int v = atomic_fetch_sub(&l, 1); while (v <= 0) { atomic_fetch_add(&l, 1); while (atomic_load(&l) <= 0) ; v = atomic_fetch_sub(&l, 1); } atomic_fetch_add(&l, 1); seen += 64 * (v & 15); return a; }
static void *yields(void *a) { while (atomic_fetch_sub(&l, all) != all) { atomic_fetch_add(&l, all); while (atomic_load(&l) != all) sched_yield(); } data++; atomic_fetch_add(&l, all); return a; }
static void *tally(void *a) { int n = 0; while (atomic_fetch_sub(&l, all) != all) { atomic_fetch_add(&l, all); n = 1; while (atomic_load(&l) != all) ; } atomic_fetch_add(&l, all); seen += 1024 * n; return a; }
static atomic_bool lock;
static void *swaps(void *a) { for (;;) { if (!atomic_exchange(&lock, 1)) break; while (lock) ; } data++; lock = 0; return a; }
static __attribute__((noinline)) int ordered(int o) { volatile int k = o & 0xffff; return k != 3; }
static __attribute__((noinline)) int taken(atomic_bool *p) { return atomic_exchange(p, 1); }
static __attribute__((noinline)) int held(atomic_bool *p, int o) { if (!ordered(o)) abort(); return atomic_load(p); }
static void *calls(void *a) { for (;;) { if (!taken(&lock)) break; while (held(&lock, 0)) ; } data++; lock = 0; return a; }
static void *twice(void *a) { for (int n = 0; n < 2; n++) { if (atomic_fetch_sub(&l, all) == all) { data++; atomic_fetch_add(&l, all); return a; } atomic_fetch_add(&l, all); while (atomic_load(&l) != all) ; } seen += 4096; return a; }
static void *recalls(void *a) { int v, w = 0; while ((v = atomic_fetch_sub(&l, all)) != all) { w = v + 5; atomic_fetch_add(&l, all); while (atomic_load(&l) != all) ; } data++; atomic_fetch_add(&l, all); seen += 2048 * (w != 0); return a; }
`

// TestBackOut: tries of a reader-writer lock that fail aren't run where nothing tells them. The
// counts are those of the orders in which threads take the lock and give it back.
func TestBackOut(t *testing.T) {
	t.Parallel()
	for _, p := range []triesRow{
		{"two writers", "GO(t, wr); GO(u, wr); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, false},
		{"two writers and a reader", "GO(t, wr); GO(u, wr); GO(v, rd); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 6, false},
		{"a writer and two readers", "GO(t, wr); GO(u, rd); GO(v, rd); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 14, false},
		{"it tries once", "GO(t, wr); GO(u, wr); GO(v, tries); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"another looks", "GO(t, wr); GO(u, wr); GO(v, looks); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"at a half of it", "GO(t, wr); GO(u, wr); GO(v, half); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"it waits for longer", "GO(t, wr); GO(u, rd); GO(v, late); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"it keeps what it found", "GO(t, wr); GO(u, rd); GO(v, keeps); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"it yields", "GO(t, yields); GO(u, yields); GO(v, rd); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 6, false},
		{"it counts its tries", "GO(t, wr); GO(u, tally); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"it exchanges", "GO(t, swaps); GO(u, swaps); GO(v, swaps); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 6, false},
		{"in functions", "GO(t, calls); GO(u, calls); GO(v, calls); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 6, false},
		{"it tries twice", "GO(t, wr); GO(u, wr); GO(v, twice); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"it recalls what it found last", "GO(t, wr); GO(u, recalls); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"of a variable that isn't declared atomic", "GO(t, old); GO(u, old); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, false},
		{"it doesn't wait", "GO(t, wr); GO(u, greedy); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, false},
		{"it waits for longer each time", "GO(t, wr); GO(u, slow); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, true},
		{"that is too long to look at", "GO(t, wr); GO(u, slowest); pthread_join(t, 0); pthread_join(u, 0);", "verified", 6, false},
		{"a wait that runs out meanwhile", "sem_init(&sem, 0, 0); GO(t, timed); GO(u, wr); GO(v, raises); pthread_join(v, 0); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0, false},
		{"it isn't given back", "GO(t, leaves); GO(u, wr); pthread_join(t, 0); pthread_join(u, 0);", "livelock", 0, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []string{"-O0", "-O1"} {
				if p.counts && level == "-O0" {
					p.executions = 0 // what counts is in the stack, beside what was found
				}
				p.judge(t, onProgram(compile.Text(t, "gcc", backoutHead+"int main(void) { "+p.main+" printf(\"%d %d\\n\", data, seen); return 0; }", level)), level)
			}
		})
	}
}

// triesRow is a program whose threads back out.
type triesRow struct {
	name, main, verdict string
	executions          uint64 // 0: not by a formula
	counts              bool   // it counts its tries, up to a limit
}

// judge compares it with all tries run.
func (p *triesRow) judge(t *testing.T, cfg config.Config, level string) {
	cfg.Race = config.RaceOff
	if p.verdict != "verified" {
		endsAs(t, cfg, p.verdict, "optimal", "source", "trust")
		return
	}
	cfg.Search = "sleep"
	all := ran(t, cfg)
	if strings.Contains(p.main, "old") {
		raceOfTries(t, cfg)
	}
	for _, cfg.Search = range []string{"optimal", "source", "trust"} {
		few := ran(t, cfg)
		if got := ended(few); got != p.verdict {
			t.Errorf("%s %s: %s (%s), want %s", level, cfg.Search, got, few.Reason, p.verdict)
		}
		if differentOutputs(all) != differentOutputs(few) {
			t.Errorf("%s %s: outputs %q, with all tries %q", level, cfg.Search, differentOutputs(few), differentOutputs(all))
		}
		if p.executions > 0 && cfg.Search != "trust" && (few.Executions != p.executions || few.Executions+few.Blocked > max(p.executions, all.Executions/2)) || p.executions == 0 && few.Executions < all.Executions/5 {
			t.Errorf("%s %s: %d executions, %d blocked, want %d of %d", level, cfg.Search, few.Executions, few.Blocked, p.executions, all.Executions)
		}
	}
}

// raceOfTries: a race on the word of the tries is described with tries that fail.
func raceOfTries(t *testing.T, cfg config.Config) {
	cfg.Race, cfg.Search = config.RaceLimited, "sleep"
	all := ran(t, cfg)
	if cfg.Search = "optimal"; all.RaceCount == 0 || ran(t, cfg).RaceCount != all.RaceCount {
		t.Errorf("with all tries %d races, not as many without", all.RaceCount)
	}
}
