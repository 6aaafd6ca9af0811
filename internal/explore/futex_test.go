package explore

import (
	"fmt"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

const futexHead = heapHead + `
#include <stdatomic.h>
#include <limits.h>
#include <sys/syscall.h>
#include <unistd.h>
static atomic_int flag, seen;
static long futex(int op, int value) { return syscall(SYS_futex, &flag, op | 128, value, 0, 0, 0); }
#define WAIT(v) futex(0, v)
#define WAKE(n) futex(1, n)
`

// TestFutexOrders: each thread that waits for a flag looks before it is set, falls asleep
// before it, or comes too late, whatever the other threads do: three traces each.
func TestFutexOrders(t *testing.T) {
	t.Parallel()
	for n, want := 1, uint64(3); n <= 4; n, want = n+1, want*3 {
		cfg := onProgram(compile.Text(t, "gcc", futexHead+fmt.Sprintf("enum { N = %d };", n)+`
static void *waits(void *a) { while (flag == 0) WAIT(0); return a; }
int main(void) {
	pthread_t t[N];
	for (int i = 0; i < N; i++) pthread_create(&t[i], 0, waits, 0);
	flag = 1;
	WAKE(INT_MAX);
	for (int i = 0; i < N; i++) pthread_join(t[i], 0);
	return 0;
}`))
		cfg.Model = config.ModelSC
		cfg.Search = "optimal"
		if r := ran(t, cfg); r.Verdict != "verified" || r.Executions != want || r.Blocked != 0 {
			t.Errorf("%d threads: %s, %d executions and %d blocked, want %d", n, r.Verdict, r.Executions, r.Blocked, want)
		}
	}
}

// TestFutexOutcomes: what a reduction leaves out has no other outcome.
func TestFutexOutcomes(t *testing.T) {
	t.Parallel()
	for _, p := range []struct{ name, threads, main string }{
		{"one of two is woken", "#define A WAIT(0); seen = seen * 4 + 1\n#define B WAIT(0); seen = seen * 4 + 2\n", "seen = seen * 4 + 3; WAKE(1); seen = seen * 4 + 3; WAKE(1);"},
		{"wakes are counted", "#define A n = WAIT(0) == 0; seen = seen * 4 + n\n#define B n = WAKE(1); seen = seen * 4 + 2 + n\n", "int n = WAKE(2); seen = seen * 4 + n; flag = 1;"},
		{"a wake that finds no waiter", "#define A WAKE(1); seen = seen * 4 + 1\n#define B if (flag == 0) WAIT(0); seen = seen * 4 + 2\n", "WAKE(1); flag = 1; WAKE(1); WAKE(1);"},
		{"the word changes between", "#define A n = WAIT(1) == 0; seen = seen * 4 + n\n#define B flag = 1; n = WAKE(1); seen = seen * 4 + 2 + n\n", "flag = 2; WAKE(2);"},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", futexHead+p.threads+`
static void *a(void *p) { int n = 0; (void)n; A; return p; }
static void *b(void *p) { int n = 0; (void)n; B; return p; }
int main(void) {
	GO(t, a);
	GO(u, b);
	`+p.main+`
	printf("%d\n", seen);
	for (int i = 0; i < 4; i++) WAKE(2);
	_exit(0);
}`))
			cfg.Model, cfg.Search = config.ModelSC, "none"
			all := ran(t, cfg)
			for _, search := range []string{"optimal", "dpor", "sleep", "trust"} {
				cfg.Search = search
				few := ran(t, cfg)
				t.Logf("%s: %d executions of %d", search, few.Executions, all.Executions)
				if few.Verdict != all.Verdict || differentOutputs(few) != differentOutputs(all) || few.Executions >= all.Executions {
					t.Errorf("%s: %s with outputs %q in %d executions, want %s with %q in fewer than %d", search,
						few.Verdict, differentOutputs(few), few.Executions, all.Verdict, differentOutputs(all), all.Executions)
				}
			}
		})
	}
}
