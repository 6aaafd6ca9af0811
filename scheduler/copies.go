package scheduler

import (
	"cmp"
	"fmt"
	"slices"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Copies of system calls, in several steps (Config.Divided).
//
// A kernel copies a call's memory one word after the other: write and read of a buffer, and their
// like. Other threads see a part, or change one. Here each word that threads share is read or
// written in a step of its own. First come the words that the call reads, then what it does, then
// those that it writes. Memory that threads don't share is copied with these.
//
// A kernel holds locks meanwhile, so that no two calls copy from or to one pipe at a time
// (kernel.Copier's Holds). Such a call of another thread would wait. Here it blocks for ever, as
// landgo_assume does: its thread runs later in other executions. Such a call depends on the first
// step of a copy, on its call and on its last step. Between these, its place makes no difference.

// mostParts is how many such words a call may have when it begins. One with more is one step: each of
// them is a step in each execution. A warning says so (result.AtOnce).
const mostParts = 1024

// copying is a call that its thread is in the midst of. It is replaced, never changed: threads'
// earlier states have it too.
type copying struct {
	on    bool
	never bool   // it waits for another thread's copy: for ever
	pc    uint64 // the call
	name  string
	holds kernel.Hold
	op    trace.Op      // of its first step and its last, if it holds anything
	read  []kernel.Part // by its steps so far
	left  []kernel.Part // to be written
}

var notCopying copying

// copyCalls are the calls that copy in several steps.
type copyCalls struct {
	in      *named
	sharing *Sharing
	seen    *seen
	judged  func(addr, size uint64) int // how many words of a range conditions read
}

// kernel is the guest's, nil where no call is divided.
func (c *copyCalls) kernel() (k kernel.Copier) {
	if c.in.cfg.Divided {
		k, _ = c.in.kernel.(kernel.Copier)
	}
	return k
}

// granule is how much memory has one note of the threads that share it.
const granule = 8

// sharedWord is the first address from lo to hi, in a granule that threads share, and the end of
// the part of the granule that is below hi. It is false if there is none.
func (c *copyCalls) sharedWord(lo, hi uint64) (from, to uint64, ok bool) {
	for lo < hi {
		next := min(hi, lo&^(granule-1)+granule)
		if _, shared := c.in.machine.Sharing(lo); shared {
			return lo, next, true
		}
		lo = next
	}
	return 0, 0, false
}

// several reports whether a call touches more than one word that threads share, and not too many.
func (c *copyCalls) several(f *kernel.Foresight) bool {
	n := c.words(f.Accesses)
	return n > 1 && n <= mostParts
}

// words counts the words that threads share of what a call touches, up to one more than mostParts.
func (c *copyCalls) words(accesses []trace.Access) (n int) {
	for i := range accesses {
		a := &accesses[i]
		if c.in.isWord(a.Addr) || a.Flags&trace.Atomic != 0 {
			continue
		}
		for lo, hi := a.Addr, a.Addr+uint64(a.Size); n <= mostParts; n++ {
			_, to, ok := c.sharedWord(lo, hi)
			if !ok {
				break
			}
			lo = to
		}
	}
	return n
}

// atOnce notes a call of a thread that isn't alone, if it has copied several such words in one step, or
// several that conditions read.
func (c *copyCalls) atOnce(th *thread, pc uint64, accesses []trace.Access) {
	if len(accesses) == 0 || c.in.Alone(th.ID) || c.in.trusted(th) {
		return
	}
	if _, ok := c.in.kernel.(kernel.Copier); ok && c.words(accesses) > 1 {
		c.seen.record.Met.Copied.Add(pc)
	}
	judged := 0
	for i := range accesses {
		if a := &accesses[i]; a.IsWrite() && !c.in.isWord(a.Addr) {
			judged += c.judged(a.Addr, uint64(a.Size))
		}
	}
	if judged > 1 {
		c.seen.record.Met.Judged.Add(pc)
	}
}

// begin makes the step of a thread before a call, if that is a part of a copy. It reports whether
// it is; else the call is carried out.
func (c *copyCalls) begin(th edit, tr *trace.Transition, p *kernel.Plan, foresee func() kernel.Foresight, dead func(*kernel.Foresight) *Failure) (over bool, f *Failure, err error) {
	divider := c.kernel()
	if divider == nil || p.Blocked || p.Outcomes > 1 || p.Lockless && c.in.cfg.Buffers {
		return false, nil, nil
	}
	divider.Divide(th.copying().read)
	holds := divider.Holds(th.ID)
	divider.Whole()
	switch {
	case th.copying().on && holds.File != th.copying().holds.File:
		return false, nil, c.in.Invalid(kernel.GapCall, th.ID, th.copying().pc, "a thread closes the descriptor of %s while that copies", p.Name)
	case th.copying().on:
	case !holds.Late && c.excluded(th.thread, holds):
		return c.waits(th, tr, p.Op)
	default:
		if f := foresee(); c.in.trusted(th.thread) || !c.several(&f) {
			if c.excluded(th.thread, holds) {
				return c.waits(th, tr, p.Op)
			}
			return false, nil, nil
		}
		k := copying{on: true, pc: th.Regs.RIP, name: p.Name}
		if !holds.Late {
			k.holds = holds
		}
		if k.holds.Locks != [2]uint64{} && p.Effect == kernel.Event {
			k.op = p.Op
		}
		th.copies = &k
	}
	divider.Divide(th.copying().read)
	ahead := foresee()
	divider.Whole()
	from, to, ok := c.nextRead(&ahead)
	if !ok && holds.Late && c.excluded(th.thread, holds) {
		return c.waits(th, tr, p.Op)
	}
	if !ok {
		return false, nil, c.stillThere(th, th.copying().read, emu.ProtRead)
	}
	if f := dead(&kernel.Foresight{Accesses: []trace.Access{{Addr: from, Size: uint32(to - from)}}}); f != nil {
		th.Insns++
		return true, f, nil
	}
	c.sharing.Touch(th.ID, tr, th.copying().pc, from, uint32(to-from), 0)
	if c.steps(th); len(th.copying().read) == 0 {
		c.holds(th, tr, th.copying().op)
	}
	tr.Loose = true // the call's arguments, and the kernel's state, say which word it is
	k := *th.copying()
	k.read = joined(k.read, from, c.in.machine.Bytes(from, to-from))
	th.copies = &k
	return true, nil, nil
}

// waits has a thread's call wait for another thread's copy, for ever.
func (c *copyCalls) waits(th edit, tr *trace.Transition, op trace.Op) (over bool, f *Failure, err error) {
	c.steps(th)
	c.holds(th, tr, op)
	k := *th.copying()
	k.never = true
	th.copies = &k
	return true, nil, nil
}

// nextRead is the next word that threads share of what a call reads.
func (c *copyCalls) nextRead(f *kernel.Foresight) (from, to uint64, ok bool) {
	for i := range f.Accesses {
		a := &f.Accesses[i]
		if c.in.isWord(a.Addr) || a.Flags&(trace.Atomic|trace.Write) != 0 {
			continue
		}
		if from, to, ok = c.sharedWord(a.Addr, a.Addr+uint64(a.Size)); ok {
			return from, to, true
		}
	}
	return 0, 0, false
}

// joined is a list of parts with one more, in the last of them if it comes behind that.
func joined(list []kernel.Part, at uint64, b []byte) []kernel.Part {
	list = slices.Clone(list)
	if n := len(list); n > 0 && list[n-1].Addr+uint64(len(list[n-1].Bytes)) == at {
		list[n-1].Bytes = slices.Concat(list[n-1].Bytes, b)
		return list
	}
	return append(list, kernel.Part{Addr: at, Bytes: slices.Clone(b)})
}

// steps counts a step of a copy, which a schedule names.
func (c *copyCalls) steps(th edit) {
	th.Insns++
	th.Effects++
}

// holds records that a step begins, or ends, to keep other calls away, or reaches such a call.
func (c *copyCalls) holds(th edit, tr *trace.Transition, op trace.Op) {
	if op.Kind != trace.OpNone {
		op.PC = cmp.Or(th.copying().pc, th.Regs.RIP)
		tr.Did(op)
	}
}

// excluded reports whether another thread copies what such a call has to wait for.
func (c *copyCalls) excluded(th *thread, holds kernel.Hold) bool {
	for i := range c.in.threads {
		o := &c.in.threads[i]
		if o == th || !o.Live() || !o.copying().on {
			continue
		}
		for _, a := range holds.Locks {
			if a != 0 && slices.Contains(o.copying().holds.Locks[:], a) {
				return true
			}
		}
	}
	return false
}

// stillThere is the error of memory that a call can't copy all of. It was taken from the call, or given
// to it, since the copy began, or never was there.
func (c *copyCalls) stillThere(th edit, parts []kernel.Part, need emu.Prot) error {
	for i := range parts {
		if end := parts[i].Addr + uint64(len(parts[i].Bytes)); c.in.machine.ProtEnd(parts[i].Addr, end-parts[i].Addr, need) < end {
			return c.in.Invalid(kernel.GapCall, th.ID, th.copying().pc, "%s copies memory that isn't all accessible, or a thread changes that meanwhile", th.copying().name)
		}
	}
	return nil
}

// carriedOut takes in what a divided call has left to be written: words that threads share are left
// to later steps. What a call writes before it sleeps for more is one step.
func (c *copyCalls) carriedOut(th edit, tr *trace.Transition, left []kernel.Part, sleeps bool) {
	var parts []kernel.Part
	for _, p := range left {
		for lo, hi := p.Addr, p.Addr+uint64(len(p.Bytes)); lo < hi; {
			from, to, ok := c.sharedWord(lo, hi)
			if !ok || sleeps {
				from, to, ok = hi, hi, false
			}
			if lo < from {
				c.sharing.Touch(th.ID, tr, th.copying().pc, lo, uint32(from-lo), trace.Write) // others may begin to share it
				c.in.machine.Write(lo, p.Bytes[lo-p.Addr:from-p.Addr])
			}
			if ok {
				parts = append(parts, kernel.Part{Addr: from, Bytes: p.Bytes[from-p.Addr : to-p.Addr]})
			}
			lo = to
		}
	}
	if len(parts) == 0 {
		th.copies = nil
		return
	}
	k := *th.copying()
	k.read, k.left = nil, parts
	th.copies = &k
}

// writes makes the step that writes the next word. It reports whether it was the last.
func (c *copyCalls) writes(th edit, tr *trace.Transition, dead func(*kernel.Foresight) *Failure) (last bool, f *Failure, err error) {
	k := *th.copying()
	p := k.left[0]
	size := uint32(len(p.Bytes))
	if err := c.stillThere(th, k.left[:1], emu.ProtWrite); err != nil {
		return false, nil, err
	}
	at := kernel.Foresight{Accesses: []trace.Access{{Addr: p.Addr, Size: size, Flags: trace.Write}}}
	if f := dead(&at); f != nil {
		th.Insns++
		return false, f, nil
	}
	c.sharing.Touch(th.ID, tr, k.pc, p.Addr, size, trace.Write)
	c.in.machine.Write(p.Addr, p.Bytes)
	c.steps(th)
	if k.left = k.left[1:]; len(k.left) == 0 {
		c.holds(th, tr, k.op)
		th.copies = nil
		return true, nil, nil
	}
	th.copies = &k
	return false, nil, nil
}

// describe says what a thread in the midst of a copy does next. It reports whether nothing else is
// to be asked of it, such as its call's plan.
func (k *copying) describe(d *trace.Thread) bool {
	switch {
	case k.never:
		d.Status, d.Pending, d.Outcomes = trace.Blocked, trace.Op{Kind: trace.OpAssume}, 0
		return true
	case len(k.left) > 0:
		p := &k.left[0]
		d.Pending = trace.Op{Kind: trace.OpAccess, PC: k.pc}
		d.PendingAccess = trace.Access{Addr: p.Addr, PC: k.pc, Size: uint32(len(p.Bytes)), Flags: trace.Write}
		d.Loose = k.op.Kind != trace.OpNone && len(k.left) == 1
		return true
	}
	d.Loose = d.Loose || k.on
	return false
}

// hash adds it to the digest of its thread.
func (k *copying) hash(h *trace.Hash) {
	if !k.on && !k.never {
		return
	}
	h.Words(trace.Bit(k.never), k.pc, k.holds.Locks[0], k.holds.Locks[1], k.holds.File, uint64(k.op.Kind), k.op.Obj, uint64(len(k.read)), uint64(len(k.left)))
	for _, list := range [][]kernel.Part{k.read, k.left} {
		for i := range list {
			h.Word(list[i].Addr)
			h.Text(string(list[i].Bytes))
		}
	}
}

// copyText says what a thread in the midst of a copy does next, "" for another one.
func (s *named) copyText(th *thread) string {
	k := th.copying()
	switch {
	case len(k.left) > 0:
		return fmt.Sprintf("writes %s (%s)", s.VariableName(k.left[0].Addr), k.name)
	case len(k.read) > 0:
		return "goes on with " + k.name
	}
	return ""
}
