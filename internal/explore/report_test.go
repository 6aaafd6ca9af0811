package explore

import (
	"slices"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestStrayedBug: a bug's path may be none any more, because of what was learned since.
// Then it is told by its schedule on another guest. It was an internal error, or a panic.
func TestStrayedBug(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"lost_update", "deadlock_two", "use_after_free"} {
		c := onProgram(compile.Guest(t, "musl-O1", name))
		c.Deepen, c.PP = false, trace.MemPoints
		s, err := session.Open(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		h := besides(s)
		if err := h.search(); err != nil || len(h.found) != 1 {
			t.Fatalf("%s: %v, %d bugs", name, err, len(h.found))
		}
		f := h.found[0]
		if err := h.outline(f); err != nil {
			t.Fatal(err)
		}
		key := f.key
		stray := func() { // the last thread can't take the first step, and none can take one at its place
			first := f.path[0]
			if f.path = slices.Insert(f.path, 0, f.path[len(f.path)-1]); f.path[0].Thread == first.Thread {
				f.path[0].Choice = 7
			}
			if _, err := story.Tell(s, f.path); err == nil {
				t.Errorf("%s: the path leads to the bug all the same", name)
			}
		}
		stray()
		if err := h.write(f, map[uint64]bool{}); err != nil || f.key != key {
			t.Errorf("%s: %v, %s by its schedule, want %s", name, err, f.key, key)
		}
		stray()
		h.result = &result.Result{}
		if err := h.writeAfresh(f); err != nil || len(h.result.Bugs) != 1 {
			t.Fatalf("%s: %v, %d bugs are told", name, err, len(h.result.Bugs))
		}
		if b := h.result.Bugs[0]; b.Schedule != f.schedule.String() || f.key != key || b.Message != f.failure.Message {
			t.Errorf("%s: %s by %s is told, not %s by %s", name, b.Message, b.Schedule, key, f.schedule.String())
		}
	}
}
