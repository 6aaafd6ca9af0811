// Programs whose number of outcomes has a formula: ./formulas NAME N K. Each
// prints one line that says in which order its threads did what, or which got what.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>

static int n, k, got[16], order[32], orders, word, fd;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t b;
static pthread_once_t o = PTHREAD_ONCE_INIT;
static sem_t s;
static pthread_t th[8];
static __thread int me;
static const struct timespec past = {1, 0};
static char *page;
static FILE *file;
static sigset_t usr1;

static void (*body)(int);
static void *thread(void *a) { me = (int)(long)a; body(me); return 0; }
static void run(void (*f)(int)) { // n threads, from 1 on
	body = f;
	for (long i = 1; i <= n; i++) pthread_create(&th[i], 0, thread, (void *)i);
}
static void join(void) { for (int i = 1; i <= n; i++) pthread_join(th[i], 0); }
static void show(void) {
	char line[80], *at = line;
	for (int i = 0; i < orders; i++) *at++ = '0' + order[i];
	*at++ = ' ';
	for (int i = 0; i <= n; i++) { if (got[i] < 0) *at++ = '-'; *at++ = '0' + abs(got[i]) % 70; }
	*at++ = '\n';
	syscall(SYS_write, 1, line, at - line);
}
static void noted(int i) { order[orders++] = i; }

static void locked(int i) { for (int j = 0; j < k; j++) { pthread_mutex_lock(&m); noted(i); pthread_mutex_unlock(&m); } }
static void exchanged(int i) { got[i] = __atomic_exchange_n(&word, i, 5); }
static void reads(int i) { pthread_rwlock_rdlock(&rw); got[i] = word; pthread_rwlock_unlock(&rw); }
static void waits(int i) { pthread_mutex_lock(&m); word++; while (!fd) pthread_cond_wait(&c, &m); noted(i); pthread_mutex_unlock(&m); }
static void init(void) { noted(me); }
static void calls(int i) { pthread_once(&o, init); }
static void tries(int i) { got[i] = sem_trywait(&s) == 0; }
static void meets(int i) { got[i] = pthread_barrier_wait(&b) != 0; }
static void times(int i) { got[i] = sem_timedwait(&s, &past) ? errno == ETIMEDOUT ? 1 : 2 : 0; }
static void locks(int i) { got[i] = pthread_mutex_timedlock(&m, &past); if (!got[i]) pthread_mutex_unlock(&m); }
static void writes(int i) { got[i] = write(fd, "x", 1) == 1; }
static void dups(int i) { got[i] = dup(2); }
static void tastes(int i) { char b; read(fd, &b, 1); got[i] = b - 'a'; }
static void seeks(int i) { got[i] = lseek(fd, 1, SEEK_CUR); }
static void gets_(int i) { got[i] = fgetc(file) - 'a'; }
static void maps(int i) { got[i] = mmap(page, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) != MAP_FAILED; }
static void rises(int i) { syscall(SYS_brk, page + 4096 * i); }
static void keys(int i) { pthread_key_t q; pthread_key_create(&q, 0); got[i] = q; }
static sigjmp_buf back;
static void wrong(int s) { siglongjmp(back, 1); }
static void probes(int i) { for (int j = 0; j < k; j++) if (!sigsetjmp(back, 1)) got[1] += *(volatile char *)page; }
static void h1(int s) { got[1] = 1; }
static void h2(int s) { got[1] = 2; }
static void sets(int i) { signal(SIGUSR1, i == 1 ? h1 : h2); }
static void unblocks(int i) { pthread_sigmask(SIG_UNBLOCK, &usr1, 0); }
static void mine(int s) { noted(me); }
static void kills(int i) { pthread_kill(th[0], SIGUSR1); }
static void at(int s) { got[0] = word; }
static void e1(void) { write(1, "1", 1); }
static void e2(void) { write(1, "2", 1); }
static void e3(void) { write(1, "3", 1); }
static void exits(int i) { atexit(i == 1 ? e1 : i == 2 ? e2 : e3); }
static void tests(int i) { for (int j = 0; j < k; j++) { got[1]++; pthread_testcancel(); } got[1] += 10; }
static void draws(int i) { getrandom(&word, 4, 0); }
static void dies(int i) { pthread_mutex_lock(&m); }
static void posts(int i) { sem_post(&s); }
static void naps(int i) { struct timespec d = {0, 1000}; got[i] = nanosleep(&d, 0) ? errno : 0; }

static volatile long words[8];
static int ends[2];
static void copiesin(int i) { write(ends[1], (void *)words, 8 * k); }
static void copiesout(int i) { read(ends[0], (void *)words, 8 * k); }
static void fill(void) { static const long ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}; pipe(ends); write(ends[1], ones, 8 * k); }
static void look(int i) { got[1] |= words[i] << i; }
static void drawsall(int i) { getrandom((void *)words, 8 * k, 0); }

