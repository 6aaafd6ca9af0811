package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestKnownFinding: the execution of a sample, in which threads share thousands of words, is followed
// with what its search knew of them, and not from its beginning again for each.
func TestKnownFinding(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", `
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *v, room = 1, n;
static void *push(void *a)
{
	for (int i = 0; i < 1000; i++) {
		pthread_mutex_lock(&m);
		if (n == room) {
			room *= 2;
			v = realloc(v, room * sizeof *v);
		}
		v[n++] = i;
		pthread_mutex_unlock(&m);
	}
	pthread_mutex_lock(&m);
	n--;
	pthread_mutex_unlock(&m);
	return a;
}
int main(void)
{
	v = malloc(sizeof *v);
	pthread_t t, u;
	pthread_create(&t, 0, push, 0);
	pthread_create(&u, 0, push, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
	if (n != 2000)
		abort();
}`, "-O1"))
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Instructions > 6_000_000 { // 14 million without
		t.Errorf("%s %s, %d instructions", r.Verdict, r.Reason, r.Instructions)
	}
}
