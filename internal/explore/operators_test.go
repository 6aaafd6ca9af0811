package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

const operatorsSource = `#ifdef LONE // without an operator new
#include <cstdlib>
int main() { int *volatile p = (int *)malloc(4); delete p; }
#else
#include <cstdlib>
#include <cstring>
#include <new>
struct wide { alignas(64) char text[64]; };
struct own {
	int v;
	static void *operator new(size_t n) { return malloc(n); }
	static void operator delete(void *p) { free(p); }
};
template <class T> T *keep(T *p) { __asm__ volatile("" : "+r"(p)); return p; }
#ifdef REPLACED
static void right() {}
void *operator new(size_t n) { return malloc(n); }
void operator delete(void *p) noexcept { free(p); }
void operator delete(void *p, size_t) noexcept { free(p); }
#else
#include <memory>
#include <string>
#include <thread>
#include <vector>
struct base { virtual ~base() {} int x = 0; };
struct derived : base { std::string s = "a text that is too long for its object"; };
static void right()
{
	delete keep(new int);
	delete[] keep(new int[3]);
	delete[] keep(new std::string[3]);
	delete keep(new wide);
	delete[] keep(new wide[2]);
	delete keep(new (std::nothrow) int);
	delete[] keep(new (std::nothrow) wide[2]);
	delete keep(new own);
	base *b = keep<base>(new derived);
	delete b;
	::operator delete(keep(::operator new(5)), (size_t)5);
	::operator delete(nullptr);
	::operator delete(keep(::operator new(5, std::nothrow)), std::nothrow);
	void *raw = malloc(sizeof(derived));
	keep(new (raw) derived)->~derived();
	free(raw);
	free(strdup("x"));
	std::unique_ptr<char, void (*)(void *)> c((char *)malloc(3), free);
	std::vector<std::string> v(5, "a text that is too long for its object");
	auto shared = std::make_shared<std::vector<int>>(4);
	std::shared_ptr<int[]> array(new int[4]);
	std::set_new_handler([] {
		delete[] keep(new char[3]);
		std::set_new_handler(nullptr);
	});
	if (keep(new (std::nothrow) char[1ul << 40])) abort();
	try {
		throw std::make_unique<derived>();
	} catch (std::unique_ptr<derived> &e) {
		e->x = v.size();
	}
	std::thread([shared] { delete keep(new int); }).join();
}
#endif
int main(int argc, char **argv)
{
	int *p;
	switch (atoi(argv[1])) {
	case 0: right(); break;
	case 1: free(keep(new int)); break;
	case 2: delete keep(new int[3]); break;
	case 3: delete keep((int *)malloc(4)); break;
	case 4: delete[] keep(new int); break;
	case 5: free(keep(new (std::nothrow) wide[2])); break;
	case 6: ::operator delete(keep(::operator new[](5)), (size_t)5); break;
	case 7: p = (int *)realloc(keep(new int), 9); break;
	case 8: delete keep(strdup("x")); break;
	case 9: delete keep(new (std::nothrow) wide[2]); break;
	}
}
#endif
`

// TestOperators: memory from one of C++'s operators has to be given back by its own
// counterpart, in any of its forms. A program that does so is right. One that
// replaces an operator isn't judged, as its new may be malloc by its own word.
func TestOperators(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, args, says string }{
		{"runtime", "0", ""},
		{"runtime", "1", "free of a block that new gave out"},
		{"runtime", "2", "delete of a block that new[] gave out"},
		{"runtime", "3", "delete of a block that malloc gave out"},
		{"runtime", "4", "delete[] of a block that new gave out"},
		{"runtime", "5", "free of a block that new[] gave out"},
		{"runtime", "6", "delete of a block that new[] gave out"},
		{"runtime", "7", "realloc of a block that new gave out"},
		{"runtime", "8", "delete of a block that malloc gave out"},
		{"runtime", "9", "delete of a block that new[] gave out"},
		{"LONE", "0", "delete of a block that malloc gave out"},
		{"REPLACED", "0", ""},
		{"REPLACED", "1", ""},
	} {
		bin := compile.Text(t, "g++", operatorsSource, "-std=c++17", "-fno-builtin", "-D"+c.name)
		for _, malloc := range []config.Malloc{config.MallocTrusted, config.MallocNative} {
			cfg := config.Default()
			cfg.Guest, cfg.Args, cfg.Out, cfg.Malloc = bin, []string{c.args}, config.NoFile, malloc
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			switch r.Finish(); {
			case c.says == "" && r.Verdict != result.Verified:
				t.Errorf("%s %s, malloc %q: %s (%s) %+v, want verified", c.name, c.args, malloc, r.Verdict, r.Reason, r.Bug)
			case c.says != "" && (r.Bug == nil || r.Bug.Kind != "invalid-free" || !strings.Contains(r.Bug.Message, c.says)):
				t.Errorf("%s %s, malloc %q: %s, %+v, want an invalid-free: %s", c.name, c.args, malloc, r.Verdict, r.Bug, c.says)
			}
		}
	}
}
