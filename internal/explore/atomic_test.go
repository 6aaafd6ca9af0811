package explore

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestAtomicMemory: what is declared as atomic on the heap, or as another thread's
// local variable, is in no race, though the accesses are plain instructions; what is
// beside it is. Of a block whose type can't be told, and which may be an atomic
// one, a race is listed and no bug.
func TestAtomicMemory(t *testing.T) {
	t.Parallel()
	const program = `#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
struct one { int plain; atomic_int a; int more; } *one;
struct row { int n; atomic_int a[]; } *row;
atomic_long *array, *local;
long *longs, *mine, seen;
static void *f(void *p) {
	atomic_store_explicit(&one->a, 1, memory_order_release);
	one->plain = 1;
	atomic_store_explicit(&row->a[2], 1, memory_order_release);
	atomic_store_explicit(&array[1], 1, memory_order_release);
	longs[3] = 1;
	atomic_store_explicit(local, 1, memory_order_release);
	*mine = 1;
	return p;
}
int main(int argc, char **argv) {
	atomic_long here = 0;
	long plain = 0;
	pthread_t t;
	one = calloc(1, sizeof *one), row = calloc(1, sizeof *row + 5 * sizeof(int)), array = calloc(5, sizeof *array), longs = calloc(5, sizeof *longs), local = &here, mine = &plain;
	pthread_create(&t, 0, f, 0);
	switch (argc - 1) {
	case 0: seen = atomic_load_explicit(&one->a, memory_order_acquire); break;
	case 1: seen = one->plain; break;
	case 2: seen = atomic_load_explicit(&row->a[2], memory_order_acquire); break;
	case 3: seen = atomic_load_explicit(&array[1], memory_order_acquire); break;
	case 4: seen = longs[3]; break;
	case 5: seen = atomic_load_explicit(local, memory_order_acquire); break;
	case 6: seen = *mine; break;
	}
	pthread_join(t, 0);
	return 0;
}
`
	for _, libc := range []string{"gcc", "musl-gcc"} {
		guest := compile.Text(t, libc, program)
		for which, c := range []struct {
			bug    string
			listed int
		}{
			{}, {"one.plain, allocated in main (guest.c:22)", 1}, {"", 1}, {"", 1}, {"", 1}, {}, {"main::plain of thread 0", 1},
		} {
			cfg := racing(t, guest)
			cfg.Args = slices.Repeat([]string{"x"}, which)
			bugs, r := raceBugs(t, cfg)
			if got := strings.Join(bugs, " "); got != c.bug || len(r.Races) != c.listed || r.Verdict == result.Budget {
				t.Errorf("%s, %d: bugs %q, %d listed, want %q, %d (%s)", libc, which, got, len(r.Races), c.bug, c.listed, r.Verdict)
			}
		}
	}
}

// TestAtomicHeaderAlone: stdatomic.h's names for types make nothing atomic, also where
// the type of memory can't be told.
func TestAtomicHeaderAlone(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", `#include <pthread.h>
#include <stdatomic.h>
#include <sys/mman.h>
static int *p;
static void *f(void *a) { p[3] = 1; return a; }
int main(void) {
	pthread_t t;
	p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_create(&t, 0, f, 0);
	p[3] = 2;
	pthread_join(t, 0);
	return 0;
}
`)
	if bugs, r := raceBugs(t, racing(t, guest)); len(bugs) != 1 {
		t.Errorf("races on %q (%s)", bugs, r.Verdict)
	}
}

// TestAtomicCode: of C++ the atomic operations are functions. Their accesses are
// in no race, whatever the memory; nor are those of its library to its own objects. The same holds
// for code of libraries that has no debug information: libatomic's, and what readies a future.
func TestAtomicCode(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("no g++")
	}
	const program = `#include <atomic>
#include <future>
#include <iostream>
#include <memory>
#include <thread>
struct alignas(16) pair { long a = 0, b = 0; };
struct shared { int plain = 0; std::atomic<bool> ready{false}; };
static int answer() { return 42; }
static int once() { static int made = answer(); return made; }
static std::shared_ptr<shared> other;
int main(int argc, char **) {
	auto s = std::make_shared<shared>();
	std::atomic<int> local{0};
	int number = 0;
	pair two;
	std::promise<int> promise;
	std::future<int> future = promise.get_future();
	std::thread t([&, s, argc] {
		switch (argc - 1) {
		case 0: s->ready.store(true, std::memory_order_release); break;
		case 1: s->plain = 1; break;
		case 2: local.store(1, std::memory_order_relaxed); break;
		case 3: once(); break;
		case 4: std::cout << "a"; break;
		case 5: std::atomic_ref<int>(number).store(1); break;
		case 6: number = 1, other = s; break;
		case 7: std::atomic_ref<pair>(two).store(pair{1, 1}); break;
		case 8: promise.set_value_at_thread_exit(1); break;
		}
	});
	switch (argc - 1) {
	case 0: s->ready.load(std::memory_order_acquire); break;
	case 1: s->plain = 2; break;
	case 2: local.load(std::memory_order_relaxed); break;
	case 3: once(); break;
	case 4: std::cout << "b"; break;
	case 5: std::atomic_ref<int>(number).load(); break;
	case 6: other = nullptr; break;
	case 7: std::atomic_ref<pair>(two).load(); break;
	case 8: future.get(); break;
	}
	s.reset();
	t.join();
}
`
	bin := compile.Text(t, "g++", program, "-std=c++20", "-Wl,-u,__atomic_load_16,-u,__atomic_store_16", "-latomic")
	for which, want := range map[int]int{0: 0, 1: 1, 2: 0, 3: 0, 4: 0, 5: 0, 7: 0, 8: 0} {
		cfg := racing(t, bin)
		cfg.Args = slices.Repeat([]string{"x"}, which)
		if bugs, r := raceBugs(t, cfg); len(bugs) != want || r.Verdict == result.Budget {
			t.Errorf("%d: races on %q, want %d (%s)", which, bugs, want, r.Verdict)
		}
	}
	// The pointer to a count isn't atomic.
	cfg := racing(t, bin)
	cfg.Args = slices.Repeat([]string{"x"}, 6)
	r, err := Run(context.Background(), cfg, nil)
	if err != nil || !slices.ContainsFunc(r.Bugs, func(b *result.Bug) bool {
		return b.Kind == trace.Race && strings.Contains(b.Message, "race on other:")
	}) {
		t.Errorf("%v, %d bugs", err, len(r.Bugs))
	}
}
