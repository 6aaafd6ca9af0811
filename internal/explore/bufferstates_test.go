package explore

import (
	"context"
	"fmt"
	"testing"
	"time"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestBufferStates: a loop that stores in each turn, as another thread does, and waits for that at a
// fence, makes executions without number of few states. Such a program has a verdict with store buffers, also
// where that is a second search.
func TestBufferStates(t *testing.T) {
	t.Parallel()
	const locks = `A { %s z = 0; flag[0] = 1; FENCE; while (flag[1]) ; in++; assert(in == 1); in--; flag[0] = 0; return p; }
B { %s again: z = 0; flag[1] = 0; FENCE; if (flag[0]) goto again; flag[1] = 1; FENCE; if (flag[0]) goto again; in++; assert(in == 1); in--; flag[1] = 0; return p; } MAIN`
	for _, c := range []struct {
		name, first, second string
		model               config.Model
	}{
		{"from the start", "", "", config.ModelTSO},
		{"a second search", "x = 1; r[0] = y;", "y = 1; FENCE; r[1] = x;", config.ModelAuto},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", bufferHead+fmt.Sprintf(locks, c.first, c.second)))
			cfg.Model, cfg.Time, cfg.Jobs = c.model, 60*time.Second, 1
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != result.Verified || r.Search != config.Stateful || r.Certificate.Memory != "x86-TSO (store buffers explored)" {
				t.Errorf("%s by %s, memory %s: %s", r.Verdict, r.Search, r.Certificate.Memory, r.Reason)
			}
		})
	}
}

// TestBufferStatesLong: where an execution is long, they are searched at once. Two threads that
// announce themselves, and step back if both did, have none that is longest.
func TestBufferStatesLong(t *testing.T) {
	t.Parallel()
	cfg := onProgram(compile.Text(t, "gcc", bufferHead+`A { for (;;) { flag[0] = 1; if (!flag[1]) break; flag[0] = 0; } in++; assert(in == 1); in--; flag[0] = 0; return p; }
B { for (;;) { flag[1] = 1; if (!flag[0]) break; flag[1] = 0; while (flag[0]) ; } in++; assert(in == 1); in--; flag[1] = 0; return p; } MAIN`))
	cfg.Model, cfg.Time, cfg.ProcessorTime, cfg.Jobs = config.ModelTSO, 4*time.Second, true, 1
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Search != config.Stateful {
		t.Errorf("%s by %s, %d executions: %s", r.Verdict, r.Search, r.Executions, r.Reason)
	}
}

// TestFewestWithBuffers: a bug of store buffers is told with the fewest preemptions, too. A thread
// that is at its end, and whose stores aren't in memory yet, needs none.
func TestFewestWithBuffers(t *testing.T) {
	t.Parallel()
	const try = "{ for (int i = 0; i < 2; i++) { flag[%d] = 1; if (!flag[%d]) { assert(!in); in = 1; in = 0; } flag[%[1]d] = 0; } return p; }\n"
	cfg := onProgram(compile.Text(t, "gcc", bufferHead+"A "+fmt.Sprintf(try, 0, 1)+"B "+fmt.Sprintf(try, 1, 0)+"MAIN"))
	cfg.Model = config.ModelTSO
	r, err := Run(context.Background(), cfg, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Bug.Preemptions != 0 || r.Bug.Minimal != result.Proven {
		t.Errorf("%s: %+v", r.Verdict, r.Bug)
	}
}
