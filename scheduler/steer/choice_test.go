package steer

import (
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler"
	"landgo/scheduler/known"
)

// TestWhoCanRun: ticks bring the processor to the ready threads of the best priority,
// or to all ready ones if priorities were seen not to matter. They don't bring it to
// the idle thread, nor to one that spins.
func TestWhoCanRun(t *testing.T) {
	threads := []ownThread{
		{State: ownReady, Priority: 1},
		{State: ownReady, Priority: 2},
		{State: ownBlocked, Priority: 3},
		{State: ownReady, Priority: 9, Idle: true},
		{State: ownReady, Priority: 2},
	}
	for _, c := range []struct {
		name   string
		change func(k *Kernel)
		can    []trace.TID
	}{
		{"as it is", func(*Kernel) {}, []trace.TID{0, 1, 4}}, // 0 has the processor
		{"another has the processor", func(k *Kernel) { k.machine.Put(&k.running, 1) }, []trace.TID{1, 4}},
		{"without ranks", func(k *Kernel) { k.known.Unranked = true }, []trace.TID{0, 1, 4}},
		{"one spins", func(k *Kernel) { k.threads[4].Stand = scheduler.StandSpin }, []trace.TID{0, 1}},
		{"one has ended", func(k *Kernel) { k.threads[1].Stand = scheduler.StandExited }, []trace.TID{0, 4}},
		{"the blocked one is woken", func(k *Kernel) { k.threads[2].own.State = ownReady }, []trace.TID{0, 2}},
	} {
		k, _ := newKernel(t, elffile.I386, threads...)
		c.change(k)
		if got := k.runnable(nil); !slices.Equal(got, c.can) {
			t.Errorf("%s: threads %v can run, not %v", c.name, got, c.can)
		}
		var ready []trace.TID
		for _, d := range k.Threads(nil) {
			if d.Status == trace.Ready {
				ready = append(ready, d.ID)
			}
		}
		if !slices.Equal(ready, c.can) {
			t.Errorf("%s: a search is told %v", c.name, ready)
		}
	}
}

// TestUnsettled: the order in which threads are reached makes a difference where one sleeps,
// where priorities differ, and before a tail that other threads can observe.
func TestUnsettled(t *testing.T) {
	ready := ownThread{State: ownReady}
	for _, c := range []struct {
		name    string
		second  ownThread
		change  func(k *Kernel)
		settled bool
	}{
		{"two that were interrupted", ready, nil, true},
		{"one sleeps", ownThread{State: ownSleeping}, nil, false},
		{"priorities differ", ownThread{State: ownReady, Priority: 1}, nil, false},
		{"they don't matter", ownThread{State: ownReady, Priority: 1}, func(k *Kernel) { k.known.Unranked = true }, true},
		{"before the tail of a wait", ownThread{State: ownReady, Tail: true, Kind: tailOfWait}, nil, false},
		{"before that of a yield", ownThread{State: ownReady, Tail: true, Kind: tailOfYield}, nil, true},
		{"a yield's that was seen to do more", ownThread{State: ownReady, Tail: true, Kind: tailOfYield},
			func(k *Kernel) { k.known.HeavyTails[tailOfYield] = true }, false},
		{"one waits", ownThread{State: ownBlocked, Tail: true, Kind: tailOfWait}, nil, true},
		{"trying decides", ready, func(k *Kernel) { k.known.Probes = true }, false},
	} {
		k, _ := newKernel(t, elffile.X86_64, ready, c.second)
		if c.change != nil {
			c.change(k)
		}
		if k.unsettled() == c.settled {
			t.Errorf("%s: settled is %v", c.name, !c.settled)
		}
	}
}

// TestTicksLearn: what ticks do to a byte is learned once, makes points finer, and is in
// conflict with threads' accesses to that byte.
func TestTicksLearn(t *testing.T) {
	k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady})
	write := trace.Access{Addr: 0x8002, Size: 1, Flags: trace.Write}
	read := trace.Access{Addr: 0x8006, Size: 4} // over the end of 8 bytes
	k.tails.tickDid([]trace.Access{write, read})
	if !k.Settled() {
		t.Fatal("nothing was learned")
	}
	if k.tails.tickDid([]trace.Access{write}); k.Settled() {
		t.Error("the same was learned again")
	}
	want := known.Ticked{0x8000 >> 3: {Reads: 0xc4, Writes: 0x04}, 0x8008 >> 3: {Reads: 0x03}}
	for at, by := range want {
		if k.known.Ticked[at] != by {
			t.Errorf("at %#x: %+v, not %+v", at<<3, k.known.Ticked[at], by)
		}
	}
	for _, c := range []struct {
		a        trace.Access
		conflict bool
	}{
		{trace.Access{Addr: 0x8002, Size: 1}, true},
		{trace.Access{Addr: 0x8003, Size: 1, Flags: trace.Write}, false},
		{trace.Access{Addr: 0x8000, Size: 4}, true},
		{trace.Access{Addr: 0x8008, Size: 1}, false},
		{trace.Access{Addr: 0x8008, Size: 1, Flags: trace.Write}, true},
	} {
		if got := k.tails.conflictsWithTicks(&c.a); got != c.conflict {
			t.Errorf("%+v: in conflict is %v", c.a, got)
		}
	}
}

