package explore

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestChoiceGuests: what the programs of guests/choices choose, assume, and have fail, with
// counts by formula, or the same by a search that leaves out far less.
func TestChoiceGuests(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../guests/choices/choices.json")
	if err != nil {
		t.Fatal(err)
	}
	var table []struct {
		Name, Faults, Bug   string
		Executions, Assumed uint64
	}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	sources, err := filepath.Glob("../../guests/choices/*.c")
	if err != nil || len(sources) != len(table) {
		t.Errorf("%d programs, %d in the table, %v", len(sources), len(table), err)
	}
	for _, g := range table {
		for _, cc := range []string{"gcc", "musl-gcc"} {
			t.Run(g.Name+"/"+cc, func(t *testing.T) {
				t.Parallel()
				cfg := config.Default()
				cfg.Deepen, cfg.Out, cfg.Jobs, cfg.Faults = false, config.NoFile, 1, g.Faults
				source := "../../guests/choices/" + g.Name + ".c"
				cfg.Guest = compile.File(t, cc, source, "-O1")
				r := runOf(t, cfg)
				if r.Verdict != result.Buggy || string(r.Bug.Kind) != g.Bug || len(r.Bug.Choices) == 0 {
					t.Fatalf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
				}
				if f := r.Bug.Choices[len(r.Bug.Choices)-1]; g.Faults != "" && (r.Bug.Faults != 1 || f.Fault != "--faults "+g.Faults || !strings.HasSuffix(f.Place.File, g.Name+".c")) {
					t.Errorf("%d failures, %+v", r.Bug.Faults, f)
				}
				if cfg.Faults = ""; g.Faults != "" {
					if r := runOf(t, cfg); r.Verdict != result.Verified || r.Faults != "" {
						t.Errorf("without failures %s (%s)", r.Verdict, r.Reason)
					}
				}
				cfg.Faults, cfg.Guest = g.Faults, compile.File(t, cc, source, "-O1", "-DFIXED")
				for _, search := range []string{"optimal", "sleep", "dpor", "trust"} {
					cfg.Search = search
					r := runOf(t, cfg)
					if r.Verdict != result.Verified || r.Executions != g.Executions || r.AssumedAway != g.Assumed || search == "optimal" && r.Blocked > 0 {
						t.Errorf("%s: %s (%s), %d executions, %d blocked, %d assumed away; want %d, %d", search, r.Verdict, r.Reason, r.Executions, r.Blocked, r.AssumedAway, g.Executions, g.Assumed)
					}
					if g.Faults != "" && (!strings.HasPrefix(r.Faults, "at most one ") || r.Certificate.Faults != r.Faults) {
						t.Errorf("%s: failures %q, in the certificate %q", search, r.Faults, r.Certificate.Faults)
					}
				}
			})
		}
	}
}

