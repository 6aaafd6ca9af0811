package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const parkHead = heapHead + `
#include <stdatomic.h>
#include <sched.h>
static atomic_int x, y, z, seq, flag[2], turn;
static int plain, data[2], sum;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static void *both(void *a) { while (!(atomic_load(&x) && atomic_load(&y))) ; return a; }
static void *either(void *a) { while (!atomic_load(&x) && !atomic_load(&y)) ; z = 1; return a; }
static void *sets(void *a) { x = 1; y = 1; return a; }
static void *setsX(void *a) { x = 1; return a; }
static void *setsY(void *a) { y = 1; return a; }
static void *clears(void *a) { x = 1; x = 0; y = 1; x = 1; return a; }
static void *checks(void *a) { for (;;) { pthread_mutex_lock(&lock); int v = plain; pthread_mutex_unlock(&lock); if (v == 2) break; } return a; }
static void *fills(void *a) { pthread_mutex_lock(&lock); plain++; pthread_mutex_unlock(&lock); return a; }
static void *tries(void *a) { for (;;) { pthread_mutex_lock(&lock); if (plain) break; pthread_mutex_unlock(&lock); } plain = 7; pthread_mutex_unlock(&lock); return a; }
static void *looks(void *a) { int v = pthread_mutex_trylock(&lock); if (!v) pthread_mutex_unlock(&lock); sum = v; return a; }
static void *reads(void *a) { int s, p, q; do { while ((s = atomic_load(&seq)) & 1) ; p = *(volatile int *)&data[0]; q = *(volatile int *)&data[1]; } while (atomic_load(&seq) != s); assert(p == q); sum = p; return a; }
static void *writes(void *a) { atomic_fetch_add(&seq, 1); *(volatile int *)&data[0] = 1; *(volatile int *)&data[1] = 1; atomic_fetch_add(&seq, 1); return a; }
static void *torn(void *a) { *(volatile int *)&data[0] = 1; atomic_fetch_add(&seq, 2); *(volatile int *)&data[1] = 1; return a; }
static void *peterson(void *a) { int me = a != 0; flag[me] = 1; turn = !me; while (atomic_load(&flag[!me]) && atomic_load(&turn) == !me) ; sum++; flag[me] = 0; return a; }
static void *cases(void *a) { int r; do { r = 2; if (atomic_compare_exchange_strong(&x, &r, 5)) break; r = 2; } while (!atomic_compare_exchange_strong(&y, &r, 5)); return a; }
static void *counts(void *a) { x = 1; x = 2; y = 1; y = 2; return a; }
static void *ors(void *a) { do atomic_fetch_or(&z, 1); while (!(atomic_load(&x) && atomic_load(&y))); return a; }
static void *orsToo(void *a) { atomic_fetch_or(&z, 1); x = 1; y = 1; return a; }
static void *stores(void *a) { do z = 1; while (!(atomic_load(&x) && atomic_load(&y))); return a; }
static void *resets(void *a) { z = 0; x = 1; y = 1; return a; }
static void *yields(void *a) { while (!(atomic_load(&x) && atomic_load(&y))) sched_yield(); return a; }
static void *fails(void *a) { while (!(atomic_load(&x) && atomic_load(&y))) ; assert(!sum); return a; }
static void *sums(void *a) { x = 1; sum = 1; y = 1; return a; }
static void *never(void *a) { while (!(atomic_load(&x) && atomic_load(&z))) ; return a; }
static void *mutual(void *a) { while (!(atomic_load(&x) && atomic_load(&y))) ; z = 1; return a; }
static void *waits(void *a) { struct timespec t = {1, 0}; pthread_mutex_lock(&other); static pthread_cond_t c = PTHREAD_COND_INITIALIZER; sum = pthread_cond_timedwait(&c, &other, &t) != 0; y = 1; pthread_mutex_unlock(&other); return a; }
typedef struct node { struct node *_Atomic next; int v; } node;
static node nodes[4];
static _Atomic(node *) head = &nodes[0], tail = &nodes[0];
static void enqueue(node *n) { for (;;) { node *t = tail, *m = t->next; if (t != tail) continue; if (m) { atomic_compare_exchange_strong(&tail, &t, m); continue; } node *e = 0; if (atomic_compare_exchange_strong(&t->next, &e, n)) { atomic_compare_exchange_strong(&tail, &t, n); return; } } }
static int dequeue(void) { for (;;) { node *h = head, *t = tail, *m = h->next; if (h != head) continue; if (!m) return -1; if (h == t) { atomic_compare_exchange_strong(&tail, &t, m); continue; } int v = m->v; if (atomic_compare_exchange_strong(&head, &h, m)) return v; } }
static void *enq1(void *a) { nodes[1].v = 1; enqueue(&nodes[1]); return a; }
static void *enq2(void *a) { nodes[2].v = 2; enqueue(&nodes[2]); return a; }
static void *deq(void *a) { sum = dequeue(); return a; }
static _Atomic(node *) top = &nodes[0];
static void *pop(void *a) { node *t; do { t = top; if (!t) break; } while (!atomic_compare_exchange_strong(&top, &t, t->next)); atomic_fetch_add(&x, t ? 1 + (int)(t - nodes) : 0); return a; }
`

