package explore

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

// TestNamed: reports have names for what programs keep outside of global variables, and for
// what pointers point to.
func TestNamed(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, cc, flag, source string
		options                func(*config.Config)
		want, not              []string
	}{
		// A pointer to a structure isn't one to its first member.
		{"pointers to structures", "gcc", "-O1", `#include <assert.h>
#include <pthread.h>
static struct s { int value; struct s *next; } one[2], two; static struct s *volatile p = &one[1];
static void *a(void *v) { struct s *q = p; p = q == &one[1] ? &two : q; return v; }
int main(void) { pthread_t x, y; pthread_create(&x, 0, a, 0); pthread_create(&y, 0, a, 0); pthread_join(x, 0); pthread_join(y, 0); assert(p == &one[0]); return 0; }`,
			nil, []string{`"&one[1]"`, `"&two"`}, []string{`.value"`}},
		// The type of a block of C++ is that of the pointer that a member function has.
		{"a block by its this", "g++", "-O0", `#include <cassert>
#include <thread>
struct Texture { void *pixels = nullptr; volatile int refs = 0; void ref() { refs = refs + 1; } };
void draw(Texture *t) { t->ref(); }
int main() { auto *t = new Texture; std::thread a(draw, t), b(draw, t); a.join(); b.join(); assert(t->refs == 2); }`,
			nil, []string{`changes Texture.refs`}, nil},
		// A lock on a stack, in the sentence of the run that passes.
		{"a lock on a stack", "gcc", "-O1", `#include <pthread.h>
struct s { pthread_mutex_t m, n; };
static void *a(void *v) { struct s *s = v; pthread_mutex_lock(&s->m); pthread_mutex_lock(&s->n); pthread_mutex_unlock(&s->n); pthread_mutex_unlock(&s->m); return v; }
static void *b(void *v) { struct s *s = v; pthread_mutex_lock(&s->n); pthread_mutex_lock(&s->m); pthread_mutex_unlock(&s->m); pthread_mutex_unlock(&s->n); return v; }
int main(void) { struct s s; pthread_mutex_init(&s.m, 0); pthread_mutex_init(&s.n, 0); pthread_t x, y; pthread_create(&x, 0, a, &s); pthread_create(&y, 0, b, &s); pthread_join(x, 0); pthread_join(y, 0); return 0; }`,
			nil, []string{`thread 0.1 locks main::s.n (`, `takes main::s.m (`}, nil},
		// Locks whose own code is run: a cycle, with who has what, and where it was taken.
		{"locks that are tested", "gcc", "-O1", `#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static void *a(void *v) { pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m); return v; }
static void *b(void *v) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return v; }
int main(void) { pthread_t x, y; pthread_create(&x, 0, a, 0); pthread_create(&y, 0, b, 0); pthread_join(x, 0); pthread_join(y, 0); return 0; }`,
			func(c *config.Config) { c.LocksTested = []string{config.AllLocks} }, []string{`"for":"mutex","object":"m"`, `"for":"mutex","object":"n"`, `"owner":"0.2"`, `"cycle":["0.1","0.2"]`, "different orders", `"for":"thread"`}, []string{`"for":"a wake-up`}},
		{"a semaphore that is tested", "gcc", "-O1", `#include <pthread.h>
#include <semaphore.h>
static sem_t s;
static void *a(void *v) { sem_wait(&s); return v; }
int main(void) { sem_init(&s, 0, 0); pthread_t x; pthread_create(&x, 0, a, 0); pthread_join(x, 0); return 0; }`,
			func(c *config.Config) { c.LocksTested = []string{config.AllLocks} }, []string{`"for":"semaphore","object":"s"`}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			conf := onProgram(compile.Text(t, c.cc, c.source, c.flag))
			if c.options != nil {
				c.options(&conf)
			}
			r, err := Run(context.Background(), conf, nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%+v %v", r, err)
			}
			said, err := json.Marshal(r.Bug)
			if err != nil {
				t.Fatal(err)
			}
			text := strings.ReplaceAll(string(said), `\u0026`, "&")
			for _, part := range c.want {
				if !strings.Contains(text, part) {
					t.Errorf("no %s in\n%s", part, text)
				}
			}
			for _, part := range c.not {
				if strings.Contains(text, part) {
					t.Errorf("%s in\n%s", part, text)
				}
			}
		})
	}
}
