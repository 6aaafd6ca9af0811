package explore

import (
	"os/exec"
	"strings"
	"testing"

	"landgo/internal/compile"
)

// TestCallsAlone: programs without threads print what they print on the machine.
func TestCallsAlone(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"fallocate": `
	int f = memfd_create("m", 0), p[2], s[2]; pipe(p); socketpair(AF_UNIX, SOCK_STREAM, 0, s);
	long most = 0x7fffffffffffffff, c[][4] = { { f, 0, 0, 10 }, { f, 0, 5, 10 }, { f, 1, 0, 100 }, { f, 0, -1, 10 }, { f, 0, 0, 0 }, { f, 0, 0, -1 }, { f, 2, 0, 1 }, { f, 3, 0, 1 }, { f, 3, 10, 100 },
		{ f, 3, 1000, 100 }, { f, 0x80, 0, 1 }, { f, 0x100, 0, 1 }, { f, 0, most, 1 }, { f, 3, most, 1 }, { p[0], 0, 0, 1 }, { p[1], 0, 0, 1 }, { s[0], 0, 0, 1 }, { 99, 0, -1, 1 }, { 99, 2, 0, 1 }, { f, 0, 20, most } };
	for (int i = 0; i < sizeof c / sizeof *c; i++) { long r = syscall(SYS_fallocate, c[i][0], c[i][1], c[i][2], c[i][3]); printf("%d:%d/%ld ", i, r ? errno : 0, lseek(f, 0, SEEK_END)); }
	pwrite(f, "abcdefgh", 8, 0); fallocate(f, 3, 2, 3); char b[9] = ""; pread(f, b, 8, 0); for (int i = 0; i < 8; i++) putchar(b[i] ? b[i] : '.');
	printf(" %d\n", posix_fallocate(f, 100, 20));`,
		"MADV_DONTNEED": `
	char *p = mmap(0, 16384, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); put(p); madvise(p, 16384, MADV_DONTNEED); say("shared", p);
	mmap(p + 4096, 4096, 3, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0); put(p); madvise(p, 16384, MADV_DONTNEED); say("over", p);
	mmap(p + 4096, 4096, 3, MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0); put(p); madvise(p + 4096, 8192, MADV_DONTNEED); say("again", p);
	char *q = mmap(0, 16384, 3, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); put(q); madvise(q + 4096, 8192, MADV_DONTNEED); say("private", q);
	char *s = mmap(0, 4096, 3, MAP_SHARED | MAP_ANONYMOUS, -1, 0); s[0] = 7; s = mremap(s, 4096, 16384, MREMAP_MAYMOVE);
	madvise(s, 4096, MADV_DONTNEED); printf("moved %d ", s[0]);
	int f = memfd_create("m", 0); ftruncate(f, 16384); char *m = mmap(0, 16384, 3, MAP_SHARED, f, 0); put(m); madvise(m, 16384, MADV_DONTNEED); say("file", m);
	munmap(p, 4096); printf("%d\n", madvise(p, 16384, MADV_DONTNEED));`,
	} {
		guest := compile.Text(t, "gcc", `#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>
static void say(const char *n, char *p) { printf("%s %d%d%d%d ", n, p[0], p[4096], p[8192], p[12288]); }
static void put(char *p) { for (int i = 0; i < 4; i++) p[4096 * i] = i + 1; }
int main(void) {`+text+` fflush(stdout); }`)
		want, err := exec.Command(guest).Output()
		if err != nil {
			t.Fatal(name, err)
		}
		printsOnly(t, guest, []string{strings.TrimSpace(string(want))}, []string{"optimal"}, 0, nil)
	}
}
