package explore

import (
	"testing"

	"landgo/internal/compile"
)

// spinStackHead begins each program of TestSpinsOnOtherStacks: on(f, top) calls f with
// the stack pointer at top.
const spinStackHead = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static volatile int flag, other, turns;
__attribute__((noinline)) static void on(void (*f)(void), char *top)
{
	top = (char *)((unsigned long)top & ~63ul);
	__asm__ volatile("mov %%rsp, %%rbx; mov %1, %%rsp; call *%0; mov %%rbx, %%rsp"
		: "+r"(f), "+r"(top) : : "rbx", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}
static void *set(void *a) { if (other) flag = 1; return a; }
`

// TestSpinsOnOtherStacks: a loop isn't a spin while its variables change, where these
// lie below the stack pointer. The stack is in a block of the heap, in an array, or an
// alternate one. One whose variables don't change is, wherever its stack is.
func TestSpinsOnOtherStacks(t *testing.T) {
	t.Parallel()
	const main = `
int main(void) { pthread_t t, u; pthread_create(&t, 0, user, 0); pthread_create(&u, 0, set, 0); pthread_join(t, 0); pthread_join(u, 0); }`
	for _, p := range []struct{ name, source, want string }{
		{"a block below that of the stack", `
static volatile int *tries;
static void f(void) { for (*tries = 0; *tries < 3; ++*tries) if (flag) return; }
static void *user(void *a) { tries = malloc(4); char *st = malloc(32768); on(f, st + 32768); free(st); free((void *)tries); return a; }`, "verified"},
		{"the same block", `
static struct { volatile int tries; char room[16384]; } *both;
static void f(void) { for (both->tries = 0; both->tries < 3; both->tries++) if (flag) return; }
static void *user(void *a) { both = malloc(sizeof *both); on(f, both->room + sizeof both->room); free(both); return a; }`, "verified"},
		{"a static array", `
static struct { volatile int tries; char room[16384]; } both;
static void f(void) { for (both.tries = 0; both.tries < 3; both.tries++) if (flag) return; }
static void *user(void *a) { on(f, both.room + sizeof both.room); return a; }`, "verified"},
		{"mapped memory", `
static struct { volatile int tries; char room[16384]; } *both;
static void f(void) { for (both->tries = 0; both->tries < 3; both->tries++) if (flag) return; }
static void *user(void *a) { both = mmap(0, sizeof *both, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); on(f, both->room + sizeof both->room); return a; }`, "verified"},
		{"an array on the thread's own stack", `
struct both { volatile int tries; char room[16384]; };
static __thread struct both *mine;
static void f(void) { for (mine->tries = 0; mine->tries < 3; mine->tries++) if (flag) return; }
static void *user(void *a) { struct both both; mine = &both; on(f, both.room + sizeof both.room); return a; }`, "verified"},
		{"several steps a turn", `
static struct { volatile int tries; char room[16384]; } both;
static void f(void) { for (both.tries = 0; both.tries < 3; both.tries++) { if (flag) return; sched_yield(); if (other) return; sched_yield(); } }
static void *user(void *a) { on(f, both.room + sizeof both.room); return a; }`, "verified"},
		{"no shared read in the loop", `
static struct { volatile int tries; char room[16384]; } both;
static void f(void) { for (both.tries = 0; both.tries < 30000; both.tries++) ; }
static void *user(void *a) { on(f, both.room + sizeof both.room); return a; }`, "verified"},
		{"an alternate stack", `
static struct { volatile int tries; char room[16384]; } both;
static void h(int s) { for (both.tries = 0; both.tries < 3; both.tries++) if (flag) return; }
static void *user(void *a) {
	stack_t k = {.ss_sp = both.room, .ss_size = sizeof both.room}; sigaltstack(&k, 0);
	struct sigaction sa = {0}; sa.sa_handler = h; sa.sa_flags = SA_ONSTACK; sigaction(SIGUSR1, &sa, 0);
	raise(SIGUSR1); return a; }`, "verified"},
		{"a spin on a static stack", `
static char room[16384];
static void f(void) { while (!flag) sched_yield(); }
static void *user(void *a) { on(f, room + sizeof room); return a; }`, "livelock"},
		{"a spin that calls", `
static int __attribute__((noinline)) look(int *p) { volatile int here[4] = {*p}; return here[0] + flag; }
static void *user(void *a) { int z = 0; while (!look(&z)) ; return a; }`, "livelock"},
		{"a spin that calls, in several steps", `
static int __attribute__((noinline)) look(int *p) { volatile int here[4] = {*p}; return here[0] + flag + other; }
static void *user(void *a) { int z = 0; while (!look(&z)) sched_yield(); return a; }`, "livelock"},
		{"a spin that calls twice, and looks at what no other thread touches", `
static volatile int mine;
static int __attribute__((noinline)) look(void) { return mine; }
static void *user(void *a) { while (!look() && !look()) ; return a; }`, "livelock"},
		{"a spin of a handler on an alternate stack", `
static char room[16384];
static void h(int s) { while (!flag) ; }
static void *user(void *a) {
	stack_t k = {.ss_sp = room, .ss_size = sizeof room}; sigaltstack(&k, 0);
	struct sigaction sa = {0}; sa.sa_handler = h; sa.sa_flags = SA_ONSTACK; sigaction(SIGUSR1, &sa, 0);
	raise(SIGUSR1); return a; }`, "livelock"},
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			for _, opt := range []string{"-O0", "-O2"} {
				if cc == "musl-gcc" && opt == "-O0" {
					continue // the same code as with glibc, but for the library
				}
				t.Run(p.name+" "+cc+opt, func(t *testing.T) {
					t.Parallel()
					endsAs(t, onProgram(compile.Text(t, cc, spinStackHead+p.source+main, opt)), p.want, "optimal", "none")
				})
			}
		}
	}
}
