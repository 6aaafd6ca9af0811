package debuginfo

import (
	"slices"
	"testing"

	build "landgo/internal/compile"
	"landgo/internal/image/elffile"
)

func TestDemangled(t *testing.T) {
	for symbol, want := range map[string]string{
		"_RNvNtNtNtNtNtCsjrHSEGnQ3l9_3std3sys3pal4unix14stack_overflow11thread_info4LOCK": "std::sys::pal::unix::stack_overflow::thread_info::LOCK",
		"_ZN3std9panicking11begin_panic17h0123456789abcdefE":                              "std::panicking::begin_panic",
		"_Really": "_Really",
		"main":    "main", "_start": "_start", "_ZN4pool5QueueIiE3popEv": "pool::Queue<int>::pop", "_Z": "_Z", "_ZTVNSt6thread6_StateE": "vtable for std::thread::_State",
	} {
		if got := Demangled(symbol); got != want {
			t.Errorf("%s: %s, want %s", symbol, got, want)
		}
	}
}

// TestShown: functions of C++ have the names that people give them, lambdas their lines,
// inlined or not, and headers of the compiler's are known.
func TestShown(t *testing.T) {
	const source = `#include <vector>
#include <mutex>
namespace pool { struct Queue { std::mutex m; int n; int pop() { std::lock_guard<std::mutex> l(m); return n--; } }; }
template <class F> __attribute__((noinline)) int twice(F f) { return f() + f(); }
int main() {
	pool::Queue q;
	q.n = 9;
	auto get = [&] { return q.pop(); };
	return twice(get) + twice([&] {
		return q.n++; });
}
`
	for _, level := range []string{"-O0", "-O2"} {
		info, err := read(build.Text(t, "g++", source, level, "-pthread"))
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		library := false
		for i := range info.Symbols {
			s := &info.Symbols[i]
			for pc := s.Addr; s.Kind == elffile.Func && pc < s.Addr+s.Size; pc++ {
				if fs := info.Frames(pc); len(fs) == 0 || fs[0].File == "" {
					break
				}
				for _, f := range info.Frames(pc) {
					shown = append(shown, f.Shown())
					library = library || f.Library() && f.File == "std_mutex.h"
					if f.File == "guest.cc" && f.Library() {
						t.Errorf("%+v is a library's", f)
					}
				}
			}
		}
		for _, want := range []string{"main", "pool::Queue::pop", "lambda at guest.cc:8", "lambda at guest.cc:9"} {
			if !slices.Contains(shown, want) {
				t.Errorf("%s: no function is called %q", level, want)
			}
		}
		if !library {
			t.Errorf("%s: no line of the library's header", level)
		}
	}
}

// TestLibraryFrame: which sources are a library's, not the user's.
func TestLibraryFrame(t *testing.T) {
	for path, want := range map[string]bool{
		"/usr/include/c++/12/bits/std_mutex.h":                                           true,
		"library/std/src/sys/thread/unix.rs":                                             true,
		"/rustc/59807616e1fa/library/core/src/sync/atomic.rs":                            true,
		"/home/u/.rustup/toolchains/stable/lib/rustlib/src/rust/library/alloc/src/rc.rs": true,
		"/home/u/library/std/main.rs":                                                    false,
		"src/main.rs":                                                                    false,
	} {
		if f := (Frame{Path: path}); f.Library() != want {
			t.Errorf("%s is a library's: %v", path, !want)
		}
	}
}
