package library

import (
	"testing"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/linux"
	"landgo/scheduler"
)

// world is a guest whose code never runs: its machine has memory and no processor. Its
// threads call functions one after the other, and the test says whose turn it is.
type world struct {
	*Library
	clock *fakeKernel
	tr    *trace.Transition // of the latest call or step
}

// fakeKernel is a kernel that has only a clock.
type fakeKernel struct {
	kernel.Kernel
	now uint64
}

func (k *fakeKernel) AdvanceTo(ns uint64)               { k.now = ns }
func (k *fakeKernel) Deadlines(func(trace.TID, uint64)) {}

// Where things are: functions by their roles, where they return to, the data of the
// program, and a page for each thread's stack with its control block above it.
const (
	fakeCode   = 0x10000
	fakeReturn = fakeCode + 16*uint64(profile.NumRoles)
	fakeData   = 0x100000
	fakeStacks = 0x200000
	fakeStack  = 0x10000
)

func fakeFunction(r profile.Role) uint64 { return fakeCode + 16*uint64(r) }
func fakeTop(t trace.TID) uint64         { return fakeStacks + fakeStack*uint64(t+1) - 0x100 }

// newWorld makes a guest with some threads and the functions of a C library. Each
// operation is a preemption point.
func newWorld(t testing.TB, libc elffile.Libc, threads int, opts Config) *world {
	t.Helper()
	code := emu.Range{Lo: fakeCode, Hi: fakeCode + 0x4000}
	m, err := emu.New(emu.Config{Space: linux.DefaultSpace, Code: []emu.Range{code}, NoEngine: true, Heap: emu.Range{Lo: kernel.HeapLo, Hi: kernel.HeapHi}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	m.Protect(fakeData, 0x10000, emu.ProtRead|emu.ProtWrite)
	m.Protect(fakeStacks, fakeStack*uint64(threads), emu.ProtRead|emu.ProtWrite)
	core := scheduler.New(scheduler.Config{Granularity: scheduler.Granularity{Points: trace.PointMem}, MaxThreads: 16, StepBudget: 1000},
		m, image.Of(&elffile.File{Machine: elffile.X86_64}))
	w := &world{Library: New(core, opts), clock: &fakeKernel{}}
	w.libc, w.shapes = libc, libcShapes[libc]
	roles := map[uint64]profile.Bound{}
	for r := profile.NoRole + 1; r < profile.NumRoles; r++ {
		roles[fakeFunction(r)] = profile.Bound{Role: r, Name: r.String()}
	}
	core.Ensure(trace.TID(threads - 1))
	w.Boot(w.clock, roles)
	for id := range trace.TID(threads) {
		if id > 0 {
			if _, err := core.Intern(0, uint64(id)); err != nil {
				t.Fatal(err)
			}
		}
		w.ensure(id)
		*core.Thread(id) = scheduler.Thread{ID: id, Exists: true, Parent: trace.NoThread, Set: trace.AllRegs}
		w.threads[id].Regs.FSBase = fakeTop(id) + 8
	}
	return w
}

// call has a thread call a function. Its return address is on top of its stack.
func (w *world) call(t testing.TB, id trace.TID, r profile.Role, args ...uint64) scheduler.Verdict {
	t.Helper()
	w.begun(t, id)
	th := &w.threads[id]
	var a [4]uint64
	copy(a[:], args)
	th.Stand = scheduler.StandRun
	th.Regs.RIP, th.Regs.RSP = fakeFunction(r), fakeTop(id)
	th.Regs.RDI, th.Regs.RSI, th.Regs.RDX, th.Regs.RCX = a[0], a[1], a[2], a[3]
	w.machine.Write64(fakeTop(id), fakeReturn)
	return w.took(t)(w.AtBreak(id, uint8(w.breaks[th.Regs.RIP]), w.tr))
}

// step has a thread carry out the operation at which it stands, with an outcome, or give
// up if that isn't possible. It is StepOp without what comes after the function.
func (w *world) step(t testing.TB, id trace.TID, c trace.Choice) scheduler.Verdict {
	t.Helper()
	th := w.edit(id)
	if th.Stand != scheduler.StandOp {
		t.Fatalf("thread %d stands at no function", id)
	}
	w.begun(t, id)
	w.begins = true
	defer func() { w.begins = false }()
	switch {
	case th.phase == phaseTouch || th.phase == phaseNames:
		return w.took(t)(w.stepTouch(th, w.tr))
	case acts[th.role].how == allocator:
		return w.took(t)(w.performHeap(th, w.tr))
	case th.phase == phaseOver:
		return w.took(t)(w.returnsLate(th, w.tr))
	case w.possible(th.thread):
		return w.took(t)(w.perform(th, w.tr, c))
	}
	return w.took(t)(w.timeOut(th, w.tr, c))
}

// does calls a function that doesn't wait, and carries it out. It returns the result.
func (w *world) does(t testing.TB, id trace.TID, r profile.Role, args ...uint64) uint64 {
	t.Helper()
	v := w.call(t, id, r, args...)
	for v == scheduler.Stay && w.failure(id) == nil {
		v = w.step(t, id, 0)
	}
	return w.result(t, id)
}

// result is the value that a function has returned to a thread.
func (w *world) result(t testing.TB, id trace.TID) uint64 {
	t.Helper()
	th := &w.threads[id]
	if th.Stand == scheduler.StandFailure {
		t.Fatalf("thread %d fails: %s", id, th.Failure.Message)
	}
	if th.Regs.RIP != fakeReturn || th.Regs.RSP != fakeTop(id)+8 {
		t.Fatalf("thread %d hasn't returned: it is at %#x", id, th.Regs.RIP)
	}
	return th.Regs.RAX
}

// failure is the bug before which a thread stands, nil if it is at none.
func (w *world) failure(id trace.TID) *scheduler.Failure {
	if w.threads[id].Stand != scheduler.StandFailure {
		return nil
	}
	return w.threads[id].Failure
}

func (w *world) begun(t testing.TB, id trace.TID) {
	t.Helper()
	tr, err := w.core.Begin(id, 0, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	w.tr = tr
}

func (w *world) took(t testing.TB) func(scheduler.Verdict, error) scheduler.Verdict {
	return func(v scheduler.Verdict, err error) scheduler.Verdict {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		w.core.Done(w.tr)
		w.core.Idle()
		return v
	}
}

// both runs a test for each C library.
func both(t *testing.T, f func(t *testing.T, libc elffile.Libc)) {
	t.Run("glibc", func(t *testing.T) { f(t, elffile.Glibc) })
	t.Run("musl", func(t *testing.T) { f(t, elffile.Musl) })
}
