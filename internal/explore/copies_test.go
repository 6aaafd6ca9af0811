package explore

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const copiesHead = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>
static volatile long b[3], *p; static int f[2]; static pthread_t t[2]; static long c[6]; static int fd; static volatile int go; static char page[4096];
static void *w(void *), *v(void *);
static void run(void) { pthread_create(&t[0], 0, w, 0); pthread_create(&t[1], 0, v, 0); pthread_join(t[1], 0); pthread_join(t[0], 0); }
`

// copyPrograms have a call that copies while another thread uses its memory.
var copyPrograms = []struct {
	name, program string
	verdict       result.Verdict
	says          string
}{
	{"a write sees a part of another thread's stores", `
static void *w(void *a) { write(f[1], (void *)b, 24); return a; }
static void *v(void *a) { b[0] = 1; b[2] = 1; return a; }
int main(void) { pipe(f); run(); read(f[0], c, 24); if (!c[0] && c[2]) abort(); }`, result.Buggy, "abort"},
	{"a read is seen in part", `
static void *w(void *a) { read(f[0], (void *)b, 24); return a; }
static void *v(void *a) { long x = b[0], y = b[2]; if (x && !y) abort(); return a; }
int main(void) { c[0] = c[1] = c[2] = 1; pipe(f); write(f[1], c, 24); run(); }`, result.Buggy, "abort"},
	{"but not in the other order", `
static void *w(void *a) { read(f[0], (void *)b, 24); return a; }
static void *v(void *a) { long x = b[0], y = b[2]; if (!x && y) c[5] = 1; x = b[1]; y = b[0]; if (x && !y) abort(); return a; }
int main(void) { c[0] = c[1] = c[2] = 1; pipe(f); write(f[1], c, 24); run(); }`, result.Verified, ""},
	{"writes to one pipe come one after the other", `
static void *w(void *a) { write(f[1], (void *)b, 24); return a; }
static void *v(void *a) { long x[3] = {7, 7, 7}; b[0] = 1; b[2] = 1; write(f[1], x, 24); return a; }
int main(void) { pipe(f); run(); read(f[0], c, 48); if (c[0] == 7 && !c[3]) abort(); }`, result.Verified, ""},
	{"a socket takes bytes before it has an order", `
static void *w(void *a) { write(f[1], (void *)b, 24); return a; }
static void *v(void *a) { long x[3] = {7, 7, 7}; b[0] = 1; b[2] = 1; write(f[1], x, 24); return a; }
int main(void) { socketpair(AF_UNIX, SOCK_STREAM, 0, f); run(); read(f[0], c, 48); if (c[0] == 7 && !c[3]) abort(); }`, result.Buggy, "abort"},
	{"a handler comes behind the copy", `
static void h(int s) { if (b[0] && !b[2]) abort(); }
static void *w(void *a) { read(f[0], (void *)b, 24); return a; }
static void *v(void *a) { pthread_kill(t[0], SIGUSR1); return (void *)b[1]; }
int main(void) { signal(SIGUSR1, h); c[0] = c[1] = c[2] = 1; pipe(f); write(f[1], c, 24); b[0] = 0; run(); if (!b[2]) abort(); }`, result.Verified, ""},
	{"two writes to one place of a file come one after the other", `
static void *w(void *a) { pwrite(fd, (void *)b, 24, 0); return a; }
static void *v(void *a) { long x[3] = {7, 7, 7}; b[0] = 1; b[2] = 1; pwrite(fd, x, 24, 0); return a; }
int main(void) { fd = memfd_create("x", 0); run(); pread(fd, c, 24, 0); if (c[0] == 1) abort(); }`, result.Buggy, "abort"},
	{"and either is the last", `
static void *w(void *a) { pwrite(fd, (void *)b, 24, 0); return a; }
static void *v(void *a) { long x[3] = {7, 7, 7}; b[0] = 1; b[2] = 1; pwrite(fd, x, 24, 0); return a; }
int main(void) { fd = memfd_create("x", 0); run(); pread(fd, c, 24, 0); if (c[0] != 7 && !c[0]) c[5] = 1; if (c[0] == 7 && c[2] != 7) abort(); }`, result.Verified, ""},
	{"a file isn't cut off while a write copies", `