// TestTails: a tail that does no more than pop what it pushed isn't heavy; one that
// touches anything else is, and so is one whose words another thread meddles with.
func TestTails(t *testing.T) {
	yielded := ownThread{State: ownReady, Tail: true, Kind: tailOfYield, Stack: 0x9000}
	newKernelOff := func() *Kernel {
		k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady}, yielded)
		k.machine.PutFlag(&k.on, false)
		k.machine.Alive(0, 0, true)
		return k
	}
	const pop, move = 0x3000, 0x3010 // where there is no code that runs
	for _, c := range []struct {
		name  string
		by    trace.TID
		a     trace.Access
		heavy bool
	}{
		{"it pops", 1, trace.Access{Addr: 0x9000, Size: 4, PC: pop}, false},
		{"it reads a variable", 1, trace.Access{Addr: 0x8000, Size: 4, PC: move}, true},
		{"another writes to what it pops", 0, trace.Access{Addr: 0x9004, Size: 4, PC: move, Flags: trace.Write}, true},
		{"another writes elsewhere", 0, trace.Access{Addr: 0x8000, Size: 4, PC: move, Flags: trace.Write}, false},
	} {
		k := newKernelOff()
		k.machine.Write(pop, []byte{0x58})        // pop %eax
		k.machine.Write(move, []byte{0xa1, 0, 0}) // mov
		k.tails.tailDid(&k.threads[c.by], []trace.Access{c.a})
		if got := k.known.HeavyTails[tailOfYield]; got != c.heavy || k.Settled() != c.heavy {
			t.Errorf("%s: heavy is %v", c.name, got)
		}
	}
}

// TestKernelRewinds: a kernel's part of a thread goes back with the thread.
func TestKernelRewinds(t *testing.T) {
	k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady, Priority: 1}, ownThread{State: ownBlocked})
	at := k.Mark()
	th := k.core.edit(1)
	th.own.State, th.Insns = ownReady, 7
	k.machine.Put(&k.ticks, 3)
	inner := k.Mark()
	k.core.edit(1).own.Priority = 5
	k.Rewind(inner)
	if th := &k.threads[1]; th.own.State != ownReady || th.own.Priority != 0 || th.Insns != 7 {
		t.Errorf("after the first rewind: %+v", th.own)
	}
	k.Rewind(at)
	if th := &k.threads[1]; th.own.State != ownBlocked || th.Insns != 0 || k.ticks.Get() != 0 || len(k.ownLog) != 2 {
		t.Errorf("after the second rewind: %+v, %d ticks, %d kept", th.own, k.ticks.Get(), len(k.ownLog))
	}
}

// TestKernelTries: what a try ends is not ended, and no thread has run the instruction that
// an end counts as; a replay's limit isn't the try's.
func TestKernelTries(t *testing.T) {
	k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady}, ownThread{State: ownReady})
	k.Limit(5)
	k.tryOut(func() {
		if k.LimitOf() != 0 {
			t.Error("a try has the limit of the step that it is made in")
		}
		k.failOwn(&k.threads[0], &trace.Transition{Thread: 1}, &scheduler.Failure{Kind: trace.Assertion})
		if k.threads[1].Insns != 1 || k.threads[1].Failure == nil {
			t.Fatal("the try doesn't end")
		}
	})
	if th := &k.threads[1]; th.Insns != 0 || th.Failure != nil || k.threads[0].Failure != nil || k.LimitOf() != 5 {
		t.Errorf("after the try: %d instructions, failure %v, limit %d", th.Insns, th.Failure, k.LimitOf())
	}
}

// TestStuckKernel: threads that are left are a deadlock, but for the idle one.
func TestStuckKernel(t *testing.T) {
	k, _ := newKernel(t, elffile.I386, ownThread{State: ownReady, Idle: true}, ownThread{State: ownBlocked})
	if f := k.Stuck(false); f == nil || f.Kind != trace.Deadlock || f.Thread != 1 || !strings.Contains(f.Message, "thread 0.1 waits for") {
		t.Errorf("got %+v", f)
	}
	if f := k.Stuck(true); f != nil {
		t.Errorf("the machine was switched off: %+v", f)
	}
	k.threads[1].Stand = scheduler.StandExited
	if f := k.Stuck(false); f != nil {
		t.Errorf("none is left: %+v", f)
	}
	k, _ = newKernel(t, elffile.I386, ownThread{State: ownReady}, ownThread{State: ownBlocked})
	k.SpinOn(0, []trace.Access{{Addr: 0x8000, Size: 4}})
	if f := k.Stuck(false); f == nil || f.Kind != trace.Livelock || f.Thread != 0 || len(f.Waits) != 2 {
		t.Errorf("one spins: %+v", f)
	}
}

// TestKernelRegs: the registers to be written into the processor are those that differ from
// its known ones.
func TestKernelRegs(t *testing.T) {
	k, _ := newKernel(t, elffile.X86_64, ownThread{})
	k.proc.set = trace.RAX
	if k.proc.changed() != trace.RAX {
		t.Error("a single register isn't written alone")
	}
	k.proc.set, k.proc.had, k.proc.hadIn = trace.AllRegs, emu.Regs{RAX: 1, RBX: 2}, emu.Ctx(k.cpu.Get())
	if k.proc.regs = k.proc.had; k.proc.changed() != trace.RIP {
		t.Errorf("nothing differs, and %b is written", k.proc.changed())
	}
	if k.proc.regs.RBX = 3; k.proc.changed() != trace.RIP|trace.RBX {
		t.Errorf("rbx differs, and %b is written", k.proc.changed())
	}
	if k.proc.hadIn = noWhere; k.proc.changed() != trace.AllRegs {
		t.Errorf("nothing is known, and %b is written", k.proc.changed())
	}
}
