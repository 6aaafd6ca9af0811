package explore

import (
	"testing"

	"landgo/internal/trace"
)

// TestLibraryFunctionsAsRoutines: a thread's start routine is itself a function of the C
// library that landgo carries out. Each program has a second one that is wrong.
func TestLibraryFunctionsAsRoutines(t *testing.T) {
	t.Parallel()
	const program = `#include <assert.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
static sem_t s;
static pthread_barrier_t both;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void) {
	pthread_t a;
	void *result;
	sem_init(&s, 0, 0);
	pthread_barrier_init(&both, 0, 2);
	(void)m;
	pthread_create(&a, 0, (void *(*)(void *))ROUTINE, ARG);
	WORK;
	pthread_join(a, &result);
	assert(CHECK);
	return 0;
}
`
	for _, c := range []struct {
		name, routine, arg, work, check string
		kind                            trace.BugKind
	}{
		{"sem_wait", "sem_wait", "&s", "sem_post(&s)", "(int)(long)result == 0", ""},
		{"sem_wait without a post", "sem_wait", "&s", "", "1", trace.Deadlock},
		{"sem_post", "sem_post", "&s", "sem_wait(&s)", "sem_trywait(&s) == -1", ""},
		{"sem_post, tried early", "sem_post", "&s", "int e = sem_trywait(&s)", "e == 0", trace.Assertion},
		{"barrier", "pthread_barrier_wait", "&both", "int r = pthread_barrier_wait(&both)", "(r == 0) != ((int)(long)result == 0)", ""},
		{"trylock", "pthread_mutex_trylock", "&m", "", "(int)(long)result == 0", trace.LockMisuse},
		{"malloc", "malloc", "(void *)40L", "", "result != 0", ""},
		{"puts", "puts", `"text"`, `puts("other")`, "(int)(long)result >= 0", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cc := range []string{"gcc", "musl-gcc"} {
				bothSearches(t, cc, defines(program, "ROUTINE", c.routine, "ARG", c.arg, "WORK", c.work, "CHECK", c.check), c.kind)
			}
		})
	}
}
