package litmus

import (
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"landgo/internal/compile"
)

func TestMain(m *testing.M) { os.Exit(compile.Main(m)) }

// tests is how many cycles there are.
const tests = 200

// TestAxioms: the axioms and the machine agree on every test, and the tests are many and
// of each edge, some with more outcomes under TSO and some without.
func TestAxioms(t *testing.T) {
	all := Cycles(tests)
	if len(all) != tests {
		t.Fatalf("%d tests", len(all))
	}
	more, edges, threads := 0, map[Edge]int{}, map[int]int{}
	for _, x := range all {
		tso := OutcomesOf(x.Program, TSO, x.Tell)
		if axioms := x.Allowed(); !slices.Equal(tso, axioms) {
			t.Fatalf("%v: the machine has %q, the axioms allow %q\n%v", x.Cycle, tso, axioms, x.Program)
		}
		if !slices.Equal(tso, OutcomesOf(x.Program, SC, x.Tell)) {
			more++
		}
		threads[len(x.Program.Threads)]++
		for _, e := range x.Cycle {
			edges[e]++
		}
	}
	t.Logf("%d tests of %v threads, %d with outcomes beyond SC; edges %v", len(all), threads, more, edges)
	if more < tests/10 || more > tests*9/10 || len(edges) != int(numEdges) || len(threads) != 3 {
		t.Errorf("%d of %d tests have more outcomes, %d edges, %v threads", more, tests, len(edges), threads)
	}
}

// processor is the name of the machine's.
func processor() string {
	text, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(text), "\n") {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// processorTests are those that TestProcessor runs: the cycles, and of each tenth those with
// a fence for all.
func processorTests() (all []*Test) {
	for i, x := range Cycles(tests) {
		all = append(all, x)
		if i%10 == 0 {
			all = append(all, x.ForAll()...)
		}
	}
	return all
}

// counts runs a test on the processor, at least so many times. It says how often each
// outcome came.
func counts(t *testing.T, native string, number, runs int) map[string]int {
	t.Helper()
	out, err := exec.Command(native, strconv.Itoa(number), strconv.Itoa(runs)).CombinedOutput()
	if err != nil {
		t.Fatalf("test %d: %v: %s", number, err, out)
	}
	seen := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		outcome, times, _ := strings.Cut(line, ": ")
		if seen[outcome], err = strconv.Atoi(times); err != nil {
			t.Fatalf("test %d: %s", number, out)
		}
	}
	return seen
}

// TestMixedProcessor: the same of tests of mixed sizes. Whether a load waits for stores of its thread that
// have some of its bytes is the processor's affair: what it does is logged.
func TestMixedProcessor(t *testing.T) {
	runs, programs := 20000, 12
	if s := os.Getenv("LANDGO_SOAK_LITMUS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		programs = 80
	}
	all := Mixed(programs)
	native := compile.Text(t, "gcc", Native(all), "-O1")
	total, parts, shown, merged := 0, 0, 0, 0
	for i, x := range all {
		allowed, waits := OutcomesOf(x.Program, TSO, x.Tell), OutcomesOf(x.Program, TSOStalls, x.Tell)
		beyond := 0
		for outcome, times := range counts(t, native, i, runs) {
			total += times
			if !slices.Contains(allowed, outcome) {
				t.Errorf("test %d: the processor (%s) came to %q %d times, which isn't allowed\n%v", i, processor(), outcome, times, x.Program)
			}
			if !slices.Contains(waits, outcome) {
				beyond += times
			}
		}
		if !slices.Equal(allowed, waits) {
			parts++
		}
		if merged += beyond; beyond > 0 {
			shown++
		}
	}
	t.Logf("%s, %d cores: %d runs of %d tests; of %d with outcomes that loads which wait don't have it showed some in %d, %d times",
		processor(), runtime.NumCPU(), total, len(all), parts, shown, merged)
}

// storeBuffering is the cycle whose outcome beyond SC each x86 of two cores shows.
const storeBuffering = "PodWR Fre PodWR Fre"

// TestProcessor: whatever the processor does, the machine allows. A soak runs every test
// LANDGO_SOAK_LITMUS times, else some a few times. Delayed stores have to be seen in the soak:
// else the harness doesn't look.
func TestProcessor(t *testing.T) {
	runs, every, soak := 20000, 25, false
	if s := os.Getenv("LANDGO_SOAK_LITMUS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		every, soak = 1, true
	}
	all := processorTests()
	native := compile.Text(t, "gcc", Native(all), "-O1")
	beyond, shown, buffering, total := 0, 0, 0, 0
	for i, x := range all {
		if i%every != 0 {
			continue
		}
		begin := time.Now()
		seen := counts(t, native, i, runs)
		allowed, sc := OutcomesOf(x.Program, TSO, x.Tell), OutcomesOf(x.Program, SC, x.Tell)
		n, weak, weakKinds := 0, 0, 0
		for outcome, times := range seen {
			n += times
			if !slices.Contains(allowed, outcome) {
				t.Errorf("%v: the processor (%s) came to %q %d times, which isn't allowed\n%v", x.Cycle, processor(), outcome, times, x.Program)
			}
			if !slices.Contains(sc, outcome) {
				weak += times
				weakKinds++
			}
		}
		if n < runs {
			t.Errorf("%v: %d runs", x.Cycle, n)
		}
		if len(allowed) > len(sc) {
			beyond++
		}
		if weak > 0 {
			shown++
		}
		if x.Cycle.String() == storeBuffering {
			buffering += weak
		}
		total += n
		if soak {
			t.Logf("%d threads, %v: %d runs, %d outcomes of %d; beyond SC %d of %d, %d times; %.1f s", len(x.Program.Threads), x.Cycle, n,
				len(seen), len(allowed), weakKinds, len(allowed)-len(sc), weak, time.Since(begin).Seconds())
		}
	}
	t.Logf("%s, %d cores: %d runs of %d tests; of %d with outcomes beyond SC it showed some in %d, store buffering %d times",
		processor(), runtime.NumCPU(), total, (len(all)+every-1)/every, beyond, shown, buffering)
	if soak && runtime.NumCPU() > 1 && buffering == 0 {
		t.Error("no store was seen delayed: the harness doesn't look")
	}
}
