package explore

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// exceptions is a program of C++ whose threads throw, wait, print, and have objects of
// their own.
const exceptions = `#include <atomic>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
std::mutex m;
std::condition_variable c;
std::atomic<int> thrown;
thread_local std::string name = "a thread's own text, that isn't short";
bool ready;
struct counter { int n = 3; static counter &one() { static counter c; return c; } };
static void f(int i)
{
	try { if (i) throw std::runtime_error(name); } catch (std::exception &) { thrown++; }
	std::lock_guard<std::mutex> hold(m);
	ready = true;
	counter::one().n++;
	c.notify_one();
}
int main()
{
	std::thread t(f, 0), u(f, 1);
	{ std::unique_lock<std::mutex> hold(m); c.wait(hold, [] { return ready; }); }
	t.join(), u.join();
	std::cout << counter::one().n << thrown << std::endl;
}
`

// TestLinked: a program that is linked when it runs has the verdict, the bug and the
// number of executions of the same program linked statically. The soak has all of
// guests/linux.
func TestLinked(t *testing.T) {
	t.Parallel()
	of := func(path string) string {
		c := config.Default()
		c.Guest, c.Deepen, c.Jobs, c.MaxExecutions = path, false, 1, 300
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			return err.Error()
		}
		text := fmt.Sprint(r.Verdict, " ", r.Executions, len(r.Races))
		if b := r.Bug; b != nil {
			text += fmt.Sprint(" ", b.Kind, " ", b.Message, " ", b.Preemptions, " ", result.Innermost(b.Stack).Function)
		}
		return text
	}
	type program struct{ cc, name, variant string }
	programs := []program{
		{"gcc", "lost_update", "FIXED"}, {"gcc", "if_not_while", "BUG"}, {"gcc", "freed_string", "BUG"}, {"gcc", "once_each", "FIXED"},
		{"gcc", "deadlock_two", "BUG"}, {"gcc", "early_exit", "FIXED"}, {"gcc", "heap_overflow", "BUG"}, {"gcc", "race_stack", "FIXED"},
		{"musl-gcc", "lost_update", "BUG"}, {"musl-gcc", "if_not_while", "FIXED"}, {"musl-gcc", "double_free", "BUG"},
		{"g++", "", "FIXED"},
	}
	if soaks {
		files, err := filepath.Glob("../../guests/linux/*.c")
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			name := strings.TrimSuffix(filepath.Base(f), ".c")
			for _, cc := range []string{"gcc", "musl-gcc"} {
				programs = append(programs, program{cc, name, "BUG"}, program{cc, name, "FIXED"})
			}
		}
	}
	for i, p := range programs {
		t.Run(fmt.Sprint(p.cc, " ", p.name, " ", p.variant), func(t *testing.T) {
			build := func(flags ...string) string {
				flags = append(flags, "-D"+p.variant)
				if p.name == "" {
					return compile.Text(t, p.cc, exceptions, flags...)
				}
				return compile.File(t, p.cc, "../../guests/linux/"+p.name+".c", flags...)
			}
			how := []string{compile.Dynamic, "-fPIE", "-pie"}
			if i%2 == 1 && p.cc == "gcc" {
				how = []string{compile.Dynamic, "-fno-pie", "-no-pie", "-Wl,-z,now"}
			}
			if got, want := of(build(how...)), of(build()); got != want {
				t.Errorf("%v: %s\nstatically: %s", how, got, want)
			}
		})
	}
}
