package litmus

import (
	"fmt"
	"strings"
)

// frame is the C around a test's threads. Without an argument it runs the test once; with
// one, that many times on the processor, each thread on one core, and counts the
// outcomes.
const frame = `#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
struct location { volatile int v; int pad[15]; };
static struct location once[LOCATIONS] __attribute__((aligned(64))), (*loc)[LOCATIONS] = &once;
static int single[THREADS][REGISTERS], (*out)[THREADS][REGISTERS] = &single;
#define STORE(l, x) __asm__ volatile("movl %%1, %%0" : "=m"(at[l].v) : "i"(x) : "memory")
#define LOAD(r, l) __asm__ volatile("movl %%1, %%0" : "=r"(r) : "m"(at[l].v) : "memory")
#define XCHG(l, x) { int y = x; __asm__ volatile("xchgl %%0, %%1" : "+r"(y), "+m"(at[l].v) : : "memory"); }
#define FENCEALL() syscall(324, 8, 0, 0)
#define MFENCE() __asm__ volatile("mfence" : : : "memory")
#define LOCKED() { int y = 0; __asm__ volatile("lock orl $0, %%0" : "+m"(y) : : "memory"); }
%s
static void (*const bodies[THREADS])(struct location *, int *) = {%s};
static void show(struct location *at, int (*r)[REGISTERS], long times)
{
	int said = 0;
	(void)r;
%s	for (int i = 0; i < LOCATIONS; i++) printf("%%s%%d", said++ ? " " : "", at[i].v);
	if (times) printf(": %%ld", times);
	printf("\n");
}
static void *run(void *n) { long t = (long)n; bodies[t](loc[0], out[0][t]); return 0; }

enum { BATCH = 1000, MOST = 256 };
static int arrived;
static long runs, counts[MOST];
static struct { struct location at[LOCATIONS]; int r[THREADS][REGISTERS]; } kinds[MOST];
static void meet(int *round)
{
	int until = ++*round * THREADS;
	__atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
	for (int spins = 0; __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < until;)
		if (++spins > 200) sched_yield();
}
static void count(int i)
{
	int k, l, t, r;
	for (k = 0; k < MOST; k++) {
		int same = counts[k] > 0;
		for (l = 0; same && l < LOCATIONS; l++) same = kinds[k].at[l].v == loc[i][l].v;
		for (t = 0; same && t < THREADS; t++) for (r = 0; same && r < REGISTERS; r++) same = kinds[k].r[t][r] == out[i][t][r];
		if (same || !counts[k]) break;
	}
	if (k == MOST) abort();
	if (!counts[k]++) {
		for (l = 0; l < LOCATIONS; l++) kinds[k].at[l].v = loc[i][l].v;
		for (t = 0; t < THREADS; t++) for (r = 0; r < REGISTERS; r++) kinds[k].r[t][r] = out[i][t][r];
	}
}
static void *soak(void *n)
{
	long t = (long)n;
	int round = 0;
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(t %% sysconf(_SC_NPROCESSORS_ONLN), &set);
	pthread_setaffinity_np(pthread_self(), sizeof set, &set);
	for (long done = 0; done < runs; done += BATCH) {
		if (t == 0) for (int i = 0; i < BATCH; i++) for (int l = 0; l < LOCATIONS; l++) loc[i][l].v = 0;
		meet(&round);
		for (int i = 0; i < BATCH; i++) {
			if (i %% 8 == 0) meet(&round);
			bodies[t](loc[i], out[i][t]);
		}
		meet(&round);
		if (t == 0) for (int i = 0; i < BATCH; i++) count(i);
	}
	return 0;
}
int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	syscall(324, 16, 0, 0);
	if (argc > 1) {
		runs = atol(argv[1]);
		loc = aligned_alloc(64, sizeof *loc * BATCH);
		out = calloc(BATCH, sizeof *out);
	}
	for (long i = 0; i < THREADS; i++) pthread_create(&t[i], 0, argc > 1 ? soak : run, (void *)i);
	for (int i = 0; i < THREADS; i++) pthread_join(t[i], 0);
	if (argc == 1) show(loc[0], out[0], 0);
	for (int k = 0; k < MOST && counts[k]; k++) show(kinds[k].at, kinds[k].r, counts[k]);
	return 0;
}
`

// Source is the test in C. It prints its outcome in the words of Tell.
func (t *Test) Source() string {
	var threads, names, loads strings.Builder
	for th, code := range t.Program.Threads {
		fmt.Fprintf(&threads, "static void thread%d(struct location *at, int *r)\n{\n\t(void)at; (void)r;\n", th)
		var used []int
		for _, x := range code {
			switch {
			case x.Kind == Load:
				fmt.Fprintf(&threads, "\tint r%d;\n", x.Reg)
				used = append(used, x.Reg)
			}
		}
		for _, x := range code {
			switch l := x.Addr / 4; {
			case x.Kind == Load:
				fmt.Fprintf(&threads, "\tLOAD(r%d, %d);\n", x.Reg, l)
			case x.Kind == Store:
				fmt.Fprintf(&threads, "\tSTORE(%d, %d);\n", l, x.Value)
			case x.Kind == Exchange:
				fmt.Fprintf(&threads, "\tXCHG(%d, %d)\n", l, x.Value)
			case x.Kind == FenceAll:
				threads.WriteString("\tFENCEALL();\n")
			case x.Value == int(LockDWR):
				threads.WriteString("\tLOCKED()\n")
			default:
				threads.WriteString("\tMFENCE();\n")
			}
		}
		for _, r := range used {
			fmt.Fprintf(&threads, "\tr[%d] = r%d;\n", r, r)
		}
		threads.WriteString("}\n")
		fmt.Fprintf(&names, "thread%d, ", th)
	}
	for _, l := range t.loads {
		fmt.Fprintf(&loads, "\tprintf(\"%%s%%d\", said++ ? \" \" : \"\", r[%d][%d]);\n", l.thread, l.reg)
	}
	return fmt.Sprintf("#define THREADS %d\n#define LOCATIONS %d\n#define REGISTERS %d\n", len(t.Program.Threads), t.Locations, Registers) +
		fmt.Sprintf(frame, threads.String(), names.String(), loads.String())
}
