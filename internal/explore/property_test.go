package explore

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// withHeader builds a program that includes landgo's header.
func withHeader(t testing.TB, cc, file string, flags ...string) string {
	t.Helper()
	return compile.File(t, cc, file, append([]string{headers(t)}, flags...)...)
}

// headers is the compiler's option for landgo's header.
func headers(t testing.TB) string {
	folder, err := filepath.Abs(filepath.Join("..", "..", "guests"))
	if err != nil {
		t.Fatal(err)
	}
	return "-I" + folder
}

// exploredProperties runs a whole search, and says what it ends in: final states, and bugs.
// The search decides on the steps, or another, whose judge it is.
func exploredProperties(t *testing.T, search string, c config.Config, limit uint64) (e *ends, complete bool) {
	t.Helper()
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	e = &ends{Session: s, states: map[string]int{}}
	spec, err := por.ParseSpec(c.Search)
	if err != nil {
		t.Fatal(err)
	}
	engine, err := por.New(search, por.Options{OneEvent: s.OneEvent(), Unmerged: spec.Kind().SingleEvents, MaxExecutions: limit})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(s.Guest, e)
	if err != nil {
		t.Fatalf("%s of %v: %v", search, c.Args, err)
	}
	return e, stats.Complete
}

// TestPropertiesAgree: random programs have conditions, and a register that is to be linearizable.
// On them the searches that leave executions out find the bugs that all executions have, and the
// same final states. So they do with store buffers. LANDGO_SOAK_GUESTS=N runs N programs with a
// fresh seed.
func TestPropertiesAgree(t *testing.T) {
	t.Parallel()
	seed, n, only := uint64(3), 12, -1
	if v, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_GUESTS")); err == nil {
		seed, n = rand.Uint64(), v
	}
	if v, err := strconv.ParseUint(os.Getenv("LANDGO_SEED"), 10, 64); err == nil {
		seed = v
	}
	if v, err := strconv.Atoi(os.Getenv("LANDGO_PROGRAM")); err == nil {
		only = v
	}
	others := []string{"sleep", "dpor", "source", "trust", "nidhugg", "stateful"}
	buffered := []string{"sleep", "dpor", "source", "stateful"}
	bugs, compared := map[string]int{}, 0
	for i := range n {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		if only >= 0 && i != only {
			continue
		}
		letters, condition := "ABCabcM", string("awe"[r.IntN(3)])+string("01234"[r.IntN(5)])
		if r.IntN(2) == 0 {
			letters, condition = "WwRRIJZ", "n"
		}
		var threads []string
		for k := 2 + r.IntN(4)/3; k > 0; k-- {
			var b strings.Builder
			for n := 1 + r.IntN(5-k); n > 0; n-- {
				b.WriteByte(letters[r.IntN(len(letters))])
			}
			threads = append(threads, b.String())
		}
		c := config.Default()
		c.Guest = withHeader(t, []string{"gcc", "musl-gcc"}[i%2], filepath.Join("testdata", "properties.c"), "-O1")
		c.Args = []string{strings.Join(threads, "/"), condition}
		c.PP, c.KeepGoing = trace.MemPoints, true
		wanted := map[config.Model]*ends{} // nil: too large
		for k, search := range []string{"optimal", others[i%len(others)], "optimal", buffered[i%len(buffered)]} {
			c.Search, c.Model = search, config.ModelSC
			if k >= 2 {
				if c.Model = config.ModelTSO; condition == "n" {
					break
				}
			}
			want, known := wanted[c.Model]
			if !known || search == "trust" { // whose steps are its own
				e, complete := exploredProperties(t, "none", c, 3000)
				if want = nil; complete {
					want = e
				}
				if search != "trust" {
					wanted[c.Model] = want
				}
			}
			if want == nil {
				continue
			}
			for _, e := range ending(want) {
				if len(e) != 16 {
					bugs[strings.Fields(e)[0]]++
				}
			}
			compared++
			got, complete := exploredProperties(t, search, c, 20000)
			if !complete || !slices.Equal(ending(got), ending(want)) || search == "optimal" && got.executions > want.executions {
				t.Errorf("seed %d, program %d, %s --model %s of %q: complete %v, %d executions of %d\n got %v\nwant %v", seed, i, search, c.Model, c.Args, complete, got.executions, want.executions, got.states, want.states)
			}
		}
	}
	t.Logf("%d searches compared; bugs: %v", compared, bugs)
	if only < 0 && (compared < n || len(bugs) < 2) {
		t.Errorf("%d searches compared, and bugs %v: the test tests little", compared, bugs)
	}
}

