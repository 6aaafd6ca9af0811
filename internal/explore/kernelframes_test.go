package explore

import (
	"context"
	"maps"
	"slices"
	"testing"

	"landgo/internal/result"
)

// walkFrames is what a timer's handler does in a kernel that notes its callers in each
// lock: it reads the frames of the thread that it came over.
const walkFrames = `static volatile word callers[8];
static void note_callers(void)
{
	word *frame = __builtin_frame_address(0);
	for (int i = 0; i < 8; i++) {
		callers[i] = frame[1];
		word *next = (word *)frame[0];
		if (next <= frame || next - frame > 256)
			break;
		frame = next;
	}
}

void thread_tick(void)
{
	note_callers();
`

// TestKernelFrames: a handler that reads the saved frame pointers and return addresses of the
// thread under it doesn't make the thread's stack shared. As many executions are run as
// without that, and they end as those of the exhaustive search do.
func TestKernelFrames(t *testing.T) {
	t.Parallel()
	plain := kernelBuilt(t, "kernel")
	walks := kernelEdited(t, "thread.c", "void thread_tick(void)\n{\n", walkFrames)
	counts := map[string]uint64{}
	for _, guest := range []string{plain, walks} {
		c := kernelConfig(guest, "lock", "mem")
		c.MaxExecutions = 20_000
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Verdict != result.Verified {
			t.Fatalf("%s: %s (%s) after %d executions", guest, r.Verdict, r.Reason, r.Executions)
		}
		counts[guest] = r.Executions
	}
	if counts[walks] != counts[plain] {
		t.Errorf("%d executions, %d without the walk", counts[walks], counts[plain])
	}
	g := openKernel(t, kernelConfig(walks, "lock", "lock,unlock"))
	g.explored(t, "none", nil)
	want := g.explored(t, "none", nil)
	for _, search := range kernelSearches {
		if got := g.explored(t, search, nil); !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
			t.Errorf("%s: %d executions end in %v, want %v (%d executions)", search, got.executions, got.states, want.states, want.executions)
		}
	}
}
