package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
)

// TestTerminated: the bug of a C++ program that std::terminate ends says why it did.
func TestTerminated(t *testing.T) {
	t.Parallel()
	const head = "#include <stdexcept>\n#include <thread>\n#include <vector>\n#include <cstdlib>\nstatic int balance = 3;\n"
	for i, p := range []struct{ name, text, want string }{
		{"in a thread", `int main() { std::thread a([] { if (balance < 4) throw std::runtime_error("not  enough"); }); a.join(); }`,
			"uncaught exception: std::runtime_error: not enough"},
		{"without a text", `struct lost {}; int main() { std::thread a([] { throw lost(); }); a.join(); }`, "uncaught exception: lost"},
		{"out of noexcept", `static void f() noexcept { std::vector<int> v(1); balance = v.at(balance); } int main() { std::thread a(f); a.join(); }`,
			"uncaught exception: std::out_of_range: vector::_M_range_check: __n (which is 3) >= this->size() (which is 1)"},
		{"joinable", `int main() { std::thread a([] { balance++; }); }`, "a std::thread was destroyed or assigned to before it was joined or detached"},
		{"by itself", `int main() { std::terminate(); }`, "std::terminate() was called"},
		{"abort", `int main() { std::thread a([] { abort(); }); a.join(); }`, "abort() was called"},
	} {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			for _, flags := range inTurn(i, []string{"-O0"}, []string{"-O0", compile.Dynamic}) {
				c := onProgram(compile.Text(t, "g++", head+p.text, flags...))
				c.Deepen, c.Jobs, c.Model = false, 1, config.ModelSC
				if r := ran(t, c); r.Bug == nil || r.Bug.Message != p.want {
					t.Errorf("%q: %s %+v, want %q", flags, r.Verdict, r.Bug, p.want)
				}
			}
		})
	}
}
