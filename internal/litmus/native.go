package litmus

import (
	"fmt"
	"strings"
)

// harness runs a test many times on the processor. A batch has many instances of the test,
// each with locations of its own. A worker runs some of the test's threads, on each instance
// in turn, and the workers keep in step. There are at most as many workers as cores. So each
// is on a core, and threads meet though the test may have more of them. A fence is between
// two threads of one worker: a processor that goes over to another thread has one, too.
//
// Chance has a part in each batch. It says which worker has which threads, in which order,
// and how much later each begins. It says how far apart locations and instances are, and in
// whose cache; how many instances there are between two meetings; whether workers stay on one
// core. In some batches each thread has a worker of its own, and these don't meet.
//
// Litmus (Alglave, Maranget, Sarkar and Sewell, "Litmus: running tests against hardware",
// TACAS 2011) runs batches like these. The table of tests comes between kinds and harness.
const (
	kinds = `
enum { BATCH = 2048, KINDS = 4096, PATIENCE = 100000 };
struct test {
	int threads, locations, loads, bytes, thread[THREADS * REGISTERS], reg[THREADS * REGISTERS];
	void (*body[THREADS])(char *, long, int *);
};
static const struct test tests[] = {
`
	harness = `};
static const struct test *test;
static struct {
	int workers, meets, pinned, shift;
	int order[THREADS], first[THREADS + 1]; // worker w has the threads order[first[w]] and on, up to w+1's
	int step, from, together, touch, delay[THREADS], owner[LOCATIONS];
	long stride, apart, round;
} plan;
static const struct { long stride, apart; } shapes[] = { {256, 64}, {64, 4}, {16, 4}, {512, 128}, {64, BATCH * 64} };
static char memory[BATCH * 512] __attribute__((aligned(4096)));
static int out[THREADS][BATCH][REGISTERS];
static struct { volatile long round; char pad[120]; } progress[THREADS] __attribute__((aligned(128)));
static pthread_barrier_t gate;
static cpu_set_t cpus;
static int cores, cpu[CPU_SETSIZE];
static long runs;
typedef unsigned __int128 wide;
static struct { wide key; long times; } kinds[KINDS];

static unsigned chance(unsigned n)
{
	static unsigned long x;
	if (!x) x = time(0) * 0x9e3779b97f4a7c15 ^ getpid() * 88172645463325252;
	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return (x >> 20) % n;
}
static void prepare(void)
{
	int t = test->threads, own = cores == 1 || t > cores && !chance(8);
	for (int i = 0; i < t; i++) {
		int k = chance(i + 1);
		plan.order[i] = plan.order[k];
		plan.order[k] = i;
	}
	plan.workers = own || t < cores ? t : cores;
	plan.meets = !own;
	for (int w = 0; w <= t; w++) plan.first[w] = w < plan.workers ? w : t;
	for (int w = plan.workers - 1; w > 0; w--) // those left over go to any
		plan.first[w] += chance(plan.first[w + 1] - plan.first[w]);
	plan.step = chance(2) ? 1 : chance(BATCH) | 1;
	plan.from = chance(BATCH);
	plan.together = 1 << chance(8);
	plan.touch = chance(4);
	for (int i = 0; i < t; i++) plan.delay[i] = chance(1 << chance(8));
	for (int l = 0; l < LOCATIONS; l++) plan.owner[l] = chance(plan.workers);
	int shape = chance(sizeof shapes / sizeof *shapes);
	plan.stride = shapes[shape].stride;
	plan.apart = shapes[shape].apart;
	plan.pinned = chance(4);
	plan.shift = chance(cores);
	plan.round += BATCH;
}
static void settle(int me)
{
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(cpu[(me + plan.shift) % cores], &one);
	sched_setaffinity(0, sizeof one, plan.pinned ? &one : &cpus);
	for (int l = 0; l < test->locations; l++)
		for (int i = 0; plan.owner[l] == me && i < BATCH; i++)
			*(volatile int *)(memory + i * plan.stride + l * plan.apart) = 0;
}
// meet waits until the others have come as far; false if one takes too long: it isn't on a core.
static int meet(int me, long round)
{
	for (int w = 0; w < plan.workers; w++)
		for (int spins = 0; w != me && progress[w].round < round; spins++)
			if (spins == PATIENCE) return 0;
	return 1;
}
static void batch(int me)
{
	int meets = plan.meets;
	for (int n = 0; n < BATCH && plan.first[me] < plan.first[me + 1]; n++) {
		int i = (n * plan.step + plan.from) & (BATCH - 1);
		char *at = memory + i * plan.stride;
		for (int l = 0; l < test->locations; l++) {
			if (plan.touch == 1) __builtin_prefetch(at + l * plan.apart);
			if (plan.touch == 2) __builtin_prefetch(at + l * plan.apart, 1);
		}
		if (plan.meets && n % plan.together == 0) {
			progress[me].round = plan.round + n;
			meets = meets && meet(me, plan.round + n);
		}
		for (int k = plan.first[me]; k < plan.first[me + 1]; k++) {
			int t = plan.order[k];
			if (k > plan.first[me]) MFENCE();
			for (int d = plan.delay[t]; d > 0; d--) __asm__ volatile("");
			test->body[t](at, plan.apart, out[t][i]);
		}
	}
	progress[me].round = plan.round + BATCH - 1;
}
static wide with(wide key, int v)
{
	if (test->bytes) {
		for (int k = 0; k < 32; k += 8) key = key << 4 | (v >> k & 15);
		return key;
	}
	if (v < 0 || v > 15) {
		fprintf(stderr, "found %d, which no thread stores\n", v);
		exit(1);
	}
	return key << 4 | v;
}
static void count(int i)
{
	wide key = 0;
	for (int l = 0; l < test->loads; l++) key = with(key, out[test->thread[l]][i][test->reg[l]]);
	for (int l = 0; l < test->locations; l++) key = with(key, *(int *)(memory + i * plan.stride + l * plan.apart));
	unsigned k = (unsigned long)(key ^ key >> 61) * 0x9e3779b97f4a7c15 >> 52;
	while (kinds[k].times && kinds[k].key != key) k = (k + 1) % KINDS;
	kinds[k].key = key;
	kinds[k].times++;
}
static void *work(void *n)
{
	int me = (long)n;
	for (long done = 0; done < runs; done += BATCH) {
		if (me == 0) prepare();
		pthread_barrier_wait(&gate);
		settle(me);
		pthread_barrier_wait(&gate);
		batch(me);
		pthread_barrier_wait(&gate);
		for (int i = 0; me == 0 && i < BATCH; i++) count(i);
	}
	return 0;
}
// main runs test number argv[1] argv[2] times. It prints each outcome, and how often it came.
int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	test = &tests[atoi(argv[1])];
	runs = atol(argv[2]);
	sched_getaffinity(0, sizeof cpus, &cpus);
	for (int c = 0; c < CPU_SETSIZE; c++) if (CPU_ISSET(c, &cpus)) cpu[cores++] = c;
	if (syscall(324, 16, 0, 0)) perror("membarrier");
	pthread_barrier_init(&gate, 0, test->threads);
	for (long i = 0; i < test->threads; i++) pthread_create(&t[i], 0, work, (void *)i);
	for (int i = 0; i < test->threads; i++) pthread_join(t[i], 0);
	for (int k = 0, n = (test->loads + test->locations) * (test->bytes ? 4 : 1); k < KINDS; k++) {
		if (!kinds[k].times) continue;
		for (int i = 1; i <= n; i++) printf("%d%s", (int)(kinds[k].key >> 4 * (n - i)) & 15, i < n ? " " : ": ");
		printf("%ld\n", kinds[k].times);
	}
	return 0;
}
`
)

