package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// exceptions is a program of C++ whose threads throw, wait, print, and have objects of
// their own.
const exceptions = `#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
std::mutex m;
std::condition_variable c;
std::atomic<int> thrown;
thread_local std::string name = "a thread's own text, that isn't short";
bool ready;
struct counter { int n = 3; static counter &one() { static counter c; return c; } };
static void f(int i)
{
	try { if (i) throw std::runtime_error(name); } catch (std::exception &) { thrown++; }
	std::lock_guard<std::mutex> hold(m);
	ready = true;
	counter::one().n++;
	c.notify_one();
}
int main()
{
	std::thread t(f, 0), u(f, 1);
	{ std::unique_lock<std::mutex> hold(m); c.wait(hold, [] { return ready; }); }
	t.join(), u.join();
	std::cout << counter::one().n << thrown << std::endl;
}
`

// objects is a program of C++ that counts the objects of its threads. While they run it loads
// a file, or only could.
const objects = `#include <atomic>
#include <dlfcn.h>
#include <string>
#include <thread>
std::atomic<int> live;
struct object { std::string s = "a text of its own, that isn't short"; object() { live++; } ~object() { live--; } };
thread_local object o;
static void f() { o.s += "x"; }
int main(int n, char **)
{
	std::thread t(f), u(f);
#ifdef LOADS
	dlopen("nothing", RTLD_LAZY);
#endif
	t.join(), u.join();
	return live != 0;
}
`

// callsThrough has calls of an object that begin with a call of the C library.
const callsThrough = `#include <pthread.h>
#include <string.h>
#include "landgo-linux.h"
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int q[8], head, tail;
static char text[] = "some text";
static void put(int v) { pthread_mutex_lock(&m); q[tail++] = v; pthread_mutex_unlock(&m); }
static long get(void)
{
	long v = LANDGO_EMPTY;
	if (strlen(text) != 9) return 0;
	pthread_mutex_lock(&m);
	if (head < tail) v = q[head++];
	pthread_mutex_unlock(&m);
	return v;
}
static void *producer(void *a) { landgo_op_void(q, LANDGO_ENQUEUE, 1, put(1)); return a; }
static void *consumer(void *a) { landgo_op(q, LANDGO_DEQUEUE, 0, get()); return a; }
int main(void)
{
	pthread_t a, b, c;
	landgo_assert_linearizable(q, LANDGO_QUEUE);
	pthread_create(&a, 0, producer, 0), pthread_create(&b, 0, consumer, 0), pthread_create(&c, 0, producer, 0);
	return pthread_join(a, 0) | pthread_join(b, 0) | pthread_join(c, 0);
}
`

// TestLinked: a program that is linked when it runs has the verdict, the bug and the
// numbers of executions and steps of the same program linked statically. The soak has all of
// guests/linux.
func TestLinked(t *testing.T) {
	t.Parallel()
	of := func(path string, steps bool) string {
		c := config.Default()
		c.Guest, c.Deepen, c.Jobs, c.MaxExecutions = path, false, 1, 300
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			return err.Error()
		}
		text := fmt.Sprint(r.Verdict, " ", r.Executions, " ", len(r.Races))
		if steps {
			text += fmt.Sprint(" ", r.Transitions)
		}
		if b := r.Bug; b != nil {
			text += fmt.Sprint(" ", b.Kind, " ", b.Message, " ", b.Preemptions, " ", result.Innermost(b.Stack).Function)
		}
		return text
	}
	type program struct{ cc, name, variant string }
	programs := []program{
		{"gcc", "lost_update", "FIXED"}, {"gcc", "if_not_while", "BUG"}, {"gcc", "freed_string", "BUG"}, {"gcc", "once_each", "FIXED"},
		{"gcc", "deadlock_two", "BUG"}, {"gcc", "early_exit", "FIXED"}, {"gcc", "heap_overflow", "BUG"}, {"gcc", "race_stack", "FIXED"},
		{"musl-gcc", "lost_update", "BUG"}, {"musl-gcc", "if_not_while", "FIXED"}, {"musl-gcc", "double_free", "BUG"},
		{"g++", "", "FIXED"}, {"gcc", "text", "CALLS"}, {"g++", "objects", "COUNTED"}, {"g++", "objects", "LOADS"},
	}
	if soaks {
		files, err := filepath.Glob("../../guests/linux/*.c")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".c")
			for _, cc := range []string{"gcc", "musl-gcc"} {
				programs = append(programs, program{cc, name, "BUG"}, program{cc, name, "FIXED"})
			}
		}
	}
	for i, p := range programs {
		t.Run(fmt.Sprint(p.cc, " ", p.name, " ", p.variant), func(t *testing.T) {
			build := func(flags ...string) string {
				flags = append(flags, "-D"+p.variant)
				switch p.name {
				case "":
					return compile.Text(t, p.cc, exceptions, flags...)
				case "objects":
					return compile.Text(t, p.cc, objects, append(flags, "-w")...)
				case "text":
					return compile.Text(t, p.cc, callsThrough, append(flags, "-I../../guests")...)
				}
				return compile.File(t, p.cc, "../../guests/linux/"+p.name+".c", flags...)
			}
			how := []string{compile.Dynamic, "-fPIE", "-pie"}
			if i%2 == 1 && p.cc == "gcc" {
				how = []string{compile.Dynamic, "-fno-pie", "-no-pie", "-Wl,-z,now"}
			}
			// The unwinder of C++ finds its tables in other steps.
			steps := p.cc != "g++" || p.variant == "COUNTED"
			if got, want := of(build(how...), steps), of(build(), steps); got != want {
				t.Errorf("%v: %s\nstatically: %s", how, got, want)
			}
		})
	}
}

