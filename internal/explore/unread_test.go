package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const unreadHead = "#define _GNU_SOURCE\n" + heapHead + `
#include <stdatomic.h>
#include <stdint.h>
#include <poll.h>
#include <signal.h>
#include <ucontext.h>
#include <unistd.h>
#include <sys/select.h>
#include <sys/uio.h>
#include <sys/syscall.h>
#include <linux/futex.h>
static struct { atomic_int fd; short asked, came; } polled = {0, POLLOUT, 0}; static _Atomic long set[16];
static atomic_int x, y, n, seen; static volatile int plain; static volatile pthread_t t, u, v;
static int me(void *a) { return (int)(intptr_t)a; }
static void *stores(void *a) { x = me(a); return 0; }
static void *relaxed(void *a) { atomic_store_explicit(&x, me(a), memory_order_relaxed); atomic_store_explicit(&y, me(a), memory_order_relaxed); return 0; }
static void *nested(void *a) { for (int i = 0; i < 2; i++) stores((void *)(intptr_t)(10 * me(a) + i)); return 0; }
static void *uses(void *a) { seen = atomic_exchange(&x, me(a)) * 4 + seen; return 0; }
static void *returns(void *a) { return (void *)(intptr_t)atomic_exchange(&x, me(a)); }
static void *looks(void *a) { x = me(a); if (atomic_fetch_add(&n, 1) == 2) seen = x; return 0; }
static void *fails(void *a) { x = me(a); if (atomic_fetch_add(&n, 1) == 1) assert(x != 3); return 0; }
static void *writes(void *a) { x = me(a); if (atomic_fetch_add(&n, 1) == 2) { int k = write(1, &x, 4); (void)k; } return 0; }
static void *copies(void *a) { x = me(a) + 48; if (atomic_fetch_add(&n, 1) == 2) { char b[8]; memcpy(b, &x, 4); b[4] = 0; puts(b); } return 0; }
static void *awaits(void *a) { if (me(a) == 3) { while (x != 1) ; } else x = me(a); return 0; }
static void *sleeps(void *a) { if (me(a) == 3) syscall(SYS_futex, &x, FUTEX_WAIT_PRIVATE, 1, 0); else { x = me(a); syscall(SYS_futex, &x, FUTEX_WAKE_PRIVATE, 9); } return 0; }
static void *swaps(void *a) { int e = 1; x = me(a); seen += atomic_compare_exchange_strong(&x, &e, 7) * me(a); return 0; }
static void *aims(void *a) { polled.fd = me(a) == 2 ? 1 : -1; return 0; }
static void *selects(void *a) { set[0] = me(a) == 2 ? 2 : 0; return 0; }
static void shown(int s, siginfo_t *i, void *c) { greg_t *r = ((ucontext_t *)c)->uc_mcontext.gregs; seen = seen * 4 + r[REG_RBX]; if (s == SIGILL) r[REG_RIP] += 2; }
static void *faults(void *a) { long v = me(a); __asm__ volatile("xchg %%ebx, %1; ud2; xor %%ebx, %%ebx" : "+b"(v), "+m"(x) : : "memory"); return 0; }
static _Atomic char text[64];
static void *letters(void *a) { text[0] = '@' + me(a); return 0; }
static void *halves(void *a) { ((_Atomic short *)&x)[me(a) & 1] = me(a); return 0; }
static void *racy(void *a) { plain = me(a); return 0; }
static void *other(void *a) { y = x; return 0; }
`

const threeStore = "pthread_create((pthread_t *)&t, 0, THREAD, (void *)1); pthread_create((pthread_t *)&u, 0, THREAD, (void *)2); pthread_create((pthread_t *)&v, 0, THREAD, (void *)3); "

