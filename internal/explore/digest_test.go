package explore

import (
	"fmt"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// twins wraps a guest and checks its digests on every path. Two states with the
// same digest have the same threads. The same step does the same in both, and leads
// to states with the same digest.
type twins struct {
	*scheduler.System
	states map[trace.Digest]string
	steps  map[string]string
	wrong  string
	met    int // states met again
}

func (w *twins) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	d, err := w.Digest()
	if err != nil {
		return nil, err
	}
	check := func(old, now string, known bool) {
		if known && old != now && w.wrong == "" {
			w.wrong = old + "\nand " + now
		}
	}
	threads := w.Threads(nil)
	for i := range threads {
		if threads[i].Status == trace.Ready {
			threads[i].Waits = nil // of the path: why it doesn't spin
		}
	}
	now := fmt.Sprintf("%+v", threads)
	old, known := w.states[d]
	check(old, now, known)
	w.states[d] = now
	if known {
		w.met++
	}
	x, err := w.System.Step(t, c)
	if err != nil {
		return x, err
	}
	did := fmt.Sprint(x.Accesses, x.Ops, x.Wakes, x.End)
	if x.End < trace.EndProcess {
		after, err := w.Digest()
		if err != nil {
			return nil, err
		}
		did += fmt.Sprintf("%x", after)
	}
	step := fmt.Sprintf("%x %d %d", d, t, c)
	old, known = w.steps[step]
	check(old, did, known)
	w.steps[step] = did
	return x, nil
}

// TestDigests: states of real guests with the same digest behave the same, on
// the first few thousand paths without reduction; and there are many such.
func TestDigests(t *testing.T) {
	t.Parallel()
	for i, name := range small {
		t.Run(name, func(t *testing.T) {
			cc, opt := "gcc", "-O1"
			if i%2 == 0 {
				cc, opt = "musl-gcc", "-O2"
			}
			c := config.Default()
			c.Guest = build(t, cc, opt, name, "-DFIXED")
			s, err := session.Open(c, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			w := &twins{System: s.Plain, states: map[trace.Digest]string{}, steps: map[string]string{}}
			engine, err := por.New("none", por.Options{MaxExecutions: 2000})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Run(w, &forget{ends{Session: s, states: map[string]int{}}, w}); err != nil {
				t.Fatal(err)
			}
			if w.wrong != "" {
				t.Errorf("states with one digest differ: %s", w.wrong)
			}
			if w.met == 0 {
				t.Error("no state was met twice")
			}
		})
	}
}

// forget is the por.Observer that has twins begin again when points become
// finer.
type forget struct {
	ends
	w *twins
}

func (f *forget) Restarted() {
	f.ends.Restarted()
	f.w.states, f.w.steps = map[trace.Digest]string{}, map[string]string{}
}
