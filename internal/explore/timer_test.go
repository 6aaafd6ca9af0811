package explore

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// ticking is the configuration of these tests: timers go off so often.
func ticking(guest string, ticks uint64) config.Config {
	cfg := config.Default()
	cfg.Deepen, cfg.Out, cfg.Jobs, cfg.Model, cfg.Guest = false, config.NoFile, 1, config.ModelSC, guest
	cfg.SetTicks(ticks)
	return cfg
}

// TestOwnThreads: packages of threads in guests/uthreads, each with its fault and without.
// Without a reduction there are as many executions as with each: all places of the ticks.
func TestOwnThreads(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../guests/uthreads/uthreads.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Name, Bug   string
		Preemptions int
		Executions  uint64
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("../../guests/uthreads/*.c")
	if err != nil || len(sources) != len(table) {
		t.Errorf("%d programs, %d in the table, %v", len(sources), len(table), err)
	}
	for i, g := range table {
		t.Run(g.Name, func(t *testing.T) {
			t.Parallel()
			source := "../../guests/uthreads/" + g.Name + ".c"
			cfg := ticking(compile.File(t, "gcc", source, "-O1"), 2)
			cfg.Deepen = true
			r := runOf(t, cfg)
			if r.Verdict != result.Buggy || string(r.Bug.Kind) != g.Bug || r.Bug.Preemptions != g.Preemptions {
				t.Fatalf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
			}
			// As its bug file has it: with the ticks that were asked for, not those of the search.
			again := cfg.For(&r.Guest, r.Bug)
			if got, err := Replay(context.Background(), *again, &result.BugFile{Kind: r.Bug.Kind, Message: r.Bug.Message, Schedule: r.Bug.Schedule}, nil); err != nil {
				t.Errorf("replayed: %v", err)
			} else if got.Verdict != result.Buggy {
				t.Errorf("replayed: %s (%s)", got.Verdict, got.Reason)
			}
			fixed := compile.File(t, "gcc", source, "-O1", "-DFIXED")
			for _, search := range append(inTurn(i, "none", "sleep", "dpor"), "optimal") {
				cfg := ticking(fixed, 1)
				if cfg.Search = search; search == "optimal" {
					cfg.SelfCheck = true
				}
				if r := runOf(t, cfg); r.Verdict != result.Bounded || r.Bound != "ticks=1" || r.Executions != g.Executions || r.Blocked > 0 || len(r.Warnings) > 0 {
					t.Errorf("%s: %s by %s (%s), %d executions, %d blocked, want %d; warnings %v", search, r.Verdict, r.Bound, r.Reason, r.Executions, r.Blocked, g.Executions, r.Warnings)
				}
			}
		})
	}
}

// TestNoTicks: where timers never go off, the first line says why one thread ran.
func TestNoTicks(t *testing.T) {
	t.Parallel()
	r := runOf(t, ticking(compile.Text(t, "gcc", timed+"static void handle(int sig) { x = sig; }\nint main(void) { begin(); }\n"), 0))
	if r.Bound != "ticks=0" || len(r.Warnings) != 1 || !strings.Contains(r.Warnings[0].Text, "(--ticks 0)") {
		t.Errorf("%s by %s: %+v", r.Verdict, r.Bound, r.Warnings)
	}
}

// TestTicksWithoutEnd: a program that waits for ever after a tick is told what helps there,
// and what fewer ticks have shown.
func TestTicksWithoutEnd(t *testing.T) {
	r := &result.Result{Verdict: result.Budget, Problem: result.NoEnd}
	ticked(r, 2, 1)
	cure := result.Explain(r.Problem).Cure
	if r.Problem != result.NoEndTicks || !strings.Contains(cure, "--ticks 0") || strings.Contains(cure, "stateful") || r.BoundedAt == nil || *r.BoundedAt != 1 || r.BoundedBy != "ticks=1" {
		t.Errorf("%s, cure: %s, bounded by %q", r.Problem, cure, r.BoundedBy)
	}
	first := &result.Result{Verdict: result.Budget, Problem: result.OutOfTime}
	if ticked(first, 1, 1); first.BoundedAt != nil || first.Problem != result.OutOfTime {
		t.Errorf("nothing was shown before: %+v", first)
	}
}

