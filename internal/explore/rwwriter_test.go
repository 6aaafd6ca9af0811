package explore

import (
	"testing"

	"landgo/internal/compile"
)

// TestWriterAsksOnceMore: glibc tells a writer that it has the lock already, before it looks
// whether the time is over. musl doesn't know the writer, and looks at the time only.
func TestWriterAsksOnceMore(t *testing.T) {
	t.Parallel()
	const program = `#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <time.h>
int main(void) {
	pthread_rwlock_t l = PTHREAD_RWLOCK_INITIALIZER;
	struct timespec past = {0, 0};
	pthread_rwlock_wrlock(&l);
	assert(pthread_rwlock_timedrdlock(&l, &past) == WANT);
	assert(pthread_rwlock_timedwrlock(&l, &past) == WANT);
	pthread_rwlock_unlock(&l);
	return 0;
}
`
	for cc, want := range map[string]string{"gcc": "EDEADLK", "musl-gcc": "ETIMEDOUT"} {
		endsAs(t, onProgram(compile.Text(t, cc, defines(program, "WANT", want))), "verified", "optimal", "none")
	}
}
