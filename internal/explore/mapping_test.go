package explore

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

const mapHead = `
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#define MAP(n) mmap(0, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
`

var mappingCases = []heapCase{
	{"mapped, used and unmapped, whole and in parts", `
static char *page;
static void *user(void *a) { page[1]++; return a; }
static void *with_maps(void *a) { char *p = MAP(9000); memset(p, 1, 9000); munmap(p, 9000); free(malloc(300000)); return a; }
int main(void)
{
	char *b = MAP(1 << 20);
	munmap(b, 4096), munmap(b + (1 << 20) - 8192, 8192);
	b[4096] = 1;
	munmap(b + 4096, (1 << 20) - 12288);
	char *r = mmap(0, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (int i = 0; i < 2; i++) {
		mmap(r + 4096, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
		r[4096] = 1;
		munmap(r + 4096, 4096);
	}
	munmap(r, 1 << 20);
	char *m = MAP(4096);
	strcpy(m, "hello");
	m = mremap(m, 4096, 16384, MREMAP_MAYMOVE);
	assert(!strcmp(m, "hello")), m[16383] = 1;
	m = mremap(m, 16384, 4096, 0);
	munmap(m, 4096);
	page = MAP(1);
	GO(t, user); GO(u, with_maps);
	pthread_join(t, 0), pthread_join(u, 0);
	page[4095] = 1; /* the page is whole */
	munmap(page, 1);
	char *big = malloc(1 << 20);
	big[(1 << 20) - 1] = 1;
	free(realloc(big, 2 << 20));
}`, "leak-all", "verified", ""},
	{"a stack with a guard page of the program's own", `
static void *f(void *a) { volatile char room[5000]; room[0] = 1; return a; }
int main(void)
{
	for (int i = 0; i < 2; i++) {
		char *stack = MAP(1 << 18);
		mprotect(stack, 4096, PROT_NONE);
		pthread_attr_t a;
		pthread_attr_init(&a);
		pthread_attr_setstack(&a, stack + 4096, (1 << 18) - 4096);
		pthread_t t;
		pthread_create(&t, &a, f, 0);
		pthread_join(t, 0);
		munmap(stack, 1 << 18);
	}
}`, "leak-all", "verified", ""},
	{"stacks on the heap, given back after their threads were joined", `
static void *f(void *a) { volatile char room[5000]; room[0] = 1; return a; }
int main(void)
{
	for (int i = 0; i < 3; i++) {
		pthread_t t[2];
		char *stack[2];
		for (int k = 0; k < 2; k++) {
			pthread_attr_t a;
			pthread_attr_init(&a);
			stack[k] = aligned_alloc(4096, 1 << 16);
			pthread_attr_setstack(&a, stack[k], 1 << 16);
			pthread_create(&t[k], &a, f, 0);
		}
		for (int k = 0; k < 2; k++)
			pthread_join(t[k], 0), free(stack[k]);
	}
}`, "leak-all", "verified", ""},
	{"pages of a block are closed, opened and given back", `
#include <stdint.h>
static char *p;
static void *reader(void *a) { return (void *)(long)p[5]; }
int main(void)
{
	p = aligned_alloc(4096, 12288);
	memset(p, 7, 12288);
	assert(!mprotect(p, 4096, PROT_NONE) && !mprotect(p, 8192, PROT_READ) && !mprotect(p, 8192, PROT_READ | PROT_WRITE));
	char *q = malloc(12288), *w = (char *)(((uintptr_t)q + 4095) & ~4095ul);
	memset(q, 5, 12288);
	assert(!madvise(w, 4096, MADV_DONTNEED) && !w[0] && !w[4095] && w[-1] == 5 && w[4096] == 5 && p[0] == 7 && p[8191] == 7);
	free(q);
	GO(t, reader);
	p[5] = 1;
	pthread_join(t, 0), free(p);
	p = malloc(12288), memset(p, 1, 12288), free(p);
}`, "leak-all", "verified", ""},
	{"a closed page of a block", `
static char *p;
static void *reader(void *a) { return (void *)(long)p[5]; }
int main(void) { p = aligned_alloc(4096, 8192); GO(t, reader); mprotect(p, 4096, PROT_NONE); pthread_join(t, 0); }`, "", "segfault", "reads 1 byte at offset 5 of a block of 8192 bytes, in pages that don't allow it"},
	{"a stack on the heap with a closed page below", `
static void *deep(void *a) { volatile char room[8192]; for (int i = 8191; i >= 0; i--) room[i] = 1; return a; }
int main(void)
{
	char *stack = aligned_alloc(4096, 1 << 17);
	pthread_attr_t a;
	pthread_attr_init(&a), pthread_attr_setstack(&a, stack, 1 << 17);
	mprotect(stack, (1 << 17) - 8192, PROT_NONE);
	pthread_t t;
	pthread_create(&t, &a, deep, 0), pthread_join(t, 0);
}`, "", "stack-overflow", ""},
	{"stacks and mappings that are kept to the end", `
static char *volatile kept;
static void *f(void *a) { return a; }
int main(void) { kept = MAP(4096) + 100; pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_join(t, 0); pthread_create(&u, 0, f, 0); pthread_detach(u); }`, "leak", "verified", ""},
	{"read while another unmaps", `
static char *shared;
static void *reader(void *a) { return (void *)(long)shared[5]; }
int main(void) { shared = MAP(8192); GO(t, reader); munmap(shared, 8192); pthread_join(t, 0); }`, "", "use-after-free", "reads 1 byte at offset 5 of a mapping of 8192 bytes that has been unmapped"},
	{"the part that was unmapped", `int main(void) { char *p = MAP(8192); munmap(p + 4096, 4096); p[4095] = 1; p[4100] = 2; }`, "", "use-after-free", "writes 1 byte at offset 4 of a mapping of 4096 bytes that has been unmapped"},
	{"where it was before it moved", `int main(void) { char *p = MAP(4096), *q = mremap(p, 4096, 8192, MREMAP_MAYMOVE); q[0] = p[0]; }`, "", "use-after-free", "a mapping of 4096 bytes"},
	{"beyond its end", `int main(void) { volatile char *p = MAP(5000); return p[8192]; }`, "", "heap-overflow", "0 bytes after the end of a mapping of 8192 bytes"},
	{"across its end", `int main(void) { char *p = MAP(4096); return *(volatile int *)(p + 4094); }`, "", "heap-overflow", "a mapping of 4096 bytes"},
	{"before its start", `int main(void) { volatile char *p = MAP(4096); return p[-1]; }`, "", "heap-overflow", "1 byte before the start of a mapping of 4096 bytes"},
	{"pages that don't allow it", `int main(void) { char *p = MAP(8192); mprotect(p + 4096, 4096, PROT_READ); p[4096] = p[4095]; }`, "", "segfault", "offset 4096 of a mapping of 8192 bytes, in pages that don't allow it"},
	{"behind the end of its file", `int main(void) { int f = shm_open("/f", O_CREAT | O_RDWR, 0600); ftruncate(f, 1); char *p = mmap(0, 8192, 3, MAP_SHARED, f, 0); p[4095] = 1; p[4096] = 1; }`, "", "segfault", "writes 1 byte at offset 4096 of a mapping of 8192 bytes, behind the end of its file (SIGBUS)"},
	{"SIGBUS where a file was made shorter", `
static sigjmp_buf back;
static volatile int got; static int file;
static void handle(int n, siginfo_t *i, void *c) { got = n == SIGBUS && i->si_code == BUS_ADRERR ? 1 : 2; siglongjmp(back, 1); }
static void *shorten(void *a) { ftruncate(file, 4096); return a; }
int main(void)
{
	file = shm_open("/f", O_CREAT | O_RDWR, 0600); ftruncate(file, 8192);
	volatile char *p = mmap(0, 8192, 3, MAP_SHARED, file, 0);
	struct sigaction s = {.sa_sigaction = handle, .sa_flags = SA_SIGINFO};
	sigaction(SIGBUS, &s, 0); sigaction(SIGSEGV, &s, 0);
	GO(t, shorten);
	if (!sigsetjmp(back, 1)) p[4096] = 1;
	pthread_join(t, 0);
	assert(got < 2);
}`, "", "verified", ""},
	{"unmapped by two threads", `
static char *shared;
static void *drop(void *a) { char *p = shared; shared = 0; if (p) munmap(p, 4096); return a; }
int main(void) { shared = MAP(4096); GO(t, drop); GO(u, drop); pthread_join(t, 0); pthread_join(u, 0); }`, "", "double-free", "unmaps 4096 bytes at offset 0 of a mapping of 4096 bytes that has been unmapped already"},
	{"freed, which malloc didn't give", `int main(void) { free(MAP(4096)); }`, "", "invalid-free", "no allocator gave out"},
	{"a mapping that nothing points to", `static void *f(void *a) { volatile char *p = MAP(4096); p[0] = 1; return a; } int main(void) { GO(t, f); pthread_join(t, 0); }`, "leak", "leak", "a block of 4096 bytes is lost"},
}

