package explore

import (
	"slices"
	"testing"

	"landgo/internal/compile"
)

// On a kernel's rung the functions that lock run as one piece. A bug above them is
// confirmed in the kernel as it is; a mistake inside one of them isn't the rung's.
func TestKernelRung(t *testing.T) {
	for _, c := range []struct {
		guest, test string
		kind        string // of the confirmed bug; "": there is none
	}{
		{"kernel-buffer_if", "steal", "assertion"},
		{"kernel-wakeup_lost", "semaphore", ""},
		{"kernel", "semaphore", ""},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			d := laddered(t, compile.Guest(t, "kernel", c.guest), "test="+c.test, "")
			top := d.ladder[len(d.ladder)-1]
			if !top.begun() || !slices.Contains(top.pieces, "semaphore_down") {
				t.Fatalf("the rung's pieces are %v", top.pieces)
			}
			top.end()
			top.take(d)
			if c.kind == "" {
				if len(d.found) != 0 || top.doubt != nil {
					t.Fatalf("%v was found", d.found)
				}
				return
			}
			if len(d.found) != 1 {
				t.Fatalf("%d bugs were confirmed, of %d (%v)", len(d.found), len(top.found), top.err)
			}
			d.replays(t, c.kind)
		})
	}
}

// Where a profile says which functions are a kernel's semaphores, there is a rung on which
// they run as they are: it shows a mistake inside of one.
func TestKernelLadder(t *testing.T) {
	t.Parallel()
	d := laddered(t, compile.Guest(t, "kernel/kernel-wakeup_lost"), "test=semaphore", "functions:\n  sem-wait: semaphore_down\n  sem-post: semaphore_up\n")
	if len(d.ladder) != 3 || slices.Contains(d.ladder[1].pieces, "semaphore_down") || !slices.Contains(d.ladder[2].pieces, "semaphore_down") {
		t.Fatalf("the rungs' pieces are %v", d.ladder)
	}
	below := d.ladder[1]
	below.end()
	below.take(d)
	if len(d.found) != 1 {
		t.Fatalf("%d bugs were confirmed, of %d (%v)", len(d.found), len(below.found), below.err)
	}
	d.replays(t, "deadlock")
}

// A kernel's first rung is the kernel as it is, at the points of synchronisation alone. What it finds
// is the run's, though it may come at these points only.
func TestKernelCoarse(t *testing.T) {
	for _, c := range []struct{ guest, test, kind string }{
		{"kernel-priority_ignored", "donate", "assertion"},
		{"kernel-segment_late", "lock", "segfault"},
		{"kernel", "semaphore", ""},
	} {
		t.Run(c.guest, func(t *testing.T) {
			t.Parallel()
			d := laddered(t, compile.Guest(t, "kernel", c.guest), "test="+c.test, "")
			d.letCoarse()
			if r := d.ladder[0]; !r.coarse() || r.steps == 0 || r.err != nil {
				t.Fatalf("the rung at %v has had %d steps: %v", r.points, r.steps, r.err)
			}
			if c.kind == "" {
				if len(d.found) != 0 {
					t.Fatalf("%v was found", d.found)
				}
				return
			}
			if len(d.found) != 1 || d.found[0].job == nil || d.found[0].fresh || d.found[0].preemptions != 1 {
				t.Fatalf("found: %+v", d.found)
			}
			d.replays(t, c.kind)
			if err := d.align(d.found[0]); err != nil {
				t.Error(err)
			}
		})
	}
}