static void *w(void *a) { write(fd, (void *)b, 24); return a; }
static void *v(void *a) { b[0] = 1; ftruncate(fd, 0); b[2] = 1; return a; }
int main(void) { fd = memfd_create("x", 0); run(); if (pread(fd, c, 24, 0) == 24 && !c[0] && c[2]) abort(); }`, result.Verified, ""},
	{"nor gets it a hole", `
static void *w(void *a) { write(fd, (void *)b, 24); return a; }
static void *v(void *a) { b[0] = 1; fallocate(fd, 3, 0, 24); b[2] = 1; return a; }
int main(void) { fd = memfd_create("x", 0); run(); if (pread(fd, c, 24, 0) == 24 && !c[0] && c[2]) abort(); }`, result.Verified, ""},
	{"nor by an open", `
static void *w(void *a) { write(fd, (void *)b, 24); return a; }
static void *v(void *a) { b[0] = 1; open("/dev/shm/x", O_RDWR | O_TRUNC); b[2] = 1; return a; }
int main(void) { fd = open("/dev/shm/x", O_RDWR | O_CREAT, 0600); run(); if (pread(fd, c, 24, 0) == 24 && !c[0] && c[2]) abort(); }`, result.Verified, ""},
	{"an open copies its name before it waits", `
static __attribute__((aligned(8))) char name[24] = "/dev/shm/xxxxxxxx";
static void *w(void *a) { name[9] = 'y'; write(fd, (void *)b, 24); name[16] = 'z'; return a; }
static void *v(void *a) { b[0] = b[2] = 1; if (open(name, O_RDONLY | O_TRUNC) >= 0) abort(); return a; }
int main(void) { fd = open("/dev/shm/xxxxxxxz", O_RDWR | O_CREAT, 0600); run(); }`, result.Buggy, "abort"},
	{"what came first is there while the call waits for more", `
static void *w(void *a) { recv(f[0], (void *)b, 24, MSG_WAITALL); return a; }
static void *v(void *a) { while (!b[0]) ; send(f[1], c, 8, 0); return a; }
int main(void) { c[0] = c[1] = 1; socketpair(AF_UNIX, SOCK_STREAM, 0, f); send(f[1], c, 16, 0); run(); }`, result.Verified, ""},
	{"a file's pages that can only be read", `
static void *w(void *a) { write(fd, c, 24); return a; }
static void *v(void *a) { return (void *)(p[0] + p[2]); }
int main(void) { c[0] = c[2] = 1; fd = memfd_create("x", 0); ftruncate(fd, 4096); p = mmap(0, 4096, PROT_READ, MAP_SHARED, fd, 0); run(); }`, result.Verified, ""},
	{"a descriptor is closed meanwhile", `
static void *w(void *a) { write(fd, (void *)b, 24); return a; }
static void *v(void *a) { b[0] = 1; close(fd); fd = memfd_create("y", 0); b[2] = 1; return a; }
int main(void) { fd = memfd_create("x", 0); run(); }`, result.Invalid, "closes the descriptor of write while that copies"},
	{"a block is freed meanwhile", `
static void *w(void *a) { write(f[1], (void *)p, 24); return a; }
static void *v(void *a) { p[0] = 1; p[2] = 1; free((void *)p); return a; }
int main(void) { pipe(f); p = calloc(1, 24); run(); }`, result.Buggy, "has been freed"},
	{"pages come meanwhile", `
static void *w(void *a) { write(f[1], (char *)p + 4088, 24); return a; }
static void *v(void *a) { mprotect((char *)p + 4096, 4096, PROT_READ | PROT_WRITE); p[511] = 1; p[513] = 1; return a; }
int main(void) { pipe(f); p = mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); mprotect((char *)p + 4096, 4096, PROT_NONE); run(); }`, result.Invalid, "write copies memory that isn't all accessible, or a thread changes that meanwhile"},
	{"pages go meanwhile", `
