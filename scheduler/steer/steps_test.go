package steer

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/emu/emutest"
	"landgo/heap"
	"landgo/internal/image/debuginfo"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

type part = func(*emutest.Code)

// add adds 1 to a number, in two instructions.
func add(n int) part {
	return func(c *emutest.Code) {
		c.Do(func(p *emu.CPU) { p.R12 = p.Load(shared(n), 4) })
		c.Do(func(p *emu.CPU) { p.Store(shared(n), 4, p.R12+1) })
	}
}

func put(n int, v uint64) part { return func(c *emutest.Code) { c.Put4(shared(n), v) } }
func take(from, to int) part {
	return func(c *emutest.Code) { c.Load(shared(from)).Store(shared(to)) }
}

func all(parts ...part) part {
	return func(c *emutest.Code) {
		for _, part := range parts {
			part(c)
		}
	}
}

// off does something with interrupts off.
func off(do part) part {
	return func(c *emutest.Code) {
		c.Cli()
		do(c)
		c.Sti().Nop()
	}
}

// callsWith calls a function with an argument in RDX, tellsOf an annotation.
func callsWith(to, rdx uint64) part {
	return func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.RDX = rdx }).Call(to) }
}
func tellsOf(kind tellKind, rdi, rsi uint64) part {
	return func(c *emutest.Code) {
		c.Do(func(p *emu.CPU) { p.RDI, p.RSI = rdi, rsi }).Call(kTell(kind))
	}
}

func waits(c *emutest.Code)    { c.Call(kWait) }
func wakes(i int) part         { return callsWith(kWake, number(i)) }
func sleeps(ticks uint64) part { return callsWith(kSleep, ticks) }
func yields(c *emutest.Code)   { c.Cli().Call(kSchedule).Sti().Nop() }

// until loops while a number is 0.
func until(n int, turn part) part {
	return func(c *emutest.Code) {
		again := c.Here()
		if turn != nil {
			turn(c)
		}
		c.Load(shared(n)).JumpIf(emutest.Zero, again)
	}
}

// ends are how the kernel ends over all interleavings, with the values of some numbers.
func (g *guest) ends(t testing.TB, state func(), of ...int) []string {
	t.Helper()
	return slices.Sorted(maps.Keys(emutest.Explore(t, g.Kernel, g.root, state, func() string { return fmt.Sprint(g.values(of...), " ", g.verdict()) })))
}

// TestKernelOutcomes: a kernel's threads on one processor end as interleavings of their
// instructions do, whether the kernel tells of its scheduler or a profile describes it.
func TestKernelOutcomes(t *testing.T) {
	const idles = "deadlock: the kernel idles for ever: "
	for _, tc := range []struct {
		name  string
		parts []part
		of    []int
		want  []string
	}{
		{"additions", []part{add(0), add(0)}, []int{0}, []string{"[1] ends", "[2] ends"}},
		{"additions with interrupts off", []part{off(add(0)), off(add(0))}, []int{0}, []string{"[2] ends"}},
		{"SB", []part{all(put(0, 1), take(1, 2)), all(put(1, 1), take(0, 3))}, []int{2, 3}, []string{"[0 1] ends", "[1 0] ends", "[1 1] ends"}},
		{"three that take turns", []part{all(put(0, 1), yields, take(0, 1)), put(0, 2), put(0, 3)}, []int{1}, []string{"[1] ends", "[2] ends", "[3] ends"}},
		{"a wait and its wake-up", []part{all(waits, take(0, 1)), all(put(0, 1), wakes(0))}, []int{1},
			[]string{"[0] " + idles + "thread 0 waits for being woken by another thread", "[1] ends"}},
		{"two that wait", []part{waits, waits}, nil, []string{"[] " + idles + "2 threads wait, and no thread is left to release them"}},
		{"a sleep of one tick and one of three", []part{all(sleeps(1), take(0, 1)), all(sleeps(3), put(0, 1))}, []int{1}, []string{"[0] ends", "[1] ends"}},
		{"a sleep and a thread that runs", []part{all(sleeps(2), take(0, 1)), put(0, 1)}, []int{1}, []string{"[0] ends", "[1] ends"}},
		{"a loop that waits for a number", []part{all(until(0, nil), put(1, 1)), put(0, 1)}, []int{1}, []string{"[1] ends"}},
		{"a loop that nothing ends", []part{until(0, nil), put(1, 1)}, []int{1},
			[]string{"[1] livelock: thread 0 spins for ever: no thread is left that could change what its loop reads"}},
		{"a trap of the kernel's own", []part{func(c *emutest.Code) { c.Trap(0x30) }, put(0, 1)}, []int{9}, []string{"[1] ends"}},
		{"an exception that the kernel mends", []part{all(put(8, 1), func(c *emutest.Code) { c.Illegal() }, put(0, 1)), put(1, 1)}, []int{0}, []string{"[1] ends"}},
	} {
		for name, how := range map[string]told{"annotations": {}, "profile": {profile: described(len(tc.parts))}, "profile, assigned late": {described(len(tc.parts)), true}} {
			t.Run(tc.name+"/"+name, func(t *testing.T) {
				if got := bootScript(t, scheduler.Config{}, how, nil, tc.parts...).ends(t, nil, tc.of...); !slices.Equal(got, tc.want) {
					t.Errorf("%q, want %q", got, tc.want)
				}
			})
		}
	}
}

