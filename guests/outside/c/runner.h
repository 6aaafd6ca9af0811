// The native side: RUNS runs of a program, each in a child with delays of its own at
// the points, on one core, on another, or on any. It prints each outcome that
// it sees, with how often and in which run first.
// Arguments: PROGRAM RUNS SEED; of a child's process PROGRAM one SEED RUN.
#include <dirent.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>

static unsigned char delays[64];
static unsigned long luck;
static unsigned roll(void) { luck ^= luck << 13; luck ^= luck >> 7; luck ^= luck << 17; return luck >> 20; }

#ifdef __cplusplus
extern "C"
#endif
void point(int i) {
	int e = errno, d = delays[(i + 7 * me) & 63];
	__atomic_thread_fence(5);
	if (d >= 4) {
		struct timespec t = {0, (d - 3) * 120000L};
		syscall(SYS_nanosleep, &t, 0); // past libc: no cancellation point
	} else if (d == 3) {
		for (volatile int k = 0; k < 3000; k++) ;
	} else if (d == 2) {
		syscall(SYS_sched_yield);
	}
	errno = e;
}

// setting chooses what the run's delays are.
static void setting(unsigned long seed, int run) {
	luck = (seed + 1) * 0x9e3779b97f4a7c15ul + (run + 1) * 0xbf58476d1ce4e5b9ul;
	for (int i = 0; i < 8; i++) roll();
	int busy = roll() % 4; // how many of the points delay
	for (int i = 0; i < 64; i++) delays[i] = (int)(roll() % 4) <= busy ? roll() % 10 : 0;
	cpu_set_t on;
	CPU_ZERO(&on);
	int cores = run % 3;
	for (int i = 0; i < 2; i++) if (cores == 2 || cores == i) CPU_SET(i, &on);
	sched_setaffinity(0, sizeof on, &on);
	prctl(PR_SET_TIMERSLACK, 1);
}

// still reports whether all threads of a process sleep, and how often they have.
static int still(int pid, long *switches) {
	char name[400], line[256];
	snprintf(name, sizeof name, "/proc/%d/task", pid);
	DIR *d = opendir(name);
	if (!d) return 0;
	int all = 1;
	*switches = 0;
	for (struct dirent *e; (e = readdir(d));) {
		if (e->d_name[0] == '.') continue;
		snprintf(name, sizeof name, "/proc/%d/task/%s/status", pid, e->d_name);
		FILE *f = fopen(name, "r");
		if (!f) continue;
		while (fgets(line, sizeof line, f)) {
			if (!strncmp(line, "State:\t", 7) && line[7] != 'S' && line[7] != 'Z') all = 0;
			if (strstr(line, "ctxt_switches:")) *switches += atol(strchr(line, ':') + 1);
		}
		fclose(f);
	}
	closedir(d);
	return all;
}

static struct { char text[600]; int times, first; } outcomes[400];
static int distinct;

static void note(const char *text, int run) {
	for (int i = 0; i < distinct; i++) {
		if (!strcmp(outcomes[i].text, text)) { outcomes[i].times++; return; }
	}
	if (distinct == 400) return;
	strncpy(outcomes[distinct].text, text, 599);
	outcomes[distinct].times = 1;
	outcomes[distinct++].first = run;
}

static void run(int which, int run, unsigned long seed) {
	int out[2], err[2];
	if (pipe(out) || pipe(err)) { perror("pipe"); exit(2); }
	pid_t child = fork();
	if (child < 0) { perror("fork"); exit(2); }
	if (!child) {
		int null = open("/dev/null", O_RDONLY);
		dup2(null, 0);
		dup2(out[1], 1);
		dup2(err[1], 2);
		for (int f = 3; f < 20; f++) close(f);
		// A process of its own: in a forked one musl's list of threads stays locked
		// when the first thread ends by pthread_exit.
		char number[3][24];
		snprintf(number[0], 24, "%d", which);
		snprintf(number[1], 24, "%lu", seed);
		snprintf(number[2], 24, "%d", run);
		execl("/proc/self/exe", "program", number[0], "one", number[1], number[2], (char *)0);
		_exit(125);
	}
	close(out[1]);
	close(err[1]);
	char text[600];
	int n = 0, status = 0, hangs = 0, polls = 0;
	long before = -1, switches;
	for (;;) {
		struct pollfd p = {out[0], POLLIN, 0};
		int ready = poll(&p, 1, 40);
		if (ready > 0) {
			int k = read(out[0], text + n, sizeof text - 40 - n);
			if (k <= 0) break;
			n += k;
			continue;
		}
		// Nothing moves, three looks long, or it turns in a loop.
		if (still(child, &switches) && switches == before) hangs++;
		else hangs = 0;
		before = switches;
		if (hangs == 3 || ++polls > 1500) { hangs = 3; kill(child, SIGKILL); break; }
	}
	while (waitpid(child, &status, 0) < 0 && errno == EINTR) ;
	close(out[0]);
	close(err[0]);
	while (n > 0 && text[n-1] == '\n') n--;
	text[n] = 0;
	for (int i = 0; i < n; i++) if (text[i] == '\n') text[i] = ' ';
	if (hangs == 3) strcpy(text, polls > 1500 ? "turns" : "hangs");
	else if (WIFSIGNALED(status)) snprintf(text, sizeof text, "signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status)) snprintf(text + n, 30, " status %d", WEXITSTATUS(status));
	note(text, run);
}

static int natively(char **a, void (*program)(int)) {
	unsigned long seed = strtoul(a[3], 0, 10);
	if (!strcmp(a[2], "one")) {
		setting(seed, atoi(a[4]));
		program(atoi(a[1]));
		exit(0);
	}
	int runs = atoi(a[2]);
	for (int i = 0; i < runs; i++) {
		run(atoi(a[1]), i, seed);
		int hung = 0;
		for (int j = 0; j < distinct; j++) {
			if (!strcmp(outcomes[j].text, "hangs") || !strcmp(outcomes[j].text, "turns")) hung += outcomes[j].times;
		}
		if (hung >= 12) break;
	}
	for (int i = 0; i < distinct; i++) printf("%d\t%d\t%s\n", outcomes[i].times, outcomes[i].first, outcomes[i].text);
	return 0;
}
