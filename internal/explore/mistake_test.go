package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
)

// mistake is a program with one, or with something that only looks like one.
type mistake struct {
	name, source string
	want         []string // parts of the sentence, in order; none: no sentence
	cause        string   // "": any
}

// A line of each program is a line of its source, the first of them line 20.
const mistakeHead = `#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>
#define LOCK(m) pthread_mutex_lock(&m)
#define UNLOCK(m) pthread_mutex_unlock(&m)
#define A static void *a(void *p)
#define B static void *b(void *p)
#define C static void *c(void *p)
#define GO(f) pthread_t f##_; pthread_create(&f##_, 0, f, 0)
#define JOIN(f) pthread_join(f##_, 0)
#define MAIN int main(void)
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t q = PTHREAD_COND_INITIALIZER;
static volatile int x, y; static atomic_int z;
static void unused(void) { (void)m, (void)n, (void)q, (void)x, (void)y, (void)z; }
#line 20
`

// TestMistakes: mistakes of known kinds are named with their lines, and what only looks
// like one isn't.
func TestMistakes(t *testing.T) {
	t.Parallel()
	for _, c := range slices.Concat(lockMistakes, waitMistakes, lifeMistakes, semMistakes) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", mistakeHead+c.source)), nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%+v %v", r, err)
			}
			rest := r.Bug.Mistake
			for _, part := range c.want {
				at := strings.Index(rest, part)
				if at < 0 {
					t.Fatalf("%q; want %q", r.Bug.Mistake, part)
				}
				rest = rest[at+len(part):]
			}
			if c.cause != "" && r.Bug.Cause != c.cause {
				t.Errorf("the cause is %q, want %q", r.Bug.Cause, c.cause)
			}
			if len(c.want) == 0 && rest != "" {
				t.Errorf("%q; want none", rest)
			}
		})
	}
}
