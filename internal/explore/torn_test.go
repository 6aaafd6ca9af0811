package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/trace"
)

// bothSearches explores a C program, by the default search and by exhaustive search.
func bothSearches(t *testing.T, cc, source string, kind trace.BugKind) {
	t.Helper()
	endsAs(t, onProgram(compile.Text(t, cc, source)), verdictOr(kind), "optimal", "none")
}

// TestTornAccesses: what the processor's manual doesn't say is one access is seen in
// parts: more than 8 bytes, and across two cache lines or pages. Locked instructions
// are whole wherever they are.
func TestTornAccesses(t *testing.T) {
	t.Parallel()
	const program = `#include <assert.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
static _Alignas(4096) char bytes[8192];
#define AT(type, at) (*(type volatile *)(bytes + (at)))
#define ADD(prefix, at) __asm__ volatile(prefix "addq %1, %0" : "+m"(AT(uint64_t, at)) : "r"(0x0000000100000001ul))
struct pair { long a, b; };
static struct pair pair, ones = {1, 1}, twos = {2, 2};
static volatile long double real;
static volatile int bad, caught;
static pthread_t one, two;
static void handle(int s) { caught = 1; if (real != 3.0L) bad = 1; }
static void *first(void *p) { FIRST; return p; }
static void *second(void *p) { SECOND; return p; }
int main(void) {
	signal(SIGUSR1, handle);
	real = 1.0L;
	pthread_create(&one, 0, first, 0);
	pthread_create(&two, 0, second, 0);
	pthread_join(two, 0); // which may signal the other
	pthread_join(one, 0);
	assert(CHECK);
	return 0;
}
`
	const signals = "short top = ((volatile short *)&real)[4]; long low = *(volatile long *)&real; if (top == 0x3fff && low != 1l << 63) pthread_kill(one, SIGUSR1)"
	for i, c := range []struct {
		name, first, second, check string
		kind                       trace.BugKind
	}{
		{"80 bits", "real = 3.0L", "long double y = real; bad = y != 1.0L && y != 3.0L", "!bad", trace.Assertion},
		{"two lines", "AT(uint64_t, 60) = ~0ul", "uint64_t y = AT(uint64_t, 60); bad = y != 0 && y != ~0ul", "!bad", trace.Assertion},
		{"one line", "AT(uint64_t, 53) = ~0ul", "uint64_t y = AT(uint64_t, 53); bad = y != 0 && y != ~0ul", "!bad", ""},
		{"two pages", "AT(uint16_t, 4095) = 0x0101", "uint16_t y = AT(uint16_t, 4095); bad = y != 0 && y != 0x0101", "!bad", trace.Assertion},
		{"structures", "pair = ones", "pair = twos", "pair.a == pair.b", trace.Assertion},
		{"addition", `ADD("", 60)`, `ADD("", 60)`, "(uint32_t)AT(uint64_t, 60) == AT(uint64_t, 60) >> 32", trace.Assertion},
		{"locked", `ADD("lock ", 60)`, `ADD("lock ", 60)`, "AT(uint64_t, 60) == 0x0000000200000002ul", ""},
		// A signal that was sent for the first part of a store comes behind its last.
		{"signal", "real = 3.0L", signals, "!caught", trace.Assertion},
		{"handler", "real = 3.0L", signals, "!bad", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, cc := range libraries(i) {
				bothSearches(t, cc, defines(program, "FIRST", c.first, "SECOND", c.second, "CHECK", c.check), c.kind)
			}
		})
	}
}
