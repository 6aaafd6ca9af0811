package explore

import (
	"context"
	"fmt"
	"math/rand"
	"os"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/explore/travel"
	"landgo/internal/result"
)

// TestTravel: in runs of each kind of guest, a moment has one state, from wherever one
// reaches it, and threads stand where the trails of their steps say. LANDGO_TRAVEL has
// bug files to try besides.
func TestTravel(t *testing.T) {
	t.Parallel()
	kernel := kernelConfig(kernelBuilt(t, "kernel-release_off"), "lock", "mem")
	configs := map[string]config.Config{"kernel": kernel}
	for _, name := range []string{"glibc-O1/lost_update", "musl-O2/deadlock_two", "glibc-O1/double_free", "pebbles-i386/queue-cond_unlocks_first-cond"} {
		configs[name] = onProgram(compile.Guest(t, name))
	}
	buffers := onProgram(compile.File(t, "gcc", "../../guests/memory/peterson.c", "-O1"))
	buffers.Model = config.ModelTSO
	configs["store buffers"] = buffers
	for name, c := range configs {
		t.Run(name, func(t *testing.T) {
			r, err := Run(context.Background(), c, nil)
			if err != nil || r.Bug == nil {
				t.Fatalf("%v, %+v", err, r)
			}
			goesBothWays(t, *c.For(&r.Guest, r.Bug), &result.BugFile{Schedule: r.Bug.Schedule})
		})
	}
	for _, path := range strings.Fields(os.Getenv("LANDGO_TRAVEL")) {
		t.Run(path, func(t *testing.T) {
			file, err := result.ReadBugFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c, err := config.ConfigOf(file)
			if err != nil {
				t.Fatal(err)
			}
			goesBothWays(t, c, file)
		})
	}
}

func goesBothWays(t *testing.T, c config.Config, file *result.BugFile) {
	used := false
	r, err := Debug(context.Background(), c, file, nil, func(target debugger.Target) error {
		used = true
		return toAndFro(t, target.(*travel.Travel))
	})
	if err != nil || !used || r.Verdict != result.Buggy {
		t.Errorf("%v, used %v, %+v", err, used, r)
	}
}

// toAndFro compares the state at moments that are reached in order with that at the same
// moments reached at random.
func toAndFro(t *testing.T, run *travel.Travel) error {
	ticks := run.Ticks()
	stride := ticks/100 + 1
	states := map[uint64]string{}
	look := func(at uint64) (string, error) {
		stop, err := run.Go(debugger.Order{To: true, At: at})
		if err != nil {
			return "", fmt.Errorf("moment %d: %w", at, err)
		}
		all, err := run.Threads()
		if err != nil {
			return "", err
		}
		var b strings.Builder
		fmt.Fprintln(&b, at, stop.Thread, *all)
		for _, th := range all.All {
			r, err := run.Registers(th.Number)
			if err != nil {
				return "", err
			}
			fmt.Fprintln(&b, th.Number, r.Regs, r.XMM)
			if stack, err := run.Memory(r.RSP, 256); err == nil {
				fmt.Fprintf(&b, "%x\n", stack)
			}
			if pc, expected := r.RIP, run.PCAt(at); th.Number == stop.Thread && at < ticks && pc != expected {
				t.Errorf("moment %d: thread %d is at %#x, its trail says %#x", at, th.Number, pc, expected)
			}
		}
		return b.String(), nil
	}
	var order []uint64
	for at := uint64(0); at < ticks; at += stride {
		state, err := look(at)
		if err != nil {
			return err
		}
		states[at] = state
		order = append(order, at)
	}
	random := rand.New(rand.NewSource(1))
	for range 100 {
		at := order[random.Intn(len(order))]
		got, err := look(at)
		if err != nil {
			return err
		}
		if got != states[at] {
			t.Errorf("moment %d has two states:\n%s\n%s", at, states[at], got)
			break
		}
	}
	return nil
}
