package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"landgo/guests"
	"landgo/result"
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
	// Slow: its space is larger than a test has time for.
	Slow bool `json:"slow"`
	// Stdin is what the guest can read.
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

// TestLibraries: the thread libraries are verified, and each mistake in them is
// found with the least number of preemptions. A mistake's row mustn't fit what
// its test gives on the good library, nor the other way round.
func TestLibraries(t *testing.T) {
	all := libraryTests(t)
	good := map[string]libraryTest{}
	for _, l := range all {
		if l.Variant == "" {
			good[l.Library+"-"+l.Test] = l
		}
	}
	for _, l := range all {
		t.Run(l.Name, func(t *testing.T) {
			t.Parallel()
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
