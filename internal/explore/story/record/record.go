package record

import (
	"slices"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// New is the record of an execution with these steps.
func New(guest Guest, beats ...Beat) *Run { return &Run{guest: guest, Beats: beats} }

// Run is an execution as it was replayed, step by step. It answers what happened when,
// and which accesses met. Its readers decide which of that a person should see.
type Run struct {
	guest Guest
	Beats []Beat
	own   map[uint64]bool // the guest's own locks, once they have been looked for (ownlock.go)
	index index
}

// Guest answers what a record can't know of the guest that it is of.
type Guest interface {
	// Name is a thread's name.
	Name(t trace.TID) string
	// Variable is the name of an address in a variable.
	Variable(addr uint64) (name string, ok bool)
	// VariableName is the name of an object, or its address.
	VariableName(addr uint64) string
	// Frames are the frames of a stack's addresses.
	Frames(pcs []uint64) []result.Frame
	// Atomic reports whether the code at pc accesses what is declared as atomic.
	Atomic(pc, addr uint64) bool
	// IsBuffer reports whether a thread is a store buffer.
	IsBuffer(t trace.TID) bool
}

// Beat is one step of the execution, with all that was seen of it.
type Beat struct {
	Step     por.PathStep
	Accesses []trace.Access
	By       []trace.TID      // of accesses, where other threads made some
	Values   []Value          // of accesses
	Stacks   [][]result.Frame // of accesses in a library's headers, if they were asked for
	Names    []string         // of what is accessed, "" if it has a variable's
	Ops      []trace.Op
	Calls    map[int][]uint64 // of ops: the stack of one that a library's header calls for the user
	Wakes    []trace.TID
	// The step's thread before the step: where it stood, if that isn't where it was
	// left, or isn't the user's code.
	Stack []uint64
	Left  []uint64 // where it stood after the step, if it was preempted there
	Why   string   // why the thread was left after the step, if it was
	Held  []string
	Out   string
}

// Value has the values that an access read and wrote.
type Value struct {
	Old, New string
	Raw      uint64
}

// At is access number access of beat number beat.
type At struct{ Beat, Access int }

// Call is an operation of a record.
type Call struct {
	Beat int
	Op   *trace.Op
}

// Calls are the operations of some kinds on an object, in order.
func (r *Run) Calls(obj uint64, kinds ...trace.OpKind) (list []Call) {
	for i := range r.Beats {
		for k := range r.Beats[i].Ops {
			if o := &r.Beats[i].Ops[k]; o.Obj == obj && slices.Contains(kinds, o.Kind) {
				list = append(list, Call{i, o})
			}
		}
	}
	return list
}

// By is the thread that makes a call.
func (r *Run) By(c Call) trace.TID { return r.Beats[c.Beat].Step.Thread }

// Place is where the guest's code makes a call.
func (r *Run) Place(c Call) string {
	f := r.Caller(c)
	return f.Where()
}

// Caller is the user's line that makes a call. A C++ library's header may make it for the user: the
// stack tells, if the thread stood there before the step.
func (r *Run) Caller(c Call) result.Frame {
	b, pcs := &r.Beats[c.Beat], []uint64{c.Op.PC - 1}
	if k := int(c.Op.At); r.own[c.Op.Obj] {
		if Takes(c.Op) {
			k--
		}
		if b.Stacks != nil && b.Stacks[k] != nil {
			return result.Innermost(b.Stacks[k])
		}
	}
	for n, stack := range b.Calls {
		if &b.Ops[n] == c.Op {
			return result.Innermost(r.guest.Frames(stack))
		}
	}
	first := slices.IndexFunc(b.Ops, func(o trace.Op) bool { return o.PC == c.Op.PC })
	if k := slices.Index(b.Stack, c.Op.PC); k > 0 && first >= 0 && &b.Ops[first] == c.Op {
		pcs = append(pcs, b.Stack[k+1:]...)
	}
	return result.Innermost(r.guest.Frames(pcs))
}

// AccessAt is an access of the record.
func (r *Run) AccessAt(x At) *trace.Access { return &r.Beats[x.Beat].Accesses[x.Access] }

// RawAt is the number that an access read or wrote; 0 if it isn't known.
func (r *Run) RawAt(x At) uint64 {
	if b := &r.Beats[x.Beat]; x.Access < len(b.Values) {
		return b.Values[x.Access].Raw
	}
	return 0
}

// BeforeThreads reports whether no second thread was ever there.
func (r *Run) BeforeThreads() bool {
	for i := range r.Beats {
		if r.Beats[i].Step.Thread != r.Beats[0].Step.Thread { // a kernel may boot with several
			return false
		}
		for _, op := range r.Beats[i].Ops {
			if op.Kind == trace.OpCreate {
				return false
			}
		}
	}
	return true
}

// Output is all that the guest wrote.
func (r *Run) Output() string {
	var b strings.Builder
	for i := range r.Beats {
		b.WriteString(r.Beats[i].Out)
	}
	return b.String()
}

// Chosen are the steps with a value that isn't the first, or a failure.
func (r *Run) Chosen() (list []por.PathStep) {
	for i := range r.Beats {
		b := &r.Beats[i]
		if b.Step.Choice > 0 && slices.ContainsFunc(b.Ops, func(o trace.Op) bool { return o.Kind == trace.OpChoose || o.Kind == trace.OpFault }) {
			list = append(list, b.Step)
		}
	}
	return list
}

// Maker is the thread that made an access.
func (r *Run) Maker(x At) trace.TID { return r.Beats[x.Beat].MadeBy(x.Access) }

// Woken are the threads that a beat wakes, and doesn't create.
func (b *Beat) Woken() []trace.TID {
	return slices.DeleteFunc(slices.Clone(b.Wakes), func(t trace.TID) bool {
		return slices.ContainsFunc(b.Ops, func(o trace.Op) bool { return o.Kind == trace.OpCreate && o.Obj == uint64(t) })
	})
}

// MadeBy is the thread that made an access.
func (b *Beat) MadeBy(k int) trace.TID {
	if b.By != nil {
		return b.By[k]
	}
	return b.Step.Thread
}

// IsAtomic reports whether an access is atomic, or to what is declared so.
func (r *Run) IsAtomic(a *trace.Access) bool { return r.Declared(a) || a.Flags&trace.Atomic != 0 }

// Declared reports whether an access is to what its code declares as atomic.
func (r *Run) Declared(a *trace.Access) bool { return r.guest.Atomic(a.PC, a.Addr) }

// CallsBy are a thread's calls.
func (r *Run) CallsBy(thread string, obj uint64, kinds []trace.OpKind) []Call {
	return slices.DeleteFunc(r.Calls(obj, kinds...), func(c Call) bool { return r.guest.Name(r.By(c)) != thread })
}

// LowestVariable is above the words of a kernel's state, which are accessed atomically.
const LowestVariable = 1 << 17

// ObjectAt is the whole variable that an access is to, "" if it is to none.
func (r *Run) ObjectAt(x At) string {
	b := &r.Beats[x.Beat]
	name, ok := r.guest.Variable(b.Accesses[x.Access].Addr)
	if !ok && x.Access < len(b.Names) {
		name = b.Names[x.Access]
	}
	if i := strings.IndexAny(name, "+.["); i > 0 {
		return name[:i]
	}
	return name
}

// Takes reports whether an operation took a lock.
func Takes(o *trace.Op) bool {
	switch o.Kind {
	case trace.OpLock, trace.OpTryLock, trace.OpReadLock, trace.OpTryReadLock, trace.OpWriteLock, trace.OpTryWriteLock:
		return true
	}
	return false
}

// Unlocks reports whether an operation releases a lock.
func Unlocks(o *trace.Op) bool {
	return o.Kind == trace.OpUnlock || o.Kind == trace.OpReadUnlock || o.Kind == trace.OpWriteUnlock
}
