package explore

import (
	"context"
	"os/exec"
	"strings"
	"testing"

	"landgo/internal/compile"
)

// TestLateBorn: a thread that has come no further than the library's own start when a bug comes is
// named by what it runs in a run that passes.
func TestLateBorn(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("g++"); err != nil {
		t.Skip("g++ isn't there")
	}
	const source = `#include <thread>
#include <mutex>
#include <cassert>
static std::mutex m; static int x;
int main() {
	std::thread a([] { std::lock_guard<std::mutex> g(m); assert(x != 1); x = 2; });
	std::thread b([] { std::lock_guard<std::mutex> g(m); if (!x) x = 1; });
	std::thread c([] { std::lock_guard<std::mutex> g(m); });
	a.join(); b.join(); c.join();
}
`
	r, err := Run(context.Background(), onProgram(compile.Text(t, "g++", source, "-g", "-O2")), nil)
	if err != nil || r.Bug == nil {
		t.Fatalf("%+v %v", r, err)
	}
	for _, s := range r.Bug.ThreadStarts[1:] {
		if !strings.HasPrefix(s.Function, "lambda at ") || !strings.Contains(s.Label, "lambda guest.") {
			t.Errorf("thread %s is named %s, %q", s.Thread, s.Label, s.Function)
		}
	}
}