// TestPropertyGuests: the guests of guests/properties have the verdicts that their comments
// say, by the default search and by optimal, with both C libraries, and a bug is replayed.
func TestPropertyGuests(t *testing.T) {
	t.Parallel()
	for i, want := range []struct {
		name, define string
		kind         trace.BugKind // "": verified
		executions   int           // of optimal: as many traces as there are orders of calls and accesses
	}{
		{"treiber", "", trace.Linearizability, 0},
		{"treiber", "FIXED", "", 0},
		{"ms_queue", "", trace.Linearizability, 0},
		{"ms_queue", "FIXED", "", 0},
		{"hw_queue", "", trace.Linearizability, 0},
		{"hw_queue", "FIXED", "", 0},
		{"lazy_set", "", trace.Linearizability, 0},
		{"lazy_set", "FIXED", "", 0},
		{"ring", "", trace.Linearizability, 0},
		{"ring", "FIXED", "", 0},
		{"register", "", trace.Linearizability, 0},
		{"register", "FIXED", "", 0},
		{"accounts", "", trace.Invariant, 0},
		{"accounts", "FIXED", "", 0},
		{"handshake", "", trace.Unreached, 0},
		{"handshake", "FIXED", "", 0},
	} {
		flags := []string{"-O1"}
		if want.define != "" {
			flags = append(flags, "-D"+want.define)
		}
		c := config.Default()
		c.Guest = withHeader(t, []string{"gcc", "musl-gcc"}[i/2%2], filepath.Join("..", "..", "guests", "properties", want.name+".c"), flags...)
		for _, pp := range []trace.Points{0, trace.MemPoints} {
			c := c
			if pp != 0 {
				c.PP, c.Deepen = pp, false
			}
			r, err := Run(context.Background(), c, nil)
			switch {
			case err != nil:
				t.Errorf("%s %s: %v", want.name, want.define, err)
			case want.kind == "" && (r.Verdict != result.Verified || len(r.Warnings) > 0):
				t.Errorf("%s %s: %s, %s; want it verified (%v)", want.name, want.define, r.Verdict, r.Reason, r.Warnings)
			case want.kind != "" && (r.Bug == nil || r.Bug.Kind != want.kind):
				t.Errorf("%s %s: %s, %s, %+v; want a bug %s", want.name, want.define, r.Verdict, r.Reason, r.Bug, want.kind)
			case want.kind == trace.Linearizability && (len(r.Bug.Calls) < 2 || !slices.ContainsFunc(r.Bug.Calls, func(c result.Call) bool { return c.Unexplained })):
				t.Errorf("%s: the calls are %+v", want.name, r.Bug.Calls)
			}
			if pp != 0 && want.executions != 0 && r != nil && int(r.Executions) != want.executions {
				t.Errorf("%s %s: %d executions, want %d", want.name, want.define, r.Executions, want.executions)
			}
		}
	}
}

