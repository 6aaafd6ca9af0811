package explore

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"landgo/por"
	"landgo/trace"
)

// TestToldAsFollowed: who follows a schedule cuts a step off where the schedule
// leaves a thread and nothing is known to be shared; the story of what was
// followed has the same steps. Here the schedules stop within private code.
func TestToldAsFollowed(t *testing.T) {
	for _, name := range []string{"lost_update", "withdraw", "early_exit", "lost_wakeup"} {
		c := DefaultConfig()
		c.Guest, c.Out, c.Deepen, c.PP = filepath.Join("../bin/guests/musl-O1", name), NoFile, false, PointMem
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		want, err := trace.ParseSchedule(r.Bug.Schedule)
		if err != nil {
			t.Fatal(err)
		}
		s, err := open(c)
		if err != nil {
			t.Fatal(err)
		}
		early := want.Segments[0]
		early.Until -= 3
		path, failure, err := s.followAll(trace.Schedule{Check: want.Check, Segments: slices.Insert(slices.Clone(want.Segments), 0, early)})
		if err != nil || failure == nil {
			t.Fatalf("%s: %v, failure %v", name, err, failure)
		}
		if !slices.ContainsFunc(path, func(p por.PathStep) bool { return p.Limit != 0 }) {
			t.Errorf("%s: no step was cut off", name)
		}
		st, err := s.tell(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := st.schedule.String(); got != want.String() {
			t.Errorf("%s: the story is %s, what was followed %s", name, got, want.String())
		}
		s.close()
	}
}