// TestLinkedByStates: the dynamic linker reads the processor's clock, for its statistics. A
// search by states isn't refused for that, also if it goes back to before the linker.
func TestLinkedByStates(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.File(t, "gcc", "../../guests/linux/lost_update.c", compile.Dynamic, "-DFIXED")
	c.Search, c.Deepen, c.Jobs, c.Model = "stateful", false, 1, config.ModelSC
	if r := ran(t, c); r.Verdict != result.Verified {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// lost is a program whose threads' objects add up a sum as they end.
const lost = `#include <cassert>
#include <thread>
volatile int sum;
struct object { int n = 0; ~object() { sum = sum + n; } };
thread_local object o;
static void f() { o.n = 1; }
int main()
{
	std::thread t(f), u(f);
	t.join(), u.join();
	assert(sum == 2);
}
`

// TestLinkedCause: the cause is a step of the program's own code, and not how the C library
// counts the destructors of objects in between, in memory without a name.
func TestLinkedCause(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Deepen, c.Jobs = compile.Text(t, "g++", lost, compile.Dynamic), false, 1
	if r := ran(t, c); r.Bug == nil || !strings.Contains(r.Bug.Cause, "changes sum") {
		t.Errorf("%s: %+v", r.Verdict, r.Bug)
	}
}

// ownAllocator is a program whose allocator tries its mutex first. glibc calls it while it
// creates a thread.
const ownAllocator = `#include <pthread.h>
#include <stddef.h>
#include <string.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char room[1 << 20] __attribute__((aligned(16)));
static size_t used;
void *malloc(size_t n)
{
	if (pthread_mutex_trylock(&m))
		pthread_mutex_lock(&m);
	void *p = room + used;
	used += (n + 15) & ~15ul;
	pthread_mutex_unlock(&m);
	return p;
}
void free(void *p) { (void)p; }
void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void *realloc(void *p, size_t n) { void *q = malloc(n); return p ? memcpy(q, p, n) : q; }
static void *f(void *a) { return *(char **)a = malloc(10); }
int main(void)
{
	pthread_t t;
	char *p, *q;
	pthread_create(&t, 0, f, &p);
	f(&q);
	pthread_join(t, 0);
	return p == q;
}
`

// TestOwnAllocatorsLock: the dynamic linker's locks are passed over where glibc creates a
// thread, and an allocator's own aren't. Else one is tried and never given back.
func TestOwnAllocatorsLock(t *testing.T) {
	t.Parallel()
	for _, how := range [][]string{{compile.Dynamic}, nil} {
		c := config.Default()
		c.Guest = compile.Text(t, "gcc", ownAllocator, append(how, "-w")...)
		if r := runOf(t, c); r.Verdict != result.Verified || r.Executions < 2 {
			t.Errorf("%v: %s (%s) after %d executions", how, r.Verdict, r.Reason, r.Executions)
		}
	}
}