// TestConditionsBuffered: with store buffers a condition is about memory. Its thread's stores
// before it makes it count as being there.
func TestConditionsBuffered(t *testing.T) {
	t.Parallel()
	const head = bufferHead + `#include "landgo-linux.h"
`
	for i, c := range []struct{ name, source, sc, tso string }{
		{"both enter", `LANDGO_CONDITION(one, !(r[0] && r[1]))
A { flag[0] = 1; if (!flag[1]) r[0] = 1; return p; } B { flag[1] = 1; if (!flag[0]) r[1] = 1; return p; }
int main(void) { landgo_always(one, 0); RUN return 0; }`, "verified", "invariant"},
		{"both enter, with fences", `LANDGO_CONDITION(one, !(r[0] && r[1]))
A { flag[0] = 1; FENCE; if (!flag[1]) r[0] = 1; return p; } B { flag[1] = 1; FENCE; if (!flag[0]) r[1] = 1; return p; }
int main(void) { landgo_always(one, 0); RUN return 0; }`, "verified", "verified"},
		{"stores in order", `LANDGO_CONDITION(ordered, x >= y)
A { x = 1; y = 1; return p; } B { r[0] = y; return p; } int main(void) { landgo_always(ordered, 0); RUN return 0; }`, "verified", "verified"},
		{"stores in the wrong order", `LANDGO_CONDITION(ordered, x >= y)
A { y = 1; x = 1; return p; } B { r[0] = y; return p; } int main(void) { landgo_always(ordered, 0); RUN return 0; }`, "invariant", "invariant"},
		{"in a critical section", `LANDGO_CONDITION(equal, x == y)
A { pthread_mutex_lock(&m); x++; y++; pthread_mutex_unlock(&m); return p; } B { return a(p); } int main(void) { landgo_always_when(equal, 0, &m); RUN return 0; }`, "verified", "verified"},
		{"what was stored before", `LANDGO_CONDITION(set, x == 1)
A { r[0] = x; return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); x = 1; landgo_always(set, 0); r[1] = y; pthread_join(t, 0); return 0; }`, "verified", "verified"},
		{"what was stored before is wrong", `LANDGO_CONDITION(clear, x == 0)
A { r[0] = x; return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); x = 1; landgo_always(clear, 0); r[1] = y; pthread_join(t, 0); return 0; }`, "invariant", "invariant"},
		{"made between", `LANDGO_CONDITION(clear, x == 0)
A { x = 1; x = 0; return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); y = 1; landgo_always(clear, 0); pthread_join(t, 0); return 0; }`, "invariant", "invariant"},
		{"for a moment", `LANDGO_CONDITION(half, x == 1 && y == 0)
A { x = 1; y = 1; return p; } B { r[0] = y; return p; } int main(void) { landgo_eventually(half, 0); RUN return 0; }`, "verified", "verified"},
		{"never", `LANDGO_CONDITION(half, y == 1 && x == 0)
A { x = 1; y = 1; return p; } B { r[0] = y; return p; } int main(void) { landgo_eventually(half, 0); RUN return 0; }`, "unreached", "unreached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, cc := range libraries(i) {
				cfg := onProgram(compile.Text(t, cc, head+c.source, "-O1", headers(t)))
				r, _ := memoryRun(t, cfg)
				if got := ended(r); got != c.tso || got == "verified" && !strings.HasPrefix(r.Certificate.Memory, "x86-TSO") {
					t.Errorf("%s, memory %s (%s), want %s", got, r.Certificate.Memory, r.Reason, c.tso)
				}
				for model, want := range map[config.Model]string{config.ModelSC: c.sc, config.ModelTSO: c.tso} {
					cfg.Model, cfg.Deepen = model, false
					endsAs(t, cfg, want, "optimal", "source", "stateful")
				}
			}
		})
	}
}