// timed is the beginning of programs whose timer goes off once, after this many microseconds on a
// machine, unless left says more, and which print what happens.
const timed = `#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#define say(...) (printf(__VA_ARGS__), fflush(stdout))
static volatile int x, y, z, left = 1, flags;
static void handle(int sig);
static void set(int us)
{
	struct itimerval v = { { 0, 0 }, { 0, us } };
	setitimer(ITIMER_REAL, &v, 0);
}
static int microseconds;
static void begin(void)
{
	struct sigaction sa = { .sa_handler = handle, .sa_flags = flags };
	const char *us = getenv("MICROSECONDS");
	sigaction(SIGALRM, &sa, 0);
	set(microseconds = us ? atoi(us) : 1000);
}
static void again(void) { if (--left > 0) set(microseconds); }
static void block(int how)
{
	sigset_t s;
	sigemptyset(&s);
	sigaddset(&s, SIGALRM);
	sigprocmask(how, &s, 0);
}
static void add(volatile int *p, int n) { int r = *p; __asm__ volatile("" : "+r"(r)); *p = r + n; }
`

// timedPrograms are programs, and what they can print.
var timedPrograms = []struct {
	name, text string
	want       []string
}{
	{"a handler between a load and a store", `
static void handle(int sig) { add(&x, 10); again(); }
int main(void) { begin(); add(&x, 1); set(0); say("%d\n", x); }`, []string{"1", "11"}},
	{"twice", `static void handle(int sig) { add(&x, 10); again(); }
int main(void) { left = 2; begin(); add(&x, 1); set(0); say("%d\n", x); }`, []string{"1", "11", "21"}},
	{"set back while the signal is kept", `
static void handle(int sig) { add(&x, 10); }
int main(void) { begin(); block(SIG_BLOCK); set(0); y = x; block(SIG_UNBLOCK); say("%d %d\n", y, x); }`, []string{"0 0", "0 10", "10 10"}},
	{"a look at kept signals", `
static void handle(int sig) { add(&x, 10); }
int main(void) { sigset_t s; begin(); block(SIG_BLOCK); sigpending(&s); y = sigismember(&s, SIGALRM); set(0); z = x; block(SIG_UNBLOCK); say("%d %d %d\n", y, z, x); }`,
		[]string{"0 0 0", "0 0 10", "0 10 10", "1 0 10"}},
	{"a sleep", `
static void handle(int sig) { x = 1; }
int main(void) { struct timespec t = { 0, 3000000 }; begin(); y = nanosleep(&t, 0); set(0); say("%d %d\n", y, x); }`, []string{"-1 1", "0 0", "0 1"}},
	{"a pause that only a tick ends", `
static void handle(int sig) { x = 1; }
int main(void) { block(SIG_BLOCK); begin(); sigset_t none; sigemptyset(&none); y = sigsuspend(&none); say("%d %d %d\n", y, errno == EINTR, x); }`, []string{"-1 1 1"}},
	{"a loop that only a tick ends", `
static void handle(int sig) { x = 1; }
int main(void) { begin(); while (!x) ; say("%d\n", x); }`, []string{"1"}},
	{"a jump out of the handler", `
static sigjmp_buf back;
static void handle(int sig) { siglongjmp(back, 1); }
int main(void) { sigset_t s; if (sigsetjmp(back, 1) == 0) { begin(); x = 1; y = 1; set(0); } sigprocmask(SIG_BLOCK, 0, &s); say("%d %d %d\n", x, y, sigismember(&s, SIGALRM)); }`,
		[]string{"0 0 0", "1 0 0", "1 1 0"}},
	{"a handler in a handler", `
static void handle(int sig) { if (++y > x) x = y; again(); y--; }
int main(void) { left = 2; flags = SA_NODEFER; begin(); while (left > 0) ; block(SIG_BLOCK); say("%d\n", x); }`, []string{"1", "2"}},
	{"a handler in a handler, of a timer that goes on", `
static void handle(int sig) { if (y < 2) { y = y + 1; if (y > x) x = y; y = y - 1; } }
int main(void) { flags = SA_NODEFER; begin(); struct itimerval v = { { 0, 900000 }, { 0, microseconds } }; setitimer(ITIMER_REAL, &v, 0); z = 1; set(0); say("%d\n", x); }`, []string{"0", "1", "2"}},
	{"what is left of a timer while its signal is kept", `
static void handle(int sig) { x = 1; }
int main(void) { timer_t a; struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM }; struct sigaction sa = { .sa_handler = handle };
	const char *us = getenv("MICROSECONDS"); struct itimerspec v = { { 0, 0 }, { 0, us ? atoi(us) * 1000 : 1000 } }, got; sigaction(SIGALRM, &sa, 0);
	timer_create(CLOCK_MONOTONIC, &e, &a); timer_settime(a, 0, &v, 0); block(SIG_BLOCK); timer_gettime(a, &got); y = got.it_value.tv_nsec == 0;
	block(SIG_UNBLOCK); say("%d %d\n", y, x); }`, []string{"0 0", "0 1", "1 1"}},
	{"what is left of timers after a sleep", `
static void handle(int sig) {}
int main(void) { timer_t a; struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM }; struct itimerspec v = { { 0, 0 }, { 0, 400000000 } }, got;
	struct itimerval w = { { 0, 0 }, { 0, 400000 } }, left; block(SIG_BLOCK); timer_create(CLOCK_MONOTONIC, &e, &a); timer_settime(a, 0, &v, 0); setitimer(ITIMER_REAL, &w, 0);
	usleep(20000); timer_gettime(a, &got); getitimer(ITIMER_REAL, &left); x = got.it_value.tv_nsec <= 380000000; y = left.it_value.tv_usec <= 380000;
	say("%d %d\n", x, y); }`, []string{"1 1"}},
	{"a stack of the handler's own", `
static char room[65536];
static void handle(int sig) { char here; y = &here >= room && &here < room + sizeof room; add(&x, 10); }
int main(void) { stack_t s = { .ss_sp = room, .ss_size = sizeof room }; 
	sigaltstack(&s, 0); flags = SA_ONSTACK; begin(); add(&x, 1); set(0); say("%d\n", x + 100 * (x > 1 && !y)); }`, []string{"1", "11"}},
	{"registers of floating point", `
static void handle(int sig) { volatile double d = 3; volatile long double l = 5; z = d * l / 7; unsigned c = 0x7f80; __asm__ volatile("ldmxcsr %0; fninit" : : "m"(c)); x = 1; }
int main(void) { begin(); double a = y + 0.5; long double b = y + 0.25L; for (int i = 1; i < 3; i++) { y = i; a += y / 4.0; b *= 1 + y / 4.0L; } set(0); say("%.3f %.3Lf\n", a, b); }`, []string{"1.250 0.469"}},
	{"another's variable on the stack", `
static ucontext_t mine, theirs;
static char stack[65536];
static volatile int *shared;
static void other(void) { for (;;) { add(shared, 10); swapcontext(&theirs, &mine); } }
static void handle(int sig) { swapcontext(&mine, &theirs); }
int main(void) { volatile int here = 0; shared = &here; getcontext(&theirs); theirs.uc_stack.ss_sp = stack; theirs.uc_stack.ss_size = sizeof stack; sigaddset(&theirs.uc_sigmask, SIGALRM);
	makecontext(&theirs, other, 0); begin(); add(&here, 1); set(0); say("%d\n", here); }`, []string{"1", "11"}},
	{"a thread of the kernel's beside it", `
static void handle(int sig) { add(&x, 10); }
static void *run(void *p) { add(&x, 1); return p; }
int main(void) { pthread_t t; block(SIG_BLOCK); pthread_create(&t, 0, run, 0); block(SIG_UNBLOCK); begin(); pthread_join(t, 0); set(0); say("%d\n", x); }`, []string{"1", "10", "11"}},
	{"sigwait", `
static void handle(int sig) { x = 1; }
int main(void) { sigset_t s; int n; sigemptyset(&s); sigaddset(&s, SIGALRM); block(SIG_BLOCK); begin(); sigwait(&s, &n); say("%d %d\n", n, x); }`, []string{"14 0"}},
	{"timers of timer_create", `
static void handle(int sig) {}
static void told(int sig, siginfo_t *i, void *p) { x = i->si_code == SI_TIMER ? i->si_value.sival_int : 99; }
int main(void) { timer_t a, b; struct sigevent e = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1, .sigev_value.sival_int = 7 };
	struct sigaction sa = { .sa_sigaction = told, .sa_flags = SA_SIGINFO }; struct itimerspec v = { { 0, 0 }, { 0, 1000 } }, got; sigaction(SIGUSR1, &sa, 0);
	timer_create(CLOCK_MONOTONIC, &e, &a); e.sigev_notify = SIGEV_NONE; timer_create(CLOCK_REALTIME, &e, &b); timer_settime(b, 0, &v, 0); timer_delete(b);
	timer_settime(a, 0, &v, 0); y = 1; v.it_value.tv_nsec = 0; timer_settime(a, 0, &v, &got); y = timer_getoverrun(a); say("%d %d %d\n", x, y, timer_delete(b) < 0 && errno == EINVAL); }`, []string{"0 0 1", "7 0 1"}},
}

