package explore

import (
	"path/filepath"
	"slices"
	"testing"
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
			d := laddered(t, filepath.Join("../../bin/guests/kernel", c.guest), "test="+c.test, "")
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
	d := laddered(t, "../../bin/guests/kernel/kernel-wakeup_lost", "test=semaphore", "functions:\n  sem-wait: semaphore_down\n  sem-post: semaphore_up\n")
	if len(d.ladder) != 2 || slices.Contains(d.ladder[0].pieces, "semaphore_down") || !slices.Contains(d.ladder[1].pieces, "semaphore_down") {
		t.Fatalf("the rungs' pieces are %v", d.ladder)
	}
	below := d.ladder[0]
	below.end()
	below.take(d)
	if len(d.found) != 1 {
		t.Fatalf("%d bugs were confirmed, of %d (%v)", len(d.found), len(below.found), below.err)
	}
	d.replays(t, "deadlock")
}
