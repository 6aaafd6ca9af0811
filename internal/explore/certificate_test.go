package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
)

// TestTimedOnce: the certificate says once that timed waits run out last.
func TestTimedOnce(t *testing.T) {
	t.Parallel()
	r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", `#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
int main(void) {
	struct timespec t; clock_gettime(CLOCK_REALTIME, &t); t.tv_sec++;
	pthread_mutex_lock(&m); pthread_cond_timedwait(&c, &m, &t); pthread_mutex_unlock(&m);
}`, "-g", "-O1")), nil)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(r.Certificate.Basis, "run out last"); n != 1 {
		t.Errorf("the basis says %d times that timed waits run out last: %s", n, r.Certificate.Basis)
	}
}