// printsOnly has a program print what is wanted by searches, all of it, and nothing else on the
// machine in this many runs, each with a variable of its environment.
func printsOnly(t *testing.T, guest string, want, searches []string, runs int, variable func(i int) string) {
	t.Helper()
	for _, search := range searches {
		l := list(ticking(guest, 2), search, 0, 0)
		if got := slices.Sorted(maps.Keys(l.outcomes)); l.err != nil || !l.complete || !slices.Equal(got, want) {
			t.Errorf("%s: %q (%v, complete: %v), want %q", search, got, l.err, l.complete, want)
		}
	}
	for i := range runs {
		cmd := exec.Command(guest)
		cmd.Env = []string{variable(i)}
		out, err := cmd.Output()
		if got := strings.TrimSpace(string(out)); err != nil || !slices.Contains(want, got) {
			t.Errorf("the machine prints %q (%v), want one of %q", got, err, want)
		}
	}
}

// TestTimerOutcomes: programs can print the outputs that a person says, with and without a
// reduction; and the machine prints nothing else.
func TestTimerOutcomes(t *testing.T) {
	t.Parallel()
	for _, c := range timedPrograms {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			guest := compile.Text(t, "gcc", timed+c.text, "-pthread")
			searches := []string{"none", "optimal"}
			if strings.Contains(c.text, "pthread_create") {
				searches = []string{"sleep", "optimal"} // all interleavings are too many
			}
			printsOnly(t, guest, c.want, searches, 60, func(i int) string { return fmt.Sprintf("MICROSECONDS=%d", 1+i%20*7) })
		})
	}
}

