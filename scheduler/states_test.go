package scheduler

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/internal/trace"
	"landgo/scheduler/witness"
)

// steps are how many a thread takes on its own, from where the system stands, to its end.
func (g *scripted) alone(t testing.TB, id trace.TID) (n int) {
	t.Helper()
	for g.threads[id].Live() {
		if _, err := g.Step(id, 0); err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

// TestDigest: two threads that don't depend on each other have the states of the one times those
// of the other, by whatever way. Each state's digest differs from the others'.
func TestDigest(t *testing.T) {
	for _, buffers := range []bool{false, true} {
		g := script(t, Config{Buffers: buffers}, threadsOf(sets(0, 1), all(sets(1, 1), sets(1, 2))))
		g.machine.DeclareAllShared(true)
		child := trace.TID(1)
		if buffers {
			child = 2
		}
		digests, ends := map[trace.Digest]bool{}, map[[2]uint64]bool{}
		g.explore(t, func() {
			d, err := g.Digest()
			if err != nil {
				t.Fatal(err)
			}
			digests[d] = true
		}, func() string {
			last := uint64(0)
			if g.threads[child].Live() {
				last = 1
			}
			ends[[2]uint64{last, g.State()}] = true
			return "ends"
		})
		if len(ends) != 2 { // one for each thread that may be the last
			t.Errorf("end states: %v", ends)
		}
		if buffers {
			continue // buffers have states of their own
		}
		// The first steps create the other thread.
		first := 0
		for len(g.threads) <= int(child) || !g.threads[child].Exists {
			if _, err := g.Step(0, 0); err != nil {
				t.Fatal(err)
			}
			first++
		}
		k := g.Mark()
		a := g.alone(t, 0)
		g.Rewind(k)
		b := g.alone(t, child)
		// Where both have ended the guest has. The last of them has stood before that.
		if want := first + (a+1)*(b+1) - 1 + 2; len(digests) != want {
			t.Errorf("%d states, want %d", len(digests), want)
		}
	}
}

// TestGranularity: with no points before plain accesses the lost update isn't seen, and the pair
// of accesses is reported; with a point before them it is, and none is left.
func TestGranularity(t *testing.T) {
	g := script(t, Config{Granularity: Granularity{Points: trace.PointSync}}, threadsOf(
		func(c *emutest.Code) { c.Add(at(0), 1) }, func(c *emutest.Code) { c.Add(at(0), 1) }))
	if got := g.outcomes(t, 0); !slices.Equal(got, []string{"[2]"}) {
		t.Errorf("without points: %v", got)
	}
	pairs := g.Seen().Unexamined()
	if len(pairs) == 0 || pairs[0].First.Addr != at(0) || pairs[0].A == pairs[0].B {
		t.Fatalf("pairs without points: %+v", pairs)
	}
	var race []uint64
	for _, p := range pairs {
		race = append(race, p.First.PC, p.Second.PC)
	}
	sights := witness.SightsOf(g.Seen().Look(nil).List())
	g.Seen().Look(sights)
	g.SetGranularity(Granularity{Points: trace.PointSync, Race: race})
	if got := g.outcomes(t, 0); !slices.Equal(got, []string{"[1]", "[2]"}) {
		t.Errorf("with points before these accesses: %v", got)
	}
	if left := g.Seen().Unexamined(); len(left) != 0 {
		t.Errorf("pairs without points: %+v", left)
	}
	if m := g.Seen().Met; len(m.Races) == 0 || m.Points&trace.PointMem == 0 || !m.Shared || !m.Ran {
		t.Errorf("what was met: %+v", m)
	}
	for _, r := range m0(race) {
		if !g.Racing(r) {
			t.Errorf("there is no point before %#x", r)
		}
	}
}

func m0(pcs []uint64) []uint64 { return slices.Compact(slices.Sorted(slices.Values(pcs))) }

// TestKnowledge: with what another System of the guest has learned no execution begins anew;
// knowledge of other threads is refused.
func TestKnowledge(t *testing.T) {
	program := threadsOf(all(copies(0, 2), sets(1, 1)), all(copies(1, 3), sets(0, 1)))
	g := script(t, Config{}, program)
	want := g.outcomes(t, 2, 3)
	if g.Learned() == 0 {
		t.Fatal("it has learned nothing")
	}
	k, w := g.Knowledge(), g.Seen().Take()
	other := script(t, Config{}, program)
	if news, err := other.Learn(k); !news || err != nil {
		t.Fatalf("news %v, %v", news, err)
	}
	if got := other.outcomes(t, 2, 3); other.Learned() != 0 || !slices.Equal(got, want) {
		t.Errorf("%v, want %v; it learned %d times", got, want, other.Learned())
	}
	if news, err := other.Learn(k); news || err != nil {
		t.Errorf("the same again: news %v, %v", news, err)
	}
	for _, names := range [][]string{{"0", "0.2"}, {"1"}, {"0", "0.1", "0.x"}, {"0", "0.1", "0.3.1"}} {
		if _, err := other.Learn(&Knowledge{Names: names}); err == nil {
			t.Errorf("threads %q are taken", names)
		}
	}
	other.Seal(true)
	if _, err := other.Intern(0, 5); err != nil || !other.finer || !other.Sealed() {
		t.Errorf("a new thread is no news where all is: %v", err)
	}
	if !slices.Contains(w.Calls, "clone") || w.Instructions == 0 || len(g.Seen().Calls()) != 0 {
		t.Errorf("calls %v, %d instructions; left: %v", w.Calls, w.Instructions, g.Seen().Calls())
	}
	both := *w
	both.Add(other.Seen().Statement())
	before := both.Instructions
	other.Seen().Hear(w)
	if again := other.Seen().Statement(); again.Instructions != before || !slices.Equal(again.Calls, both.Calls) {
		t.Errorf("one after the other: %+v\ntogether: %+v", again, both)
	}
}

// TestTwins: a step whose way depends on a byte that was never written is reported, with what
// depends on it. A program that only copies such a byte has no bug.
func TestTwins(t *testing.T) {
	for _, tc := range []struct {
		name string
		code func(*emutest.Code)
		want string
	}{
		{"a copy", copies(5, 6), "ends"},
		{"a branch", func(c *emutest.Code) { c.Load(at(5)).JumpIf(emutest.Zero, c.Here()+7).Nop() }, "uninitialised-read: a branch depends on memory that was never written"},
		{"a call", func(c *emutest.Code) {
			c.Load(at(5))
			c.Do(func(p *emu.CPU) { p.RDI, p.RAX = p.RAX, sysExitGroup }).Enter()
		}, "uninitialised-read: a system call depends on memory that was never written"},
		{"an address", func(c *emutest.Code) {
			c.Load(at(5))
			c.Do(func(p *emu.CPU) { p.Store(at(8)+8*p.RAX, 4, 1) })
		}, "uninitialised-read: an address depends on memory that was never written"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			fill := Fill{}
			g, twin := boot(t, Config{Fill: &fill}, threadsOf(tc.code)), boot(t, Config{Fill: &fill}, threadsOf(tc.code))
			twin.machine.Write32(at(5), 1) // what nothing has written
			g.Beside(twin.System)
			g.root = g.Mark()
			got := g.verdicts(t)
			for i := range got { // the memory of this test is no stack
				got[i] = strings.Replace(got[i], "memory of the stack", "memory", 1)
			}
			if !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestPromises: a condition that has to hold always is checked in each state that other threads
// can observe, where its lock is free. One that has to hold at some time is checked at the end.
func TestPromises(t *testing.T) {
	const condition, lock = scriptCode + 0x2000, 77
	program := func(holds func(uint64) bool, promise func(*emu.Regs)) func(*emutest.Code) {
		return func(c *emutest.Code) {
			threadsOf(all(func(c *emutest.Code) { c.Do(func(p *emu.CPU) { promise(p.Regs) }) }, sets(0, 1), sets(0, 2)), copies(0, 1))(c)
			c.At(condition)
			c.Load(at(0)).Do(func(p *emu.CPU) { p.RAX = uint64(b2i(holds(p.RAX))) }).Return()
		}
	}
	for _, tc := range []struct {
		name   string
		always bool
		lock   uint64
		owner  trace.TID
		holds  func(v uint64) bool
		want   []string
	}{
		{"always", true, 0, trace.NoThread, func(v uint64) bool { return v < 3 }, []string{"ends"}},
		{"broken", true, 0, trace.NoThread, func(v uint64) bool { return v != 1 },
			[]string{fmt.Sprintf("invariant: the condition at %#x doesn't hold (landgo_always) after thread 0 writes %#x", condition, at(0))}},
		{"broken while a thread has the lock", true, lock, 1, func(v uint64) bool { return v != 1 }, []string{"ends"}},
		{"broken while the lock is free", true, lock, trace.NoThread, func(v uint64) bool { return v != 1 },
			[]string{fmt.Sprintf("invariant: the condition at %#x doesn't hold (landgo_always_when, %#x is free) after thread 0 writes %#x", condition, lock, at(0))}},
		{"at some time", false, 0, trace.NoThread, func(v uint64) bool { return v == 1 }, []string{"ends"}},
		{"never", false, 0, trace.NoThread, func(v uint64) bool { return v == 3 },
			[]string{fmt.Sprintf("unreached: the program ends, and the condition at %#x has never held (landgo_eventually)", condition)}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			var g *scripted
			g = script(t, Config{}, program(tc.holds, func(r *emu.Regs) {
				g.threads[0].Regs = *r // as of a call
				if err := g.Promises.Add(0, tc.always, condition, 0, tc.lock); err != nil {
					t.Fatal(err)
				}
			}))
			g.lib.owner = tc.owner
			if got := g.verdicts(t); !slices.Equal(got, tc.want) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestAside: a function that is run on the side leaves nothing behind, and may only look.
func TestAside(t *testing.T) {
	const function = scriptCode + 0x2000
	for _, tc := range []struct {
		code func(*emutest.Code)
		want string // of the error
	}{
		{func(c *emutest.Code) { c.Put4(at(0), 7).Load(at(0)).Return() }, ""},
		{func(c *emutest.Code) { c.Syscall(sysGetpid) }, "makes a system call"},
		{func(c *emutest.Code) { c.Load(8) }, "faults at address 0x8"},
	} {
		g := script(t, Config{}, func(c *emutest.Code) {
			threadsOf(sets(1, 1))(c)
			c.At(function)
			tc.code(c)
		})
		v, _, err := g.Promises.Aside(0, &emu.Regs{RSP: scriptStack(0)}, function, nil, nil, nil)
		if tc.want == "" && (err != nil || v != 7) || tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)) {
			t.Errorf("%d, %v; want %q", v, err, tc.want)
		}
		if got := g.machine.Read32(at(0)); got != 0 {
			t.Errorf("it has left %d behind", got)
		}
	}
}

// TestDeadStacks: an access to the stack of a thread that has ended is a bug; to that of one
// that lives it isn't.
func TestDeadStacks(t *testing.T) {
	const clone, vmThread, there = 56, 0x50f00, scriptOwn + 0x800
	g := boot(t, Config{}, func(c *emutest.Code) {
		child := c.Here() + 0x200
		c.Syscall(clone, vmThread, scriptOwn+0x1000)
		c.JumpIf(emutest.Zero, child)
		until(0, nil)(c)
		c.Put4(there, 1).Syscall(sysExit, 0)
		c.At(child).Put4(there, 5).Put4(at(0), 1).Syscall(sysExit, 0)
	})
	g.lib.own = true
	g.root = g.Mark()
	want := []string{"ends", "stack-use-after-end: writes 4 bytes on the stack of thread 0.1, which has ended"}
	if got := g.verdicts(t); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLeaks: a mapping to which nothing points at the end is lost; one that was given back, or
// is pointed to, isn't.
func TestLeaks(t *testing.T) {
	maps := func(then func(*emutest.Code)) func(*emutest.Code) {
		return func(c *emutest.Code) {
			c.Syscall(sysMmap, 0, 8192, 3, 0x22, ^uint64(0), 0)
			then(c)
			c.Syscall(sysExitGroup, 0)
		}
	}
	clear := func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.RAX = 0 }) }
	keep := func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.Store(at(4), 8, p.RAX+16) }) }
	back := func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.RDI, p.RSI, p.RAX = p.RAX, 8192, sysMunmap }).Enter() }
	for _, tc := range []struct {
		name  string
		leaks Leaks
		then  func(*emutest.Code)
		want  string
	}{
		{"lost", LeaksLost, clear, "leak: a block of 8192 bytes is lost: nothing points to it"},
		{"pointed to", LeaksLost, keep, "ends"},
		{"pointed to, and not freed", LeaksAll, keep, "leak: a block of 8192 bytes is never freed"},
		{"given back", LeaksAll, back, "ends"},
		{"not looked for", LeaksOff, clear, "ends"},
	} {
		if got := script(t, Config{Leaks: tc.leaks}, threadsOf(maps(tc.then))).verdicts(t); !slices.Equal(got, []string{tc.want}) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestCallsFail: a call that may fail does in some execution, as often as is allowed.
func TestCallsFail(t *testing.T) {
	maps := func(n int) func(*emutest.Code) {
		return func(c *emutest.Code) {
			c.Syscall(sysMmap, 0, 4096, 3, 0x22, ^uint64(0), 0)
			c.Do(func(p *emu.CPU) { p.Store(at(n), 4, p.RAX>>63) }) // is it an error?
		}
	}
	g := script(t, Config{Faults: trace.Faults{trace.FaultMalloc: 1}}, threadsOf(all(maps(0), maps(1))))
	if got, want := g.outcomes(t, 0, 1), []string{"[0 0]", "[0 1]", "[1 0]"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	g.LimitFaults(0)
	if got := g.outcomes(t, 0, 1); !slices.Equal(got, []string{"[0 0]"}) {
		t.Errorf("with none allowed: %v", got)
	}
}

// TestLateEnds: the end of the process waits for threads that can run, unless they print.
func TestLateEnds(t *testing.T) {
	const write = 1
	for _, tc := range []struct {
		name  string
		late  bool
		other func(*emutest.Code)
		want  []string
	}{
		{"anywhere", false, sets(0, 1), []string{"[0]", "[1]"}},
		{"late", true, sets(0, 1), []string{"[1]"}},
		{"a thread that prints", true, all(sets(0, 1), calls(write, 1, at(0), 1)), []string{"[0]", "[1]"}},
	} {
		g := script(t, Config{}, threadsOf(all(copies(0, 1), calls(sysExitGroup, 0)), tc.other))
		g.EndLate(tc.late)
		if got := g.outcomes(t, 0); !slices.Equal(got, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}

// TestLimits: a replay's step ends at the instruction that it is limited to, and goes on there.
func TestLimits(t *testing.T) {
	g := script(t, Config{}, threadsOf(func(c *emutest.Code) {
		for range 10 {
			c.Nop()
		}
	}))
	ran := &viewed{}
	g.View(ran)
	for n := uint64(3); n <= 9; n += 3 {
		g.Limit(n)
		if _, err := g.Step(0, 0); err != nil {
			t.Fatal(err)
		}
		if p := g.Position(0); p != (Position{Insns: n}) || g.PC(0) != scriptCode+n {
			t.Errorf("it stands at %+v, want %d", p, n)
		}
	}
	if !slices.Equal(ran.from, []uint64{0, 3, 6}) || g.Viewer() != Viewer(ran) {
		t.Errorf("the viewer heard of runs from %v", ran.from)
	}
	g.Limit(0)
	g.StopIf(func() bool { return true })
	g.Rewind(g.root)
	if _, err := g.Step(0, 0); err != nil && !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
}

// viewed is a viewer that notes where runs began.
type viewed struct{ from []uint64 }

func (v *viewed) Ran(_ trace.TID, insns, _, _ uint64) { v.from = append(v.from, insns) }
func (v *viewed) Moved(uint64, uint64)                {}

// TestTexts: what is said of threads where they stand, and of operations.
func TestTexts(t *testing.T) {
	said := map[string]bool{}
	g := script(t, Config{}, threadsOf(
		all(copies(0, 2), copies(6, 3), calls(sysFutex, at(4), futexWait, 0, 0)),
		all(sets(0, 1), func(c *emutest.Code) { c.LockAdd(at(0), 1) }, until(6, nil)),
		all(sets(6, 1), func(c *emutest.Code) { c.Load(8) })))
	g.explore(t, func() {
		for i := range g.threads {
			if g.threads[i].Exists {
				said[g.NextText(trace.TID(i))], said[g.StateText(trace.TID(i))] = true, true
			}
		}
	}, g.verdict)
	for _, want := range []string{
		fmt.Sprintf("writes %#x", at(0)), fmt.Sprintf("reads %#x", at(0)), fmt.Sprintf("updates %#x", at(0)), "calls futex(FUTEX_WAIT)", "fails",
		fmt.Sprintf("waits for a wake-up at futex %#x", at(4)), fmt.Sprintf("spins on %#x", at(6)), "ended", "is about to end the process", "stops",
	} {
		if !said[want] {
			t.Errorf("%q wasn't said", want)
		}
	}
	starts := g.Starts()
	if len(starts) != 1 || starts[0].Thread != 0 || starts[0].Created != 0 {
		t.Errorf("threads at the root: %+v", starts)
	}
	for op, want := range map[trace.Op]string{
		{Kind: trace.OpLock, Obj: at(3), Size: 40}:                      fmt.Sprintf("locks %#x", at(3)),
		{Kind: trace.OpCreate, Obj: 1}:                                  "creates 0.1",
		{Kind: trace.OpJoin, Obj: 2}:                                    "joins 0.2",
		{Kind: trace.OpCancel, Obj: 1, Arg: sigUser}:                    "sends SIGUSR1 to 0.1",
		{Kind: trace.OpCancel, Obj: 1, Arg: trace.PassedOver}:           "",
		{Kind: trace.OpCancel, Obj: 1, Arg: trace.PassedOver | sigUser}: "finds SIGUSR1 still on its way to 0.1",
		{Kind: trace.OpCallBegins, Obj: at(3)}:                          fmt.Sprintf("begins a call on %#x", at(3)),
		{Kind: trace.OpCallEnds, Obj: at(3)}:                            fmt.Sprintf("ends a call on %#x", at(3)),
		{Kind: trace.OpFenceAll}:                                        "empties all store buffers",
		{Kind: trace.OpDrained, Obj: 1}:                                 "0.1's store buffer is empty",
		{Kind: trace.OpTurn}:                                            "",
		{Kind: trace.OpExit}:                                            "ends",
		{Kind: trace.OpEnd}:                                             "ends the process",
		{Kind: trace.OpYield}:                                           "yields",
		{Kind: trace.OpSleep}:                                           "sleeps",
		{Kind: trace.OpAdvance}:                                         "times out",
		{Kind: trace.OpFree, Obj: at(3), Size: 8}:                       "gives its stack up",
	} {
		if got := g.OpText(op); got != want {
			t.Errorf("%+v: %q, want %q", op, got, want)
		}
	}
}

// TestFormatted: a panic's message is made as printf makes it (C11, 7.21.6.1), on a machine
// with words of 8 bytes and of 4.
func TestFormatted(t *testing.T) {
	texts := map[uint64]string{100: "%d|%5u|%x|%c|%s|%%|%ld", 101: "text", 102: "%p %08X", 103: "%d, %f and %d", 104: "50%", 105: "%lu %hd"}
	for _, tc := range []struct {
		word uint64
		args []uint64
		want string
	}{
		{8, []uint64{100, 0xffffffff, 7, 255, 'A', 101, ^uint64(0)}, "-1|    7|ff|A|text|%|-1"},
		{4, []uint64{100, 0xffffffff, 7, 255, 'A', 101, 0xffffffff}, "-1|    7|ff|A|text|%|-1"},
		{8, []uint64{102, 0x1234, 0xbeef}, "0x1234 0000BEEF"},
		{8, []uint64{103, 1, 2, 3}, "1, %f and %d"},
		{8, []uint64{104}, "50%"},
		{8, []uint64{105, 1 << 40, 3}, "1099511627776 3"},
	} {
		args := tc.args
		next := func() (v uint64) {
			v, args = args[0], args[1:]
			return v
		}
		if got := Formatted(tc.word, func(a uint64) string { return texts[a] }, next); got != tc.want {
			t.Errorf("%v: %q, want %q", tc.args, got, tc.want)
		}
	}
}

// TestPanicMessage: what Rust's runtime says of a panic.
func TestPanicMessage(t *testing.T) {
	for said, want := range map[string]string{
		"": "",
		"\nthread 'main' panicked at src/main.rs:3:5:\nindex out of bounds\nnote: run with `RUST_BACKTRACE=1`\n": "panicked at src/main.rs:3:5: index out of bounds",
		"thread 'a' panicked at a.rs:1:1:\nfirst\nthread 'b' panicked at b.rs:2:2:\nsecond\n":                    "panicked at b.rs:2:2: second",
		"thread 'a' panicked at a.rs:1:1:\n" + strings.Repeat("x", 300):                                          "panicked at a.rs:1:1: " + strings.Repeat("x", maxPanic) + "...",
	} {
		if got := panicMessage([]byte(said)); got != want {
			t.Errorf("%q: %q, want %q", said, got, want)
		}
	}
}
