package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const constants = `#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
static int one = 1;
static KIND int table[64] = { [0 ... 63] = 1 };
static int *KIND pointers[64] = { [0 ... 63] = &one };
static atomic_int sum;
static void *reads(void *arg)
{
	int s = 0;
	for (int i = 0; i < 64; i++)
		s += ((volatile int *)table)[i] + (((volatile intptr_t *)pointers)[i] != 0);
	assert(s == 128);
	sum += s;
	return arg;
}
static void *changes(void *arg)
{
#ifdef CHANGED
	mprotect((void *)((uintptr_t)(table + 63) & -4096), 4096, PROT_READ | PROT_WRITE);
	((volatile int *)table)[63] = 2;
#endif
	return reads(arg);
}
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, reads, 0);
	pthread_create(&u, 0, changes, 0);
	pthread_join(t, 0);
	pthread_join(u, 0);
}
`

// TestReadOnlyMemory: reads of memory that is read only, from the start or once it was linked,
// are no steps, in static and dynamic programs. If a program makes it writable and changes it,
// they are, and the bug in that is found.
func TestReadOnlyMemory(t *testing.T) {
	t.Parallel()
	for _, link := range []string{"-static", "-static-pie", "-no-pie", "-pie"} {
		flags := []string{"-g", "-O1", "-pthread", "-Wl,-z,relro,-z,now", link}
		runs := func(table ...string) *result.Result {
			c := config.Default()
			c.Guest = compile.Exact(t, "gcc", "constants.c", constants, append(table, flags...)...)
			c.Out, c.Deepen, c.Model, c.Jobs = config.NoFile, false, config.ModelSC, 1
			return runOf(t, c)
		}
		constant, varies := runs("-DKIND=const"), runs("-DKIND=")
		if constant.Verdict != result.Verified || constant.Executions != 1 || constant.Transitions > 10 {
			t.Errorf("%s: %s, %d executions of %d steps", link, constant.Verdict, constant.Executions, constant.Transitions)
		}
		if varies.Verdict != result.Verified || varies.Executions != 1 || varies.Transitions < 256 {
			t.Errorf("%s, memory that can change: %s, %d executions of %d steps", link, varies.Verdict, varies.Executions, varies.Transitions)
		}
		if r := runs("-DKIND=const", "-DCHANGED"); r.Bug == nil || r.Bug.Kind != trace.Assertion {
			t.Errorf("%s, changed: %s after %d executions", link, r.Verdict, r.Executions)
		}
	}
}