static void *w(void *a) { write(f[1], (void *)p, 24); return a; }
static void *v(void *a) { p[0] = 1; p[2] = 1; munmap((void *)p, 4096); return a; }
int main(void) { pipe(f); p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0); run(); }`, result.Invalid, "write copies memory that isn't all accessible, or a thread changes that meanwhile"},
}

// said is why a run ended as it did.
func said(r *result.Result) string {
	if r.Bug != nil {
		return r.Bug.Message
	}
	return r.Reason
}

// TestCopies: a search with divided copies finds the same as the search without a reduction,
// in both memory models.
func TestCopies(t *testing.T) {
	t.Parallel()
	for _, x := range copyPrograms {
		t.Run(x.name, func(t *testing.T) {
			c := config.Default()
			c.Guest, c.PP, c.Deepen, c.Copies = compile.Text(t, "gcc", copiesHead+x.program), trace.MemPoints, false, config.CopiesDivided
			var outcomes []string
			for _, search := range []string{"none", "optimal", "source", "sleep", "stateful"} {
				if search == "none" && strings.Contains(x.program, "SIGUSR1") {
					continue // hundreds of thousands of executions
				}
				c.Search = search
				r := runOf(t, c)
				if r.Verdict != x.verdict || !strings.Contains(said(r), x.says) {
					t.Errorf("%s: %s: %s; want %s: %s", search, r.Verdict, said(r), x.verdict, x.says)
				}
				if search != "stateful" && r.Verdict == result.Verified {
					got := slices.Sorted(maps.Keys(list(c, search, 50_000, 0).outcomes))
					if outcomes == nil {
						outcomes = got
					} else if !slices.Equal(got, outcomes) {
						t.Errorf("%s: outcomes %q, want %q", search, got, outcomes)
					}
				}
			}
			if c.Search, c.Model = "optimal", config.ModelTSO; runOf(t, c).Verdict != x.verdict {
				t.Errorf("with store buffers: %s, want %s", runOf(t, c).Verdict, x.verdict)
			}
		})
	}
}

// TestCopiesThatFail: a write that is interrupted has copied nothing. The next one copies all anew.
func TestCopiesThatFail(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", copiesHead+`
static volatile int failed; static char other[4096];
static void *w(void *a) {
	if (write(f[1], (void *)b, 24) < 0) { failed = 1; while (!go) ; read(f[0], other, 4096); write(f[1], (void *)b, 24); c[5] = 1; }
	return a;
}
static void *v(void *a) { b[0] = 1; b[2] = 1; go = 1; if (!failed) read(f[0], page, 4096); return a; }
int main(void) {
	pipe(f); fcntl(f[1], F_SETPIPE_SZ, 4096); fcntl(f[0], F_SETFL, O_NONBLOCK); write(f[1], page, 4096); run();
	if (c[5] && read(f[0], c, 24) == 24 && (!c[0] || !c[2])) abort();
}`)
	c.PP, c.Deepen, c.Copies, c.Faults = trace.MemPoints, false, config.CopiesDivided, "eintr=1"
	if r := runOf(t, c); r.Verdict != result.Verified {
		t.Errorf("%s: %s", r.Verdict, said(r))
	}
}

// TestCopiesByDefault: copies are divided where the first search shows that this could matter, and
// not if the user has them whole.
func TestCopiesByDefault(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", copiesHead+copyPrograms[0].program)
	r := runOf(t, c)
	if r.Verdict != result.Buggy || r.Bug.Copies != string(config.CopiesDivided) {
		t.Errorf("by default %s: %s", r.Verdict, said(r))
	}
	if c.Copies = config.CopiesWhole; runOf(t, c).Verdict != result.Verified {
		t.Errorf("with whole copies %s", runOf(t, c).Verdict)
	}
	c.Guest, c.Copies = compile.Text(t, "gcc", copiesHead+`
static void *w(void *a) { write(f[1], (void *)b, 16); return a; }
static void *v(void *a) { b[0] = 1; b[1] = 1; return a; }
int main(void) { pipe(f); run(); read(f[0], c, 16); if (!c[0] && c[1]) abort(); }`), config.CopiesAuto
	for _, set := range []func(*config.Config){
		func(c *config.Config) {},
		func(c *config.Config) { c.Race = config.RaceOff },
		func(c *config.Config) { c.Search = config.Stateful },
	} {
		c := c
		if set(&c); runOf(t, c).Verdict != result.Buggy {
			t.Errorf("two words with search %q, race %v: %s", c.Search, c.Race, runOf(t, c).Verdict)
		}
	}
	c.Guest, c.Copies = compile.Text(t, "gcc", copiesHead+copyPrograms[len(copyPrograms)-1].program), config.CopiesAuto
	if r = runOf(t, c); r.Verdict != result.Verified || len(r.Warnings) == 0 || !strings.Contains(r.Warnings[0].Text, "it can't be run word by word: write copies memory") {
		t.Errorf("with pages that go %s %s, warnings %v", r.Verdict, r.Reason, r.Warnings)
	}
}
