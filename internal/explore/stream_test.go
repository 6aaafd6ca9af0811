package explore

import (
	"testing"

	"landgo/internal/compile"
)

// TestStreams: what two threads write to a stream over memory, or to standard output
// with a buffer of the program's, comes in both orders. Each assertion fails in one.
func TestStreams(t *testing.T) {
	const head = `#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char buf[4096], *at; static size_t size; static FILE *f; static long x;
#define A static void *a(void *p)
#define B static void *b(void *p)
#define MAIN(before, after) int main(void) { before; pthread_t t, u; pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); \
	pthread_join(t, 0); pthread_join(u, 0); after; return 0; }
`
	for _, c := range []struct{ name, cc, source, want string }{
		{"fmemopen", "", `A { fputs("1", f); return p; } B { fputs("2", f); return p; } MAIN(f = fmemopen(buf, 64, "w"), fclose(f); assert(buf[0] == '1'))`, "assertion"},
		{"open_memstream", "", `A { fprintf(f, "%d", 1); return p; } B { fputc('2', f); return p; } MAIN(f = open_memstream(&at, &size), fclose(f); assert(*at == '1'))`, "assertion"},
		{"fopencookie", "gcc", `static ssize_t put(void *c, const char *s, size_t n) { memcpy(buf + x, s, n); x += n; return n; }
A { fputs("1", f); return p; } B { fwrite("2", 1, 1, f); return p; } MAIN(cookie_io_functions_t k = {.write = put}; f = fopencookie(0, "w", k), fclose(f); assert(buf[0] == '1'))`, "assertion"},
		{"a place in a stream", "", `A { fputc('1', f); return p; } B { x = ftell(f); return p; } MAIN(f = fmemopen(buf, 64, "w"), assert(x))`, "assertion"},
		{"a seek", "", `A { fseek(f, 1, SEEK_SET); return p; } B { fputs("2", f); return p; } MAIN(f = fmemopen(buf, 64, "w"), fclose(f); assert(buf[0]))`, "assertion"},
		{"a flush", "", `A { fputs("1", f); return p; } B { fflush(f); x = buf[0]; return p; } MAIN(f = fmemopen(buf, 64, "w"), assert(x))`, "assertion"},
		{"setvbuf, glibc", "gcc", `A { putchar('1'); return p; } B { fputs("2", stdout); return p; } MAIN(setvbuf(stdout, buf, _IOFBF, sizeof buf), assert(buf[0] == '1'))`, "assertion"},
		{"setvbuf, musl", "musl-gcc", `A { fputs("1", stdout); return p; } B { fputs("2", stdout); return p; } MAIN(setvbuf(stdout, buf, _IOFBF, sizeof buf), assert(buf[8] == '1'))`, "assertion"},
		{"the end of input", "", `A { getchar(); return p; } B { x = feof(stdin); return p; } MAIN(, assert(x))`, "assertion"},
		{"an error", "", `A { clearerr(stderr); return p; } B { x = ferror(stderr); return p; } MAIN(close(2); fputs("x", stderr), assert(x))`, "assertion"},
		{"standard output", "", `A { printf("1"); return p; } B { puts("2"); return p; } MAIN(, )`, "verified"},
	} {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			if c.cc != "" && c.cc != cc {
				continue
			}
			t.Run(c.name+" "+cc, func(t *testing.T) {
				endsAs(t, onProgram(compile.Text(t, cc, head+c.source)), c.want, "optimal", "none")
			})
		}
	}
}

// TestStreamsCopy: fwrite and fread have the kernel copy what a program gives them, where the stream
// has no buffer or they are given more. Another thread's access to it comes before or after that.
func TestStreamsCopy(t *testing.T) {
	const head = `#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static char buf[8192], text[8192]; static int fd[2]; static FILE *f; static volatile char got;
static void *a(void *p) { CALL(buf, 1, SIZE, f); return p; }
static void *b(void *p) { OTHER; return p; }
int main(void) {
	pthread_t t, u;
	pipe(fd); memset(text, 'x', SIZE); FIRST; if (SIZE < 10) setvbuf(f, 0, _IONBF, 0);
	pthread_create(&t, 0, a, 0); pthread_create(&u, 0, b, 0); pthread_join(t, 0); pthread_join(u, 0);
	LAST; assert(WANT);
}
`
	const (
		writes = "f = fdopen(fd[1], \"w\")"
		reads  = "f = fdopen(fd[0], \"r\"); write(fd[1], text, SIZE)"
	)
	for i, c := range []struct{ call, size, first, other, last, want string }{
		{"fwrite", "8192", writes, "buf[4000] = 2", "read(fd[0], text, SIZE); got = text[4000]", "got == 2"},
		{"fwrite", "8192", writes, "buf[4000] = 2", "read(fd[0], text, SIZE); got = text[4000]", "got != 2"},
		{"fwrite", "2", writes, "buf[1] = 2", "read(fd[0], text, SIZE); got = text[1]", "got == 2"},
		{"fwrite", "2", writes, "buf[1] = 2", "read(fd[0], text, SIZE); got = text[1]", "got != 2"},
		{"fread", "8192", reads, "got = buf[4000]", "", "got"},
		{"fread", "8192", reads, "got = buf[4000]", "", "!got"},
		{"fread", "2", reads, "got = buf[1]", "", "got"},
		{"fread", "2", reads, "got = buf[1]", "", "!got"},
	} {
		for _, cc := range libraries(i) {
			text := "#define SIZE " + c.size + "\n" + defines(head, "CALL", c.call, "FIRST", c.first, "OTHER", c.other, "LAST", c.last, "WANT", c.want)
			endsAs(t, onProgram(compile.Text(t, cc, text)), "assertion", "optimal", "none")
		}
	}
}
