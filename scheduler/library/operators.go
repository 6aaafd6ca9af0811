package library

import (
	"landgo/heap"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
)

// C++'s operators new and delete are the runtime's code around malloc and free:
// a call of those from inside of one is the operator's. A block goes back by the function
// that belongs to the one it came from: delete of a new, delete[] of a new[], free of all
// that C's functions return.
//
// Some call another (new[] calls new, by a jump), so an operator is remembered at
// its entry, up to the allocator's call in it. The new-handler, which new calls
// when there is no memory, may call anything. A block is judged only if the note
// about it is where the operator's own call can find it.

// operatorFrame is a call of an operator under way, until it calls the allocator.
type operatorFrame struct {
	on, array bool
	sp, ret   uint64
}

func (l *heapCalls) breakOperators() {
	l.operators = static.OperatorsOf(l.image.Info)
	for _, list := range []map[uint64]elffile.Range{l.operators.New, l.operators.Delete} {
		for addr := range list {
			l.breakAt(addr, breakOperator)
		}
	}
}

// atOperator remembers the operator at whose entry a thread stands, unless it is
// another's way to the allocator.
func (l *heapCalls) atOperator(th edit) {
	f := operatorFrame{on: true, array: l.operators.Arrays[th.Regs.RIP], sp: th.Regs.RSP, ret: l.callSite(th.thread)}
	if o := &th.operator; o.on && (f.sp == o.sp && f.ret == o.ret || f.sp < o.sp && l.inOperator(f.ret)) {
		return
	}
	th.operator = f
}

func (l *heapCalls) inOperator(pc uint64) bool {
	return within(l.operators.New, pc) || within(l.operators.Delete, pc)
}

func within(list map[uint64]elffile.Range, pc uint64) bool {
	for _, r := range list {
		if pc >= r.Lo && pc < r.Hi {
			return true
		}
	}
	return false
}

// maxOperator is more than the stack that operators use on the way to the
// allocator's call.
const maxOperator = 256

// origin says what calls the function of the allocator at whose entry a thread
// stands: the program, or an operator for it.
func (l *heapCalls) origin(th edit) heap.Origin {
	ret, o := l.callSite(th.thread), th.operator
	tail := o.on && th.Regs.RSP == o.sp && ret == o.ret // it jumped here
	inside := l.inOperator(ret)
	switch {
	case l.operators.New == nil || !tail && !inside:
		return heap.OfMalloc
	case !o.on || th.Regs.RSP > o.sp || o.sp-th.Regs.RSP > maxOperator:
		return heap.Unknown
	}
	th.operator = operatorFrame{}
	if o.array {
		return heap.OfNewArray
	}
	return heap.OfNew
}