// TestParked: a thread that has gone round a loop for nothing isn't run on. With and without that there are the same
// verdicts, outputs and races. The counts are those of executions without such turns.
func TestParked(t *testing.T) {
	t.Parallel()
	for _, p := range []triesRow{
		{"two variables", "GO(t, both); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"two variables of two threads", "GO(t, both); GO(u, setsX); GO(v, setsY); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"one of two variables", "GO(t, either); GO(u, setsX); GO(v, setsY); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"there and back", "GO(t, both); GO(u, clears); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"under a lock", "GO(t, checks); GO(u, fills); GO(v, fills); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"a lock that is tried", "GO(t, tries); GO(u, fills); GO(v, looks); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"a seqlock", "GO(t, reads); GO(u, writes); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"a seqlock that is none", "GO(t, reads); GO(u, torn); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0, false},
		{"Peterson's lock", "pthread_t t, u; pthread_create(&t, 0, peterson, 0); pthread_create(&u, 0, peterson, &u); pthread_join(t, 0); pthread_join(u, 0); assert(sum == 2);", "verified", 0, false},
		{"two exchanges", "GO(t, cases); GO(u, counts); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"an or of what is there", "GO(t, ors); GO(u, orsToo); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"a store of what is there", "GO(t, stores); GO(u, resets); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"with yields", "GO(t, yields); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"a queue", "GO(t, enq1); GO(u, enq2); pthread_join(t, 0); pthread_join(u, 0); sum = dequeue();", "verified", 0, false},
		{"a queue from both sides", "GO(t, enq1); GO(u, deq); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"a stack", "nodes[0].next = &nodes[1]; GO(t, pop); GO(u, pop); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
		{"a timed wait beside", "GO(t, both); GO(u, setsX); GO(v, waits); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 0, false},
		{"main doesn't wait", "GO(t, both); GO(u, sets);", "verified", 0, false},
		{"one finds what mustn't be", "GO(t, fails); GO(u, sums); pthread_join(t, 0); pthread_join(u, 0);", "assertion", 0, false},
		{"what never comes", "GO(t, never); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0);", "livelock", 0, false},
		{"what comes and goes", "GO(t, mutual); GO(u, clears); pthread_join(t, 0); pthread_join(u, 0);", "verified", 0, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []string{"-O0", "-O1", "-O2"} {
				cfg := onProgram(compile.Text(t, "gcc", parkHead+"int main(void) { "+p.main+" printf(\"%d %d %d %d %d\\n\", x, y, z, sum, plain); return 0; }", level))
				p.judgeHints(t, cfg, level)
			}
		})
	}
}

// TestParkedCounts: no execution has a turn for nothing that another follows.
func TestParkedCounts(t *testing.T) {
	t.Parallel()
	for _, p := range []triesRow{
		{"two variables", "GO(t, both); GO(u, sets); pthread_join(t, 0); pthread_join(u, 0);", "verified", 1, false},
		{"under a lock", "GO(t, checks); GO(u, fills); GO(v, fills); pthread_join(t, 0); pthread_join(u, 0); pthread_join(v, 0);", "verified", 2, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, level := range []string{"-O1", "-O2"} {
				cfg := onProgram(compile.Text(t, "gcc", parkHead+"int main(void) { "+p.main+" return 0; }", level))
				cfg.Race, cfg.Search = config.RaceOff, "optimal"
				if r := ran(t, cfg); ended(r) != p.verdict || r.Executions != p.executions {
					t.Errorf("%s: %s, %d executions, %d blocked, want %d", level, ended(r), r.Executions, r.Blocked, p.executions)
				}
			}
		})
	}
}
