package scheduler

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
)

// Promises are conditions that the guest wants to hold always, or at some time
// (landgo_always, landgo_eventually). They are functions of its own, which are run on
// the side at the end of a step. Their stores are taken back.
//
// A condition depends on states, and a search runs one execution of each trace. Two steps
// that it takes for independent could make a state between them that no execution of the
// trace has. So steps that may change what a condition reads have one order in each trace
// (trace.OpJudged), as visible steps have in the theory of partial orders. The words that
// conditions read are in known.Facts.Judged: in the last search, all that
// any condition read in any state is known from the beginning. Take an execution whose n-th
// such step breaks a condition, and the one of its trace that is run. Its first n such
// steps are the same and write the same values, so the words have the same values after the
// n-th in both. The condition reads no others, and fails there too.
//
// A condition also counts as a thread that reads these words: accesses to them are events.
//
// With store buffers a condition is about memory, as a processor that stores nothing sees
// it: a store counts when it is flushed. A condition counts once what its thread
// stored before it made it is in memory.

// promise is a condition.
type promise struct {
	always bool
	holds  uint64 // the function
	arg    uint64
	lock   uint64   // the condition counts while no thread has it; 0: always
	regs   emu.Regs // where it was made: the function runs as if it were called there
	met    emu.Flag // it has held
	// Thread by made it, and stored before. early: not all of that is in memory, so it doesn't
	// count yet; it does after this many updates.
	by      trace.TID
	updates uint32
	early   emu.Flag
}

// Promises are the conditions that the guest has made, and functions of its own run on the
// side. The conditions go back with a mark (state.promises).
type Promises struct {
	in       *named
	sharing  *Sharing
	learning *learning
	regs     func(trace.TID) *emu.Regs // a thread's present ones
}

// judgedObject is the object of trace.OpJudged: there is one.
const judgedObject = 1

// Add takes a condition of thread t's, which stands at the call that makes it. Always:
// it holds at each point from now on, where a lock is free, if there is one. Not always:
// it holds at some point before the end.
func (j *Promises) Add(t trace.TID, always bool, holds, arg, lock uint64) error {
	th := &j.in.threads[t]
	if !j.learning.known.Exits { // the changes of a thread's last step are looked at before it is gone
		j.learning.known.Exits = true
		j.learning.finer = true
	}
	p := &promise{always: always, holds: holds, arg: arg, lock: lock, regs: th.Regs, by: t, updates: th.buffer.Pushed()}
	j.in.machine.PutFlag(&p.early, !th.buffer.Empty())
	j.in.promises = append(j.in.promises, p)
	return nil
}

// Pending is the operation of a thread that stands before it makes a condition.
func (j *Promises) Pending(pc uint64) trace.Op {
	return trace.Op{Kind: trace.OpJudged, Obj: judgedObject, PC: pc}
}

// judge looks, at the end of a step, whether the promises hold. made is how many there
// were before, and alone: no other thread was there. A step before the first of them counts,
// too, where it may change what one will read: its order with that one's beginning matters.
func (j *Promises) judge(th edit, tr *trace.Transition, made int, alone bool) error {
	switch {
	case tr.End == trace.EndBug || len(j.in.promises) == 0 && (alone || len(j.learning.known.Judged) == 0):
		return nil
	case tr.End == trace.EndProcess:
		j.judgeEnd(th, tr)
		return nil
	}
	at, touches := j.changedBy(tr)
	touches = j.comeToCount(th.thread, tr) || len(j.in.promises) > made && !alone || touches
	if !touches && !alone {
		return nil
	}
	if touches {
		tr.Did(trace.Op{Kind: trace.OpJudged, Obj: judgedObject})
	}
	for _, p := range j.in.promises {
		if !p.always && p.met.Get() || p.early.Get() {
			continue
		}
		if p.lock != 0 {
			if owner, _ := j.in.lib.Owner(p.lock); owner != trace.NoThread {
				continue
			}
		}
		holds, err := j.holdsNow(th.thread, p)
		switch {
		case err != nil:
			return err
		case holds && !p.always:
			j.in.machine.PutFlag(&p.met, true)
		case !holds && p.always && !j.learning.finer && th.Stand != StandFailure:
			j.failAfter(th, &Failure{Kind: trace.Invariant, Thread: th.ID, PC: at.pc, Message: j.brokenText(th.thread, p, at.text)})
			return nil
		}
	}
	return nil
}