// TestTimerThread: with SIGEV_THREAD the C library has a thread that waits for a timer's signal, and
// starts others.
func TestTimerThread(t *testing.T) {
	t.Parallel()
	c := onProgram(compile.Text(t, "gcc", `
#include <assert.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>
static sem_t s; static int n;
static void note(union sigval v) { n = v.sival_int; sem_post(&s); }
int main(void) {
	timer_t t; struct sigevent e = { .sigev_notify = SIGEV_THREAD, .sigev_notify_function = note, .sigev_value.sival_int = 7 }; struct itimerspec i = { { 0, 0 }, { 0, 1000 } };
	timer_create(CLOCK_MONOTONIC, &e, &t); timer_settime(t, 0, &i, 0); sem_wait(&s); assert(n == 7); }`, "-pthread"))
	endsAs(t, c, "verified", "optimal")
}

// TestTickBeforeFree: a tick comes where a thread stands at a trusted function. The handler returns to
// that function's first instruction, and the function is carried out as ever.
func TestTickBeforeFree(t *testing.T) {
	t.Parallel()
	c := ticking(compile.Text(t, "gcc", `
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
static ucontext_t home, c; static char stack[32768]; static int *volatile p;
static void other(void) { *p = 1; swapcontext(&c, &home); }
static void nothing(int sig) { }
int main(void) {
	signal(SIGALRM, nothing); struct itimerval v = { { 0, 1000 }, { 0, 1000 } }; setitimer(ITIMER_REAL, &v, 0);
	p = calloc(1, 24);
	getcontext(&c); c.uc_stack.ss_sp = stack; c.uc_stack.ss_size = sizeof stack; makecontext(&c, other, 0); swapcontext(&home, &c);
	if (*p == 1) free(p); return 0; }`), 1)
	endsAs(t, c, "bounded", "optimal", "none")
}

