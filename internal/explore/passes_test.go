package explore

import (
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestPasses: calls that find a once routine done commute, and so do those of the C++ library that
// fill a table of characters. What the library does so to its own data is no race to list. Streams in two threads make dozens of both. All have the outcomes of
// the search without reduction.
func TestPasses(t *testing.T) {
	t.Parallel()
	const once = `#include <pthread.h>
#include <assert.h>
static pthread_once_t o = PTHREAD_ONCE_INIT;
static int x;
static void init(void) { x++; }
static void *use(void *a) { for (int i = 0; i < 3; i++) { pthread_once(&o, init); assert(x == 1); } return a; }
int main(void) { pthread_t a, b; EARLY; pthread_create(&a, 0, use, 0); pthread_create(&b, 0, use, 0); pthread_join(a, 0); pthread_join(b, 0); return 0; }`
	const stream = `#include <cassert>
#include <sstream>
#include <string>
#include <thread>
static std::string r[2];
static void f(int i) { std::ostringstream o; o << "t" << i << ' ' << 1.5; r[i] = o.str(); }
int main() { std::thread a(f, 0), b(f, 1); a.join(); b.join(); assert(r[0] == "t0 1.5" && r[1] == "t1 1.5"); }`
	for _, c := range []struct {
		name, compiler, source, flag string
		most                         uint64
		all                          bool // without reduction, too
	}{
		{"done before", "gcc", once, "-DEARLY=pthread_once(&o, init)", 1, true},
		{"done by one of them", "gcc", once, "-DEARLY", 2, true},
		{"streams", "g++", stream, "-O1", 16, false},
		{"streams in a dynamic program", "g++", stream, compile.Dynamic, 16, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Deepen, cfg.Out, cfg.Jobs, cfg.Model, cfg.Guest = false, config.NoFile, 1, config.ModelSC, compile.Text(t, c.compiler, c.source, c.flag)
			cfg.MaxExecutions = 2000
			r := runOf(t, cfg)
			if r.Verdict != result.Verified || r.Executions > c.most {
				t.Errorf("%s (%s), %d executions", r.Verdict, r.Reason, r.Executions)
			}
			if len(r.Races) > 0 {
				t.Errorf("races within the library are listed: %+v", r.Races)
			}
			if !c.all {
				return
			}
			cfg.Search, cfg.MaxExecutions = "none", 0
			if all := runOf(t, cfg); all.Verdict != r.Verdict || all.Executions < r.Executions {
				t.Errorf("without reduction: %s (%s), %d executions", all.Verdict, all.Reason, all.Executions)
			}
		})
	}
}
