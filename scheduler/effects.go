package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A kernel's accesses for a thread: guest memory, pages and words of its own state, all
// of them recorded by the kernel's log (package effect). Words have addresses where no
// guest has memory, and are shared as memory is: private to a thread until a second one
// touches them.
//
// A call is foreseen before it is made. Where other threads share what it would touch it
// is a step of its own. So a call within another step must not touch anything
// unforeseen, and each is compared.
//
// A trusted function may call the kernel more than once: to write and to close, say. Other threads
// may come between, and signals, while it holds a lock. So such a call is a step of its own too,
// in the midst of the function (inCalls).

// othersIn lists the parts of pages that other threads touched: a thread's own
// accesses are in order with its calls.
func (x *Sharing) othersIn(th *thread, p kernel.Pages) []emu.Range {
	if p.Size == 0 || x.in.unseen(th.ID) {
		return nil
	}
	x.learning.finer = x.in.machine.Vary(p.Addr, p.Size) || x.learning.finer
	return x.in.machine.Others(th.ID, p.Addr, p.Size)
}

// sharesForeseen reports whether another thread shares what a call would touch. alike:
// the operation of the call says all of that.
func (x *Sharing) sharesForeseen(th *thread, p *kernel.Plan, f *kernel.Foresight) (shared, alike bool) {
	alike = true
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if !x.sharesTouch(th.ID, a) {
			continue
		}
		shared = true
		if o := &p.Op; p.Op.Kind != trace.OpExit && p.Op.Kind != trace.OpCreate && (a.Addr < o.Obj || a.Addr+uint64(a.Size) > o.Obj+uint64(o.Size)) {
			alike = false
		}
	}
	for i := range f.Others {
		if d := &f.Others[i]; x.sharesTouch(d.Thread, &d.Access) {
			shared, alike = true, false
		}
	}
	for _, p := range f.Pages {
		if len(x.changed(th, p)) > 0 {
			shared, alike = true, false
		}
	}
	return shared, alike
}

// sharesWords reports whether another thread shares words of the kernel's that a call would touch. Of
// a call in the midst of a trusted function, these say whether it is a step.
func (x *Sharing) sharesWords(th *thread, f *kernel.Foresight) (shared bool) {
	for i := range f.Accesses {
		if a := &f.Accesses[i]; x.in.isWord(a.Addr) && x.sharesTouch(th.ID, a) {
			shared = true
		}
	}
	for i := range f.Others {
		if d := &f.Others[i]; x.sharesTouch(d.Thread, &d.Access) {
			shared = true
		}
	}
	return shared
}

// checkForeseen compares the accesses of a call with those that were foreseen. The call was made
// within a step because it would touch nothing shared.
func (x *Sharing) checkForeseen(th *thread, p *kernel.Plan, f *kernel.Foresight, out *kernel.Outcome) {
	for i := range out.Accesses {
		a := &out.Accesses[i]
		covered := false
		for j := range f.Accesses {
			o := &f.Accesses[j]
			covered = covered || o.Addr <= a.Addr && a.Addr+uint64(a.Size) <= o.Addr+uint64(o.Size) && (o.IsWrite() || !a.IsWrite())
		}
		if !covered {
			panic(fmt.Sprintf("scheduler: %s of thread %s touched %d bytes at %#x, which wasn't foreseen", p.Name, x.names.Name(th.ID), a.Size, a.Addr))
		}
	}
}

// takeEffects records what a call has touched. Memory that trusted code works on is its
// own business, but words of the kernel's and the program's memory are not. If a call of
// trusted code shares some, landgo learns that it is a step of its own.
func (x *Sharing) takeEffects(th *thread, tr *trace.Transition, pc uint64, own []trace.Access, others []kernel.Deed, pages []kernel.Pages) {
	runs := x.in.lib.Running(th.ID)
	trusted := th.Starting || runs&(RunsFollowed|RunsQuiet) != 0
	x.called(th.ID, own)
	for i := range own {
		a := &own[i]
		if trusted && !x.in.isWord(a.Addr) {
			if !th.Starting && runs&(RunsFollowed|RunsWatched) == RunsWatched {
				x.takeWatched(th, tr, pc, a)
			}
			continue
		}
		if x.touchAs(th, th.ID, tr, pc, a) && runs&RunsQuiet != 0 {
			x.in.lib.Meets(th.ID)
		}
	}
	for i := range others {
		x.touchAs(th, others[i].Thread, tr, pc, &others[i].Access)
	}
	if trusted {
		return
	}
	for _, p := range pages {
		for _, r := range x.changed(th, p) {
			x.Touch(th.ID, tr, pc, r.Lo, uint32(r.Hi-r.Lo), trace.Write)
			x.changePages(tr, pc, r)
			x.learning.MemoryEnds(r.Lo, r.Hi-r.Lo)
			x.seen.record.Met.Paged.Add(pc)
		}
	}
}

