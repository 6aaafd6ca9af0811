package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/trace"
)

// TestCallsInStream: a call of stdio calls the kernel more than once. Other threads' steps, and signals,
// come between these calls, while the stream is locked. Two searches list what is printed, and the
// machine that the test runs on stays within it.
func TestCallsInStream(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int fd[2], fe[2], r, q; static FILE *f, *g; static char big[5000], text[9000]; static pthread_t t, u, w;
static int drain(int d) { fcntl(d, F_SETFL, O_NONBLOCK); int n = read(d, text, 8000); if (n < 0) n = 0; text[n] = 0; return n; }
static int place(int n) { char *p = memchr(text, 'X', n); return p ? p - text : -1; }
#define A static void *a(void *p)
#define B static void *b(void *p)
#define C static void *c(void *p)
#define TWO pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_join(t, 0); pthread_join(u, 0);
#define THREE pthread_create(&w, 0, c, 0); TWO pthread_join(w, 0);
#define SAY(...) printf(__VA_ARGS__), fflush(stdout)
`
	for _, c := range []struct{ name, ccs, source, want string }{
		{"a write of what is buffered, and of the rest", "gcc", `A { fputs("aa", f); fwrite(big, 1, 5000, f); fflush(f); return p; } B { write(fd[1], "X", 1); return p; }
int main(void) { pipe(fd); f = fdopen(fd[1], "w"); memset(big, 'a', 5000); TWO SAY("%d", place(drain(fd[0]))); }`, "0|4096|5002"},
		{"a write and a close", "gcc musl-gcc", `A { fputs("aa", f); fclose(f); return p; } B { read(fd[0], text, 1); r = fcntl(fd[1], F_GETFD); return p; }
int main(void) { pipe(fd); f = fdopen(fd[1], "w"); TWO SAY("%d", r); }`, "-1|0"},
		{"reads of a line", "gcc musl-gcc", `A { char s[9] = ""; fgets(s, 9, f); s[strcspn(s, "\n")] = 0; strcpy(big, s); return p; } B { write(fd[1], "a", 1); write(fd[1], "b\n", 2); return p; }
C { r = read(fd[0], text, 8); return p; }
int main(void) { pipe(fd); fcntl(fd[0], F_SETFL, O_NONBLOCK); f = fdopen(fd[0], "r"); THREE SAY("%s %d", big, r); }`, "-1|1|3|a -1|a 2|ab -1|b 1"},
		{"two streams that are flushed", "gcc musl-gcc", `A { fflush(0); return p; } B { write(fd[1], "X", 1); return p; }
int main(void) { pipe(fd); f = fdopen(fd[1], "w"); g = fdopen(dup(fd[1]), "w"); fputs("aa", f); fputs("bb", g); TWO drain(fd[0]); SAY("%s", text); }`, "Xbbaa|bbXaa|bbaaX"},
		{"a file that is opened again", "gcc musl-gcc", `A { f = freopen("/dev/zero", "r", f); r = fileno(f); return p; } B { q = open("/dev/null", O_RDONLY); return p; }
int main(void) { f = fopen("/dev/null", "r"); TWO SAY("%d %d", r, q); }`, "3 4|3 5"},
		{"a signal between two writes", "gcc", `static void h(int s) { write(fd[1], "X", 1); }
A { fwrite(big, 1, 3, f); fwrite(big, 1, 5000, f); fclose(f); return p; }
int main(void) { pipe(fd); f = fdopen(dup(fd[1]), "w"); memset(big, 'a', 5000); signal(SIGUSR1, h); pthread_create(&t, 0, a, 0); pthread_kill(t, SIGUSR1); pthread_join(t, 0); SAY("%d", place(drain(fd[0]))); }`, "-1|0|4096|5003"},
		{"a jump out of a stream that is written", "gcc", `static sigjmp_buf j; static void h(int s) { siglongjmp(j, 1); }
A { sigset_t k; sigemptyset(&k); sigaddset(&k, SIGUSR1); if (!sigsetjmp(j, 1)) { pthread_sigmask(SIG_UNBLOCK, &k, 0); fputs("aa", f); fflush(f); } return p; }
int main(void) { sigset_t k; sigemptyset(&k); sigaddset(&k, SIGUSR1); pthread_sigmask(SIG_BLOCK, &k, 0); pipe(fd); f = fdopen(fd[1], "w"); signal(SIGUSR1, h);
	pthread_create(&t, 0, a, 0); pthread_kill(t, SIGUSR1); pthread_join(t, 0); r = ftrylockfile(f); SAY("%d %d", drain(fd[0]), r); _exit(0); }`, "0 0|0 16|2 0|2 16"},
		{"the text that exit writes", "gcc musl-gcc", `B { char c; if (read(fd[0], &c, 1) == 1) write(1, "b", 1); return p; }
int main(void) { pipe(fd); f = fdopen(fd[1], "w"); fputs("a", f); pthread_create(&u, 0, b, 0); write(1, "a", 1); return 0; }`, "a|ab"},
	} {
		for _, cc := range strings.Fields(c.ccs) {
			t.Run(c.name+" "+cc, func(t *testing.T) {
				t.Parallel()
				guest := compile.Text(t, cc, head+c.source)
				cfg := onProgram(guest)
				cfg.PP = trace.MemPoints
				listsLikeMachine(t, guest, cfg, c.want, 5)
			})
		}
	}
}

// TestStreamBlocks: a thread that waits in a call of stdio has its stream locked, and another thread
// which would let it go on needs the stream first.
func TestStreamBlocks(t *testing.T) {
	const source = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static char big[70000]; static int fd[2]; static FILE *f;
static void *a(void *p) { fwrite(big, 1, 70000, f); fflush(f); return p; }
int main(void) {
	pipe(fd); f = fdopen(fd[1], "w"); pthread_t t; pthread_create(&t, 0, a, 0);
	fputs("x", f); for (int n = 0; n < 70000; ) n += read(fd[0], big, 65536);
	pthread_join(t, 0); _exit(0); }`
	for _, cc := range []string{"gcc", "musl-gcc"} {
		t.Run(cc, func(t *testing.T) {
			t.Parallel()
			endsAs(t, onProgram(compile.Text(t, cc, source)), "deadlock", "optimal", "none")
		})
	}
}

// TestExitWritesStreams: exit has a function of the program's write what a stream of fopencookie holds,
// and a pipe without a reader ends the process.
func TestExitWritesStreams(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static volatile int v; static int fd[2]; static FILE *f;
static void *a(void *p) { v = 1; close(fd[0]); return p; }
static ssize_t put(void *c, const char *s, size_t n) { if (v) abort(); return n; }
int main(void) { cookie_io_functions_t k = {.write = put}; (void)k; pipe(fd); OPEN; fputs("x", f); pthread_t t; pthread_create(&t, 0, a, 0); pthread_detach(t); return 0; }
`
	for i, open := range []string{`f = fopencookie((void *)&v, "w", k)`, `f = fdopen(fd[1], "w")`} {
		for _, cc := range libraries(i) {
			endsAs(t, onProgram(compile.Text(t, cc, defines(head, "OPEN", open))), "assertion", "optimal", "none")
		}
	}
}