func runOf(t *testing.T, cfg config.Config) *result.Result {
	t.Helper()
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// choices are programs with landgo-linux.h.
const choiceHead = "#include <assert.h>\n#include <pthread.h>\n#include \"landgo-linux.h\"\nvolatile int x;\n"

// choiceProgram is a text with the header in place.
func choiceProgram(t *testing.T, text string, flags ...string) string {
	t.Helper()
	header, err := os.ReadFile("../../guests/landgo-linux.h")
	if err != nil {
		t.Fatal(err)
	}
	return compile.Text(t, "gcc", strings.Replace(choiceHead, "#include \"landgo-linux.h\"", string(header), 1)+text, flags...)
}

// TestChoicesSmall: a bug's values are the smallest, however it is found; and a bug
// without a failure is preferred.
func TestChoicesSmall(t *testing.T) {
	t.Parallel()
	cfg := config.Default()
	cfg.Deepen, cfg.Out, cfg.Jobs, cfg.Search = false, config.NoFile, 1, "random:seed=3"
	cfg.Guest = choiceProgram(t, "int main(void) { int a = landgo_choice(6), b = landgo_choice(6), c = landgo_choice(5); (void)b; assert(a < 4 || c < 3); return 0; }")
	r := runOf(t, cfg)
	if r.Verdict != result.Buggy || len(r.Bug.Choices) != 3 || r.Bug.Choices[0].Text != "choice(6) = 4" || r.Bug.Choices[1].Text != "choice(6) = 0" || r.Bug.Choices[2].Text != "choice(5) = 3" {
		t.Errorf("%s (%s): %+v", r.Verdict, r.Reason, r.Bug)
	}
	cfg.Faults = "create=1"
	cfg.Guest = choiceProgram(t, "static void *f(void *a) { x++; return a; }\nint main(void) { pthread_t t; if (pthread_create(&t, 0, f, 0)) assert(0); x++; pthread_join(t, 0); assert(x == 2); return 0; }")
	for _, search := range []string{"random:seed=1", "optimal"} {
		cfg.Search = search
		if r := runOf(t, cfg); r.Verdict != result.Buggy || r.Bug.Faults != 0 || r.Bug.Kind != trace.Assertion || r.Bug.Preemptions != 1 {
			t.Errorf("%s: %s (%s): %+v", search, r.Verdict, r.Reason, r.Bug)
		}
	}
}

// TestJoinOfNoThread: glibc leaves the address of no thread where it can't create one.
func TestJoinOfNoThread(t *testing.T) {
	t.Parallel()
	for test, want := range map[string]string{"1": "segfault", "!pthread_create(&t, 0, f, 0)": "verified"} {
		cfg := config.Default()
		cfg.Deepen, cfg.Out, cfg.Jobs, cfg.Faults = false, config.NoFile, 1, "create=1"
		create := ""
		if want == "segfault" {
			create = "pthread_create(&t, 0, f, 0);"
		}
		cfg.Guest = choiceProgram(t, "static void *f(void *a) { return a; }\nint main(void) { pthread_t t = 0; "+create+" if ("+test+") pthread_join(t, 0); return 0; }")
		if r := runOf(t, cfg); ended(r) != want {
			t.Errorf("%s: %s (%s): %+v", test, r.Verdict, r.Reason, r.Bug)
		}
	}
}

// TestAssumedAway: a verdict where nothing is left is empty; a deadlock of those that
// wait for what was assumed away is none, and one of others is.
func TestAssumedAway(t *testing.T) {
	t.Parallel()
	const lock = "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n"
	for _, c := range []struct {
		name, text string
		verdict    result.Verdict
		warned     bool
	}{
		{"all", "int main(void) { landgo_assume(landgo_choice(3) > 5); return 0; }", result.Verified, true},
		{"holding a lock", lock + "static void *f(void *a) { pthread_mutex_lock(&m); landgo_assume(x == 0); pthread_mutex_unlock(&m); return a; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_join(t, 0); return 0; }", result.Verified, false},
		{"a deadlock of others", lock + "static void *f(void *a) { landgo_assume(0); return a; }\n" +
			"static void *g(void *a) { pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n); return a; }\n" +
			"int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); pthread_mutex_lock(&m); pthread_mutex_lock(&n); return 0; }", result.Buggy, false},
		{"what comes before", "static void *f(void *a) { x = 1; landgo_assume(0); return a; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); assert(x == 0); pthread_join(t, 0); return 0; }", result.Buggy, false},
		{"an end before it", "static void *f(void *a) { x = 1; landgo_assume(0); return a; }\n" +
			"int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return x * 0; }", result.Verified, false},
		{"no value", "int main(void) { return landgo_choice(0); }", result.Invalid, false},
		{"one value", "int main(void) { return landgo_choice(1); }", result.Verified, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := config.Default()
			cfg.Deepen, cfg.Out, cfg.Jobs = false, config.NoFile, 1
			cfg.Guest = choiceProgram(t, c.text)
			r := runOf(t, cfg)
			warned := false
			for _, w := range r.Warnings {
				warned = warned || w.Code == result.AssumedAway
			}
			if r.Verdict != c.verdict || warned != c.warned {
				t.Errorf("%s (%s), %v", r.Verdict, r.Reason, r.Warnings)
			}
		})
	}
}
