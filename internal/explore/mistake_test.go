package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// mistake is a program with one, or with something that only looks like one.
type mistake struct {
	name, source string
	want         []string // parts of the sentence, in order; none: no sentence
	cause        string   // "": any
}

// check compares a bug with what is expected.
func (c *mistake) check(t *testing.T, b *result.Bug) {
	t.Helper()
	rest := b.Mistake
	for _, part := range c.want {
		at := strings.Index(rest, part)
		if at < 0 {
			t.Fatalf("%q; want %q", b.Mistake, part)
		}
		rest = rest[at+len(part):]
	}
	if c.cause != "" && b.Cause != c.cause {
		t.Errorf("the cause is %q, want %q", b.Cause, c.cause)
	}
	if len(c.want) == 0 && rest != "" {
		t.Errorf("%q; want none", rest)
	}
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
	for _, c := range slices.Concat(lockMistakes, waitMistakes, lifeMistakes, semMistakes, resetMistakes, afterMistakes, lastMistakes, sectionMistakes, ownLockMistakes, ownPairMistakes, versionMistakes) {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), onProgram(compile.Text(t, "gcc", mistakeHead+c.source)), nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%+v %v", r, err)
			}
			c.check(t, r.Bug)
		})
	}
}

// TestMistakesOfCPlusPlus: a library's headers make calls and accesses for the user, whose lines
// are told.
func TestMistakesOfCPlusPlus(t *testing.T) {
	t.Parallel()
	for _, c := range []mistake{
		{"lock order by guards", `#include <mutex>
#include <thread>
struct box { std::mutex m; int v; } p, q;
static void both(box &a, box &b) { std::lock_guard<std::mutex> x(a.m);
std::lock_guard<std::mutex> y(b.m); a.v = b.v; }
int main() { std::thread s([] { both(p, q); }), t([] { both(q, p); }); s.join(); t.join(); }`, []string{"takes p.m (guest.cc:4) and then q.m (guest.cc:5)", "takes q.m (guest.cc:4) and then p.m (guest.cc:5)"}, ""},
		{"a guard that ends between a look and a change", `#include <cassert>
#include <mutex>
#include <thread>
static std::mutex m; static int seats = 1;
static bool some() { std::lock_guard<std::mutex> g(m); return seats > 0;
}
static void book() { std::lock_guard<std::mutex> g(m); seats--; }
int main() { auto f = [] { if (some()) book(); }; std::thread s(f), t(f); s.join(); t.join(); assert(seats >= 0); }`, []string{"releases m (guest.cc:6) between its two accesses to seats (guest.cc:5, guest.cc:7)"}, ""},
		{"a string that two change", `#include <string>
#include <thread>
static std::string text;
static void add() {
text += "twenty characters....";
}
int main() { std::thread s(add), t(add); s.join(); t.join(); }`, []string{"both change text (guest.cc:5), with no lock"}, ""},
		{"a pointer that a map holds", `#include <map>
#include <memory>
#include <mutex>
#include <thread>
struct entry { int uses = 0; }; static std::map<int, std::unique_ptr<entry>> table; static std::mutex m;
static entry *find() { std::lock_guard<std::mutex> g(m); auto i = table.find(1);
return i == table.end() ? nullptr : i->second.get(); }
static void drop() { std::lock_guard<std::mutex> g(m);
table.erase(1); }
int main() { table[1] = std::make_unique<entry>(); std::thread s([] { if (entry *e = find())
e->uses++; }), t(drop); s.join(); t.join(); }`, []string{"takes the pointer there under m (guest.cc:7), releases that (guest.cc:7), and still uses the block (guest.cc:11)", "frees it (guest.cc:9). Hold m until the last use"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), onProgram(compile.Text(t, "g++", c.source, "-O0", "-std=c++17")), nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%+v %v", r, err)
			}
			c.check(t, r.Bug)
		})
	}
}
