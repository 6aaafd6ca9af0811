package library

import (
	"maps"
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// endStates runs every interleaving and collects the final states.
func endStates(t *testing.T, path string, opts Config) map[uint64]bool {
	s, _ := boot(t, path, scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem}}, opts)
	root := s.Mark()
	out := map[uint64]bool{}
	var from func() bool
	from = func() bool {
		k := s.Mark()
		ran := false
		for _, th := range s.Threads(nil) {
			if th.Status != trace.Ready {
				continue
			}
			for c := uint32(0); c < th.Outcomes; c++ {
				ran = true
				tr, err := s.Step(th.ID, trace.Choice(c))
				if err == trace.ErrFiner {
					return false
				}
				if err != nil {
					t.Fatal(err)
				}
				if tr.End == trace.EndProcess || tr.End == trace.EndBug {
					out[s.State()] = true
				} else if !from() {
					return false
				}
				s.Rewind(k)
			}
		}
		if !ran {
			out[s.State()] = true
		}
		return true
	}
	for !from() {
		clear(out)
		s.Rewind(root)
	}
	return out
}

// TestLockMerge: merging lock and unlock with their neighbours loses no final
// state, also where a racy access, a trylock or a deadlock looks into the
// critical section.
func TestLockMerge(t *testing.T) {
	const head = `
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
volatile int x, y, seen, tried;
`
	const tail = `
int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0);
	pthread_join(a, 0); pthread_join(b, 0);
	return 0;
}`
	for name, threads := range map[string]string{
		"two sections": `
void *f(void *p) { pthread_mutex_lock(&m); x = x + 1; y = x; pthread_mutex_unlock(&m); return p; }
void *g(void *p) { pthread_mutex_lock(&m); x = x * 3 + 1; y = y + x; pthread_mutex_unlock(&m); return p; }`,
		"a racy look": `
void *f(void *p) { pthread_mutex_lock(&m); x = 1; y = 1; x = 2; pthread_mutex_unlock(&m); y = 2; return p; }
void *g(void *p) { seen = x * 10 + y; return p; }`,
		"a trylock": `
void *f(void *p) { x = 1; pthread_mutex_lock(&m); x = 2; pthread_mutex_unlock(&m); x = 3; return p; }
void *g(void *p) { seen = x; tried = pthread_mutex_trylock(&m) != 0; if (!tried) { y = x; pthread_mutex_unlock(&m); } seen = seen * 10 + x; return p; }`,
		"opposite orders": `
void *f(void *p) { pthread_mutex_lock(&m); x = 1; pthread_mutex_lock(&n); y = x; pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return p; }
void *g(void *p) { pthread_mutex_lock(&n); y = 5; pthread_mutex_lock(&m); x = y; pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return p; }`,
		"a block that ends": `
#include <stdlib.h>
struct block { pthread_mutex_t m; volatile int done; } *q;
__attribute__((constructor)) static void make(void) { q = calloc(1, sizeof *q); }
void *f(void *p) { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
void *g(void *p) { if (q->done) free(q); return p; }`,
		"pages that end": `
#include <sys/mman.h>
struct block { pthread_mutex_t m; volatile int done; } *q;
__attribute__((constructor)) static void make(void) { q = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); }
void *f(void *p) { pthread_mutex_lock(&q->m); q->done = 1; pthread_mutex_unlock(&q->m); return p; }
void *g(void *p) { if (q->done) munmap(q, 4096); return p; }`,
	} {
		t.Run(name, func(t *testing.T) {
			needsProcessor(t)
			path := compile.Text(t, "musl-gcc", head+threads+tail)
			merged := endStates(t, path, Config{})
			apart := endStates(t, path, Config{NoMerge: true})
			if !slices.Equal(slices.Sorted(maps.Keys(merged)), slices.Sorted(maps.Keys(apart))) {
				t.Errorf("%d final states with merging, %d without", len(merged), len(apart))
			}
			if len(apart) < 2 {
				t.Errorf("only %d final states: the test can't tell", len(apart))
			}
		})
	}
}
