package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"landgo/guests"
	"landgo/internal/result"
)

// A libraryTest is a row of guests/pebbles/expect.json: a test of a thread
// library, or of a variant of it with a mistake.
type libraryTest struct {
	Name    string           `json:"name"`
	Library string           `json:"library"`
	Variant string           `json:"variant"`
	Test    string           `json:"test"`
	About   string           `json:"about"`
	Threads int              `json:"threads"`
	Verdict string           `json:"verdict"`
	PP      string           `json:"pp"`
	Bugs    []guests.Failure `json:"bugs"`
	Note    string           `json:"note"`
	// I386 are the bugs of the i386 build where they are others.
	I386 []guests.Failure `json:"i386"`
	// Alike: the i386 build has as many executions. It needn't if a thread
	// waits by looking again. How often it looks until its state recurs depends
	// on the values that gcc leaves on its stack; they count although no code
	// reads them. (Registers and flags that no code reads don't count.) So the
	// number goes with the code more than with the processor: on x86-64
	// spin-join has the i386 build's at -Os, spin-readers at -O0 and
	// queue-sections at -O1.
	//
	// In spin-rwlock, spin-sem, spin-reuse and abi-deschedule it is the call in
	// the loop. On x86-64 it leaves its return address on the stack; on i386
	// its argument is read from there. If another thread used that word before
	// (a waiter in the queue of a condition, the stack of a thread that is
	// gone), the access is a step as well. With calls that use no stack (an int
	// in the loop) both processors have 57, 784, 784 and 100.
	Alike bool `json:"alike"`
	// Slow: its space is larger than a test has time for.
	Slow bool `json:"slow"`
	// Stdin is the guest's standard input.
	Stdin string `json:"stdin"`
}

func (l libraryTest) guest() guests.Guest {
	return guests.Guest{Name: l.Name, Threads: l.Threads, Verdict: l.Verdict, PP: l.PP, Failures: l.Bugs, Concurrent: l.Threads != 1}
}

func libraryTests(t *testing.T) []libraryTest {
	t.Helper()
	f, err := os.Open(filepath.Join(top, "guests/pebbles/expect.json"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var table struct {
		Schema string        `json:"schema"`
		Guests []libraryTest `json:"guests"`
	}
	d := json.NewDecoder(f)
	d.DisallowUnknownFields()
	if err := d.Decode(&table); err != nil {
		t.Fatal(err)
	}
	return table.Guests
}

// makes32 reports whether gcc makes programs for i386 here: guests/pebbles is
// built for that only then.
func makes32(t *testing.T) bool {
	t.Helper()
	source := filepath.Join(t.TempDir(), "i386.c")
	if err := os.WriteFile(source, []byte("void _start(void) { for (;;); }\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return exec.Command("gcc", "-m32", "-ffreestanding", "-nostdlib", "-static", "-o", source+".out", source).Run() == nil
}

// TestLibraries: the thread libraries are verified, and each mistake in them is
// found with the least number of preemptions, in their builds for x86-64 and, every sixth
// one, for i386. A mistake's row mustn't fit what its test gives on the good library, nor
// the other way round.
func TestLibraries(t *testing.T) {
	all, i386 := libraryTests(t), makes32(t)
	good := map[string]libraryTest{}
	for _, l := range all {
		if l.Variant == "" {
			good[l.Library+"-"+l.Test] = l
		}
	}
	for i, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			i386 := i386 && (i%6 == 0 || l.I386 != nil || soaks)
			flags := []string{"--pp", l.PP}
			if l.Stdin != "" {
				in := filepath.Join(t.TempDir(), "stdin")
				if err := os.WriteFile(in, []byte(l.Stdin), 0o600); err != nil {
					t.Fatal(err)
				}
				flags = append(flags, "--stdin", in)
			}
			if l.Slow {
				flags = append(flags, "--time", "10s")
			}
			r := explore(t, l.guest(), "pebbles", flags...)
			if l.Slow && r.Problem == result.OutOfTime {
				return
			}
			report(t, l.guest(), "pebbles", r)
			if i386 {
				g := l.guest()
				if l.I386 != nil {
					g.Failures = l.I386
				}
				r32 := explore(t, g, "pebbles-i386", flags...)
				report(t, g, "pebbles-i386", r32)
				if l.Alike && r32.Executions != r.Executions {
					t.Errorf("%d executions on x86-64, %d on i386", r.Executions, r32.Executions)
				}
			}
			if l.Variant == "" {
				return
			}
			twin, ok := good[l.Library+"-"+l.Test]
			if !ok {
				t.Fatalf("there is no row for %s without the mistake", l.Test)
			}
			if len(differences(twin.guest(), r)) == 0 {
				t.Error("the check doesn't tell it from the good library")
			}
		})
	}
}

// TestTrustOnLibraries: their locks are loops of several steps, on stacks that
// others see. Whether a thread waits in one may not depend on the order of
// unrelated steps: trust makes executions again in another one.
func TestTrustOnLibraries(t *testing.T) {
	for _, l := range libraryTests(t) {
		if l.Library != "spin" || !slices.Contains([]string{"join", "rwlock", "cond", "downgrade"}, l.Test) {
			continue
		}
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
			report(t, l.guest(), "pebbles", explore(t, l.guest(), "pebbles", "--pp", l.PP, "--search", "trust"))
			r := explore(t, l.guest(), "pebbles", "--pp", l.PP, "--search", "rounder", "--bound", "rounds=2")
			if want := l.Verdict; string(r.Verdict) != want && (want != guests.Verified || r.Verdict != result.Bounded) {
				t.Errorf("within two rounds: %s, want %s (%s)", r.Verdict, want, r.Reason)
			}
		})
	}
}