// remapped grows maps where they are, over pages that it has unmapped.
const remapped = heapHead + mapHead + `
struct head { pthread_mutex_t m; int n; } *h;
static void *f(void *a) { pthread_mutex_lock(&h->m); h->n++; pthread_mutex_unlock(&h->m); return a; }
int main(void)
{
	char *p = MAP(16 << 12);
	p[0] = 1, p[9 << 12] = 9;
	munmap(p + (8 << 12), 8 << 12);
	assert(mremap(p, 8 << 12, 12 << 12, 0) == p);
	assert(p[0] == 1 && p[9 << 12] == 0), p[(12 << 12) - 1] = 5;
	assert(mremap(p, 12 << 12, 4 << 12, 0) == p);
	assert(mremap(p, 4 << 12, 6 << 12, MREMAP_MAYMOVE) == p && p[5 << 12] == 0);
	mmap(p + (6 << 12), 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	assert(mremap(p, 6 << 12, 7 << 12, 0) == MAP_FAILED && errno == ENOMEM);
	munmap(p, 16 << 12);

	h = (void *)MAP(8192);
	pthread_mutex_init(&h->m, 0);
	munmap((char *)h + 4096, 4096);
	pthread_mutex_lock(&h->m);
	GO(t, f);
	assert(mremap(h, 4096, 8192, 0) == h && h->n == 0); /* the mutex is held */
	pthread_mutex_unlock(&h->m);
	pthread_join(t, 0);
	assert(h->n == 1);
	munmap(h, 8192);
}`

