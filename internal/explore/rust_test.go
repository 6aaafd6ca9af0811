package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// rustNames has functions under the names that rustc gives to those of Rust's library.
const rustNames = `#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static int stacks;
__attribute__((noinline)) void keep(void) __asm__("_RNvNtNtNtCs1_3std3sys14stack_overflow3imp12make_handler");
void keep(void) { stacks++; }
__attribute__((noinline)) void unwind(void) __asm__("_RNvCs1_7___rustc10rust_panic");
void unwind(void) { __asm__ volatile (""); }
__attribute__((noinline)) static void panics(const char *s) { dprintf(2, "\nthread 'x' (1) panicked at %s", s); unwind(); }
__attribute__((noinline)) static void user(void) { panics("a.rs:3:7:\nthe queue\nis empty\nnote: run with RUST_BACKTRACE\n"); }
`

func rustRun(t *testing.T, guest string) *result.Result {
	t.Helper()
	c := config.Default()
	c.Guest, c.Deepen, c.Jobs, c.Model = guest, false, 1, config.ModelSC
	return ran(t, c)
}

// TestRustBookkeeping: the order in which threads enter themselves into the table of stacks
// of Rust's library is none that is searched.
func TestRustBookkeeping(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", rustNames+`
static void *f(void *a) { keep(); return a; }
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], 0);
	return stacks != 3;
}
`, "-pthread")
	if r := rustRun(t, guest); r.Verdict != result.Verified || r.Executions != 1 {
		t.Errorf("%s after %d executions: %s", r.Verdict, r.Executions, r.Reason)
	}
}

// TestRustPanic: the bug of a panic has its message, and the stack that led to it; where a
// thread panics because another one that it joins did so, that one's.
func TestRustPanic(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"exits":  "user(); exit(101);",
		"aborts": "user(); abort();",
		"caught": `panics("b.rs:9:9:\nthis is caught\n"); user(); exit(101);`,
		"joins": `pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
	panics("b.rs:1:1:\ncalled on an ` + "`Err` value: Any { .. }" + `\n");
	exit(101);`,
		"poisoned": `pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
	panics("b.rs:1:1:\ncalled on an ` + "`Err` value: PoisonError { .. }" + `\n");
	exit(101);`,
		"scoped": `pthread_t t;
	pthread_create(&t, 0, f, 0);
	pthread_join(t, 0);
	panics("b.rs:1:1:\na scoped thread panicked\n");
	exit(101);`,
	} {
		r := rustRun(t, compile.Text(t, "gcc", rustNames+`
static void *f(void *a) { user(); return a; }
int main(void)
{
	pthread_t u;
	pthread_create(&u, 0, f, 0);
	pthread_join(u, 0);
	`+body+`
}
`, "-pthread"))
		if r.Bug == nil {
			t.Errorf("%s: %s %s", name, r.Verdict, r.Reason)
			continue
		}
		if want := "panicked at a.rs:3:7: the queue is empty"; r.Bug.Message != want {
			t.Errorf("%s: %q, not %q", name, r.Bug.Message, want)
		}
		if len(r.Bug.Stack) < 3 || !strings.Contains(r.Bug.Stack[2].Function, "user") {
			t.Errorf("%s: the stack is %+v", name, r.Bug.Stack)
		}
	}
	r := rustRun(t, compile.Text(t, "gcc", rustNames+"int main(void) { pthread_t u = 0; user(); (void)u; return 3; }\n", "-pthread"))
	if r.Bug == nil || r.Bug.Message != "the guest exits with status 3" {
		t.Errorf("a panic that was caught: %+v", r.Bug)
	}
}

// TestRustAtomics: Rust's atomic objects, and what its atomic operations do, race with nothing. A
// type that is only called alike does.
func TestRustAtomics(t *testing.T) {
	t.Parallel()
	for access, races := range map[string]bool{
		"declared.v.value = 1": false,
		"atomic_store(&plain)": false,
		"get_mut(&plain)":      true,
		"alike.v = 1":          true,
		"plain = 1":            true,
	} {
		guest := compile.Text(t, "g++", `#include <pthread.h>
template <class T> struct UnsafeCell { T value; };
struct AtomicU32 { UnsafeCell<unsigned> v; };
struct AtomicCounter { unsigned v; };
volatile AtomicU32 declared;
volatile AtomicCounter alike;
volatile unsigned plain;
# 1 "/rustc/1/library/core/src/sync/atomic.rs"
__attribute__((noinline)) static void atomic_store(volatile unsigned *p) { *p = 1; }
__attribute__((noinline)) static void get_mut(volatile unsigned *p) { *p = 1; }
# 20 "user.cc"
static void *f(void *a) { `+access+`; return a; }
int main()
{
	atomic_store(&plain), get_mut(&plain);
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	f(0);
	pthread_join(t, 0);
}
`, "-pthread")
		c := config.Default()
		c.Guest, c.Deepen, c.Jobs, c.FailOnRace = guest, false, 1, true
		if r := ran(t, c); (r.Bug != nil) != races {
			t.Errorf("%s: %s %s", access, r.Verdict, r.Reason)
		}
	}
}
