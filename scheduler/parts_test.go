package scheduler

import (
	"fmt"
	"slices"
	"testing"

	"landgo/emu"
	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/kernel"
)

// still is a System with this many threads whose machine has memory and no processor, so nothing
// runs. Its parts are tested at home.
func still(t *testing.T, cfg Config, threads int) *System {
	t.Helper()
	m, err := emu.New(emu.Config{Space: 1 << 20, Code: []emu.Range{{Lo: 0x1000, Hi: 0x2000}}, NoEngine: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	cfg.Points = trace.PointMem
	s := New(cfg, m, image.Of(&elffile.File{Code: []elffile.Range{{Lo: 0x1000, Hi: 0x2000}}}))
	for i := range threads {
		s.ensure(trace.TID(i))
		s.threads[i].Exists, s.threads[i].Stand = true, StandRun
	}
	return s
}

// TestKinshipEnds: threads that are created in a row are alike until an execution ends
// between their joins.
func TestKinshipEnds(t *testing.T) {
	for _, tc := range []struct {
		joined int
		unlike bool
	}{{1, true}, {2, false}} {
		s := still(t, Config{Alike: func(uint64) *static.Code { return &static.Code{} }}, 3)
		k := s.Kinship
		k.on = true
		root := s.edit(0)
		for i := 1; i < 3; i++ {
			th := &s.threads[i]
			th.Plain, th.Entry = true, 0x1000
			k.meets(root, &trace.Op{Kind: trace.OpCreate, Obj: uint64(i)})
		}
		if a, b := &s.threads[1], &s.threads[2]; a.group != 1 || b.group != 1 || a.next != 2 || !b.held {
			t.Fatalf("groups %d and %d, next %d, held %v", a.group, b.group, a.next, b.held)
		}
		s.threads[2].held = false // the first has acted
		for i := 1; i <= tc.joined; i++ {
			s.threads[i].Joined = true
			k.meets(root, &trace.Op{Kind: trace.OpJoin, Obj: uint64(i)})
		}
		k.endsJoining(&trace.Transition{End: trace.EndProcess})
		if s.known.Unlike != tc.unlike || s.finer != tc.unlike {
			t.Errorf("after %d joins: told apart %v, points finer %v", tc.joined, s.known.Unlike, s.finer)
		}
	}
}

// TestTimersWait: a timer waits for other threads where none can run, and the one that has
// gone off least goes off.
func TestTimersWait(t *testing.T) {
	s := still(t, Config{}, 3)
	for i, insns := range []uint64{0, 5, 2} {
		if i > 0 {
			s.threads[i].Stand, s.threads[i].comes, s.threads[i].Insns = StandTimer, true, insns
		}
	}
	list := []trace.Thread{{ID: 0, Status: trace.Blocked}, {ID: 1, Status: trace.Ready}, {ID: 2, Status: trace.Ready}}
	if s.timers.let(list) || list[1].Status != trace.Blocked || s.timers.next() != 2 || s.timers.several() {
		t.Errorf("%v, next %d", list, s.timers.next())
	}
	list[0].Status, list[1].Status = trace.Ready, trace.Ready
	if !s.timers.let(list) || list[1].Status != trace.Ready {
		t.Errorf("a thread can run: %v", list)
	}
}

// TestMappingsGone: pages of a mapping that are unmapped twice are a bug, and an access to
// them names it.
func TestMappingsGone(t *testing.T) {
	s := still(t, Config{}, 1)
	s.Enter()
	take := func(out kernel.Outcome) *Failure { return s.Mappings.Take(0, 0x1000, &out) }
	s.steps = append(s.steps, stepInfo{tr: &trace.Transition{}})
	s.lib.Memory = noLibrary{}
	if f := take(kernel.Outcome{Mapped: kernel.Pages{Addr: 0x8000, Size: 0x2000}}); f != nil {
		t.Fatal(f)
	}
	if !s.Mappings.Has(0x9fff) {
		t.Error("the mapping isn't there")
	}
	gone := kernel.Outcome{Unmapped: kernel.Pages{Addr: 0x9000, Size: 0x1000}}
	if f := take(gone); f != nil {
		t.Fatal(f)
	}
	var f Failure
	if !s.Mappings.fault(&f, emu.Fault{Addr: 0x9008, Size: 8}, false) || f.Kind != trace.UseAfterFree {
		t.Errorf("an access behind: %+v", f)
	}
	if f := take(gone); f == nil || f.Kind != trace.DoubleFree || f.Block.Family != heap.Family(partFamily) {
		t.Errorf("unmapped twice: %+v", f)
	}
}

// noLibrary hears of pages whose contents are gone.
type noLibrary struct{ uncarried }

func (noLibrary) Drop(kernel.Pages) {}

// TestFailuresLeft: a kind of failure is possible until an execution has had this many, and none
// is beyond the limit of all.
func TestFailuresLeft(t *testing.T) {
	s := still(t, Config{Faults: trace.Faults{trace.FaultMalloc: 2}}, 1)
	tr := &trace.Transition{}
	for n := range 2 {
		if !s.Failing.May(trace.FaultMalloc) || s.Failing.Count() != n {
			t.Fatalf("after %d of 2 there were %d", n, s.Failing.Count())
		}
		s.Failing.Failed(0, tr, trace.FaultMalloc, 0x1000, 0)
	}
	if s.Failing.May(trace.FaultMalloc) || len(tr.Ops) != 2 {
		t.Error("a third one is possible")
	}
	s = still(t, Config{Faults: trace.Faults{trace.FaultMalloc: 2}}, 1)
	if s.LimitFaults(0); s.Failing.May(trace.FaultMalloc) {
		t.Error("one is possible beyond the limit")
	}
}

// TestBuffersHold: a load of a buffered store's bytes is answered by the buffer, one of more
// bytes in part, and a locked instruction waits for it.
func TestBuffersHold(t *testing.T) {
	s := still(t, Config{Buffers: true}, 4)
	th := s.edit(0)
	s.buffers.push(th, &trace.Access{Addr: 0x8000, Size: 4, PC: 0x1000, Flags: trace.Write}, 0, 1)
	th.Stand = StandAccess
	for _, tc := range []struct {
		size    uint32
		flags   trace.AccessFlags
		pieces  []uint32 // their sizes
		blocked bool
	}{{4, 0, nil, false}, {8, 0, []uint32{4, 4}, false}, {4, trace.Atomic | trace.Write, nil, true}} {
		th.Access = trace.Access{Addr: 0x8000, Size: tc.size, Flags: tc.flags}
		d := trace.Thread{Status: trace.Ready, Pending: trace.Op{Kind: trace.OpAccess}, PendingAccess: th.Access}
		s.buffers.holds(th.thread, &d)
		var sizes []uint32
		for i, p := range d.Pieces { // the first is the buffer's
			if sizes = append(sizes, p.Size); (p.Flags&trace.Buffered != 0) != (i == 0) {
				t.Errorf("%d bytes: piece %+v", tc.size, p)
			}
		}
		whole := d.PendingAccess.Flags&trace.Buffered != 0
		if blocked := d.Status == trace.Blocked; blocked != tc.blocked || whole != (!blocked && tc.pieces == nil) || !slices.Equal(sizes, tc.pieces) {
			t.Errorf("%d bytes, flags %x: status %v, %+v, %+v", tc.size, tc.flags, d.Status, d.PendingAccess, d.Pieces)
		}
	}
	if list := s.buffers.describe(th.thread, nil); len(list) != 1 || list[0].ID != bufferOf(0) || !list[0].Updates {
		t.Errorf("the buffer: %+v", list)
	}
}

// TestCut: a load is cut where its bytes have different answers, each with its part of what counts, and
// fences keep their places.
func TestCut(t *testing.T) {
	s := still(t, Config{Buffers: true}, 4)
	th := s.edit(0)
	for _, at := range []uint64{0x8001, 0x8004, 0x8001} {
		s.buffers.push(th, &trace.Access{Addr: at, Size: 1, PC: at, Flags: trace.Write}, 0, 1)
		th.buffer = th.buffer.Rest()
	}
	th.buffer = th.buffer.Pop() // the oldest is in memory
	load := trace.Access{Addr: 0x8000, Size: 8, PC: 0x1000, Ahead: trace.MakeAhead(2, 1)}
	tr := &trace.Transition{Accesses: []trace.Access{{Addr: 0x9000, Size: 4}, load, {Addr: 0xa000, Size: 4}}, Fences: []uint32{1, 2, 3}}
	tr.Cut(1, th.buffer.Pieces(&load))
	var got []string
	for i := range tr.Accesses {
		a := &tr.Accesses[i]
		lo, hi := a.Counted()
		got = append(got, fmt.Sprintf("%x+%d %v %d", a.Addr, a.Size, a.Flags&trace.Buffered != 0, hi-lo))
	}
	want := []string{"9000+4 false 4", "8000+1 false 0", "8001+1 true 0", "8002+2 false 2", "8004+1 true 1", "8005+3 false 2", "a000+4 false 4"}
	if !slices.Equal(got, want) || !slices.Equal(tr.Fences, []uint32{1, 6, 7}) {
		t.Errorf("%q, fences %v", got, tr.Fences)
	}
}

// TestCalm: a step is calm if it changed nothing that other threads can observe.
func TestCalm(t *testing.T) {
	s := still(t, Config{}, 1)
	for _, tc := range []struct {
		what string
		tr   trace.Transition
		calm bool
	}{
		{"a read", trace.Transition{Accesses: []trace.Access{{Addr: 0x8000, Size: 4}}}, true},
		{"a store of the same value", trace.Transition{Accesses: []trace.Access{{Addr: 0x8000, Size: 4, Flags: trace.Write | trace.Silent}}}, true},
		{"the same into a buffer", trace.Transition{Accesses: []trace.Access{{Addr: 0x8000, Size: 4, Flags: trace.Write | trace.Silent | trace.Buffered}}}, false},
		{"a store", trace.Transition{Accesses: []trace.Access{{Addr: 0x8000, Size: 4, Flags: trace.Write}}}, false},
		{"a yield", trace.Transition{Ops: []trace.Op{{Kind: trace.OpYield}}}, true},
		{"a post", trace.Transition{Ops: []trace.Op{{Kind: trace.OpSemPost}}}, false},
		{"a wake", trace.Transition{Wakes: []trace.TID{0}}, false},
	} {
		if s.stillness.calm(&tc.tr) != tc.calm {
			t.Errorf("%s: calm is %v", tc.what, !tc.calm)
		}
	}
}

// TestThreadDigest: what a thread's next step depends on tells its states apart.
func TestThreadDigest(t *testing.T) {
	s := still(t, Config{}, 1)
	th := &s.threads[0]
	th.Ctx = s.machine.Start(&emu.Regs{RIP: 0x1000})
	seen := map[trace.Digest]string{}
	for _, tc := range []struct {
		what   string
		change func(*thread)
	}{
		{"as it is", func(*thread) {}},
		{"before an access", func(th *thread) { th.Stand, th.Access = StandAccess, trace.Access{Addr: 0x8000, Size: 4, PC: 0x1000} }},
		{"before another", func(th *thread) { th.Stand, th.Access = StandAccess, trace.Access{Addr: 0x8008, Size: 4, PC: 0x1000} }},
		{"in a loop", func(th *thread) { th.Stand, th.Waits = StandSpin, []trace.Access{{Addr: 0x8000, Size: 4}} }},
		{"in one that reads other bytes", func(th *thread) { th.Stand, th.Waits = StandSpin, []trace.Access{{Addr: 0x8008, Size: 4}} }},
		{"for which time has passed", func(th *thread) {
			th.Stand, th.passes, th.Waits = StandSpin, 1, []trace.Access{{Addr: 0x8008, Size: 4}}
		}},
		{"yielding", func(th *thread) { th.Yielding = true }},
		{"within an instruction", func(th *thread) { th.Half = 1 }},
		{"asleep", func(th *thread) { th.Stand, th.pending = StandSleep, trace.Op{Kind: trace.OpFutexWait, Obj: 0x8000} }},
		{"asleep elsewhere", func(th *thread) { th.Stand, th.pending = StandSleep, trace.Op{Kind: trace.OpFutexWait, Obj: 0x8008} }},
		{"before a failure", func(th *thread) { th.Stand, th.Failure = StandFailure, &Failure{Kind: trace.Segfault} }},
		{"with other registers to come", func(th *thread) { th.Set, th.Regs.RAX = trace.RAX, 7 }},
		{"ended", func(th *thread) { th.Stand = StandExited }},
		{"ended with a value", func(th *thread) { th.Stand, th.Returned = StandExited, 7 }},
	} {
		s.lib.Keeper = hashless{}
		was := *th
		tc.change(th)
		d := s.threadDigest(th)
		if other, ok := seen[d]; ok {
			t.Errorf("%q has the digest of %q", tc.what, other)
		}
		seen[d], *th = tc.what, was
	}
}

// hashless knows nothing of threads.
type hashless struct{ uncarried }

func (hashless) HashThread(trace.TID, *trace.Hash, bool) {}

// TestHandlersFrame: what a kernel writes for a handler is an access where another thread has
// been there, and lives.
func TestHandlersFrame(t *testing.T) {
	s := still(t, Config{}, 2)
	th := &s.threads[0]
	th.Ctx = s.machine.Start(&emu.Regs{RIP: 0x1000})
	s.machine.Touch(0, 0x8000, 64, true)
	s.machine.Touch(1, 0x8000, 64, true)
	since := s.machine.Journal()
	s.machine.Write64(0x8010, 1)
	s.machine.Write64(0x8018, 2)
	regs := emu.Regs{RSP: 0x8010}
	if a := s.Signals.frame(th, since, &regs); a.Addr != 0x8010 || a.Size != 16 || !a.IsWrite() {
		t.Errorf("its frame: %+v", a)
	}
	if a := s.Signals.frame(th, since, &emu.Regs{RSP: 0x20000}); a.Size != 0 {
		t.Errorf("what is elsewhere counts: %+v", a)
	}
	s.threads[1].Stand, s.threads[1].Joined = StandExited, true
	if a := s.Signals.frame(th, since, &regs); a.Size != 0 {
		t.Errorf("alone: %+v", a)
	}
}