// TestConditionsMadeLate: what other threads did before a condition is made has an order with that,
// whichever thread makes it. A copy of a system call is several steps to a condition, too.
func TestConditionsMadeLate(t *testing.T) {
	t.Parallel()
	const head = bufferHead + `#include "landgo-linux.h"
`
	for i, c := range []struct{ name, source, want string }{
		{"by another thread", `LANDGO_CONDITION(never, x != 1)
A { __sync_fetch_and_add(&x, 1); __sync_fetch_and_add(&x, 1); __sync_fetch_and_add(&z, 1); return p; }
B { __sync_fetch_and_add(&z, 1); landgo_always(never, 0); return p; } int main(void) { RUN return 0; }`, "invariant"},
		{"when all is over", `LANDGO_CONDITION(one, x == 1)
A { x = 1; x = 2; return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); landgo_eventually(one, 0); pthread_join(t, 0); return 0; }`, "unreached"},
		{"after a store", `LANDGO_CONDITION(one, x == 1)
A { x = 1; x = 2; z = 1; return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); r[0] = z; z = 3; landgo_eventually(one, 0); pthread_join(t, 0); return 0; }`, "unreached"},
		{"of the last value", `LANDGO_CONDITION(two, x == 2)
A { x = 1; x = 2; return p; } int main(void) { pthread_t t; pthread_create(&t, 0, a, 0); landgo_eventually(two, 0); pthread_join(t, 0); return 0; }`, "verified"},
		{"in a copy", `static char text[24]; static int ends[2]; LANDGO_CONDITION(whole, text[0] == text[20])
A { if (read(ends[0], text, 24) != 24) r[0] = 1; return p; } B { x = 1; return p; }
int main(void) { if (pipe(ends) || write(ends[1], "aaaaaaaaaaaaaaaaaaaaaaaa", 24) != 24) return 1; landgo_always(whole, 0); RUN return 0; }`, "invariant"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, cc := range libraries(i) {
				cfg := onProgram(compile.Text(t, cc, head+c.source, "-O1", headers(t)))
				if r := runOf(t, cfg); ended(r) != c.want {
					t.Errorf("%s (%s), want %s", ended(r), r.Reason, c.want)
				}
				cfg.Model, cfg.Deepen, cfg.Copies = config.ModelSC, false, config.CopiesDivided
				endsAs(t, cfg, c.want, "none", "optimal", "source", "sleep", "dpor", "stateful", "trust")
			}
		})
	}
}

// TestCallsBuffered: that an object is linearizable is said under x86-TSO only where no call
// begins or ends with a store in its thread's buffer.
func TestCallsBuffered(t *testing.T) {
	t.Parallel()
	const head = bufferHead + `#include "landgo-linux.h"
static volatile long cell;
#define MAINLY int main(void) { landgo_assert_linearizable(&cell, LANDGO_REGISTER); RUN return 0; }
`
	for _, c := range []struct {
		name, source string
		robust       bool
	}{
		{"a locked instruction", `A { landgo_op(&cell, LANDGO_INCREASE, 1, __sync_fetch_and_add(&cell, 1)); return p; } B { return a(p); } MAINLY`, true},
		{"a store before a locked instruction", `A { x = 1; landgo_op(&cell, LANDGO_INCREASE, 1, __sync_fetch_and_add(&cell, 1)); return p; } B { r[0] = x; return a(p); } MAINLY`, true},
		{"a store before the call", `A { x = 1; landgo_op(&cell, LANDGO_READ, 0, cell); return p; } B { r[0] = x; return a(p); } MAINLY`, false},
		{"a plain store", `A { landgo_op_void(&cell, LANDGO_WRITE, 1, cell = 1); return p; } B { landgo_op(&cell, LANDGO_READ, 0, cell); return p; } MAINLY`, false},
		{"and a fence", `A { landgo_op_void(&cell, LANDGO_WRITE, 1, (cell = 1, __sync_synchronize())); return p; } B { landgo_op(&cell, LANDGO_READ, 0, cell); return p; } MAINLY`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", head+c.source, "-O1", headers(t)))
			r, _ := memoryRun(t, cfg)
			if claims, _ := memoryOf(r); r.Verdict != result.Verified || claims != c.robust {
				t.Errorf("%s (%s), memory %s, %v", r.Verdict, r.Reason, r.Certificate.Memory, r.Warnings)
			}
			cfg.Model = config.ModelTSO
			if r, _ = memoryRun(t, cfg); r.Verdict != result.Invalid {
				t.Errorf("with store buffers %s", r.Verdict)
			}
		})
	}
}

