package scheduler

import (
	"fmt"
	"slices"

	"golang.org/x/arch/x86/x86asm"

	"landgo/internal/image/elffile"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// Bytes of the program's variables that several threads store to, and that no step reads, for a search
// that asks (por.Overwriter). por/unread.go says why the order of these stores makes no difference.
//
// Stored (known.Facts) has the bytes that two threads stored to in the first execution, where no step
// read them. Seen has those of them that were read later. They aren't unread any more, for good. A
// read is:
//
//   - an access that isn't marked as a store (mark). An access of a thread which has nothing beside it any
//     more counts as well, and is recorded as long as there are such bytes (present.unseen);
//   - so one of a system call, even one that writes: poll reads what it writes;
//   - a signal's handler in a thread that has exchanged: it finds the result among the registers;
//   - an operation on them, as a wait in the kernel has;
//   - an access that a thread stands before where an execution ends: a loop that waits.
//
// A store is a plain one of a variable that is declared atomic (Config.Declared): of others the
// order may be a race that is to be told. Or it is an exchange with memory whose result isn't used, by
// the code alone (static.Blends) or by it and the functions that the thread returns to.
//
// Judged by TestUnread in explore.

// unreads are those bytes.
type unreads struct {
	in        *present
	learning  *learning
	blends    *blends
	leftovers *leftovers
	dead      *deadCode
	on        bool
	asked     bool        // the first execution was looked at
	exposed   []trace.TID // threads whose handlers have begun in this step
}

// Unread implements por.Overwriter.
func (s *System) Unread(on bool) {
	s.unreads.on = on && s.Blends.on && !s.cfg.Buffers && s.cfg.Leaks == LeaksOff && s.cfg.Fill == nil && len(s.twins.beside) == 0
	s.unreads.asked = false
	s.Unlist()
}

// Spares reports whether the latest search that asked was spared orders of threads that are alike,
// or of stores that nothing reads.
func (s *System) Spares() bool {
	return s.known.Unread() || s.Kinship.most > 0 && !s.known.Unlike
}

// Spared says which orders these are, one sentence of each kind.
func (s *System) Spared() (list []string) {
	if s.known.Unread() {
		list = append(list, fmt.Sprintf("stores to %d bytes of memory have no order: no execution read them", len(s.known.Stored)-len(s.known.Seen)))
	}
	if text := s.Kinship.AlikeText(); text != "" {
		list = append(list, text)
	}
	return list
}

// is reports whether a byte is one of them.
func (u *unreads) is(b uint64) bool {
	k := &u.learning.known
	return k.Stored.Has(b) && !k.Seen.Has(b)
}

// covers reports whether an access is of such bytes alone.
func (u *unreads) covers(a *trace.Access) bool {
	if !u.on || len(u.learning.known.Stored) == 0 || !canAwait(a) || !u.learning.known.Unread() {
		return false
	}
	for b := a.Addr; b < a.Addr+uint64(a.Size); b++ {
		if !u.is(b) {
			return false
		}
	}
	return true
}

// mark marks an access, if it stores to such bytes. dead: the result of an exchange isn't used.
func (u *unreads) mark(a *trace.Access, dead bool) {
	switch {
	case !u.covers(a) || !a.IsWrite():
	case a.Flags&trace.RMW != 0:
		if dead || u.blends.byCode(a.PC) == trace.BlendStore && !u.in.image.FlagsCross() {
			a.SetBlend(trace.BlendStore)
		}
	case u.in.declared(a):
		a.Flags |= trace.Unordered
	}
}

// deadAt reports whether a thread stands before an exchange with such bytes, and never uses what it
// finds.
func (u *unreads) deadAt(th *thread) bool {
	a := &th.Access
	if th.Half != 0 || th.Set != 0 || a.Flags&trace.Atomic == 0 || !u.covers(a) {
		return false
	}
	reg, next := u.exchanges(a.PC)
	if reg == 0 {
		return false
	}
	r := u.in.machine.Regs(th.Ctx)
	r.RIP = next
	return reg&^u.dead.onward(th, r).regs == 0
}

// exchanges is the register that the exchange with memory at pc writes, 0 if none is there.
func (u *unreads) exchanges(pc uint64) (reg trace.RegSet, next uint64) {
	inst, ok := u.dead.decode(pc)
	if !ok || inst.Op != x86asm.XCHG || u.in.image.Machine != elffile.X86_64 {
		return 0, 0
	}
	_, memory := inst.Args[0].(x86asm.Mem)
	r, isReg := inst.Args[1].(x86asm.Reg)
	if !memory || !isReg {
		return 0, 0
	}
	return x86.General(r), pc + uint64(inst.Len)
}

// settle takes in a step that is over.
func (u *unreads) settle(tr *trace.Transition) {
	exposed := u.exposed
	u.exposed = nil
	if !u.on || !u.learning.known.Unread() {
		return
	}
	for i := 0; len(exposed) > 0 && i < len(u.in.steps); i++ {
		s := u.in.steps[i].tr
		for k := range s.Accesses {
			if a := &s.Accesses[k]; a.Flags&trace.RMW != 0 && slices.Contains(exposed, s.Thread) {
				u.see(a.Addr, uint64(a.Size))
			}
		}
	}
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.Blends() != trace.BlendStore {
			u.see(a.Addr, uint64(a.Size))
		}
	}
	for i := range tr.Ops {
		if op := &tr.Ops[i]; op.Kind != trace.OpFree && op.Kind != trace.OpReuse {
			u.see(op.Obj, uint64(op.Size))
		}
	}
}

