package explore

import (
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const assumeHead = `
#include <stdatomic.h>
#include <semaphore.h>
#include <stdio.h>
#include <time.h>
#define GO(t, f) pthread_t t; pthread_create(&t, 0, f, 0)
#define ALL GO(t, one); GO(u, two); pthread_join(t, 0); pthread_join(u, 0)
static atomic_int a, b, c, seen;
static int plain, *shown;
static sem_t sem;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *counts(void *p) { for (int i = 2; i < 30; i++) a = i; a = 1; b = 1; return p; }
static void *sets(void *p) { a = 1; b = 1; return p; }
static void *sets2(void *p) { a = 2; return p; }
static void *locks(void *p) { pthread_mutex_lock(&m); a = 1; pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return p; }
static void *shows(void *p) { while (!shown) ; assert(*(volatile int *)shown != 7); a = 3; return p; }
static void *plains(void *p) { *(volatile int *)&plain = 1; return p; }
static void *timed(void *p) { struct timespec t = {1L << 40, 0}; if (sem_timedwait(&sem, &t)) assert(a != 1); return p; }
`

// assumeRow is a program of two threads and main.
type assumeRow struct {
	name, code, main, verdict string
	executions, away          uint64 // of optimal; 0: not asked
	warned                    bool
}

// TestAssumeAwaits: reads behind which an assumption fails aren't run. Verdicts, outputs and races are those of a search
// that runs them.
func TestAssumeAwaits(t *testing.T) {
	t.Parallel()
	const one = "static void *one(void *p) "
	for _, p := range []assumeRow{
		{"a value", one + "{ landgo_assume(atomic_load(&a) == 1); c = 1; return p; }", "GO(t, one); GO(u, counts); pthread_join(t, 0); pthread_join(u, 0);", "verified", 1, 0, false},
		{"two values", one + "{ landgo_assume(atomic_load(&b) == 1 && atomic_load(&a) == 1); c = 1; return p; }", "GO(t, one); GO(u, counts); pthread_join(t, 0); pthread_join(u, 0);", "verified", 1, 0, false},
		{"a sum", one + "{ int p1 = a, p2 = b; landgo_assume(p1 + p2 == 2); return p; }", "GO(t, one); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, 1, false},
		{"a value that goes away", one + "{ landgo_assume(atomic_load(&a) == 1); seen = b; return p; }", "GO(t, one); GO(u, sets); GO(v, sets2); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, 0, false},
		{"a value that never comes", one + "{ landgo_assume(atomic_load(&a) == 77); return p; }", "GO(t, one); GO(u, counts); pthread_join(t, 0); pthread_join(u, 0);", "verified", 1, 1, true},
		{"the end comes before", one + "{ landgo_assume(atomic_load(&a) == 77); return p; }", "GO(t, one); GO(u, sets);", "verified", 0, 0, false},
		{"an exchange", one + "{ landgo_assume(!atomic_exchange(&a, 1)); c++; a = 0; return p; }", "GO(t, one); GO(u, one); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, 0, false},
		{"a compare-and-exchange", one + "{ int z = 0; landgo_assume(atomic_compare_exchange_strong(&a, &z, 1)); c++; a = 0; return p; }", "GO(t, one); GO(u, one); pthread_join(t, 0); pthread_join(u, 0);", "verified", 2, 0, false},
		{"an addition", one + "{ landgo_assume(atomic_fetch_add(&a, 1) == 1); c++; return p; }", "GO(t, one); GO(u, one); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, 0, true},
		{"under a lock", one + "{ pthread_mutex_lock(&m); landgo_assume(a); pthread_mutex_unlock(&m); return p; }", "GO(t, one); GO(u, locks); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, 0, false},
		{"behind a loop", one + "{ while (!b) ; landgo_assume(atomic_load(&a) == 1); return p; }", "GO(t, one); GO(u, sets); GO(v, sets2); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, 0, false},
		{"of a loop", one + "{ while (atomic_load(&a) != 1) landgo_assume(atomic_load(&a) != 2); return p; }", "GO(t, one); GO(u, sets); GO(v, sets2); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, 0, false},
		{"one deadlocks", one + "{ pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); landgo_assume(atomic_load(&b) == 1); return p; }", "GO(t, one); GO(u, locks); pthread_join(t, 0); pthread_join(u, 0);", "deadlock", 0, 0, false},
		{"one waits for what never comes", one + "{ landgo_assume(atomic_load(&a) == 1); return p; }", "GO(t, one); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0); sem_wait(&sem);", "deadlock", 0, 0, false},
		{"an error of another thread", one + "{ landgo_assume(atomic_load(&b) == 77); return p; }", "GO(t, one); GO(u, sets); assert(!a); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0, 0, false},
		{"an error behind it", one + "{ landgo_assume(atomic_load(&a) == 1); assert(b); return p; }", "GO(t, one); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0, 0, false},
		{"what it keeps is seen", one + "{ volatile int v = 7; shown = (int *)&v; landgo_assume((v = atomic_load(&a)) == 3); return p; }", "GO(t, one); GO(u, shows); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0, 0, false},
		{"a race", one + "{ landgo_assume(*(volatile int *)&plain); return p; }", "GO(t, one); GO(u, plains); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, 0, false},
		{"a wait runs out", one + "{ landgo_assume(atomic_load(&b) == 1); sem_post(&sem); return p; }", "GO(t, one); GO(u, timed); GO(v, sets); GO(w, sets2); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0); pthread_join(w, 0);", "assertion", 0, 0, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []string{"-O0", "-O1", "-O2"} {
				cfg := onProgram(choiceProgram(t, assumeHead+p.code+"\nint main(void) { (void)locks; (void)shows; "+p.main+" printf(\"%d %d %d %d\\n\", a, b, c, seen); return 0; }", level))
				cfg.Deepen = false
				p.judge(t, cfg, level)
			}
		})
	}
}

func (p *assumeRow) judge(t *testing.T, cfg config.Config, level string) {
	if p.verdict != "verified" {
		endsAs(t, cfg, p.verdict, "none", "sleep", "source", "optimal", "trust")
		return
	}
	for _, mode := range []string{config.RaceLimited, config.RaceOff} {
		cfg.Race, cfg.Search = mode, "sleep:commute=0"
		all := ran(t, cfg)
		for _, cfg.Search = range []string{"none", "dpor", "source", "trust", "optimal"} {
			few := ran(t, cfg)
			if got := ended(few); got != p.verdict {
				t.Errorf("%s %s: %s (%s), want %s", level, cfg.Search, got, few.Reason, p.verdict)
			}
			if differentOutputs(all) != differentOutputs(few) {
				t.Errorf("%s %s: outputs %q, with all reads %q", level, cfg.Search, differentOutputs(few), differentOutputs(all))
			}
			if few.RaceCount != all.RaceCount {
				t.Errorf("%s %s: %d races, with all reads %d", level, cfg.Search, few.RaceCount, all.RaceCount)
			}
			warned := false
			for _, w := range few.Warnings {
				warned = warned || w.Code == result.AssumedAway
			}
			if warned != p.warned {
				t.Errorf("%s %s: assumed away: %v", level, cfg.Search, few.Warnings)
			}
		}
		if few := ran(t, cfg); p.executions > 0 && (few.Executions != p.executions || few.AssumedAway != p.away || few.Blocked > 0) {
			t.Errorf("%s: %d executions, %d blocked, %d assumed away, want %d, %d", level, few.Executions, few.Blocked, few.AssumedAway, p.executions, p.away)
		}
	}
}