// unforced runs the kernel to its end, by its own choices of threads.
func (g *guest) unforced(t testing.TB) string {
	t.Helper()
	for range 20_000 {
		next := trace.NoThread
		for _, d := range g.Threads(nil) {
			if d.Status == trace.Ready && (next == trace.NoThread || uint64(d.ID) == g.running.Get()) {
				next = d.ID
			}
		}
		if next == trace.NoThread {
			return g.verdict()
		}
		tr, err := g.Step(next, 0)
		switch {
		case err == trace.ErrFiner:
			g.Rewind(g.root)
		case err != nil:
			t.Fatal(err)
		case tr.End == trace.EndProcess || tr.End == trace.EndBug:
			return g.verdict()
		}
	}
	return "goes on"
}

// TestLivelock: threads that only give the processor up go round for ever, if no tick changes
// what they read. Where one of them does more, or waits for a number of ticks, they don't.
func TestLivelock(t *testing.T) {
	const why = " the processor up again and again, and 1000 ticks have changed nothing that is read there"
	ticked := func(c *emutest.Code) {
		again := c.Here()
		yields(c)
		c.Do(func(p *emu.CPU) { p.RAX = p.Load(kTicks, 8) }).JumpIf(func(p *emu.CPU) bool { return p.RAX < 20 }, again)
	}
	for _, tc := range []struct {
		name  string
		parts []part
		want  string
	}{
		{"two", []part{until(0, yields), until(0, yields)}, "livelock: the kernel goes round for ever: threads 0, 0.1 give" + why},
		{"one that another ends", []part{until(0, yields), all(yields, yields, put(0, 1))}, "ends"},
		{"one that time ends", []part{ticked, ticked}, "ends"},
	} {
		if got := bootScript(t, scheduler.Config{}, told{}, nil, tc.parts...).unforced(t); got != tc.want {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

// TestKernelBugs: what ends a kernel with a bug, in each order of its threads.
func TestKernelBugs(t *testing.T) {
	const block, text = 0x40000, 0x50000
	message := func(p *emu.CPU) {
		for i, b := range []byte("no memory") {
			p.Store(text+uint64(i), 1, uint64(b))
		}
	}
	given, taken := tellsOf(tellAllocated, block, 64), tellsOf(tellFreed, block, 0)
	for _, tc := range []struct {
		name string
		bug  part
		want string // the beginning
	}{
		{"hlt with interrupts off", func(c *emutest.Code) { c.Cli().Halt() }, "deadlock: the processor stops for good: hlt with interrupts off"},
		{"a loop with interrupts off", func(c *emutest.Code) { c.Cli().Jump(c.Here()) }, "livelock: " + offText},
		{"a panic", all(func(c *emutest.Code) { c.Do(message) }, tellsOf(tellPanicked, text, 0)), "assertion: the kernel panics: no memory"},
		{"a status", func(c *emutest.Code) { c.Cli().Set(3).Out(kOff) }, "assertion: the kernel ends with status 3"},
		{"an exception that isn't mended", func(c *emutest.Code) { c.Illegal() }, "illegal-instruction: illegal instruction"},
		{"a trap without a gate", func(c *emutest.Code) { c.Trap(0x31) }, "segfault: interrupt 0x31 has no gate in the interrupt descriptor table"},
		{"a jump to where no code is", func(c *emutest.Code) { c.Jump(0x9000) }, "segfault: jump to 0x9000, where no code is"},
		{"freed twice", all(given, taken, taken), "double-free: "},
		{"freed without having been given", taken, "invalid-free: "},
		{"used after it was freed", all(given, taken, func(c *emutest.Code) { c.Put4(block+8, 1) }), "use-after-free: writes 4 bytes at offset 8 of a block of 64 bytes"},
		{"used while it is given", all(given, func(c *emutest.Code) { c.Put4(block+8, 1) }, taken), "ends"},
		{"a stack that is used up", all(tellsOf(tellStack, number(0), stackTop(0)-64), func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) { p.RCX = p.RSP - 0x80 }).LoadStack().Call(kTell(tellFreed))
		}), "stack-overflow: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got := bootScript(t, scheduler.Config{}, told{}, nil, tc.bug, put(0, 1)).ends(t, nil)
			for i := range got {
				if got[i] = strings.TrimPrefix(got[i], "[] "); strings.HasPrefix(got[i], tc.want) {
					got[i] = tc.want
				}
			}
			if got = slices.Compact(got); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestKernelRoles: functions with roles, by a profile, of which landgo knows the call and the
// return.
func TestKernelRoles(t *testing.T) {
	const function, block, format, name = kBody + 0x1000, 0x40000, 0x50000, 0x50040
	returns := func(v uint64) part { return func(c *emutest.Code) { c.Do(func(p *emu.CPU) { p.RAX = v }).Return() } }
	calls := func(args ...uint64) part {
		return func(c *emutest.Code) {
			c.Do(func(p *emu.CPU) {
				for i, r := range []*uint64{&p.RDI, &p.RSI, &p.RDX}[:len(args)] {
					*r = args[i]
				}
			}).Call(function)
		}
	}
	texts := func(c *emutest.Code) {
		c.Do(func(p *emu.CPU) {
			for at, s := range map[uint64]string{format: "thread %d of %s fails\n", name: "main"} {
				for i, b := range []byte(s) {
					p.Store(at+uint64(i), 1, uint64(b))
				}
			}
		})
	}
	for _, tc := range []struct {
		name  string
		bound profile.Bound
		code  part // of the function
		calls part
		want  string
	}{
		{"a panic's message", profile.Bound{Role: profile.Panic, Name: "panic"}, returns(0), all(texts, calls(format, 7, name)), "assertion: the kernel panics: thread 7 of main fails"},
		{"an assertion", profile.Bound{Role: profile.AssertFail, Name: "fails"}, returns(0), all(texts, calls(name)), "assertion: assertion failed: main"},
		{"abort", profile.Bound{Role: profile.Abort, Name: "die"}, returns(0), calls(), "assertion: the kernel panics in die"},
		{"a test that fails", profile.Bound{Role: profile.TestReport, Name: "report"}, returns(0), calls(1), "assertion: the test reports a failure"},
		{"a test that doesn't", profile.Bound{Role: profile.TestReport, Name: "report"}, returns(0), calls(0), "ends"},
		{"an allocator's block, used behind its end", profile.Bound{Role: profile.Malloc, Family: 1, Name: "alloc"}, returns(block), all(calls(32), func(c *emutest.Code) { c.Put4(block+16, 1) }), "ends"},
		{"a lock", profile.Bound{Role: profile.MutexLock, Name: "acquire"}, returns(0), all(calls(0x8100), put(0, 2)), "ends"},
		{"a function that is to let go and leaves interrupts off", profile.Bound{Role: profile.MutexUnlock, Name: "release"},
			func(c *emutest.Code) { c.Cli().Return() }, calls(0x8100), "assertion: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.bound.Point = profile.AfterCall
			g := bootScript(t, scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem | trace.PointLock | trace.PointUnlock}}, told{},
				map[uint64]profile.Bound{function: tc.bound}, tc.calls, put(1, 1), func(c *emutest.Code) {
					next := c.Here()
					c.At(function)
					tc.code(c)
					c.At(next)
				})
			got := g.ends(t, nil)
			for i := range got {
				if got[i] = strings.TrimPrefix(got[i], "[] "); strings.HasPrefix(got[i], tc.want) {
					got[i] = tc.want
				}
			}
			if !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// TestKernelTexts: what is said of a kernel's threads where they stand.
func TestKernelTexts(t *testing.T) {
	said := map[string]bool{}
	var g *guest
	outcomes := map[uint64]bool{}
	g = bootScript(t, scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem | trace.PointCLI}}, told{}, nil,
		all(put(0, 1), off(put(1, 1)), waits), all(sleeps(2), take(0, 2)))
	g.ends(t, func() {
		for i := range g.threads {
			if g.threads[i].Exists {
				said[g.StateText(trace.TID(i))], said[g.NextText(trace.TID(i))] = true, true
			}
		}
		outcomes[g.Outcome()] = true
	})
	for _, want := range []string{"waits for being woken by another thread", "sleeps", "ended", "stops", "turns interrupts off", fmt.Sprintf("writes %#x", shared(0)), fmt.Sprintf("reads %#x", shared(0))} {
		if !said[want] {
			t.Errorf("%q wasn't said: %v", want, said)
		}
	}
	if starts := g.Starts(); len(starts) != 2 {
		t.Errorf("threads but the idle one: %+v", starts)
	}
	for op, want := range map[trace.Op]string{{Kind: trace.OpInterruptsOff}: "", {Kind: trace.OpExit}: "ends"} {
		if got := g.OpText(op); got != want {
			t.Errorf("%+v: %q", op, got)
		}
	}
	if _, err := g.Digest(); err == nil {
		t.Error("a kernel's states can be told apart")
	}
}

// TestPriorities: a kernel's ticks that obey priorities bring the processor to the best threads
// alone; where they don't, that is learned and all can run.
func TestPriorities(t *testing.T) {
	// This kernel's scheduler looks at no priority, so it is found out.
	g := bootScript(t, scheduler.Config{}, told{}, nil, all(tellsOf(tellPriority, number(0), 5), put(0, 1), take(1, 2)), all(put(1, 1), take(0, 3)))
	if got, want := g.ends(t, nil, 2, 3), []string{"[0 1] ends", "[1 0] ends", "[1 1] ends"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if !g.known.Unranked {
		t.Error("it isn't known that ticks obey no priorities")
	}
}

// TestBlocksTold: an observer hears of a kernel's blocks, and of none that a try gives out.
func TestBlocksTold(t *testing.T) {
	g := bootScript(t, scheduler.Config{}, told{}, nil, all(tellsOf(tellAllocated, 0x40000, 64), tellsOf(tellFreed, 0x40000, 0)))
	o := &observed{}
	g.Observe(o)
	if got := g.ends(t, nil); !slices.Equal(got, []string{"[] ends"}) {
		t.Fatalf("%q", got)
	}
	if !slices.Equal(o.told, []string{"given 64", "taken 64"}) {
		t.Errorf("it heard %q", o.told)
	}
}

type observed struct{ told []string }

func (o *observed) Block(_ trace.TID, b heap.Block, given bool) {
	o.told = append(o.told, fmt.Sprintf("%s %d", map[bool]string{true: "given", false: "taken"}[given], b.Size))
}
func (*observed) Created(_, _ trace.TID)              {}
func (*observed) Did(_ trace.TID, _ int, _ *trace.Op) {}

// TestAskedToGiveWay: a kernel's ticks take the processor from no thread that runs the kernel's
// code, and only ask it to give way. Another thread comes on where it does.
func TestAskedToGiveWay(t *testing.T) {
	own := described(2)
	own.Resched = debuginfo.Member{Offset: 32, Size: 4}
	g := bootScript(t, scheduler.Config{}, told{profile: own}, nil, put(0, 1), put(1, 1))
	if g.keeps(&g.threads[0]) != true || g.isAsked(&g.threads[0]) {
		t.Error("it gives the processor up to a tick, or has been asked to")
	}
	g.machine.Write32(number(0)+32, 1)
	if !g.isAsked(&g.threads[0]) {
		t.Error("it hasn't been asked to give way")
	}
	if all := g.outcomesOf(&g.threads[0]); !slices.Equal(all, []outcome{nothingComes}) {
		t.Errorf("where interrupts are off, or it was asked, there can come %v", all)
	}
}