int main(int count, char **a) {
	n = atoi(a[2]), k = atoi(a[3]);
	th[0] = pthread_self();
	sigemptyset(&usr1);
	sigaddset(&usr1, SIGUSR1);
#define ROW(name) if (!strcmp(a[1], #name))
	ROW(locked) { run(locked); join(); }
	ROW(exchanged) { run(exchanged); join(); }
	ROW(rwlock) { run(reads); pthread_rwlock_wrlock(&rw); word = 1; pthread_rwlock_unlock(&rw); join(); }
	ROW(broadcast) {
		run(waits);
		for (int all = 0; !all;) { pthread_mutex_lock(&m); all = word == n; if (all) { fd = 1; pthread_cond_broadcast(&c); } pthread_mutex_unlock(&m); if (!all) sched_yield(); }
		join();
	}
	ROW(once) { run(calls); join(); }
	ROW(semtry) { sem_init(&s, 0, k); run(tries); join(); }
	ROW(barrier) { pthread_barrier_init(&b, 0, n); run(meets); join(); }
	ROW(semtimed) { run(times); sem_post(&s); join(); }
	ROW(locktimed) { run(locks); pthread_mutex_lock(&m); word = 1; pthread_mutex_unlock(&m); join(); }
	ROW(close) { fd = dup(2); run(writes); close(fd); join(); }
	ROW(dup) { run(dups); join(); }
	ROW(read) { fd = open("data.txt", O_RDONLY); run(tastes); join(); }
	ROW(lseek) { fd = open("data.txt", O_RDONLY); run(seeks); join(); }
	ROW(fgetc) { file = fopen("data.txt", "r"); run(gets_); join(); }
	ROW(noreplace) { page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); munmap(page, 4096); run(maps); join(); }
	ROW(brk) { page = (char *)((syscall(SYS_brk, 0) + 4095) & ~4095L); run(rises); join(); got[0] = (syscall(SYS_brk, 0) - (long)page) / 4096; }
	ROW(mprotect) {
		signal(SIGSEGV, wrong);
		page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*page = 1;
		run(probes);
		mprotect(page, 4096, PROT_NONE);
		join();
	}
	ROW(open) { // the other way round
		signal(SIGSEGV, wrong);
		page = mmap(0, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*page = 1;
		mprotect(page, 4096, PROT_NONE);
		run(probes);
		mprotect(page, 4096, PROT_READ);
		join();
	}
	ROW(key) { run(keys); join(); int first = got[1]; for (int i = 2; i <= n; i++) if (got[i] < first) first = got[i]; for (int i = 1; i <= n; i++) got[i] -= first; }
	ROW(sigaction) { run(sets); join(); raise(SIGUSR1); }
	ROW(unblock) { signal(SIGUSR1, mine); pthread_sigmask(SIG_BLOCK, &usr1, 0); kill(getpid(), SIGUSR1); run(unblocks); join(); }
	ROW(arrives) { // at each of k steps
		signal(SIGUSR1, at);
		run(kills);
		for (int i = 0; i < k; i++) __atomic_fetch_add(&word, 1, 5);
		join();
	}
	ROW(masked) { // not within the k steps of the middle
		signal(SIGUSR1, at);
		run(kills);
		for (int i = 0; i < 2; i++) __atomic_fetch_add(&word, 1, 5);
		pthread_sigmask(SIG_BLOCK, &usr1, 0);
		for (int i = 0; i < k; i++) __atomic_fetch_add(&word, 1, 5);
		pthread_sigmask(SIG_UNBLOCK, &usr1, 0);
		__atomic_fetch_add(&word, 1, 5);
		join();
	}
	ROW(pending) { // when it is looked for, k times
		pthread_sigmask(SIG_BLOCK, &usr1, 0);
		run(kills);
		for (int i = 0; i < k; i++) { sigset_t q; sigpending(&q); got[0] += sigismember(&q, SIGUSR1); }
		join();
	}
	ROW(atexit) { run(exits); join(); exit(0); }
	ROW(cancel) { run(tests); pthread_cancel(th[1]); join(); }
	ROW(getrandom) { run(draws); got[0] = __atomic_load_n(&word, 5) != 0; join(); }
	ROW(robust) {
		pthread_mutexattr_t q;
		pthread_mutexattr_init(&q);
		pthread_mutexattr_setrobust(&q, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&m, &q);
		run(dies);
		got[0] = pthread_mutex_lock(&m) == EOWNERDEAD;
		pthread_mutex_unlock(&m);
		join();
	}
	ROW(getvalue) { run(posts); sem_getvalue(&s, &got[0]); join(); }
	ROW(interrupted) { signal(SIGUSR1, h1); struct sigaction q = { .sa_handler = mine }; sigaction(SIGUSR1, &q, 0); run(naps); pthread_kill(th[1], SIGUSR1); join(); orders = 0; }
	ROW(copyin) { pipe(ends); run(copiesin); for (int i = 0; i < k; i++) words[i] = 1; join(); read(ends[0], (void *)words, 8 * k); for (int i = 0; i < k; i++) look(i); }
	ROW(copyindown) { pipe(ends); run(copiesin); for (int i = k; i--;) words[i] = 1; join(); read(ends[0], (void *)words, 8 * k); for (int i = 0; i < k; i++) look(i); }
	ROW(copyout) { fill(); run(copiesout); for (int i = 0; i < k; i++) look(i); join(); }
	ROW(copyoutdown) { fill(); run(copiesout); for (int i = k; i--;) look(i); join(); }
	ROW(copyrandom) { run(drawsall); for (int i = 0; i < k; i++) got[1] |= (words[i] != 0) << i; join(); }
	show();
	return 0;
}
