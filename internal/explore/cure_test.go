package explore

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/litmus"
	"landgo/internal/result"
)

// underBuffers explores a guest with store buffers.
func underBuffers(t *testing.T, guest string) *result.Result {
	t.Helper()
	cfg := onProgram(guest)
	cfg.Model = config.ModelTSO
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// fencedSource is a guest's source with fences behind lines of it.
func fencedSource(t *testing.T, path string, lines ...int) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := strings.Split(string(text), "\n")
	for _, n := range lines {
		all[n-1] += " __asm__ volatile(\"mfence\" ::: \"memory\");"
	}
	header, err := os.ReadFile(filepath.Join(filepath.Dir(path), "memory.h"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Replace(strings.Join(all, "\n"), `#include "memory.h"`, string(header), 1)
}

var storeLine = regexp.MustCompile(`^\t+[a-z]+(\[\w+\])? = `)

// TestCure: the classics that fail under x86-TSO are verified once fences are put into their
// sources where the report says so, with as many executions as it says. No fence fewer does,
// wherever it is put.
func TestCure(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]int{"peterson": 1, "dekker": 1, "lamport": 2, "bakery": 2, "chase_lev": 1, "hazard": 1, "rcu": 1, "biased": 1, "asymmetric": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := "../../guests/memory/" + name + ".c"
			r := underBuffers(t, compile.File(t, "gcc", path, "-O1"))
			if r.Bug == nil || r.Bug.Cure == nil || len(r.Bug.Cure.Fences) != want {
				t.Fatalf("%s, %+v", r.Verdict, r.Bug)
			}
			var lines []int
			for _, f := range r.Bug.Cure.Fences {
				if filepath.Base(f.Place.File) != name+".c" || f.Variable == "" {
					t.Errorf("%+v", f)
				}
				lines = append(lines, f.Place.Line)
			}
			r2 := underBuffers(t, compile.Text(t, "gcc", fencedSource(t, path, lines...), "-O1"))
			if r2.Verdict != result.Verified || r2.Executions != r.Bug.Cure.Executions {
				t.Errorf("with fences after the lines %d: %s (%s), %d executions, want %d", lines, r2.Verdict, r2.Reason, r2.Executions, r.Bug.Cure.Executions)
			}
			if want != 2 {
				return
			}
			text, _ := os.ReadFile(path)
			tried := 0
			for n, line := range strings.Split(string(text), "\n") {
				if !storeLine.MatchString(line) {
					continue
				}
				tried++
				if r := underBuffers(t, compile.Text(t, "gcc", fencedSource(t, path, n+1), "-O1")); r.Verdict != result.Buggy {
					t.Errorf("with a fence after line %d alone: %s", n+1, r.Verdict)
				}
			}
			if tried < 5 {
				t.Errorf("%d lines were tried", tried)
			}
		})
	}
}

// fencedAfter is a litmus program with fences behind some instructions, by thread and index.
func fencedAfter(p *litmus.Program, at [][2]int) *litmus.Program {
	out := &litmus.Program{Memory: p.Memory}
	for th, code := range p.Threads {
		var all []litmus.Insn
		for i, x := range code {
			if all = append(all, x); slices.Contains(at, [2]int{th, i}) {
				all = append(all, litmus.Insn{Kind: litmus.Fence})
			}
		}
		out.Threads = append(out.Threads, all)
	}
	return out
}

// asserting is a litmus test's source, which asserts that its outcome is one of some.
func asserting(x *litmus.Test, allowed []string) string {
	var ok strings.Builder
	for _, o := range allowed {
		fmt.Fprintf(&ok, "!strcmp(outcome, %q) || ", o+"\n")
	}
	s := x.Source()
	end := strings.LastIndex(s, "\treturn 0;")
	return "#define _GNU_SOURCE\n#include <assert.h>\n#include <stdio.h>\n#include <string.h>\nstatic char outcome[256]; static int length;\n" +
		"#define printf(...) (length += sprintf(outcome + length, __VA_ARGS__))\n" + s[:end] + "\tassert(" + ok.String() + "0);\n" + s[end:]
}

// insnAt is the instruction that a line of a litmus test's source has.
func insnAt(source string, line int) (at [2]int) {
	at = [2]int{-1, -1}
	for _, text := range strings.Split(source, "\n")[:line] {
		switch {
		case strings.HasPrefix(text, "static void thread"):
			at = [2]int{at[0] + 1, -1}
		case strings.HasPrefix(text, "\tLOAD("), strings.HasPrefix(text, "\tSTORE("), strings.HasPrefix(text, "\tXCHG("), text == "\tMFENCE();", text == "\tLOCKED()":
			at[1]++
		}
	}
	return at
}

