package byhand

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
)

// opened is a run by hand of two threads that read x, add one, and write it back. The first thread
// waits for their ends, and asserts that x is 2.
func opened(t *testing.T, sched string, kind trace.BugKind, message string) *Chooser {
	t.Helper()
	cfg := config.Default()
	cfg.Guest, cfg.Out = compile.Guest(t, "glibc-O1/lost_update"), config.NoFile
	s, err := session.Open(cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	var ahead trace.Schedule
	if sched != "" {
		if ahead, err = trace.ParseSchedule(sched); err != nil {
			t.Fatal(err)
		}
	}
	c, err := Open(s, ahead, kind, message)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// makes makes a move, which has to succeed.
func makes(t *testing.T, c *Chooser, m debugger.Move) *debugger.View {
	t.Helper()
	v, err := c.Choose(m)
	if err != nil {
		t.Fatalf("%+v: %v", m, err)
	}
	return v
}

func step(thread string) debugger.Move { return debugger.Move{Verb: debugger.DoStep, Thread: thread} }
func run(thread string) debugger.Move  { return debugger.Move{Verb: debugger.DoRun, Thread: thread} }
func goTo(n int) debugger.Move         { return debugger.Move{Verb: debugger.DoGo, At: n} }

// steps are the rows of a run by thread and text.
func steps(t *testing.T, c *Chooser) (list []string) {
	t.Helper()
	for _, s := range makes(t, c, debugger.Move{Verb: debugger.DoLook}).Steps {
		text := s.Thread + " " + s.Text
		if s.Preempts {
			text += " (preempts)"
		}
		list = append(list, text)
	}
	return list
}

// lost is the run in which an update is lost, up to where both threads have ended.
var lost = []string{"0 begins, creates 0.1, creates 0.2", "0.1 reads x: 0", "0.2 reads x: 0 (preempts)", "0.2 writes x: 0 -> 1", "0.1 writes x: 1 -> 1"}

// TestSteps: the texts of steps and threads along the run that loses an update, and its bug.
func TestSteps(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	makes(t, c, run("0"))
	v := makes(t, c, step("0.1"))
	var lanes []string
	for _, l := range v.Lanes {
		lanes = append(lanes, fmt.Sprintf("%d %s %s %v: %s", l.Number, l.Thread, l.Root, l.Ready, l.About))
	}
	if want := []string{"0 0 main false: waits for thread 0.1 to end", "1 0.1 add true: writes x", "2 0.2 add true: reads x"}; !slices.Equal(lanes, want) {
		t.Errorf("threads %q", lanes)
	}
	if v.Kept != 1 || v.At != 2 || len(v.Steps) != 1 || v.Over != "" {
		t.Errorf("the view is %+v", v)
	}
	makes(t, c, run("0.2"))
	makes(t, c, run("0.1"))
	if got := steps(t, c); !slices.Equal(got, lost) {
		t.Errorf("steps %q", got)
	}
	v = makes(t, c, run("0"))
	if v.Over != "the process has ended" || !strings.HasPrefix(v.Bug, "assertion: assertion failed: x == 2, in main ") {
		t.Errorf("it ends with %q, %q", v.Over, v.Bug)
	}
	for _, l := range v.Lanes {
		if l.Ready {
			t.Errorf("at the end %s can run", l.Thread)
		}
	}
}

// TestSaved: a run that is saved has its bug, wherever the position is, and opens again with all
// its steps ahead.
func TestSaved(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	for _, m := range []debugger.Move{run("0"), step("0.1"), run("0.2"), run("0.1"), run("0"), goTo(2)} {
		makes(t, c, m)
	}
	whole := steps(t, c)
	v := makes(t, c, debugger.Move{Verb: debugger.DoSave})
	if v.At != 2 || v.Saved == nil || v.Saved.Kind != string(trace.Assertion) || !strings.Contains(v.Saved.Message, "x == 2") {
		t.Fatalf("at %d, saved %+v", v.At, v.Saved)
	}
	again := opened(t, v.Saved.Schedule, trace.Assertion, "as it was found")
	if got := steps(t, again); again.at != 0 || !slices.Equal(got, whole) {
		t.Errorf("opened at %d, %q; it was %q", again.at, got, whole)
	}
	if s := makes(t, again, debugger.Move{Verb: debugger.DoSave}).Saved; s.Schedule != v.Saved.Schedule || s.Message != "as it was found" {
		t.Errorf("opened and saved, it is %+v", s)
	}
	makes(t, again, run("0"))
	makes(t, again, step("0.2")) // another way
	if got := steps(t, again); len(got) != 2 {
		t.Errorf("after another choice, %q are ahead", got)
	}
	makes(t, again, debugger.Move{Verb: debugger.DoOpened})
	if got := steps(t, again); again.at != 1 || !slices.Equal(got, whole) {
		t.Errorf("the opened run is ahead at %d: %q", again.at, got)
	}
	makes(t, again, debugger.Move{Verb: debugger.DoUndo})
	if got := steps(t, again); again.at != 2 || len(got) != 2 {
		t.Errorf("that taken back, at %d %q are ahead", again.at, got)
	}
}

// TestKept: by what each view adds, a user knows all steps, those too that lie ahead.
func TestKept(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	var known []debugger.Taken
	for _, m := range []debugger.Move{run("0"), step("0.1"), run("0.2"), goTo(2), step("0.1"), {Verb: debugger.DoUndo}, goTo(4), {Verb: debugger.DoWhatIf, Thread: "0.1"},
		{Verb: debugger.DoTake}, {Verb: debugger.DoLook}, goTo(0)} {
		v := makes(t, c, m)
		known = append(known[:v.Kept:v.Kept], v.Steps...)
		if v.Kept > 0 && m.Verb == debugger.DoLook {
			t.Errorf("a look keeps %d steps", v.Kept)
		}
		if !slices.EqualFunc(known, c.rows, func(s debugger.Taken, r row) bool { return s == r.taken }) {
			t.Fatalf("after %+v the user knows %+v", m, known)
		}
	}
}

// TestRefused: moves that can't be made change nothing, and say why.
func TestRefused(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	none := func(moves map[string]debugger.Move) {
		t.Helper()
		look := func() string {
			text, _ := json.Marshal(makes(t, c, debugger.Move{Verb: debugger.DoLook}))
			return string(text)
		}
		before := look()
		for why, m := range moves {
			if _, err := c.Choose(m); err == nil || !strings.Contains(err.Error(), why) {
				t.Errorf("%+v: %v, want %q", m, err, why)
			}
			if now := look(); now != before {
				t.Errorf("%+v has changed %s to %s", m, before, now)
			}
		}
	}
	none(map[string]debugger.Move{
		"there is nothing to save":       {Verb: debugger.DoSave},
		"no choice to take back":         {Verb: debugger.DoUndo},
		"no run was opened":              {Verb: debugger.DoOpened},
		"ask what-if first":              {Verb: debugger.DoTake},
		"no thread 0.1 here":             step("0.1"),
		"positions 0 to 0":               goTo(1),
		`no move "dance"`:                {Verb: "dance"},
		`"x" isn't watched`:              {Verb: debugger.DoUnwatch, Text: "x"},
		"thread 0.1 isn't there":         {Verb: debugger.DoValue, Thread: "0.1", Text: "x"},
		"one of 1 outcomes here, from 0": {Verb: debugger.DoStep, Thread: "0", Outcome: 1},
	})
	makes(t, c, run("0"))
	none(map[string]debugger.Move{
		"thread 0 can't go on here: it waits for thread 0.1 to end": step("0"),
		"positions 0 to 1": goTo(-1),
		"no thread 0.3":    {Verb: debugger.DoWhatIf, Thread: "0.3"},
	})
	for _, m := range []debugger.Move{run("0.1"), run("0.2"), run("0")} {
		makes(t, c, m)
	}
	none(map[string]debugger.Move{"the run is over here: the process has ended": step("0")})
}

// TestUndo: choices are taken back one by one, with what each had put away.
func TestUndo(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	makes(t, c, run("0"))
	makes(t, c, step("0.1"))
	makes(t, c, run("0.1"))
	want := steps(t, c)
	makes(t, c, goTo(1))
	makes(t, c, step("0.1")) // the step that is ahead: the rest stays
	if got := steps(t, c); c.at != 2 || !slices.Equal(got, want) {
		t.Errorf("at %d, %q", c.at, got)
	}
	makes(t, c, step("0.2")) // instead
	if got := steps(t, c); len(got) != 3 || got[2] != lost[2] {
		t.Errorf("instead, %q", got)
	}
	for n, at := range []int{2, 1, 2, 1, 0} {
		makes(t, c, debugger.Move{Verb: debugger.DoUndo})
		if got := steps(t, c); c.at != at || n == 0 && !slices.Equal(got, want) {
			t.Errorf("taken back %d times it is at %d, %q", n+1, c.at, got)
		}
	}
}

// TestWhatIf: the answer changes nothing, and the run that it told of can be taken.
func TestWhatIf(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	for _, m := range []debugger.Move{run("0"), step("0.1"), run("0.2")} {
		makes(t, c, m)
	}
	before := makes(t, c, debugger.Move{Verb: debugger.DoLook})
	v := makes(t, c, debugger.Move{Verb: debugger.DoWhatIf, Thread: "0.1"})
	if len(v.Told) != 1 || !strings.HasPrefix(v.Told[0], "4 steps later it ends with a bug: assertion: assertion failed: x == 2, in main ") || v.At != 4 {
		t.Errorf("at %d it tells %q", v.At, v.Told)
	}
	if got := steps(t, c); !slices.Equal(got, lost[:4]) || !slices.Equal(v.Lanes, before.Lanes) || v.Over != "" {
		t.Errorf("after the question the run is %q", got)
	}
	v = makes(t, c, debugger.Move{Verb: debugger.DoTake})
	if got := steps(t, c); v.At != 4 || len(got) != 8 || !slices.Equal(got[:5], lost) {
		t.Errorf("at %d, %q", v.At, got)
	}
	makes(t, c, goTo(1))
	if v = makes(t, c, debugger.Move{Verb: debugger.DoWhatIf, Thread: "0.2"}); !strings.Contains(v.Told[0], "it ends without a bug") {
		t.Errorf("from the beginning it tells %q", v.Told)
	}
}

// TestWatch: an expression's value at each position, and whether it is another one there.
func TestWatch(t *testing.T) {
	t.Parallel()
	c := opened(t, "", "", "")
	makes(t, c, run("0"))
	if v := makes(t, c, debugger.Move{Verb: debugger.DoValue, Text: "x"}); len(v.Told) != 1 || v.Told[0] != "x = 0" {
		t.Errorf("the value is %q", v.Told)
	}
	for range 2 { // the second time nothing is added
		makes(t, c, debugger.Move{Verb: debugger.DoWatch, Text: "x"})
	}
	for i, want := range []debugger.Watched{{Value: "0"}, {Value: "1", Changed: true}, {Value: "0", Changed: true}} {
		m := []debugger.Move{step("0.1"), run("0.1"), goTo(0)}[i]
		want.Text = "x"
		if v := makes(t, c, m); !slices.Equal(v.Watched, []debugger.Watched{want}) {
			t.Errorf("after %+v: %+v, want %+v", m, v.Watched, want)
		}
	}
	if v := makes(t, c, debugger.Move{Verb: debugger.DoUnwatch, Text: "x"}); len(v.Watched) != 0 {
		t.Errorf("still watched: %+v", v.Watched)
	}
}

// TestRemember: so many choices can be taken back, and no more.
func TestRemember(t *testing.T) {
	t.Parallel()
	var c Chooser
	for n := range 1005 {
		c.remember(past{beginning: trace.Schedule{Check: uint32(n)}})
	}
	if len(c.past) != 1000 || c.past[0].beginning.Check != 5 || c.past[999].beginning.Check != 1004 {
		t.Errorf("%d choices, from %d on", len(c.past), c.past[0].beginning.Check)
	}
}