// TestObjectsByTheirVariable: an object is called by the variable that begins at its address,
// not by that one's first part.
func TestObjectsByTheirVariable(t *testing.T) {
	t.Parallel()
	const program = `#include "../../guests/landgo-linux.h"
static struct { int lock[2]; long value; } thing;
static long list[3];
static struct { long before, inside; } whole;
int main(void) {
	landgo_assert_linearizable(OBJECT, LANDGO_REGISTER);
	landgo_op_void(OBJECT, LANDGO_WRITE, 4, (void)(thing.value = list[0] = whole.inside = 5));
	landgo_op(OBJECT, LANDGO_READ, 0, 6);
	return 0;
}
`
	header, err := filepath.Abs("../../guests/landgo-linux.h")
	if err != nil {
		t.Fatal(err)
	}
	for object, name := range map[string]string{"&thing": "register thing isn't", "list": "register list isn't", "&list[1]": "register list[1] isn't", "&whole.inside": "register whole.inside isn't"} {
		cfg := config.Default()
		cfg.Out, cfg.Guest = config.NoFile, compile.Text(t, "gcc", defines(program, "OBJECT", object, "../../guests/landgo-linux.h", header))
		if r := runOf(t, cfg); r.Bug == nil || !strings.Contains(r.Bug.Message, name) {
			t.Errorf("%s: %v %+v", object, r.Verdict, r.Bug)
		}
	}
}

// TestHeaderAlone: a program that only includes landgo's header is searched as one that doesn't. One
// that calls a function of it, or has its address, isn't.
func TestHeaderAlone(t *testing.T) {
	t.Parallel()
	const text = `#include "landgo-linux.h"
#include <pthread.h>
static volatile int i = 1, j = 1;
static int fine(void *p) { return 1; }
static void *f(void *p) { int a = i, b = j; i = a + b; return p; }
static void *g(void *p) { int a = i, b = j; j = a + b; return p; }
int main(void)
{
	pthread_t a, b;
	USE
	pthread_create(&a, 0, f, 0);
	pthread_create(&b, 0, g, 0);
	return i > 3 || j > 3;
}
`
	for _, flags := range [][]string{{"-O1", "-static"}, {"-O0", "-pie", "-fPIE"}, {"-O2", "-fno-plt", "-pie", "-fPIE"}, {"-O2"}} {
		for _, use := range []string{"(void)fine;", "landgo_always(fine, 0);", "void (*volatile made)(int (*)(void *), void *) = landgo_eventually; (void)made;", "static void (*made)(int (*)(void *), void *) = landgo_eventually; __asm__ volatile(\"\" : : \"m\"(made));"} {
			file := filepath.Join(t.TempDir(), "test.c")
			if err := os.WriteFile(file, []byte(strings.Replace(text, "USE", use, 1)), 0o600); err != nil {
				t.Fatal(err)
			}
			c := config.Default()
			c.Guest, c.Out, c.Model, c.Race = withHeader(t, "gcc", file, flags...), config.NoFile, "sc", config.RaceOff
			s, err := session.Open(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			alone := use == "(void)fine;"
			if s.Judged() == alone {
				t.Errorf("%v %s: judged %v", flags, use, s.Judged())
			}
			s.Close()
			if r := runOf(t, c); alone && (r.Verdict != result.Verified || r.Executions != 11) {
				t.Errorf("%v: %s (%s), %d executions", flags, r.Verdict, r.Reason, r.Executions)
			}
		}
	}
}

// TestHeaderStripped: without symbols the conditions aren't seen, which the verdict says.
func TestHeaderStripped(t *testing.T) {
	t.Parallel()
	for _, symbols := range []bool{true, false} {
		flags := []string{"-O1", headers(t)}
		if !symbols {
			flags = append(flags, "-s")
		}
		cfg := onProgram(compile.Text(t, "gcc", `#include "landgo-linux.h"
#include <pthread.h>
static volatile int x;
static int zero(void *p) { return x == 0; }
static void *f(void *p) { x++; x--; return p; }
int main(void)
{
	pthread_t a;
	landgo_always(zero, 0);
	pthread_create(&a, 0, f, 0);
	x--; x++;
	return 0;
}
`, flags...))
		cfg.Search, cfg.PP = "optimal", trace.MemPoints
		r := ran(t, cfg)
		unseen := slices.ContainsFunc(r.Warnings, func(w result.Warning) bool { return w.Code == result.Unseen })
		if symbols && (r.Bug == nil || unseen) || !symbols && (r.Verdict != result.Verified || !unseen) {
			t.Errorf("symbols %v: %s (%s), warnings %v", symbols, r.Verdict, r.Reason, r.Warnings)
		}
	}
}