// TestCureOfLitmus: litmus tests assert an outcome of sequential consistency. With the
// fences of the cure, the machine of package litmus reaches no other, and with any fewer
// to others. LANDGO_SOAK_LITMUS has it try all tests.
func TestCureOfLitmus(t *testing.T) {
	t.Parallel()
	every := 13
	if os.Getenv("LANDGO_SOAK_LITMUS") != "" {
		every = 1
	}
	sizes := map[int]int{}
	n := 0
	for _, x := range litmus.Cycles(200) {
		sc := litmus.OutcomesOf(x.Program, litmus.SC, x.Tell)
		robust := func(at [][2]int) bool {
			return slices.Equal(sc, litmus.OutcomesOf(fencedAfter(x.Program, at), litmus.TSO, x.Tell))
		}
		if robust(nil) {
			continue
		}
		if n++; n%every != 0 {
			continue
		}
		source := asserting(x, sc)
		r := underBuffers(t, compile.Text(t, "gcc", source, "-O1"))
		if r.Bug == nil || r.Bug.Cure == nil {
			t.Errorf("%v: %s (%s) without a cure\n%v", x.Cycle, r.Verdict, r.Reason, x.Program)
			continue
		}
		var at [][2]int
		for _, f := range r.Bug.Cure.Fences {
			at = append(at, insnAt(source, f.Place.Line))
		}
		var stores [][2]int
		for th, code := range x.Program.Threads {
			for i := range code {
				if code[i].Kind == litmus.Store {
					stores = append(stores, [2]int{th, i})
				}
			}
		}
		if !robust(at) {
			t.Errorf("%v: fences after %v aren't enough\n%v", x.Cycle, at, x.Program)
		}
		for set := range 1 << len(stores) {
			var some [][2]int
			for i := range stores {
				if set>>i&1 == 1 {
					some = append(some, stores[i])
				}
			}
			if len(some) < len(at) && robust(some) {
				t.Errorf("%v: a fence after %v is enough, not after %v\n%v", x.Cycle, some, at, x.Program)
			}
		}
		sizes[len(at)]++
	}
	t.Logf("tests by fences: %v", sizes)
	if len(sizes) == 0 {
		t.Error("no test has a behaviour that isn't sequentially consistent")
	}
}

// TestNoCure: nothing is said of a bug that needs no store buffer, and a time that is too
// short ends the search for a cure, not the report.
func TestNoCure(t *testing.T) {
	t.Parallel()
	for name, source := range map[string]string{
		"a bug without buffers": `A { x++; return p; } B { x++; return p; } int main(void) { RUN assert(x == 2); return 0; }`,
		"with and without":      `A { x = 1; r[0] = y; return p; } B { y = 1; r[1] = x; return p; } int main(void) { RUN assert(r[0] || r[1]); assert(r[0]); return 0; }`,
	} {
		r := underBuffers(t, compile.Text(t, "gcc", bufferHead+source))
		if r.Bug == nil || r.Bug.Cure != nil {
			t.Errorf("%s: %s, %+v", name, r.Verdict, r.Bug)
		}
	}
}

// TestCureOfManyStores: a cure names each store of its line, also those that no failing run delays.
func TestCureOfManyStores(t *testing.T) {
	t.Parallel()
	const failing = "int main(void) { RUN assert(r[0] || r[1]); return 0; }"
	for source, want := range map[string]string{
		// Only the first thread's store is overtaken.
		`static void *a(void *p) { long me = (long)p; flag[me] = 1; if (me) FENCE; r[me] = flag[!me]; return p; }
#define b a
` + failing: "after each store to flag[0] and flag[1] at ",
		`A { for (int i = 0; i < 5; i++) { z = i; flag[i & 1] = 1; } r[0] = x; return p; } B { x = 1; FENCE; r[1] = flag[0]; return p; } ` + failing:                                               "after each store to flag[0] and flag[1] at ",
		`A { for (int i = 2; i < 8; i++) ((int *)r)[i & 5 | 1] = 1, ((volatile char *)&u)[i] = 1; r[0] = y; return p; } B { y = 1; FENCE; r[1] = ((volatile char *)&u)[7]; return p; } ` + failing: "and 3 more at ",
		`A { x = 1; r[0] = y; return p; } B { y = 1; FENCE; r[1] = x; return p; } ` + failing:                                                                                                      "after the store to x at ",
	} {
		r := underBuffers(t, compile.Text(t, "gcc", bufferHead+source, "-O1"))
		if r.Bug == nil || r.Bug.Cure == nil || !strings.Contains(r.Bug.Cure.Plain(), want) {
			t.Errorf("%s: %s, want %q", r.Verdict, r.Bug.Cure.Plain(), want)
		}
	}
}

// TestCureWithoutExchange: an xchg is a cure in place of a mov only.
func TestCureWithoutExchange(t *testing.T) {
	t.Parallel()
	const second = ` B { y = 1; FENCE; r[1] = x; return p; } int main(void) { RUN assert(r[0] || r[1]); return 0; }`
	for store, want := range map[string]bool{
		`x = 1;`: true,
		`__asm__ volatile("movl %1, %0" : "=m"(x) : "r"(1) : "memory");`: true,
		`x++;`: true, // gcc makes a load, an addition and a mov
		`__asm__ volatile("incl %0" : "+m"(x) : : "memory");`:                                                                              false,
		`{ int old = 0; __asm__ volatile("cmpxchgl %2, %1" : "+a"(old), "+m"(x) : "r"(1) : "memory"); }`:                                   false,
		`{ void *to = (void *)&x; long n = 1; __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(1) : "memory"); }`:                    false,
		`{ void *to = (void *)&x; static int one = 1; void *from = &one; __asm__ volatile("movsl" : "+D"(to), "+S"(from) : : "memory"); }`: false,
	} {
		r := underBuffers(t, compile.Text(t, "gcc", bufferHead+"A { "+store+" r[0] = y; return p; }"+second, "-O1"))
		if r.Bug == nil || r.Bug.Cure == nil {
			t.Errorf("%s: %s", store, r.Verdict)
			continue
		}
		if text := r.Bug.Cure.Plain(); strings.Contains(text, "xchg") != want || r.Bug.Cure.Fences[0].Exchange != want || !strings.Contains(text, "an mfence after the store to x") {
			t.Errorf("%s: %s", store, text)
		}
	}
}
