package pebbles

import (
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// packet is where the tests put argument packets: the lowest words of the main
// stack.
const packet = mainTop - 64<<10

// at makes thread 0 stand before a call with arguments.
func (w *world) at(args ...uint64) {
	r := &w.actors[0].regs
	if len(args) == 1 {
		r.RSI = args[0]
		return
	}
	for i, a := range args {
		w.m.Write64(packet+uint64(i)*8, a)
	}
	r.RSI = packet
}

func syscallOp(word uint64, size uint32) trace.Op {
	return trace.Op{Kind: trace.OpSyscall, Obj: word, Size: size, Arg: 1}
}

func TestPlanNamesWhatIsNotModelled(t *testing.T) {
	for _, c := range []struct {
		trap emu.Trap
		want string
	}{
		{emu.Trap{Vector: 0x41, Len: 2}, "fork is not modelled"},
		{emu.Trap{Vector: 0x42, Len: 2}, "exec is not modelled"},
		{emu.Trap{Vector: 0x44, Len: 2}, "wait is not modelled"},
		{emu.Trap{Vector: 0x51, Len: 2}, "get_cursor_pos is not modelled on pebbles: landgo has no console"},
		{emu.Trap{Vector: 0x62, Len: 2}, "readfile is not modelled on pebbles: landgo has no files"},
		{emu.Trap{Vector: 0x80, Len: 2}, "trap 0x80 is no call"},
		{emu.Trap{Syscall: true, Len: 2}, "syscall"},
		{emu.Trap{Sysenter: true, Len: 2}, "sysenter"},
		{emu.Trap{Vector: 0x4c, Len: 2}, "getchar at the end of the input"},
		{emu.Trap{Vector: 0x4d, Len: 2}, "readline at the end of the input"},
	} {
		w := newWorld(t, "abi-errors", Config{})
		w.at(16, packet, 0, 0)
		p := w.k.Plan(0, c.trap)
		if p.Effect != kernel.Invalid || !strings.Contains(p.Reason, c.want) {
			t.Errorf("%+v: effect %d, %q; want it invalid for %q", c.trap, p.Effect, p.Reason, c.want)
		}
	}
}

// TestPlan: what a call would do is said without doing it, and says what it
// depends on.
func TestPlan(t *testing.T) {
	for _, c := range []struct {
		name   string
		vector uint8
		args   []uint64
		cfg    Config
		effect kernel.Effect
		op     trace.Op
		yields bool
		writes []uint64 // addresses of accesses that write
		reads  []uint64
	}{
		{name: "gettid", vector: 0x48},
		{name: "yield", vector: 0x45, args: []uint64{^uint64(0)}, effect: kernel.Event, op: trace.Op{Kind: trace.OpYield}, yields: true},
		{name: "yield to a child", vector: 0x45, args: []uint64{3}, effect: kernel.Event, op: trace.Op{Kind: trace.OpYield}, yields: true, reads: []uint64{runWord(1)}},
		{name: "yield to no thread", vector: 0x45, args: []uint64{2}, effect: kernel.Event, op: trace.Op{Kind: trace.OpYield}, yields: true},
		{name: "deschedule", vector: 0x46, args: []uint64{packet}, effect: kernel.Event, op: trace.Op{Kind: trace.OpDeschedule, Obj: 0}, reads: []uint64{packet}, writes: []uint64{runWord(0)}},
		{name: "deschedule nowhere", vector: 0x46, args: []uint64{8}},
		{name: "make_runnable", vector: 0x47, args: []uint64{10}, effect: kernel.Event, op: trace.Op{Kind: trace.OpMakeRunnable, Obj: 1}, reads: []uint64{runWord(1)}},
		{name: "new_pages", vector: 0x49, args: []uint64{0x20000000, 8192}, effect: kernel.Event, op: syscallOp(0x900000, 16), reads: []uint64{packet}},
		{name: "new_pages of too much", vector: 0x49, args: []uint64{0x20000000, 512 << 20}, reads: []uint64{packet}},
		{name: "new_pages of nothing", vector: 0x49, args: []uint64{0x20000000, 0}, reads: []uint64{packet}},
		{name: "remove_pages", vector: 0x4a, args: []uint64{0x20000000}, effect: kernel.Event, op: syscallOp(0x900000, 8)},
		{name: "sleep", vector: 0x4b, args: []uint64{1}, effect: kernel.Event, op: trace.Op{Kind: trace.OpSleep}, yields: true},
		{name: "sleep for nothing", vector: 0x4b, args: []uint64{0}},
		{name: "print", vector: 0x4e, args: []uint64{4, packet + 64}, reads: []uint64{packet, packet + 64}},
		{name: "print, observed", vector: 0x4e, args: []uint64{4, packet + 64}, cfg: Config{ObserveOutput: true}, effect: kernel.Event, op: syscallOp(outputWord, 8), reads: []uint64{packet, packet + 64}},
		{name: "getchar", vector: 0x4c, cfg: Config{Stdin: []byte("x")}, effect: kernel.Event, op: syscallOp(inputWord, 8)},
		{name: "thread_fork", vector: 0x52, effect: kernel.Event, op: trace.Op{Kind: trace.OpCreate, Obj: 1}, writes: []uint64{runWord(1)}},
		{name: "set_status", vector: 0x59, args: []uint64{1}, effect: kernel.Event, op: syscallOp(statusWord, 8)},
		{name: "vanish", vector: 0x60, effect: kernel.Event, op: trace.Op{Kind: trace.OpExit, Obj: 0}, writes: []uint64{runWord(0)}},
		{name: "task_vanish", vector: 0x57, args: []uint64{1}, effect: kernel.Event, op: trace.Op{Kind: trace.OpEnd}},
		{name: "halt", vector: 0x55, effect: kernel.Event, op: trace.Op{Kind: trace.OpEnd}},
		{name: "swexn", vector: 0x74, args: []uint64{0, 0, 0, packet + 64}, reads: []uint64{packet, packet + 64}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "abi-errors", c.cfg)
			w.at(c.args...)
			before := w.fingerprint()
			p := w.k.Plan(0, emu.Trap{Vector: c.vector, Len: 2})
			if w.fingerprint() != before {
				t.Error("the plan changed something")
			}
			p.Op.PC = 0
			if p.Effect != c.effect || p.Op != c.op || p.Yield != c.yields || p.Name == "" {
				t.Errorf("got %+v", p)
			}
			var reads, writes []uint64
			for _, a := range w.k.Foresee(0, emu.Trap{Vector: c.vector, Len: 2}).Accesses {
				if a.IsWrite() {
					writes = append(writes, a.Addr)
				} else {
					reads = append(reads, a.Addr)
				}
			}
			if !slices.Equal(reads, c.reads) || !slices.Equal(writes, c.writes) {
				t.Errorf("reads %#x, want %#x; writes %#x, want %#x", reads, c.reads, writes, c.writes)
			}
		})
	}
}