// TestRemapped: a map grows where it is as on the machine that the test runs on, and
// what is in it lives on.
func TestRemapped(t *testing.T) {
	t.Parallel()
	for _, cc := range []string{"gcc", "musl-gcc"} {
		bin := compile.Text(t, cc, remapped, "-O1")
		if out, err := exec.Command(bin).CombinedOutput(); err != nil {
			t.Fatalf("%s: on the machine: %v: %s", cc, err, out)
		}
		for _, search := range []string{"optimal", "none", "stateful"} {
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.Search, cfg.PP, cfg.CheckFor = bin, config.NoFile, search, trace.MemPoints, []string{config.CheckLeak}
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != result.Verified {
				t.Errorf("%s, %s: %s (%s): %+v", cc, search, r.Verdict, r.Reason, r.Bug)
			}
		}
	}
}

// TestMappings: what the program maps itself is blocks, with where they were mapped
// and unmapped; what a C library maps isn't.
func TestMappings(t *testing.T) {
	t.Parallel()
	for i, c := range mappingCases {
		c.source = mapHead + c.source
		for _, cc := range libraries(i) {
			t.Run(c.name+" "+cc, func(t *testing.T) {
				t.Parallel()
				bin, in := c.build(t, cc)
				for _, malloc := range []config.Malloc{config.MallocTrusted, config.MallocNative} {
					c.look(t, bin, in, malloc)
				}
			})
		}
	}
}

