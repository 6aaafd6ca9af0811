package travel

import (
	"strings"
	"testing"

	"landgo/internal/debugger"
	"landgo/internal/result"
	"landgo/internal/trace"
)

func ask(run *Travel, words string) (string, error) {
	return run.Tell(debugger.Question{Words: strings.Fields(words)})
}

// TestTell: answers of the commands that need no machine, at the beginning of 0.1's turn and at the end.
func TestTell(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		at          uint64
		words, want string
	}{
		{3, "schedule", ""},
		{3, "lanes", `     1 0: moments 0 to 3
>    2   0.1 add: moments 3 to 5
     3 0: moments 5 to 8, after a preemption
`},
		{8, "lanes", `     1 0: moments 0 to 3
     2   0.1 add: moments 3 to 5
     3 0: moments 5 to 8, after a preemption
`},
		{3, "locks", "0 holds m, n\n0.1 add holds k and waits for m\n"},
		{8, "buffers", "stores are in memory at once: the run is of sequentially consistent memory\n"},
		{8, "cause", "the run ends without a bug\n"},
	} {
		run := made()
		r := run.s.Guest.Told.Roster.(*roster)
		r.held, r.state = map[trace.TID][]string{0: {"m", "n"}, 1: {"k"}}, map[trace.TID]string{0: "can run", 1: "waits for m"}
		run.stands(c.at)
		if c.words == "schedule" {
			c.want = run.sched.String() + "\nturn 2 of 3, of thread 0.1 add: moments 3 to 5, now 3\n"
		}
		if got, err := ask(run, c.words); err != nil || got != c.want {
			t.Errorf("%s at %d, %v: %q", c.words, c.at, err, got)
		}
	}
	run := made()
	if got, err := ask(run, "schedule"); err != nil || got != run.sched.String()+"\nthe end, after 3 turns\n" {
		t.Errorf("schedule at the end, %v: %q", err, got)
	}
	if got, err := ask(run, "locks"); err != nil || got != "no thread holds a lock that landgo knows\n" {
		t.Errorf("no locks, %v: %q", err, got)
	}
	run.bug = &result.Bug{Kind: trace.Deadlock, Message: "stuck", Thread: "0.1", Mistake: "two orders", Waits: []result.Wait{{Thread: "0", Object: "m"}}}
	if got, err := ask(run, "cause"); err != nil || got != "deadlock: stuck, by thread 0.1\ntwo orders\n0 waits for m\n" {
		t.Errorf("the cause, %v: %q", err, got)
	}
}

// TestTellRefuses: words that are no command, or not a command's, are refused with a reason. Help
// lists all commands.
func TestTellRefuses(t *testing.T) {
	t.Parallel()
	run := made()
	for words, why := range map[string]string{
		"whereabouts":     `no command "whereabouts"`,
		"at":              "at takes 1 words: MOMENT",
		"lanes 0":         "lanes takes 0 words",
		"at noon":         `"noon" is no number`,
		"at -1":           `"-1" is no number`,
		"at 9":            "moments 0 to 8",
		"at #0":           "turns 1 to 3",
		"at #4":           "turns 1 to 3",
		"what-if 0.2":     `no thread "0.2"`,
		"what-if 0.1 now": "what-if takes 1 words",
	} {
		if got, err := ask(run, words); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v, %q", words, err, got)
		}
	}
	for _, words := range []string{"", "help"} {
		got, err := ask(run, words)
		if err != nil || strings.Count(got, "\n") != len(commands) || !strings.Contains(got, "at MOMENT            have the next") {
			t.Errorf("%q, %v: %q", words, err, got)
		}
	}
}

// TestAt: the next continue goes to the moment that at names, and the one after it goes on from there.
func TestAt(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]uint64{"at 5": 5, "at 0x3": 3, "at #2": 3, "at #3": 5, "at 0": 0} {
		run := made()
		if got, err := ask(run, words); err != nil || !strings.HasPrefix(got, "continue goes to moment ") {
			t.Fatalf("%s, %v: %q", words, err, got)
		}
		run.live = run.pieceAt(want)
		if stop, err := run.Go(debugger.Order{Breaks: []uint64{0x10}}); err != nil || run.at != want || !stop.Moved || stop.Why != debugger.AtStep {
			t.Errorf("%s, %v: at %d, %+v", words, err, run.at, stop)
		}
		run.live = len(run.pieces)
		if stop, err := run.Go(debugger.Order{}); err != nil || run.at != run.total || stop.Why != debugger.AtEnd {
			t.Errorf("after %s, %v: at %d, %+v", words, err, run.at, stop)
		}
	}
}

// TestPathOf: a thread, or its store buffer, has the name that reports give it.
func TestPathOf(t *testing.T) {
	t.Parallel()
	run := made()
	run.bug = &result.Bug{ThreadStarts: []result.ThreadStart{{Thread: "0", Label: "T1 (main)"}, {Thread: "0.1", Label: "T2 (add)"}}}
	for name, want := range map[string]string{"T2": "0.1", "T2b": "0.1b", "T1": "0", "0.1": "0.1", "T3": "T3"} {
		if got := run.pathOf(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// TestUntil: the schedule up to a moment has the pieces before it.
func TestUntil(t *testing.T) {
	t.Parallel()
	for at, want := range map[uint64]string{0: "", 3: "0@3", 5: "0@3,0.1@2", 7: "0@3,0.1@2,0@5", 8: "0@3,0.1@2,0@6"} {
		run := made()
		run.stands(at)
		got := run.until()
		if _, segments, _ := strings.Cut(got.String(), "00000007:"); segments != want {
			t.Errorf("at %d: %s", at, got)
		}
	}
}
