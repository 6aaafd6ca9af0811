package result

import "testing"

func TestClaimed(t *testing.T) {
	for _, c := range []struct {
		at   int
		by   string
		want string
	}{
		{0, "preempt=0", "no bug without a preemption"},
		{1, "preempt=1", "no bug with at most 1 preemption"},
		{2, "preempt=2,fair=1", "no bug with at most 2 preemptions (fair=1)"},
		{3, "delay=3", "no bug within delay=3"},
	} {
		r := Result{BoundedAt: &c.at, BoundedBy: c.by}
		if got := r.Claimed(); got != c.want {
			t.Errorf("%s: %q, want %q", c.by, got, c.want)
		}
	}
	if got := (&Result{}).Claimed(); got != "" {
		t.Errorf("nothing is claimed: %q", got)
	}
}
