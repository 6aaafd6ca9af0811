package result

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"regexp"
	"strings"
	"testing"

	"landgo/internal/trace"
)

func TestExitStatus(t *testing.T) {
	same, other := &Replay{Expected: trace.Assertion, Same: true}, &Replay{Expected: trace.Assertion}
	for _, c := range []struct {
		verdict Verdict
		replay  *Replay
		want    int
	}{
		{Verified, nil, 0}, {Bounded, nil, 0}, {Buggy, nil, 1}, {Budget, nil, 3}, {Invalid, nil, 4},
		{Buggy, same, 1}, {Buggy, other, 3}, {Budget, other, 3}, {Verified, other, 3}, {Invalid, other, 4},
		{"", nil, 5},
	} {
		if got := (&Result{Verdict: c.verdict, Replay: c.replay}).ExitStatus(); got != c.want {
			t.Errorf("%q, replay %v: %d, want %d", c.verdict, c.replay, got, c.want)
		}
	}
}

// TestProblems: each entry of the table explains itself, once.
func TestProblems(t *testing.T) {
	seen := map[ErrorKind]bool{}
	for _, p := range Problems {
		if seen[p.Kind] {
			t.Errorf("%s is there twice", p.Kind)
		}
		seen[p.Kind] = true
		if !regexp.MustCompile(`^[a-z][a-z-]*$`).MatchString(string(p.Kind)) {
			t.Errorf("%s isn't a name", p.Kind)
		}
		if p.Status < ExitUsage || p.Status > ExitFault {
			t.Errorf("%s: exit status %d", p.Kind, p.Status)
		}
		if p.Example == "" || strings.HasSuffix(p.Example, ".") {
			t.Errorf("%s: the example %q has to be a clause", p.Kind, p.Example)
		}
		if !strings.HasSuffix(p.Cause, ".") || p.Cause[:1] != strings.ToUpper(p.Cause[:1]) && !strings.HasPrefix(p.Cause, "landgo") && !strings.HasPrefix(p.Cause, "--") {
			t.Errorf("%s: the cause %q has to be sentences", p.Kind, p.Cause)
		}
		if p.Cure == "" || strings.HasSuffix(p.Cure, ".") {
			t.Errorf("%s: the cure %q has to be a clause", p.Kind, p.Cure)
		}
	}
	// Each message of the code has an entry: all constants of the type.
	text, err := os.ReadFile("problems.go")
	if err != nil {
		t.Fatal(err)
	}
	constants := regexp.MustCompile(`ErrorKind += "([a-z-]+)"|ErrorKind = "([a-z-]+)"`).FindAllStringSubmatch(string(text), -1)
	if len(constants) != len(Problems) {
		t.Errorf("%d kinds are declared, %d explained", len(constants), len(Problems))
	}
	for _, c := range constants {
		if kind := ErrorKind(c[1] + c[2]); !seen[kind] {
			t.Errorf("%s isn't explained", kind)
		}
	}
}

func TestErrors(t *testing.T) {
	err := fmt.Errorf("load: %w", Errorf(NotELF, "%s: not an ELF file: %w", "x", fs.ErrInvalid))
	if !errors.Is(err, NotELF) || errors.Is(err, Dynamic) || !errors.Is(err, fs.ErrInvalid) {
		t.Errorf("%v is of the wrong kind", err)
	}
	if KindOf(err) != NotELF || KindOf(errors.New("x")) != Fault {
		t.Error("KindOf")
	}
	line := Line(Errorf(Dynamic, "a\nb\x1b"))
	if strings.ContainsAny(line, "\n\x1b") || !strings.HasPrefix(line, "a b?") || !strings.HasSuffix(line, " or link the program with gcc -static -pthread [dynamic]") {
		t.Errorf("line %q", line)
	}
}

func TestBugKey(t *testing.T) {
	a := Bug{Kind: trace.Deadlock, Message: "m", Schedule: "s1:00000000:0@1", Waits: []Wait{
		{Thread: "0.1", For: "mutex", Stack: []Frame{{Function: "f", File: "x.c", Line: 3, Address: 1}}},
		{Thread: "0.2", For: "mutex", Stack: []Frame{{Function: "g", File: "x.c", Line: 9, Address: 2}}},
	}}
	b := a
	b.Schedule, b.Preemptions = "s1:00000000:0@2", 4
	b.Waits = []Wait{a.Waits[1], a.Waits[0]}
	if a.Key() != b.Key() {
		t.Error("another schedule, or another order of threads, makes it another bug")
	}
	c := a
	c.Waits = []Wait{a.Waits[0]}
	if a.Key() == c.Key() {
		t.Error("another set of waiting threads is the same bug")
	}
}

func TestAddr(t *testing.T) {
	text, err := json.Marshal(Addr(0x401136))
	if err != nil || string(text) != `"0x401136"` {
		t.Errorf("%s, %v", text, err)
	}
	var a Addr
	if err := json.Unmarshal([]byte(`"0xffffffffffffffff"`), &a); err != nil || a != Addr(1<<64-1) {
		t.Errorf("%v, %v", a, err)
	}
	if err := json.Unmarshal([]byte(`"main"`), &a); err == nil {
		t.Error("main is an address")
	}
}