// TestRemoved: a fault in pages that were taken away can be told from others.
func TestRemoved(t *testing.T) {
	w := newWorld(t, "abi-errors", Config{})
	do := func(vector uint8, args ...uint64) {
		t.Helper()
		w.at(args...)
		if w.k.Do(0, emu.Trap{Vector: vector, Len: 2}, 0, &w.actors[0].regs); w.actors[0].regs.RAX != 0 {
			t.Fatalf("call %#x gives %d", vector, int64(w.actors[0].regs.RAX))
		}
	}
	const base, last = 0x20000000, 0x20001fff
	do(0x49, base, 8192)
	here := w.mark()
	if w.k.Removed(base) {
		t.Error("mapped pages count as removed")
	}
	do(0x4a, base)
	if !w.k.Removed(base) || !w.k.Removed(last) || w.k.Removed(last+1) || w.k.Removed(base-1) {
		t.Error("removed pages aren't known as such, or others are")
	}
	do(0x49, base, 4096)
	if w.k.Removed(base) || !w.k.Removed(last) {
		t.Error("pages mapped again count as removed, or those beside them don't")
	}
	w.rewind(here)
	if w.k.Removed(base) {
		t.Error("a removal was rewound and still counts")
	}
}

func TestImagesThatDoNotFit(t *testing.T) {
	for name, c := range map[string]struct {
		segment uint64
		cfg     Config
		want    string
	}{
		"too low":      {0x400000, Config{}, "below 0x1000000"},
		"in the stack": {mainTop - abi.PageSize, Config{}, "main stack"},
		"large stack":  {userStart, Config{StackSize: 1 << 33}, "doesn't fit"},
	} {
		w := newWorld(t, "abi-errors", Config{})
		img := &elffile.File{Segments: []elffile.Segment{{Addr: c.segment, MemSize: abi.PageSize, Read: true, Exec: true}}}
		if _, err := New(w.host(), img, c.cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want one with %q", name, err, c.want)
		}
	}
}

func TestArgumentsThatDoNotFit(t *testing.T) {
	w := newWorld(t, "abi-errors", Config{})
	k, err := New(w.host(), w.k.img, Config{Args: []string{strings.Repeat("x", 32<<10)}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := k.Boot(); err == nil || !strings.Contains(err.Error(), "fit on its stack") {
		t.Errorf("error %v, want one that says so", err)
	}
}

func TestOutputLimit(t *testing.T) {
	w := newWorld(t, "abi-console", Config{Stdin: []byte("ab\nlonger line\nend"), OutputLimit: 4})
	if w.finish(1 << 40); !strings.HasPrefix(w.end, "invalid: the guest prints more than 4 bytes") {
		t.Errorf("ends with %s", w.end)
	}
}
