package explore

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/por"
)

// TestStoresToPagesThatMove: a store that is in a buffer when mremap moves its page is at the new
// address when the call returns. Each processor's buffer is emptied meanwhile, and the store
// had its place in memory before. So a store that is nowhere came too late, and has faulted.
func TestStoresToPagesThatMove(t *testing.T) {
	t.Parallel()
	part.Row(t)
	const program = `#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/mman.h>
static char *page; static volatile int before, x, y, late;
static void gone(int s) { (void)s; late = 1; pthread_exit(0); }
static void *first(void *a) { before = 1; page[100] = 7; x = 1; y = 1; return a; }
static void *second(void *a)
{
	int saw = before;
	volatile char *moved = mremap(page, 4096, 8192, MREMAP_MAYMOVE);
	if (moved == MAP_FAILED) abort();
	int there = moved[100], last = y;
	int store = x;
	printf("%d%d%d%d\n", saw, there, last, last && !store);
	return a;
}
int main(void)
{
	pthread_t t[2];
	signal(SIGSEGV, gone);
	page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	page[100] = 1;
	pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d\n", late);
}
`
	guest := compile.Text(t, "gcc", program, "-O1")
	var none []string
	for _, search := range []string{"none", "optimal", "source", "sleep", config.Stateful} {
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Jobs, cfg.Deepen, cfg.Model, cfg.Search = guest, config.NoFile, 1, false, config.ModelTSO, search
		r, got := memoryRun(t, cfg)
		if r.Verdict != result.Verified {
			t.Errorf("%s: %s (%s)", search, r.Verdict, r.Reason)
		}
		for _, o := range got {
			// A store that was made is there, one that wasn't has faulted.
			if made := strings.HasSuffix(o, "\n0"); made && !strings.HasPrefix(o[1:], "7") || o[3] == '1' {
				t.Errorf("%s: %q", search, o)
			}
		}
		if search == "none" {
			none = got
		} else if search != config.Stateful && !slices.Equal(got, none) {
			t.Errorf("%s: %q, by none %q", search, got, none)
		}
	}
	if !slices.ContainsFunc(none, func(o string) bool { return strings.HasPrefix(o, "07") }) || len(none) < 4 {
		t.Errorf("%q: no store was under way", none)
	}
}

// TestPastTheCaches: a store past the caches is in no order with others. It can't be told where no other
// thread has to do with its bytes, though one may with those beside them.
func TestPastTheCaches(t *testing.T) {
	t.Parallel()
	part.Row(t)
	const program = `#include <emmintrin.h>
#include <pthread.h>
#include <stdio.h>
static union { int half[2]; long whole; char bytes[64]; } u __attribute__((aligned(64)));
static volatile int y; static int seen[2];
#define AT(n) (*(volatile int *)&u.half[n])
static void *first(void *a) { STORE; seen[0] = y; return a; }
static void *second(void *a) { y = 1; __sync_synchronize(); OTHER; return a; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	printf("%d%d\n", seen[0], seen[1]);
}
`
	const word, line = "_mm_stream_si32(&u.half[0], 1)", "_mm_stream_si128((__m128i *)u.bytes, _mm_set1_epi8(1))"
	for i, x := range []struct {
		store, other string
		ordered      bool // it can't be told
	}{
		{word, "AT(1) = 1", true},
		{word, "seen[1] = AT(1)", true},
		{word, "seen[1] = AT(0)", false},
		{word, "AT(0) = 2", false},
		{word, "seen[1] = *(volatile short *)(u.bytes + 3)", false}, // its last byte
		{word, "seen[1] = *(volatile short *)(u.bytes + 4)", true},
		{"AT(1) = 3; " + word, "seen[1] = AT(1)", true},
		{"AT(0) = 3; " + word, "seen[1] = AT(1)", true},
		{word + "; seen[0] = AT(0)", "AT(1) = 1", true},
		{line, "seen[1] = *(volatile char *)(u.bytes + 15)", false},
		{line, "seen[1] = *(volatile char *)(u.bytes + 16)", true},
		{"if (y) " + word, "seen[1] = AT(0)", false}, // in some executions
		{word, "if (seen[0] == 0 && y == 2) seen[1] = AT(0)", true},
	} {
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Deepen = compile.Text(t, "gcc", program, "-O1", "-DSTORE="+x.store, "-DOTHER="+x.other), config.NoFile, false
		for _, jobs := range []int{1, 2} {
			for _, search := range []string{"optimal", "source", config.Stateful} {
				if jobs == 2 && search == config.Stateful {
					continue
				}
				cfg.Search, cfg.Jobs, cfg.Model = search, jobs, config.ModelTSO
				r, _ := memoryRun(t, cfg)
				if x.ordered != (r.Verdict == result.Verified) || !x.ordered && (r.Problem != result.UnmodelledOrder || !strings.Contains(r.Reason, "past the caches")) {
					t.Errorf("%d, %s, %d jobs: %s (%s)", i, search, jobs, r.Verdict, r.Reason)
				}
			}
		}
		cfg.Search, cfg.Jobs, cfg.Model = "optimal", 1, config.ModelAuto
		r, _ := memoryRun(t, cfg)
		warned := slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.Code == result.SequentialOnly })
		if r.Verdict != result.Verified || warned == x.ordered {
			t.Errorf("%d, by default: %s, warned %v: %s", i, r.Verdict, warned, fmt.Sprint(r.Warnings))
		}
	}
}