// TestTimerThatPasses: a bug's account names its second timer, which doesn't fire in the run that
// passes.
func TestTimerThatPasses(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Out, cfg.Jobs, cfg.Guest = config.NoFile, 1, compile.Text(t, "gcc", `
#include <assert.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include <ucontext.h>
static ucontext_t home, c[2]; static char stack[2][32768]; static int now, done[2]; static volatile int counter, begun; static sigset_t tick;
static void other(int sig) { int me = now; if (done[1 - me]) return; now = 1 - me; swapcontext(&c[me], &c[now]); }
static void body(int i) {
	sigprocmask(SIG_UNBLOCK, &tick, 0);
	int seen = counter; counter = seen + 1;
	sigprocmask(SIG_BLOCK, &tick, 0);
	done[i] = 1;
	if (!done[1 - i]) { now = 1 - i; swapcontext(&c[i], &c[now]); }
	setcontext(&home);
}
int main(void) {
	sigemptyset(&tick); sigaddset(&tick, SIGVTALRM); sigprocmask(SIG_BLOCK, &tick, 0);
	for (int i = 0; i < 2; i++) { getcontext(&c[i]); c[i].uc_stack.ss_sp = stack[i]; c[i].uc_stack.ss_size = sizeof stack[i]; makecontext(&c[i], (void (*)(void))body, 1, i); }
	struct sigaction a = { .sa_handler = other }; sigfillset(&a.sa_mask); sigaction(SIGVTALRM, &a, 0);
	struct itimerval v = { { 0, 10000 }, { 0, 10000 } }; setitimer(ITIMER_VIRTUAL, &v, 0);
	getcontext(&home); if (!begun) { begun = 1; setcontext(&c[0]); }
	assert(counter == 2); exit(0); }`)
	if r := runOf(t, cfg); r.Verdict != result.Buggy || r.Bug.Preemptions != 1 {
		t.Errorf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
	}
}

// TestTicksBesides: where an execution has no end after a tick, others are looked at for a
// bug. Its schedule can be replayed without an option.
func TestTicksBesides(t *testing.T) {
	t.Parallel()
	program := func(early string) string {
		return compile.Text(t, "gcc", timed+`
static void handle(int sig) { if (x == 1) `+early+`; if (x == 2) y = 1; }
int main(void) { begin(); struct itimerval v = { { 0, 900000 }, { 0, microseconds } }; setitimer(ITIMER_REAL, &v, 0); x = 1; x = 2; while (y) z = z + 1; set(0); }`)
	}
	cfg := ticking(program("abort()"), 1)
	cfg.Deepen = true
	if r := runOf(t, cfg); r.Verdict != result.Buggy || r.Bug.BeforeThreads || r.Bug.Preemptions != 1 || r.Pruned == 0 {
		t.Errorf("%s (%s), %d pruned: %+v", r.Verdict, r.Reason, r.Pruned, r.Bug)
	}
	cfg.Guest = program("z = 1")
	r := runOf(t, cfg)
	if r.Verdict != result.Budget || r.Problem != result.NoEndTicks || r.Longest == nil || r.Longest.Schedule == "" || r.Pruned == 0 || r.Executions < 3 {
		t.Fatalf("%s, %s (%s), %d executions, %d pruned: %+v", r.Verdict, r.Problem, r.Reason, r.Executions, r.Pruned, r.Longest)
	}
	again := config.Default()
	again.Guest, again.Out, again.Model = cfg.Guest, config.NoFile, cfg.Model
	again.SetTicks(1)
	if got, err := Replay(context.Background(), again, &result.BugFile{Schedule: r.Longest.Schedule}, nil); err != nil || !got.Replay.Unfinished {
		t.Errorf("%v: %+v", err, got)
	}
}

// TestTicksUnmodelled: where a tick leads to an instruction that isn't modelled, others are looked
// at for a bug. If there is none, the verdict stays invalid.
func TestTicksUnmodelled(t *testing.T) {
	t.Parallel()
	program := func(early string) string {
		return compile.Text(t, "gcc", timed+`
static unsigned word;
static void handle(int sig) { if (x == 1 || x == 3) asm volatile("ldmxcsr %0" : : "m"(word)); if (x == 2) `+early+`; }
int main(void) { begin(); x = 1; x = 2; x = 3; set(0); }`)
	}
	cfg := ticking(program("abort()"), 1)
	cfg.Deepen = true
	if r := runOf(t, cfg); r.Verdict != result.Buggy || r.Bug.Preemptions != 1 {
		t.Errorf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
	}
	cfg.Guest = program("y = 1")
	if r := runOf(t, cfg); r.Verdict != result.Invalid || r.Problem != result.UnmodelledInstruction {
		t.Errorf("%s, %s (%s)", r.Verdict, r.Problem, r.Reason)
	}
}
