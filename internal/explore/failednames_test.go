package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestBetweenAccessAndFailure: a sample has another thread's malloc between an access to a block that
// is free and the failure that follows. The schedule names the state between, so that the story
// can be told from it.
func TestBetweenAccessAndFailure(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", `
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *volatile p;
static void *renew(void *a)
{
	for (int i = 0; i < 2000; i++) {
		pthread_mutex_lock(&m);
		free(p);
		p = malloc(8);
		*p = i;
		pthread_mutex_unlock(&m);
	}
	return a;
}
static void *use(void *a)
{
	int *q = p;
	return (void *)(long)*(volatile int *)q;
}
int main(void)
{
	p = malloc(8);
	*p = 0;
	pthread_t t, u;
	pthread_create(&t, 0, renew, 0);
	pthread_create(&u, 0, use, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}`, "-O1"))
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Bug.Kind != trace.UseAfterFree || r.Bug.Preemptions != 1 {
		t.Errorf("%s %s: %s", r.Verdict, r.Reason, bugText(r.Bug))
	}
}
