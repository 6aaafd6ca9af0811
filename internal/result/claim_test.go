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
		{2, "preempt=2,copies=whole", "no bug with at most 2 preemptions (copies=whole)"},
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

func TestTried(t *testing.T) {
	at := func(n int) *int { return &n }
	samples := Job{Search: Samples, Executions: 98}
	for _, c := range []struct {
		want string
		jobs []Job
	}{
		{"", nil},
		{"", []Job{{PP: "mem", Executions: 7}, {Bound: "preempt", At: at(0)}, {Search: Samples}}},
		{"98 executions at random", []Job{{Bound: "delay", At: at(1), Executions: 3}, samples}},
		{"1 execution without a preemption", []Job{{Bound: "preempt", At: at(0), Executions: 1}}},
		{"5 executions with at most 1 preemption, 98 executions at random", []Job{{Bound: "preempt", At: at(1), Executions: 5}, samples}},
		{"5 executions with at most 2 preemptions", []Job{{Bound: "preempt", At: at(2), Executions: 5}}},
	} {
		if got := (&Result{Jobs: c.jobs}).Tried(); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