// Native is a C program that runs any of the tests on the processor. Its arguments are the
// number of the test and how many runs there are to be, at least. It prints the outcomes in
// the words of Tell, each with its count.
func Native(tests []*Test) string {
	threads, locations := 0, 0
	var bodies, table strings.Builder
	for n, t := range tests {
		threads, locations = max(threads, len(t.Program.Threads)), max(locations, t.Locations)
		var names, of, reg strings.Builder
		for th := range t.Program.Threads {
			name := fmt.Sprintf("test%dthread%d", n, th)
			bodies.WriteString(t.body(th, name, "char *at, long apart"))
			names.WriteString(name + ", ")
		}
		for _, l := range t.loads {
			fmt.Fprintf(&of, "%d, ", l.thread)
			fmt.Fprintf(&reg, "%d, ", l.reg)
		}
		fmt.Fprintf(&table, "\t{%d, %d, %d, %d, {%s}, {%s}, {%s}},\n", len(t.Program.Threads), t.Locations, len(t.loads), map[bool]int{true: 1}[t.Bytes], &of, &reg, &names)
	}
	return macros + fmt.Sprintf("#define THREADS %d\n#define LOCATIONS %d\n#define REGISTERS %d\n", threads, locations, Registers) +
		"#define AT(l) (*(volatile int *)(at + (l) * apart))\n" +
		bodies.String() + kinds + table.String() + harness
}