// comeToCount has those conditions count that a step, an update of thread th's buffer, lets
// count. It reports whether there are some.
func (j *Promises) comeToCount(th *thread, tr *trace.Transition) (some bool) {
	for _, p := range j.in.promises {
		if tr.Updates && p.early.Get() && p.by == th.ID && th.buffer.Updated() >= p.updates {
			j.in.machine.PutFlag(&p.early, false)
			some = true
		}
	}
	return some
}

// judgeEnd is the same at the end of the process.
func (j *Promises) judgeEnd(th edit, tr *trace.Transition) {
	for _, p := range j.in.promises {
		if !p.always && !p.met.Get() {
			tr.End = trace.EndBug
			th.Failure = &Failure{Kind: trace.Unreached, Thread: th.ID, PC: th.Regs.RIP,
				Message: fmt.Sprintf("the program ends, and %s has never held (landgo_eventually)", j.functionText(p))}
			return
		}
	}
}

// failAfter makes a thread that has made its step stand before its failure.
func (j *Promises) failAfter(th edit, f *Failure) {
	th.Regs = *j.regs(th.ID)
	th.Set, th.Half = 0, 0
	if f.PC == 0 {
		f.PC = j.in.PC(th.ID)
	}
	th.Stand, th.Failure, th.Yielding, th.Waits = StandFailure, f, false, nil
}

// brokenText says which condition doesn't hold after what a thread did.
func (j *Promises) brokenText(th *thread, p *promise, does string) string {
	text := j.functionText(p) + " doesn't hold (landgo_always"
	if p.lock != 0 {
		text += "_when, " + j.in.VariableName(p.lock) + " is free"
	}
	text += ")"
	if does != "" {
		text += fmt.Sprintf(" after thread %s %s", j.in.Name(th.ID), does)
	}
	return text
}

func (j *Promises) functionText(p *promise) string {
	if f, ok := j.in.image.SymbolAt(p.holds); ok && f.Addr == p.holds {
		return f.Name
	}
	return fmt.Sprintf("the condition at %#x", p.holds)
}

// deed is an act that may have changed a condition's memory.
type deed struct {
	pc   uint64
	text string
}

// changedBy reports whether a step may change what a condition reads, and the last of what
// it did that may.
func (j *Promises) changedBy(tr *trace.Transition) (by deed, changes bool) {
	last := -1
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.Flags&(trace.Write|trace.FailedCAS|trace.RMW) != 0 && a.Flags&trace.Buffered == 0 && j.judges(a.Addr, uint64(a.Size)) {
			does := "writes "
			switch {
			case tr.Updates:
				does = "flushes "
			case a.Flags&trace.RMW != 0:
				does = "updates "
			}
			by, changes, last = deed{a.PC, does + j.in.VariableName(a.Addr)}, true, i
		}
	}
	for i := range tr.Ops {
		op := &tr.Ops[i]
		judged := op.Size != 0 && j.judges(op.Obj, uint64(op.Size))
		for _, p := range j.in.promises {
			judged = judged || p.lock != 0 && op.Obj == p.lock
		}
		if judged {
			if int(op.At) > last {
				by = deed{op.PC, j.in.OpText(*op)}
			}
			changes = true
		}
	}
	return by, changes
}

func (j *Promises) judges(addr, size uint64) bool {
	if size > abi.PageSize { // a stack, or pages: rather than looking at each word
		return len(j.learning.known.Judged) > 0
	}
	return j.judgedWords(addr, size) > 0
}

// judgedWords counts the words of a range that conditions read.
func (j *Promises) judgedWords(addr, size uint64) (n int) {
	if size == 0 || len(j.learning.known.Judged) == 0 {
		return 0
	}
	for w := addr / 8; w <= (addr+size-1)/8; w++ {
		if j.learning.known.Judged[w] {
			n++
		}
	}
	return n
}

// holdsNow runs a condition, and learns what it reads.
func (j *Promises) holdsNow(th *thread, p *promise) (bool, error) {
	result, _, err := j.Aside(th.ID, &p.regs, p.holds, nil, []uint64{p.arg}, func(a *trace.Access) {
		if j.in.machine.Prot(a.Addr)&emu.ProtWrite == 0 {
			return // it never changes
		}
		j.sharing.shared(AllThreads, a.Addr, uint64(a.Size), a.IsWrite())
		for w := a.Addr / 8; w <= (a.Addr+uint64(a.Size)-1)/8; w++ {
			if j.learning.known.Judged.Add(w) {
				j.learning.finer = true
			}
		}
	})
	return uint32(result) != 0, err
}
