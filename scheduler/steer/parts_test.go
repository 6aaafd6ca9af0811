package steer

import (
	"slices"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/trace"
)

// TestSleepersFirst: of threads that sleep those can run that wake first when only time
// passes, and when that is comes from ticks which are tried. The ticks are a fake's.
func TestSleepersFirst(t *testing.T) {
	k, _ := newKernel(t, elffile.X86_64, ownThread{State: ownReady}, ownThread{State: ownSleeping}, ownThread{State: ownSleeping}, ownThread{State: ownSleeping})
	wakesAt := []uint64{0, 5, 3, 3}
	ticked := 0
	z := &sleepers{in: &k.situation, core: k.core, known: k.known, step: &k.stepping, beliefs: k.beliefs,
		tryOut: func(try func()) {
			before := slices.Clone(k.threads)
			ticks := k.situation.ticks.Get()
			try()
			copy(k.threads, before)
			k.machine.Put(&k.situation.ticks, ticks)
		},
		onward: func(*trace.Transition) (bool, bool, error) {
			ticked++
			k.machine.Put(&k.situation.ticks, k.situation.ticks.Get()+1)
			for i := range k.threads {
				if k.threads[i].own.State == ownSleeping && k.situation.ticks.Get() == wakesAt[i] {
					k.threads[i].own.State = ownReady
				}
			}
			return true, false, nil
		}}
	k.known.Unsteady = true // asked in each state
	if !z.wakesFirst(2) || !z.wakesFirst(3) || z.wakesFirst(1) || ticked != 3 {
		t.Errorf("they are %v, after %d ticks", k.stepping.wakers, ticked)
	}
	if k.stepping.probing || k.threads[2].own.State != ownSleeping {
		t.Error("what was tried wasn't taken back")
	}
}

// TestRanksUnranked: a tick that takes the processor to a thread while a better one is ready
// shows that priorities aren't obeyed.
func TestRanksUnranked(t *testing.T) {
	k, _ := newKernel(t, elffile.X86_64, ownThread{State: ownReady, Priority: 1}, ownThread{State: ownReady, Priority: 2})
	g := k.ranks
	if !g.ranked() || g.bestPriority() != 2 {
		t.Fatalf("ranked %v, best %d", g.ranked(), g.bestPriority())
	}
	g.rankAtTick(&k.threads[0])
	if g.outranks(&k.threads[1]); k.known.Unranked {
		t.Error("the best thread was switched to")
	}
	g.rankAtTick(&k.threads[1])
	if g.outranks(&k.threads[0]); !k.known.Unranked || g.ranked() {
		t.Error("a worse thread was switched to")
	}
}

// TestRanksFresh: ranks are tried again where a kernel has something new to choose by, and where the
// execution has gone back to before that.
func TestRanksFresh(t *testing.T) {
	k, _ := newKernel(t, elffile.X86_64, ownThread{State: ownReady, Priority: 1}, ownThread{State: ownReady, Priority: 2})
	g := k.ranks
	for _, c := range []struct {
		what   string
		change func()
	}{
		{"nothing", func() {}},
		{"a tick", func() { k.machine.Put(&k.situation.ticks, k.situation.ticks.Get()+1) }},
		{"a state", func() { k.threads[0].own.State = ownBlocked }},
		{"a priority", func() { k.threads[1].own.Priority = 3 }},
		{"the processor", func() { k.machine.Put(&k.situation.running, 1-k.situation.running.Get()) }},
	} {
		if c.change(); !g.fresh() || g.fresh() {
			t.Errorf("after %s: not tried once", c.what)
		}
	}
}
