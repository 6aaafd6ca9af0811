package litmus

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

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

// TestProcessor: whatever the processor does, the machine allows. A soak runs every test
// LANDGO_SOAK_LITMUS times, else two a few times; more outcomes than SC's are looked for in
// the soak only.
func TestProcessor(t *testing.T) {
	runs, every := 2000, 100
	if s := os.Getenv("LANDGO_SOAK_LITMUS"); s != "" {
		var err error
		if runs, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
		every = 1
	}
	beyond, shown := 0, 0
	var all []*Test
	for i, x := range Cycles(tests) {
		if i%every == 0 {
			all = append(all, x)
		}
		if every == 1 && i%10 == 0 {
			all = append(all, x.ForAll()...)
		}
	}
	for _, x := range all {
		out, err := exec.Command(compile.Text(t, "gcc", x.Source(), "-O1"), strconv.Itoa(runs)).Output()
		if err != nil {
			t.Fatalf("%v: %v", x.Cycle, err)
		}
		allowed, sc := OutcomesOf(x.Program, TSO, x.Tell), OutcomesOf(x.Program, SC, x.Tell)
		relaxed := false
		for _, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
			outcome, _, _ := strings.Cut(line, ":")
			if !slices.Contains(allowed, outcome) {
				t.Errorf("%v: the processor (%s) came to %q, which isn't allowed\n%v", x.Cycle, processor(), line, x.Program)
			}
			relaxed = relaxed || !slices.Contains(sc, outcome)
		}
		if len(allowed) > len(sc) {
			beyond++
		}
		if relaxed {
			shown++
		}
		if every == 1 {
			t.Logf("%v: %d runs, %d outcomes of %d", x.Cycle, runs, strings.Count(string(out), "\n"), len(allowed))
		}
	}
	t.Logf("%s: of %d tests with outcomes beyond SC it showed some in %d", processor(), beyond, shown)
	if every == 1 && shown == 0 {
		t.Error("no store was ever seen delayed: the harness doesn't look")
	}
}