// exposes: a signal's handler begins in a thread. It finds all registers in its frame, also those with
// results that the code doesn't use.
func (u *unreads) exposes(t trace.TID) {
	u.leftovers.shows(t)
	if u.on {
		u.exposed = append(u.exposed, t)
	}
}

// see notes that bytes are read.
func (u *unreads) see(addr, size uint64) {
	for b := addr; b < addr+size; b++ {
		if u.is(b) {
			u.learning.known.Seen.Add(b)
			u.learning.finer = true
		}
	}
}

// Overwritten implements por.Overwriter.
func (s *System) Overwritten() (news bool) {
	u := s.unreads
	if !u.on {
		return false
	}
	if u.learning.known.Unread() {
		u.standing()
	}
	if !u.asked && !s.sealed {
		u.asked = true
		u.guess()
	}
	if news = s.finer; news {
		s.finer = false
		s.learned++
		s.Unlist()
	}
	return news
}

// standing looks at what threads stand before where an execution ends.
func (u *unreads) standing() {
	for i := range u.in.threads {
		th := &u.in.threads[i]
		if th.Exists && (th.Stand == StandAccess || th.Stand == StandSpin) && (!th.Access.IsWrite() || th.Access.Flags&trace.RMW != 0) {
			u.see(th.Access.Addr, uint64(th.Access.Size))
		}
		if th.Exists {
			for k := range th.Waits {
				u.see(th.Waits[k].Addr, uint64(th.Waits[k].Size))
			}
		}
	}
}

// guess looks at the first execution: which bytes are stored to by several threads, and read by none?
func (u *unreads) guess() {
	type use struct {
		by            trace.TID
		several, read bool
	}
	uses := map[uint64]use{}
	for i := range u.in.steps {
		tr := u.in.steps[i].tr
		for k := range tr.Accesses {
			a := &tr.Accesses[k]
			stores := u.mayStore(a)
			for b := a.Addr; b < a.Addr+uint64(a.Size); b++ {
				o, ok := uses[b]
				if !ok {
					o.by = tr.Thread
				}
				o.several, o.read = o.several || o.by != tr.Thread, o.read || !stores
				uses[b] = o
			}
		}
	}
	k := &u.learning.known
	for b, o := range uses {
		if o.several && !o.read && !k.Judged.Has(b>>3) && u.variable(b) && k.Stored.Add(b) {
			u.learning.finer = true
		}
	}
}

// mayStore reports whether an access may be a store that can be marked.
func (u *unreads) mayStore(a *trace.Access) bool {
	if !a.IsWrite() || !canAwait(a) {
		return false
	}
	if a.Flags&trace.RMW != 0 {
		reg, _ := u.exchanges(a.PC)
		return reg != 0
	}
	return u.in.declared(a)
}

// variable reports whether an address is of one of the program's variables.
func (u *unreads) variable(addr uint64) bool {
	for _, s := range u.in.image.Segments {
		if s.Write && addr >= s.Addr && addr < s.Addr+s.MemSize {
			return true
		}
	}
	return false
}
