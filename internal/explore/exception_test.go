package explore

import (
	"context"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const exceptionSource = `
#include <atomic>
#include <stdexcept>
#include <thread>
static std::atomic<int> caught;
static void deep(int n)
{
	if (n == 0) throw std::runtime_error("x");
	deep(n - 1);
	caught.load();
}
static void work()
{
	try { deep(3); } catch (const std::exception &) { caught++; }
}
int main()
{
	std::thread a(work), b(work);
	a.join(), b.join();
	return caught != 2;
}
`

// TestExceptions: what the unwinder does to find a function's tables, and to sort
// them at the first throw, is one step, as with other functions of the library. Two
// threads that throw are verified with a handful of executions, wherever they may
// be switched.
func TestExceptions(t *testing.T) {
	t.Parallel()
	bin := compile.Text(t, "g++", exceptionSource, "-std=c++17")
	for _, deepens := range []bool{true, false} {
		cfg := config.Default()
		cfg.Guest, cfg.Out, cfg.Deepen, cfg.MaxExecutions = bin, config.NoFile, deepens, 100
		r, err := Run(context.Background(), cfg, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Verified || r.Executions < 2 {
			t.Errorf("deepening %v: %s (%s) after %d executions, want verified", deepens, r.Verdict, r.Reason, r.Executions)
		}
	}
}

// TestOnceException: std::call_once tries again after a routine that throws. At -O2
// the handler's calls have their frames where pthread_once had its own.
func TestOnceException(t *testing.T) {
	t.Parallel()
	bin := compile.Text(t, "g++", `
#include <cassert>
#include <mutex>
#include <thread>
static std::once_flag once;
static int tries, done;
static void user()
{
	try {
		std::call_once(once, [] { if (++tries == 1) throw 1; done++; });
	} catch (int) {}
}
int main()
{
	std::thread a(user);
	user();
	a.join();
	assert(tries == 2 && done == 1);
}
`, "-std=c++17", "-O2")
	cfg := config.Default()
	cfg.Guest, cfg.Out = bin, config.NoFile
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Verified {
		t.Errorf("%s (%s), want verified", r.Verdict, r.Reason)
	}
}
