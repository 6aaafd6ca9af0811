package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestFirstStepOnce: where executions are tried for a bug's story, what comes before the first
// thread is created isn't run again for each.
func TestFirstStepOnce(t *testing.T) {
	t.Parallel()
	const prelude = 400_000
	cfg := onProgram(compile.Text(t, "gcc", `#include <pthread.h>
volatile int x, waste;
static void *a(void *p) { x = 1; x = 2; return p; }
int main(void) {
	pthread_t t[2];
	for (waste = 0; waste < 100000; waste++) ;
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, a, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	return x;
}`))
	cfg.Model, cfg.Jobs = config.ModelTSO, 1
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Instructions < prelude || r.Instructions > 20*prelude {
		t.Errorf("%s: %d instructions, of which one run needs %d", r.Verdict, r.Instructions, prelude)
	}
}
