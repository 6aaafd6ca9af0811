package explore

import "testing"

// TestStatesSteps: a search by states beside one that is soon over has few steps, and many where the
// end is far or where the estimates were wrong.
func TestStatesSteps(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		share float64
		wrong int
		want  uint64
	}{
		{0, 0, 800_000},   // no estimate
		{0.5, 0, 12_500},  // as much is left
		{0.999, 0, 4_000}, // it is nearly over
		{0.000001, 0, 800_000},
		{0.5, 1, 50_000},
		{0.999, 2, 800_000},
	} {
		if got := statesSteps(100_000, rest(100_000, c.share), c.wrong); got != c.want {
			t.Errorf("a share of %v is done, %d wrong: %d steps, want %d", c.share, c.wrong, got, c.want)
		}
	}
	if got := statesSteps(10_000_000, rest(10_000_000, 0.0001), 0); got != bufferedMost {
		t.Errorf("%d steps", got)
	}
}

// TestForesight: an estimate is wrong where the search has made twice as many steps.
func TestForesight(t *testing.T) {
	t.Parallel()
	var f foresight
	for i, c := range []struct {
		made  uint64
		share float64
		wrong int
	}{
		{100_000, 0.4, 0}, // 250,000 in all
		{400_000, 0.8, 0}, // 500,000
		{1_600_000, 0.9, 1},
		{6_400_000, 0, 2},
		{25_600_000, 0.5, 2}, // there was none
	} {
		if f.foresee(c.made, c.share); f.wrong != c.wrong {
			t.Errorf("%d: %d wrong, want %d", i, f.wrong, c.wrong)
		}
	}
}

// TestSoonOver: what is due beside a search waits where no more is left of it than it has made, up to
// twice the steps.
func TestSoonOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		made  uint64
		share float64
		want  bool
	}{
		{100_000, 0.5, true},
		{100_000, 0.49, false},
		{100_000, 0, false}, // no estimate
		{199_999, 0.99, true},
		{200_000, 0.99, false},
	} {
		if got := soonOver(c.made, 100_000, rest(c.made, c.share)); got != c.want {
			t.Errorf("%d steps, a share of %v: %v", c.made, c.share, got)
		}
	}
}
