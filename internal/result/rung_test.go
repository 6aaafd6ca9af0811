package result

import "testing"

// TestRungImplies: a rung that says no more than one that trusts less isn't told.
func TestRungImplies(t *testing.T) {
	at := func(n int) *Rung { return &Rung{BoundedAt: &n, BoundedBy: "preempt=" + string(rune('0'+n))} }
	fair := at(2)
	fair.BoundedBy = "preempt=2,fair=1"
	whole := at(4)
	whole.Whole = true
	bug := &Rung{Bug: &Bug{Kind: "deadlock", Message: "a"}}
	for _, c := range []struct {
		name        string
		below, more *Rung
		want        bool
	}{
		{"further below", at(2), at(1), true},
		{"as far", at(2), at(2), true},
		{"less far below", at(1), at(2), false},
		{"a fair bound below", fair, at(2), false},
		{"all below", whole, at(9), true},
		{"all above", at(9), whole, false},
		{"a bug above", whole, bug, false},
		{"the same bug", bug, &Rung{Bug: &Bug{Kind: "deadlock", Message: "a"}}, true},
		{"another bug", bug, &Rung{Bug: &Bug{Kind: "deadlock", Message: "b"}}, false},
	} {
		if got := c.below.Implies(c.more); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	if alone := (&Rung{Trust: "sem", Whole: true}); alone.Implies(&Rung{Trust: "mutex,cond", Whole: true}) || !alone.Implies(&Rung{Trust: "mutex,cond,sem", Whole: true}) {
		t.Error("a rung is implied by one that trusts less, and by no other")
	}
	if got := (&Rung{Trust: "mutex,cond,sem", Whole: true}).Text(); got != "with the library's mutex, cond and sem trusted, no interleaving has a bug" {
		t.Error(got)
	}
}
