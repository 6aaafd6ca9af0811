package linux

import (
	"fmt"
	"os/exec"
	"sort"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/compile"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/linked"
	"landgo/internal/trace"
	"landgo/kernel"
)

// driver is the least scheduler that runs a guest. It is a kernel.Host, runs
// threads round robin for a quantum of instructions, and takes the choice that a
// test gives it.
type driver struct {
	m       *emu.Machine
	k       *Kernel
	threads []*driven
	names   []string
	ids     map[[2]uint64]trace.TID
	calls   map[string]bool // names of the calls met
	quantum uint64
	choose  func(outcomes uint32) trace.Choice

	status int
	signal int
	over   bool
	why    string // why it couldn't go on
}

type driven struct {
	known, asleep, gone bool
	ctx                 emu.Ctx
	set                 trace.RegSet
	regs                emu.Regs
	trap                *emu.Trap // it stands at one
}

// clone copies a thread, for remembering a state.
func (t *driven) clone() *driven {
	c := *t
	return &c
}

func newDriver(t testing.TB, path string, cfg Config) *driver {
	t.Helper()
	img, err := image.Open(path, linked.Search{})
	if err != nil {
		t.Fatal(err)
	}
	return newImageDriver(t, img.File, cfg)
}

func newImageDriver(t testing.TB, img *elffile.File, cfg Config) *driver {
	t.Helper()
	ec := emu.Config{Mode: emu.X86_64, Space: DefaultSpace}
	for _, r := range img.Code {
		ec.Code = append(ec.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	m, err := emu.New(ec)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	d := &driver{m: m, names: []string{"0"}, ids: map[[2]uint64]trace.TID{}, calls: map[string]bool{}, quantum: 1500,
		choose: func(uint32) trace.Choice { return 0 }}
	if d.k, err = New(d.host(), img, cfg); err != nil {
		t.Fatal(err)
	}
	regs, err := d.k.Boot()
	if err != nil {
		t.Fatal(err)
	}
	d.threads = []*driven{{known: true, ctx: m.Start(&regs), regs: regs}}
	return d
}

// host is the driver as the kernel has it.
func (d *driver) host() kernel.Host { return kernel.Host{Machine: d.m, Threads: d, Interrupter: d} }

func (d *driver) Intern(parent trace.TID, n uint64) (trace.TID, error) {
	key := [2]uint64{uint64(parent), n}
	if id, ok := d.ids[key]; ok {
		return id, nil
	}
	if len(d.names) >= 200 {
		return trace.NoThread, fmt.Errorf("too many threads")
	}
	id := trace.TID(len(d.names))
	d.ids[key] = id
	d.names = append(d.names, fmt.Sprintf("%s.%d", d.names[parent], n))
	return id, nil
}

func (d *driver) Name(t trace.TID) string { return d.names[t] }
func (d *driver) SetResult(t trace.TID, v uint64) {
	d.threads[t].regs.RAX = v
	d.threads[t].set = trace.AllRegs
}
func (d *driver) Regs(t trace.TID) *emu.Regs            { return &d.threads[t].regs }
func (d *driver) CPU(t trace.TID) emu.Ctx               { return d.threads[t].ctx }
func (d *driver) Stack(trace.TID) []uint64              { return nil }
func (d *driver) Arrival(trace.TID) kernel.Arrival      { return kernel.ArrivesAtOnce }
func (d *driver) TakesInCall(trace.TID) bool            { return true }
func (d *driver) KeepCPU(emu.Ctx)                       {}
func (d *driver) Interrupt(t trace.TID, regs *emu.Regs) { d.SetRegs(t, regs) }
func (d *driver) SetRegs(t trace.TID, regs *emu.Regs) {
	th := d.threads[t]
	th.regs, th.set, th.trap = *regs, trace.AllRegs, nil
}

// run lets the guest run to its end, or until no thread can run, or for a
// number of traps.
func (d *driver) run(traps int) {
	for n := 0; n < traps && !d.over; {
		ran := false
		for id := 0; id < len(d.threads) && !d.over; id++ {
			th := d.threads[id]
			if !th.known || th.asleep || th.gone {
				continue
			}
			if th.trap != nil && d.k.Plan(trace.TID(id), *th.trap).Blocked {
				continue
			}
			ran = true
			if d.turn(trace.TID(id), th) {
				n++
			}
		}
		if !ran && !d.expire() {
			d.fail("deadlock")
		}
	}
}

func (d *driver) fail(format string, args ...any) {
	if !d.over {
		d.over, d.why = true, fmt.Sprintf(format, args...)
	}
}

func (d *driver) expire() bool {
	t, when := d.k.nextDeadline()
	if t == trace.NoThread {
		return false
	}
	d.k.AdvanceTo(when)
	d.k.Expire(t)
	d.threads[t].asleep = false
	return true
}

// turn runs one thread to its next trap, or for a quantum, and carries the
// trap out. It reports whether there was one.
func (d *driver) turn(id trace.TID, th *driven) bool {
	if th.trap != nil {
		d.trap(id, th)
		return true
	}
	stop := d.m.Run(&emu.Run{From: th.ctx, Thread: id, Flags: emu.Quiet | emu.IgnoreBreaks,
		Budget: d.quantum, Set: th.set, Regs: th.regs})
	th.ctx, th.set = stop.Ctx, 0
	switch stop.Why {
	case emu.StopBudget:
		th.regs = d.m.Regs(th.ctx)
		return false
	case emu.StopTrap:
		th.regs = stop.Regs
		trap := stop.Trap
		th.trap = &trap
		if d.k.Plan(id, trap).Blocked {
			return false
		}
		d.trap(id, th)
		return true
	case emu.StopFault:
		th.regs = stop.Regs
		if d.k.Fault(id, stop.Fault, &th.regs) {
			th.set = trace.AllRegs
			return true
		}
		d.over, d.signal = true, map[emu.FaultKind]int{emu.FaultDivide: sigFpe, emu.FaultIllegal: sigIll}[stop.Fault.Kind]
		if d.signal == 0 {
			d.signal = sigSegv
		}
		d.why = fmt.Sprintf("fault %+v at %#x", stop.Fault, stop.PC)
		return false
	}
	d.fail("stop %d at %#x: %s", stop.Why, stop.PC, stop.Detail)
	return false
}

func (d *driver) trap(id trace.TID, th *driven) {
	p := d.k.Plan(id, *th.trap)
	d.calls[p.Name] = true
	if p.Effect == kernel.Invalid {
		d.fail("invalid: %s", p.Reason)
		return
	}
	var choice trace.Choice
	if p.Outcomes > 1 {
		choice = d.choose(p.Outcomes)
	}
	regs := th.regs
	o := d.k.Do(id, *th.trap, choice, &regs)
	th.regs, th.set, th.trap = regs, trace.AllRegs, nil
	th.asleep, th.gone = o.Sleep, o.ExitThread
	if o.RestoreCPU {
		th.ctx = o.Resume
	}
	for _, w := range o.Wakes {
		d.threads[w].asleep = false
	}
	if o.Spawn != nil {
		for int(o.Spawn.Child) >= len(d.threads) {
			d.threads = append(d.threads, &driven{})
		}
		regs := o.Spawn.Regs
		d.threads[o.Spawn.Child] = &driven{known: true, ctx: d.m.Start(&regs), regs: regs}
	}
	switch {
	case o.Invalid != "":
		d.fail("invalid: %s", o.Invalid)
	case o.Signal != 0:
		d.over, d.signal = true, o.Signal
	case o.ExitProcess:
		d.over, d.status = true, o.Status
	}
}

// met is the sorted list of calls.
func (d *driver) met() string {
	var names []string
	for n := range d.calls {
		names = append(names, n)
	}
	sort.Strings(names)
	return strings.Join(names, " ")
}

// toolchain is a way to build a guest.
type toolchain struct {
	name string
	args []string
}

var toolchains = []toolchain{
	{"glibc", []string{"gcc", "-static", "-pthread"}},
	{"musl", []string{"musl-gcc", "-static", "-pthread"}},
	{"glibc-pie", []string{"gcc", "-static-pie", "-fPIE", "-pthread"}},
}

// build compiles a C source; make setup installs both compilers.
func (tc toolchain) build(t testing.TB, source string) string {
	t.Helper()
	if _, err := exec.LookPath(tc.args[0]); err != nil {
		t.Fatalf("%s isn't installed: run make setup", tc.args[0])
	}
	return compile.Exact(t, tc.args[0], "guest.c", source, append(tc.args[1:], "-O1")...)
}

// nextDeadline is the thread whose wait runs out first, and when.
func (k *Kernel) nextDeadline() (first trace.TID, when uint64) {
	first, when = trace.NoThread, noDeadline
	k.Deadlines(func(t trace.TID, ns uint64) {
		if ns < when {
			first, when = t, ns
		}
	})
	return first, when
}
