package explore

import (
	"testing"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// long is a guest whose steps run some instructions.
type long struct {
	por.System
	insns uint64
}

func (l long) Step(trace.TID, trace.Choice) (*trace.Transition, error) {
	return &trace.Transition{Begin: 7, Last: 7 + l.insns}, nil
}

// TestRefiningCosts: refining ends by what its steps and their instructions cost, which is the same
// on every machine.
func TestRefiningCosts(t *testing.T) {
	for _, row := range []struct{ insns, steps uint64 }{
		{0, 1000},
		{1, 1000},                 // 1,000 instructions are less than a step costs
		{stepInsns * 50, 500},     // each step costs another
		{9 * stepInsns * 50, 100}, // nine others
	} {
		run := &counted{per: stepInsns * 50, most: 1000}
		run.System = long{insns: row.insns}
		steps := uint64(0)
		for ; !run.Spent(); steps++ {
			if _, err := run.Step(0, 0); err != nil {
				t.Fatal(err)
			}
		}
		if steps != row.steps {
			t.Errorf("%d instructions a step: %d steps, want %d", row.insns, steps, row.steps)
		}
	}
	run := &counted{per: stepInsns * 50, most: 1000}
	path := make([]por.PathStep, 600)
	path[3] = por.PathStep{Begin: 1, Last: 1 + 200*stepInsns*50}
	for n, want := range []bool{true, true, false} {
		if run.goes(path) != want {
			t.Errorf("way %d is run: %v, want %v", n+1, !want, want)
		}
	}
}

// TestRefiningShares: bugs share a fifth of what finding them took, and each has a second.
func TestRefiningShares(t *testing.T) {
	h := &hunt{result: &result.Result{}, Session: &session.Session{Program: session.Program{Platform: &session.Platform{StepCost: 1}}}}
	for _, row := range []struct {
		found, bugs uint64
		steps, long uint64
	}{
		{0, 1, 500_000, 15_000_000},
		{20_000_000, 1, 4_000_000, 15_000_000},
		{20_000_000, 4, 1_000_000, 3_750_000},
		{20_000_000, 40, 500_000, 500_000},
		{1 << 40, 2, 7_500_000, 7_500_000},
	} {
		h.result.Transitions, h.found = row.found, make([]*finding, row.bugs)
		if s, l := h.refiningSteps(), h.unreadableSteps(); s != row.steps || l != row.long {
			t.Errorf("%d bugs after %d steps: %d and %d steps each, want %d and %d", row.bugs, row.found, s, l, row.steps, row.long)
		}
	}
}

// TestOnePurse: what one way of refining a bug has cost is missing from the next one's; each has
// a quarter of a second.
func TestOnePurse(t *testing.T) {
	h := &hunt{result: &result.Result{Transitions: 20_000_000}, found: make([]*finding, 1), Session: &session.Session{
		Program: session.Program{Platform: &session.Platform{StepCost: 1}}, Guest: &session.Guest{},
	}}
	f, cost := &finding{}, uint64(0)
	for _, row := range []struct{ most, spends uint64 }{{4_000_000, 1_000_000}, {3_000_000, 2_950_000}, {125_000, 125_000}, {125_000, 0}} {
		run := h.refining(f)
		if run.most != row.most {
			t.Errorf("behind %d steps there are %d, want %d", cost, run.most, row.most)
		}
		run.steps += row.spends
		cost += row.spends
	}
	if other := h.refining(&finding{}); other.most != 4_000_000 {
		t.Errorf("another bug has %d", other.most)
	}
}