// TestPetersonWithin: Peterson's lock, with fences, has few executions within small bounds: flushes are
// where they come first. Without fences the bug is there without a preemption.
func TestPetersonWithin(t *testing.T) {
	t.Parallel()
	right := compile.File(t, "gcc", "../../guests/memory/peterson.c", "-O1", "-DFIXED")
	wrong := compile.File(t, "gcc", "../../guests/memory/peterson.c", "-O1")
	for _, within := range []string{"preempt=0", "preempt=1", "switches=4", "delay=0"} {
		cfg := onProgram(right)
		bounds, err := por.ParseBounds(within)
		if err != nil {
			t.Fatal(err)
		}
		cfg.Model, cfg.Search, cfg.Bounds, cfg.MaxExecutions = config.ModelTSO, "bounded", bounds, 20_000
		if r, _ := memoryRun(t, cfg); r.Verdict != result.Bounded {
			t.Errorf("%s: %s (%s), %d executions", within, r.Verdict, r.Reason, r.Executions)
		}
	}
	cfg := onProgram(wrong)
	cfg.Model, cfg.Search, cfg.Bounds = config.ModelTSO, "bounded", por.Bounds{{Measure: por.Preempt, Limit: 1}}
	if r, _ := memoryRun(t, cfg); r.Verdict != result.Buggy {
		t.Errorf("without fences: %s (%s)", r.Verdict, r.Reason)
	}
}

// TestLoadsInPart: a load of more than the thread's newest store wrote takes the rest from memory at once,
// but behind a fence.
func TestLoadsInPart(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
#include <assert.h>
static union { volatile char bytes[4]; volatile unsigned whole; } x; static unsigned seen[2];
static void *first(void *a) { x.bytes[0] = 1; FENCE; seen[0] = x.whole; return a; }
static void *second(void *a) { x.bytes[1] = 1; FENCE; seen[1] = x.whole; return a; }
int main(void)
{
	pthread_t t[2];
	pthread_create(&t[0], 0, first, 0); pthread_create(&t[1], 0, second, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(seen[0] == 0x101 || seen[1] == 0x101);
}
`
	for fence, want := range map[string]result.Verdict{"(void)0": result.Buggy, "__sync_synchronize()": result.Verified} {
		for _, model := range []config.Model{config.ModelTSO, config.ModelAuto} {
			cfg := config.Default()
			cfg.Guest, cfg.Out, cfg.Model = compile.Text(t, "gcc", program, "-O1", "-DFENCE="+fence), config.NoFile, model
			if r, _ := memoryRun(t, cfg); r.Verdict != want || len(r.Warnings) > 0 {
				t.Errorf("%s, %s: %s (%s) %v", fence, model, r.Verdict, r.Reason, r.Warnings)
			}
		}
	}
}