// TestUnread: programs have the outcomes that they have in all orders, and one order of stores that
// nothing reads.
func TestUnread(t *testing.T) {
	t.Parallel()
	all := threeStore + joinsAlike
	for i, p := range []struct {
		name, thread, body string
		few                bool // fewer executions than without
	}{
		{"nothing reads", "stores", all, true},
		{"main reads before", "stores", "seen = x; " + all, true},
		{"two plain stores", "relaxed", all, true},
		{"stores in a function", "nested", all, true},
		{"the old value is used", "uses", all, false},
		{"the old value is a result", "returns", threeStore + "void *r; pthread_join(t, &r); seen = (long)r; pthread_join(u, 0); pthread_join(v, 0);", false},
		{"main reads", "stores", all + "seen = x;", false},
		{"main prints", "stores", all + `printf("%d ", x);`, false},
		{"main writes it out", "stores", all + "int k = write(1, &x, 1); (void)k;", false},
		{"main copies it", "stores", all + "int k; memcpy(&k, &x, 4); seen = k;", false},
		{"main puts it", "stores", all + "puts((char *)&x);", false},
		{"main measures it", "stores", all + "seen = strchr((char *)&x, 2) != 0;", false},
		{"main buffers it", "stores", all + "fwrite(&x, 4, 1, stdout);", false},
		{"main compares it", "stores", all + "int k = 2; seen = memcmp(&x, &k, n + 4);", false},
		{"main sorts it", "stores", all + "char b[9]; snprintf(b, 9, \"%s\", (char *)&x); seen = b[0];", false},
		{"main sends it", "stores", all + "int p[2], k = pipe(p); struct iovec io = {&x, 4}; k = writev(p[1], &io, 1); k = read(p[0], &k, 4); seen = k;", false},
		{"main polls by it", "aims", all + "seen = poll((struct pollfd *)&polled, 1, 0);", false},
		{"main selects by it", "selects", all + "struct timeval now = {0, 0}; seen = select(2, 0, (fd_set *)set, 0, &now);", false},
		{"a bug in the first execution", "stores", all + "abort();", false},
		{"exit writes its buffer", "letters", "setvbuf(stdout, (char *)text, _IOFBF, 64); printf(\"zz\\n\"); " + all + "exit(0);", false},
		{"a handler of a fault", "faults", "struct sigaction act = {.sa_sigaction = shown, .sa_flags = SA_SIGINFO}; sigaction(SIGILL, &act, 0); " + all, false},
		{"an assertion at the end", "stores", all + "assert(x != 2);", false},
		{"read at exit", "stores", "atexit(last); " + all, false},
		{"the last one reads", "looks", all, false},
		{"an assertion in a thread", "fails", all, false},
		{"a system call reads", "writes", all, false},
		{"the C library reads", "copies", all, false},
		{"a loop waits for one", "awaits", "alarm(0); " + threeStore, false},
		{"the kernel compares it", "sleeps", threeStore, false},
		{"a compare-and-exchange", "swaps", all, false},
		{"bytes of a word", "halves", all, true},
		{"another thread reads", "stores", "GO(o, other); " + all + "pthread_join(o, 0);", false},
		{"a data race", "racy", all, false},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			source := unreadHead + "static void last(void) { printf(\"%d at exit\\n\", x); }\n#define THREAD " + p.thread + "\nint main(void) { (void)last; " + p.body + ` printf("%d %d\n", seen, n); return 0; }`
			for _, flags := range inTurn(i, "-g -O0", "-g -O2") {
				cfg := onProgram(compile.Text(t, "gcc", source, strings.Fields(flags)...))
				cfg.Model = config.ModelSC
				cfg.Search = "optimal"
				all := ran(t, cfg)
				cfg.Search = "optimal:unread=1"
				few := ran(t, cfg)
				if few.Verdict != all.Verdict || few.Verdict == result.Verified && differentOutputs(few) != differentOutputs(all) || few.RaceCount != all.RaceCount {
					t.Errorf("%s: %s, outputs %q, %d races; in all orders %s, %q, %d", flags, few.Verdict, differentOutputs(few), few.RaceCount, all.Verdict, differentOutputs(all), all.RaceCount)
				}
				if says := strings.Contains(strings.Join(few.Certificate.Assumptions, "\n"), "have no order: no execution read them"); few.Verdict == result.Verified && says != p.few {
					t.Errorf("%s: it says that it was spared orders: %v", flags, says)
				}
				if few.Verdict == result.Verified && (few.Executions > all.Executions || few.Executions < all.Executions != p.few) {
					t.Errorf("%s: %d executions, in all orders %d", flags, few.Executions, all.Executions)
				}
			}
		})
	}
}

// TestFewerByDefault: a search that goes on for long has one beside it that is spared orders of threads
// that are alike. The first to end is the proof.
func TestFewerByDefault(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", `#include <pthread.h>
static int n; static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *thread(void *a) { pthread_mutex_lock(&m); n++; pthread_mutex_unlock(&m); return a; }
int main(void) { pthread_t t[8]; for (int i = 0; i < 8; i++) pthread_create(&t[i], 0, thread, 0);
	for (int i = 0; i < 8; i++) pthread_join(t[i], 0); return 0; }`, "-g", "-O2"))
	r := ran(t, cfg)
	if r.Verdict != result.Verified || r.Executions != 1 || r.Search != fewerSearch || !strings.Contains(r.Reason, "8 threads are interchangeable") {
		t.Errorf("%s by %s: %d executions, %q", r.Verdict, r.Search, r.Executions, r.Reason)
	}
}