// takeWatched records what a call of a function with RunsWatched has touched of memory that the
// program uses too. The function fwrite may have the kernel read what it is given, and fread may have
// it write there.
func (x *Sharing) takeWatched(th *thread, tr *trace.Transition, pc uint64, a *trace.Access) {
	if a.Size == 0 || x.in.unseen(th.ID) {
		return
	}
	learned := x.in.machine.TouchTrusted(x.toucher(th.ID), a.Addr, uint64(a.Size), a.IsWrite())
	x.learning.finer = x.learning.finer || learned
	hull := x.in.machine.SharedHull(a.Addr, a.Addr+uint64(a.Size))
	if hull.Hi == 0 {
		return
	}
	n := len(tr.Accesses)
	tr.Accesses = append(tr.Accesses, trace.Access{Addr: hull.Lo, Size: uint32(hull.Hi - hull.Lo), Flags: a.Flags, PC: pc})
	x.in.lib.Accessed(th.ID, tr, tr.Accesses[n:], true)
	x.in.lib.Meets(th.ID)
}

// changePages records the change of pages as what store buffers depend on, too: a store that is
// in one was allowed when the buffer took it.
func (x *Sharing) changePages(tr *trace.Transition, pc uint64, r emu.Range) {
	if !x.in.cfg.Buffers {
		return
	}
	for page := r.Lo &^ (abi.PageSize - 1); page < r.Hi; page += abi.PageSize {
		tr.Did(trace.Op{Kind: trace.OpPage, Obj: page, Size: abi.PageSize, PC: pc})
	}
}

// changed lists the parts of pages that a call changes and other threads touched. A thread may
// make a mapping accessible that it has just made. Others don't know it yet: so stacks are made,
// which are their threads' own.
func (x *Sharing) changed(th *thread, p kernel.Pages) []emu.Range {
	if p.New && th.mapped == x.in.progress() {
		return nil
	}
	return x.othersIn(th, p)
}

// recorder is a kernel that records its accesses outside of calls: in the delivery of a fault,
// and at the end of a thread that landgo carries out.
type recorder interface {
	Touched() ([]trace.Access, []kernel.Deed)
}

// takeTouched records what the kernel has just touched for a thread.
func (x *Sharing) takeTouched(th *thread, tr *trace.Transition, pc uint64) {
	if k, ok := x.in.kernel.(recorder); ok {
		own, others := k.Touched()
		x.takeEffects(th, tr, pc, own, others, nil)
	}
}

// SleptFor is the operation that a thread last slept in the kernel for.
func (s *present) SleptFor(t trace.TID) trace.OpKind { return s.threads[t].pending.Kind }

// lifeKernel is a kernel with a word for whether a thread lives.
type lifeKernel interface {
	LifeWord(t trace.TID) uint64
}

// lifeIsShared reports whether other threads have looked at whether a thread lives.
func (x *Sharing) lifeIsShared(t trace.TID) bool {
	k, ok := x.in.kernel.(lifeKernel)
	if !ok {
		return false
	}
	_, shared := x.in.machine.Sharing(k.LifeWord(t))
	return shared
}

// brings carries out a step of no thread of the guest's that has a thread get a signal: a
// timer's, or an arrival.
func (q *Traps) brings(th edit, tr *trace.Transition, does func() kernel.Outcome) (kernel.Outcome, error) {
	q.sent = q.sent[:0]
	out := does()
	th.Insns++
	th.Effects++
	if out.Invalid != "" {
		return out, q.in.Invalid(out.Gap, trace.TID(0), 0, "%s", out.Invalid)
	}
	for _, op := range append(out.Ops, q.sent...) {
		q.signals.sends(th.thread, op)
		tr.Did(op)
	}
	q.sharing.takeEffects(th.thread, tr, 0, out.Accesses, out.Others, nil)
	q.wake(tr, out.Wakes)
	return out, nil
}

// wake lets threads out of kernel queues.
func (q *Traps) wake(tr *trace.Transition, wakes []trace.TID) {
	for _, w := range wakes {
		q.in.wakeFromKernel(w)
		tr.Wakes = append(tr.Wakes, w)
	}
}