// TestMappingStacks: a report has the stacks of the mapping and of the unmapping.
func TestMappingStacks(t *testing.T) {
	t.Parallel()
	c := heapCase{source: mapHead + `
static char *shared;
static char *get(void) { return MAP(4096); }
static void drop(char *p) { munmap(p, 4096); __asm__ volatile(""); }
static void *reader(void *a) { return (void *)(long)shared[5]; }
int main(void) { shared = get(); GO(t, reader); drop(shared); pthread_join(t, 0); }`}
	for _, cc := range []string{"gcc", "musl-gcc"} {
		cfg := config.Default()
		cfg.Guest, cfg.Stdin = c.build(t, cc)
		cfg.Out = config.NoFile
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Bug == nil || r.Bug.Block == nil || r.Bug.Block.Freed == nil {
			t.Fatalf("%s: %s %+v", cc, r.Verdict, r.Bug)
		}
		b := r.Bug.Block
		if b.Allocated.Thread != "0" || b.Freed.Thread != "0" || !calls(b.Allocated.Stack, "main") || !calls(b.Freed.Stack, "main") || calls(b.Freed.Stack, "munmap") {
			t.Errorf("%s: %+v", cc, b)
		}
	}
}

// calls reports whether a function is on a stack.
func calls(stack []result.Frame, function string) bool {
	for _, f := range stack {
		if f.Function == function {
			return true
		}
	}
	return false
}

// pagesCases are programs for Pebbles: want and message as in heapCase.
var pagesCases = []heapCase{
	{"used, removed, mapped again, and removed in vain", `
	assert(new_pages(AT, 8192) == 0);
	AT[8191] = 1;
	assert(remove_pages(AT) == 0 && remove_pages(AT) != 0);
	assert(new_pages(AT, 4096) == 0 && AT[0] == 0);
	assert(remove_pages(AT) == 0);`, "leak-all", "verified", ""},
	{"after the removal", `new_pages(AT, 8192); remove_pages(AT); AT[4100] = 1;`, "", "use-after-free", "writes 1 byte at offset 4100 of a mapping of 8192 bytes that has been unmapped"},
	{"beyond the end", `new_pages(AT, 4096); return AT[4096];`, "", "heap-overflow", "reads 1 byte, 0 bytes after the end of a mapping of 4096 bytes"},
	{"left at a place that the code knows", `
	__attribute__((noinline)) void map(void) { volatile char deep[1024]; deep[0] = new_pages(AT, 4096); }
	map();`, "leak", "verified", ""},
	{"never removed", `new_pages(AT, 4096);`, "leak-all", "leak", "a block of 4096 bytes is never freed"},
}

// TestPages: the pages that a program for Pebbles has of new_pages are blocks.
func TestPages(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"-m64", "-m32"} {
		for _, c := range pagesCases {
			bin := forPebbles(t, machine, "#define AT ((volatile char *)0x30000000)\n#define new_pages(p, n) new_pages((void *)(p), n)\n"+
				"#define remove_pages(p) remove_pages((void *)(p))\nint main(void) {"+c.source+" return 0; }", "")
			t.Run(c.name+machine, func(t *testing.T) { c.look(t, bin, "", config.MallocTrusted) })
		}
	}
}

// forPebbles builds a program for Pebbles, with one of the thread libraries of guests, if
// one is named.
func forPebbles(t *testing.T, machine, text, library string) string {
	t.Helper()
	const pebbles = "../../guests/pebbles/"
	dir := t.TempDir()
	source, bin := filepath.Join(dir, "guest.c"), filepath.Join(dir, "guest")
	if err := os.WriteFile(source, []byte("#include \"pebbles.h\"\n"+text), 0o600); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields(machine + " -std=gnu11 -g -O1 -w -ffreestanding -fno-pic -fno-stack-protector -fcf-protection=none -mgeneral-regs-only" +
		" -fasynchronous-unwind-tables -nostdlib -static -no-pie -Wl,-Ttext-segment=0x1000000 -Wl,-e,_main -Wl,--build-id=none -I" + pebbles + "runtime")
	args = append(args, "-o", bin, source)
	for _, f := range []string{"crt0.S", "traps.S", "exit.c", "malloc.c", "printf.c", "string.c"} {
		args = append(args, pebbles+"runtime/"+f)
	}
	if library != "" {
		parts, err := filepath.Glob(pebbles + library + "/*.[cS]")
		if err != nil || len(parts) == 0 {
			t.Fatalf("no library %s (%v)", library, err)
		}
		args = append(append(args, parts...), "-I"+pebbles+library)
	}
	if msg, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		if machine == "-m32" {
			t.Skipf("gcc -m32: %s", msg)
		}
		t.Fatalf("%v\n%s", err, msg)
	}
	return bin
}
