package story

import (
	"fmt"
	"strings"

	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Mistakes about the lives of blocks.

// freeing makes a block's early end the cause of its use, unless the cause is about the
// block, or where its address was.
func (st *Story) freeing(b *result.Bug, f *scheduler.Failure) {
	block := &f.Block
	life := st.blocks[lifeKey{block.Family, block.Addr, block.Generation}]
	if f.Kind != trace.UseAfterFree || life == nil || !block.Freed || block.Back.Thread == f.Thread {
		return
	}
	for _, x := range st.collided {
		if a := st.AccessAt(x); a.Addr-block.Addr < block.Size || st.RawAt(x) == block.Addr {
			return
		}
	}
	freed, used := where(life.back), where(b.Stack)
	if freed == "" || used == "" {
		return
	}
	b.Cause = fmt.Sprintf("thread %s frees the block (%s) before thread %s uses it (%s)", st.Guest.Name(block.Back.Thread), freed, b.Thread, used)
	b.Accesses, st.collided, st.hit = nil, nil, nil
}

// goneOwner: a thread uses, or frees, a block that another one has freed.
func (st *Story) goneOwner(b *result.Bug, f *scheduler.Failure) string {
	life := st.blocks[lifeKey{f.Block.Family, f.Block.Addr, f.Block.Generation}]
	user, freer := f.Thread, f.Block.Back.Thread
	if f.Kind != trace.UseAfterFree && f.Kind != trace.DoubleFree || life == nil || !f.Block.Freed || freer == user {
		return ""
	}
	freed, used := where(life.back), where(b.Stack)
	if freed == "" || used == "" || result.Innermost(life.back).File == "" || result.Innermost(b.Stack).File == "" {
		return ""
	}
	t, u := st.Guest.Name(user), st.Guest.Name(freer)
	atFree := int(f.Block.Back.Step) - 1 // the beat
	switch {
	case isChild(t, u) && !st.Joins(freer, user, atFree) && !st.comesLater(f):
		return fmt.Sprintf("Thread %s frees the block (%s) without waiting for thread %s, which it created and which still uses it (%s). Join that thread before the free.", u, freed, t, used)
	case f.Kind == trace.DoubleFree:
		return fmt.Sprintf("Thread %s (%s) and thread %s (%s) both free the block. Let one thread own it, or let a thread take the pointer and clear it in one atomic step.", u, freed, t, used)
	}
	for _, text := range []string{st.countedTwice(user, freer, freed), st.countedDown(f, freed, used)} {
		if text != "" {
			return text
		}
	}
	x, _, ok := st.foundAt(user, st.End(), &f.Block)
	if !ok {
		return st.handedOver(f, freed, used)
	}
	p := st.shown(x)
	if where(p.Stack) == "" {
		return ""
	}
	in := "in " + p.Name()
	from := "from " + p.Name()
	if p.Symbol == "" || p.Bookkeeping { // a container's own memory
		in, from = "there", "there"
	}
	if lock, let := st.freedAfter(f, x); x.Beat < atFree && lock != "" {
		return fmt.Sprintf("Thread %s takes the pointer %s under %s (%s), releases that (%s), and still uses the block (%s). In between thread %s frees it (%s). Hold %s until the last use, or count the threads that use the block and free it with the last.",
			t, from, lock, where(p.Stack), let, used, u, freed, lock)
	}
	if x.Beat < atFree {
		return fmt.Sprintf("Thread %s takes the pointer %s (%s), and thread %s frees the block (%s) before thread %s is done with it (%s). Hold one lock over both, or count the threads that use the block and free it with the last.", t, from, where(p.Stack), u, freed, t, used)
	}
	return fmt.Sprintf("Thread %s frees the block (%s), and thread %s still finds the pointer %s (%s). Take the pointer away before the free, with a lock over both.", u, freed, t, in, where(p.Stack))
}

// foundAt is the last access before a point by which a thread reads the address of a block,
// or one in it, that another thread wrote, outside of the block. It is the write, too, whose
// beat is -1 if it isn't on record.
func (st *Story) foundAt(t trace.TID, before at, b *heap.Block) (x, from at, ok bool) {
	for x, a := range st.Backward(t, before) {
		if a.Addr-b.Addr < b.Size || a.IsWrite() && a.Flags&trace.RMW == 0 {
			continue
		}
		w, by, known := st.Source(x)
		v := st.RawAt(x)
		if a.IsWrite() { // an exchange found the old value
			if !known || st.AccessAt(w).Addr != a.Addr || st.AccessAt(w).Size != a.Size {
				continue
			}
			v = st.RawAt(w)
		}
		switch {
		case v-b.Addr >= b.Size, known && by == t:
		case known:
			return x, w, true
		default:
			return x, at{Beat: -1}, true
		}
	}
	return x, from, false
}

// comesLater reports whether the user of a freed block has it from elsewhere than from the thread
// that created the user. Either the user has allocated it, or it has read the block's address
// from memory. That memory was written by a third thread, or after the user was created.
func (st *Story) comesLater(f *scheduler.Failure) bool {
	if f.Block.Given.Thread == f.Thread {
		return true
	}
	_, from, ok := st.foundAt(f.Thread, st.End(), &f.Block)
	if !ok || from.Beat < 0 {
		return false
	}
	return st.Beats[from.Beat].MadeBy(from.Access) != f.Block.Back.Thread || !st.Between(from, st.End(), trace.OpCreate, f.Thread)
}

// handedOver: a thread writes the address of a block to where another one takes it and frees
// the block, and uses the block after that.
func (st *Story) handedOver(f *scheduler.Failure, freed, used string) string {
	atFree := at{Beat: int(f.Block.Back.Step) - 1}
	taken, _, ok := st.foundAt(f.Block.Back.Thread, at{Beat: atFree.Beat + 1}, &f.Block)
	if !ok {
		return ""
	}
	for x, a := range st.Backward(f.Thread, taken) {
		if !a.IsWrite() || a.Addr-f.Block.Addr < f.Block.Size || st.RawAt(x)-f.Block.Addr >= f.Block.Size {
			continue
		}
		if !st.Together(x, taken) && !st.IsAtomic(a) && !st.IsAtomic(st.AccessAt(taken)) {
			return "" // it isn't handed over, but used by both
		}
		p, q := st.shown(x), st.shown(taken)
		if p.Symbol == "" || p.Bookkeeping || where(p.Stack) == "" || where(q.Stack) == "" {
			return ""
		}
		t, u := st.Guest.Name(f.Thread), st.Guest.Name(f.Block.Back.Thread)
		return fmt.Sprintf("Thread %s hands the block over in %s (%s), and still uses it after that (%s). In between, thread %s takes it (%s) and frees it (%s). Let thread %s be done with the block before it hands it over.",
			t, p.Name(), where(p.Stack), used, u, where(q.Stack), freed, t)
	}
	return ""
}

// countedTwice: a thread changes a count of users in a block, and looks at it again. In between,
// another one changes it too and frees the block.
func (st *Story) countedTwice(user, freer trace.TID, freed string) string {
	var again, change at
	for x, a := range st.Backward(user, st.End()) {
		again = x
		if change = st.LastOf(user, x, a); a.IsWrite() || change.Beat < 0 || !st.AccessAt(change).IsWrite() {
			return ""
		}
		break
	}
	if !change.Before(again) {
		return ""
	}
	other := st.LastOf(freer, again, st.AccessAt(again))
	for other.Beat >= 0 && !st.AccessAt(other).IsWrite() {
		other = st.LastOf(freer, other, st.AccessAt(again))
	}
	c, g := st.shown(change), st.shown(again)
	if other.Beat < 0 || !change.Before(other) || where(c.Stack) == "" || where(g.Stack) == "" || c.Symbol == "" {
		return ""
	}
	t, u := st.Guest.Name(user), st.Guest.Name(freer)
	return fmt.Sprintf("Thread %s changes %s (%s) and looks at it again (%s), as two steps. In between, thread %s changes it too (%s) and frees the block (%s). Change the count by one atomic operation, and look at what that returns.",
		t, c.Name(), where(c.Stack), where(g.Stack), u, where(st.shown(other).Stack), freed)
}

// countedDown: a thread counts itself out of a block's users and then uses the block, which
// another one has counted down to 0 in between, and freed.
func (st *Story) countedDown(f *scheduler.Failure, freed, used string) string {
	user, freer := f.Thread, f.Block.Back.Thread
	for x, a := range st.Backward(user, st.End()) {
		if a.Addr-f.Block.Addr >= f.Block.Size {
			continue
		}
		last := st.LastOf(freer, st.End(), a)
		for last.Beat >= 0 && !st.AccessAt(last).IsWrite() {
			last = st.LastOf(freer, last, a)
		}
		if last.Beat < 0 || !x.Before(last) {
			return ""
		}
		left, mine := st.oneLess(user, x)
		if none, its := st.oneLess(freer, last); !mine || !its || left == 0 || none != 0 {
			return ""
		}
		c, o := st.shown(x), st.shown(last)
		if c.Symbol == "" || where(c.Stack) == "" || where(o.Stack) == "" {
			return ""
		}
		return fmt.Sprintf("Thread %s counts %s down (%s), and uses the block after that (%s). In between thread %s counts it down to 0 (%s) and frees the block (%s). Look at the count where it is counted down, under one lock, and leave the block alone from then on.",
			st.Guest.Name(user), c.Name(), where(c.Stack), used, st.Guest.Name(freer), where(o.Stack), freed)
	}
	return ""
}

// oneLess reports whether a thread's write takes 1 from the number that it read before, and
// what is left.
func (st *Story) oneLess(t trace.TID, x at) (left uint64, ok bool) {
	read := st.LastOf(t, x, st.AccessAt(x))
	left = st.RawAt(x)
	return left, st.AccessAt(x).IsWrite() && read.Beat >= 0 && !st.AccessAt(read).IsWrite() && st.RawAt(read) == left+1
}

// burying makes the end of a thread the cause of a use of its stack.
func (st *Story) burying(b *result.Bug, f *scheduler.Failure) {
	used, what, ok := st.graveUse(b, f)
	if !ok {
		return
	}
	b.Cause = fmt.Sprintf("thread %s ends before thread %s uses %s (%s)", st.Guest.Name(f.Dead), b.Thread, what, where(b.Stack))
	b.Accesses, st.collided, st.hit = nil, nil, nil
	if used.Beat >= 0 {
		b.Accesses, st.collided = []result.Access{st.shown(used)}, []at{used}
	}
}

// graveUse is the access to an ended thread's stack that a failure is about, and what was
// there. Its beat is -1 if the failure is an operation on an object there.
func (st *Story) graveUse(b *result.Bug, f *scheduler.Failure) (used at, what string, ok bool) {
	used = at{Beat: -1}
	if f.Kind != trace.DeadStack || f.Dead == 0 || where(b.Stack) == "" {
		return used, "", false
	}
	what = "the stack of thread " + st.Guest.Name(f.Dead)
	for i := range st.Beats {
		for k := range st.Beats[i].Ops {
			o := &st.Beats[i].Ops[k]
			if o.Kind != trace.OpFree || st.Beats[i].Step.Thread != f.Dead {
				continue
			}
			for x, a := range st.Backward(f.Thread, st.End()) {
				if x.Beat > i && a.Addr >= o.Obj && a.Addr < o.Obj+uint64(o.Size) {
					used = x
				}
				break
			}
		}
	}
	if used.Beat >= 0 {
		if a := st.shown(used); a.Symbol != "" {
			what = a.Name()
		}
	}
	return used, what, true
}

// goneStack: a thread uses the stack of one that has ended, by an address that it finds in a
// variable.
func (st *Story) goneStack(b *result.Bug, f *scheduler.Failure) string {
	used, what, ok := st.graveUse(b, f)
	if ok && f.Returned {
		return st.returned(b, f)
	}
	if !ok || used.Beat < 0 {
		return ""
	}
	const near = abi.PageSize // an object's part may be meant by the object's address
	to := st.AccessAt(used).Addr
	for x, a := range st.Backward(f.Thread, used) {
		if v := st.RawAt(x); a.IsWrite() || uint64(a.Size) != st.Image.Machine.Word() || v > to || to-v > near {
			continue
		}
		p := st.shown(x)
		if p.Symbol == "" || p.Bookkeeping || where(p.Stack) == "" {
			continue
		}
		t, u := st.Guest.Name(f.Thread), st.Guest.Name(f.Dead)
		return fmt.Sprintf("Thread %s finds the address of %s in %s (%s), and thread %s, whose memory that is, has ended. Let thread %s wait for its users, or keep what others use in memory that outlives it.",
			t, what, p.Name(), where(p.Stack), u, u)
	}
	return ""
}

// returned: a thread uses the stack of one that has ended with an address on it.
func (st *Story) returned(b *result.Bug, f *scheduler.Failure) string {
	for _, c := range st.Calls(uint64(f.Dead), trace.OpJoin) {
		if st.Place(c) != "" {
			u := st.Guest.Name(f.Dead)
			return fmt.Sprintf("Thread %s ends with an address of its own stack, which thread %s takes by joining it (%s), and thread %s uses that (%s). Return what outlives the thread, such as a block of malloc.",
				u, st.Guest.Name(st.By(c)), st.Place(c), b.Thread, where(b.Stack))
		}
	}
	return ""
}

// isChild reports whether a thread was created by another, by their names.
func isChild(child, parent string) bool {
	rest, ok := strings.CutPrefix(child, parent+".")
	return ok && !strings.Contains(rest, ".")
}

// reused: the ABA problem. A thread reads a pointer, others change it and change it back,
// and the thread's exchange succeeds as if nothing had happened.
func (st *Story) reused() string {
	for i := len(st.Beats) - 1; i >= 0; i-- {
		for k := range st.Beats[i].Accesses {
			if text := st.reusedAt(at{Beat: i, Access: k}); text != "" {
				return text
			}
		}
	}
	return ""
}

func (st *Story) reusedAt(x at) string {
	a, t := st.AccessAt(x), st.Beats[x.Beat].MadeBy(x.Access)
	if a.Flags&trace.RMW == 0 || a.Flags&(trace.Atomic|trace.FailedCAS) != trace.Atomic {
		return ""
	}
	back, by, ok := st.Source(x) // which wrote what the exchange expects
	v := st.RawAt(back)
	if !ok || by == t {
		return ""
	}
	block := st.around(v) != nil && st.around(v).Addr == v
	for y, o := range st.Backward(t, x) {
		if o.Addr != a.Addr || o.Size != a.Size {
			continue
		}
		if o.IsWrite() || st.RawAt(y) != v || !y.Before(back) {
			return ""
		}
		changed := false
		for i := y.Beat; i <= back.Beat; i++ {
			for k := range st.Beats[i].Accesses {
				z := at{Beat: i, Access: k}
				c := st.AccessAt(z)
				changed = changed || y.Before(z) && z.Before(back) && c.IsWrite() && c.Addr == a.Addr && st.RawAt(z) != v && st.Beats[i].MadeBy(k) != t
			}
		}
		m, r := st.shown(back), st.shown(y)
		if !changed || !block && !st.Stale(t, y, x) || where(m.Stack) == "" || m.Symbol == "" {
			return ""
		}
		what := []string{"a block", "address"}
		if !block {
			what = []string{"an entry", "number"}
		}
		return fmt.Sprintf("Thread %s reads %s (%s), and its exchange (%s) succeeds, because the value is the same again: thread %s has changed it and changed it back (%s). This is the ABA problem. Change a count together with the pointer, or keep %s from being used again while a thread may hold its %s.",
			st.Guest.Name(t), r.Name(), where(r.Stack), where(st.shown(x).Stack), st.Guest.Name(by), where(m.Stack), what[0], what[1])
	}
	return ""
}
