package pebbles

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/linked"
	"landgo/internal/trace"
	"landgo/kernel"
)

// The tests run real guests, which guests/pebbles/Makefile builds, on the real
// machine. world is the least scheduler that can do that: it knows no points, no
// sharing and no reduction.

// guestDir and guestDir32 are where the guests are built, once for all tests of
// landgo, for x86-64 and for i386.
var (
	guestDir   = filepath.Join("..", "..", "bin", "guests", "pebbles")
	guestDir32 = guestDir + "-i386"
)

func TestMain(m *testing.M) {
	for _, machine := range []string{"x86-64", "i386"} {
		make := exec.Command("make", "-s", "-j2", "-C", sources, "MACHINE="+machine, "all", "abi")
		if out, err := make.CombinedOutput(); err != nil {
			fmt.Fprintf(os.Stderr, "building the guests (they need gcc and make): %v\n%s", err, out)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// needs32 skips a test where gcc doesn't make programs for i386: the Makefile
// then builds no guests for it.
func needs32(t *testing.T) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(guestDir32, "spin-join")); err != nil {
		t.Skip("gcc -m32 doesn't work here")
	}
}

// actor is a guest thread in a world. It is a plain value, so a copy of a
// world's actors is all of a world's state that the machine doesn't keep.
type actor struct {
	ctx   emu.Ctx
	regs  emu.Regs
	set   trace.RegSet // registers of regs to write before it goes on
	state actorState
	insns uint64
}

type actorState uint8

const (
	actorAbsent actorState = iota
	actorReady
	actorAsleep
	actorGone
)

// world runs one guest. It is a kernel.Host.
type world struct {
	m      *emu.Machine
	img    *image.Image
	k      *Kernel
	names  []string
	ids    map[string]trace.TID
	actors []actor
	end    string // how the guest ended; empty while it hasn't
}

func newWorld(t testing.TB, guest string, cfg Config) *world {
	t.Helper()
	return openWorld(t, filepath.Join(guestDir, guest), cfg)
}

func openWorld(t testing.TB, path string, cfg Config) *world {
	t.Helper()
	img, err := image.Open(path, linked.Search{})
	if err != nil {
		t.Fatal(err)
	}
	if img.Kernel != elffile.Pebbles {
		t.Fatalf("%s: recognised as %v", path, img.Kernel)
	}
	m, err := emu.New(MachineConfig(img.File))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	w := &world{m: m, img: img, names: []string{"0"}, ids: map[string]trace.TID{"0": 0}}
	if w.k, err = New(w.host(), img.File, cfg); err != nil {
		t.Fatal(err)
	}
	regs, err := w.k.Boot()
	if err != nil {
		t.Fatal(err)
	}
	w.actors = []actor{{ctx: m.Start(&regs), regs: regs, state: actorReady}}
	return w
}

// host is the world as the kernel has it.
func (w *world) host() kernel.Host { return kernel.Host{Machine: w.m, Threads: w, Interrupter: w} }

func (w *world) Name(t trace.TID) string               { return w.names[t] }
func (w *world) SetResult(t trace.TID, v uint64)       { w.actors[t].regs.RAX = v }
func (w *world) Regs(t trace.TID) *emu.Regs            { return &w.actors[t].regs }
func (w *world) Interrupt(t trace.TID, regs *emu.Regs) { w.SetRegs(t, regs) }
func (w *world) SetRegs(t trace.TID, r *emu.Regs) {
	w.actors[t].regs, w.actors[t].set = *r, trace.AllRegs
}
func (w *world) CPU(t trace.TID) emu.Ctx          { return w.actors[t].ctx }
func (w *world) Stack(trace.TID) []uint64         { return nil }
func (w *world) Arrival(trace.TID) kernel.Arrival { return kernel.ArrivesAtOnce }
func (w *world) TakesInCall(trace.TID) bool       { return true }
func (w *world) KeepCPU(emu.Ctx)                  {}

func (w *world) Intern(parent trace.TID, n uint64) (trace.TID, error) {
	name := fmt.Sprintf("%s.%d", w.names[parent], n)
	if id, ok := w.ids[name]; ok {
		return id, nil
	}
	if len(w.names) == 64 {
		return trace.NoThread, fmt.Errorf("the guest creates more than %d threads", len(w.names))
	}
	id := trace.TID(len(w.names))
	w.names = append(w.names, name)
	w.ids[name] = id
	return id, nil
}

// worldMark is a state of a world to come back to.
type worldMark struct {
	mark   trace.Mark
	actors []actor
	end    string
}

func (w *world) mark() worldMark {
	return worldMark{w.m.Mark(), append([]actor(nil), w.actors...), w.end}
}

func (w *world) rewind(s worldMark) {
	w.m.Rewind(s.mark)
	w.actors = append(w.actors[:0], s.actors...)
	w.end = s.end
}

// ready lists the threads that can run.
func (w *world) ready() []trace.TID {
	var ts []trace.TID
	for t := range w.actors {
		if w.actors[t].state == actorReady {
			ts = append(ts, trace.TID(t))
		}
	}
	return ts
}

// run lets thread t go on until it has completed budget instructions, stands
// behind a voluntary switch, or can't go on. It reports whether it was stopped
// by the budget.
func (w *world) run(t trace.TID, budget uint64) bool {
	left := budget
	for {
		a := &w.actors[t]
		stop := w.m.Run(&emu.Run{From: a.ctx, Thread: t, Budget: left, Set: a.set, Regs: a.regs, Reuse: true})
		a.ctx, a.set = stop.Ctx, 0
		a.insns += stop.Insns
		left -= stop.Insns
		switch stop.Why {
		case emu.StopBudget:
			return true
		case emu.StopTrap:
			a.regs = stop.Regs
			left--
			a.insns++
			if w.trap(t, stop.Trap) || w.end != "" {
				return false
			}
			if left == 0 {
				return true
			}
		case emu.StopFault, emu.StopPrivileged:
			a.regs = stop.Regs
			f := stop.Fault
			if stop.Why == emu.StopPrivileged {
				f.Kind = emu.FaultProtection
			}
			if !w.k.Fault(t, f, &a.regs) {
				w.end = fmt.Sprintf("fault %d at %#x", f.Kind, f.Addr)
				return false
			}
			a.set = trace.AllRegs
		default:
			w.end = fmt.Sprintf("stop %d at %#x: %s", stop.Why, stop.PC, stop.Detail)
			return false
		}
	}
}

// trap carries out the call at which t stands. It reports whether another
// thread may go on for it.
func (w *world) trap(t trace.TID, trap emu.Trap) (switches bool) {
	a := &w.actors[t]
	p := w.k.Plan(t, trap)
	if p.Effect == kernel.Invalid {
		w.end = "invalid: " + p.Reason
		return true
	}
	o := w.k.Do(t, trap, 0, &a.regs)
	a.set = trace.AllRegs
	switch {
	case o.Invalid != "":
		w.end = "invalid: " + o.Invalid
	case o.ExitProcess:
		w.end = fmt.Sprintf("status %d", o.Status)
	case o.ExitThread:
		a.state = actorGone
	case o.Sleep:
		a.state = actorAsleep
	}
	for _, u := range o.Wakes {
		w.actors[u].state = actorReady
	}
	if s := o.Spawn; s != nil {
		for int(s.Child) >= len(w.actors) {
			w.actors = append(w.actors, actor{})
		}
		w.actors[s.Child] = actor{ctx: w.m.Start(&s.Regs), regs: s.Regs, state: actorReady}
	}
	return p.Yield || o.Sleep || o.ExitThread || o.ExitProcess || o.Invalid != ""
}

// finish runs the guest to its end, a slice of each thread in turn.
func (w *world) finish(slice uint64) {
	for turns, t := 0, trace.TID(0); w.end == ""; turns++ {
		ts := w.ready()
		if len(ts) == 0 {
			w.end = "deadlock"
			return
		}
		if turns > 1<<20 {
			w.end = "no end"
			return
		}
		t = after(ts, t)
		w.run(t, slice)
	}
}

// after is the thread of a list, in ascending order, that comes after t in turn.
func after(ts []trace.TID, t trace.TID) trace.TID {
	for _, u := range ts {
		if u > t {
			return u
		}
	}
	return ts[0]
}
