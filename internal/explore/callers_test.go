package explore

import (
	"strings"
	"testing"

	"landgo/internal/compile"
)

// TestHeaderCallers: an access in a library's header is reported by the line of the user's that
// it is for, also in the middle of a step.
func TestHeaderCallers(t *testing.T) {
	t.Parallel()
	r := ran(t, onProgram(compile.Text(t, "g++", `#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
static std::mutex m; static std::condition_variable c; static std::atomic<bool> stop;
int main() {
	std::thread t([] {
		std::unique_lock<std::mutex> l(m);
		while (!stop)
			c.wait(l);
	});
	stop = true;
	c.notify_one();
	t.join();
}`, "-O0")))
	if r.Bug == nil {
		t.Fatalf("%s: no bug", r.Verdict)
	}
	for _, part := range []string{"changes stop (guest.cc:12) without m", "has tested it (guest.cc:9)"} {
		if !strings.Contains(r.Bug.Mistake, part) {
			t.Errorf("the mistake is %q, without %q", r.Bug.Mistake, part)
		}
	}
}
