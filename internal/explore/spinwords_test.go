package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestSpinWords: a thread that spins waits for all that its turn reads, be there a point or not.
func TestSpinWords(t *testing.T) {
	t.Parallel()
	const source = `#include <pthread.h>
static volatile int a = 1, b = 1;
static int __attribute__((noinline)) look(void) { return a; }
static void *run(void *x) { while (a && look() && b); return x; }
static void *other(void *x) { a = 1; b = 0; return x; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, run, 0); pthread_create(&t[1], 0, other, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
}`
	cfg := config.Default()
	cfg.Guest, cfg.Out, cfg.Jobs, cfg.Model = compile.Text(t, "gcc", source, "-O1"), config.NoFile, 1, config.ModelSC
	cfg.Rules = []config.Rule{{Function: "look"}}
	for _, cfg.Search = range []string{"optimal", "none"} {
		if r, _ := memoryRun(t, cfg); r.Verdict != result.Verified {
			t.Errorf("%s: %s (%s)", cfg.Search, r.Verdict, r.Reason)
		}
	}
}
