package cause

import (
	"fmt"
	"strings"

	"landgo/heap"
	"landgo/internal/abi"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Mistakes about the lives of blocks.

// freeing makes a block's early end the cause of its use, unless the cause is about the
// block, or where its address was.
func (cs *Case) freeing(b *result.Bug, f *scheduler.Failure) {
	block := &f.Block
	back, known := cs.FreedAt(block)
	if f.Kind != trace.UseAfterFree || !known || !block.Freed || block.Back.Thread == f.Thread {
		return
	}
	for _, x := range cs.collided {
		if a := cs.AccessAt(x); a.Addr-block.Addr < block.Size || cs.RawAt(x) == block.Addr {
			return
		}
	}
	freed, used := where(back), where(b.Stack)
	if freed == "" || used == "" {
		return
	}
	b.Cause = fmt.Sprintf("thread %s frees the block (%s) before thread %s uses it (%s)", cs.guest.Name(block.Back.Thread), freed, b.Thread, used)
	b.Accesses, cs.collided, cs.hit = nil, nil, nil
}

// goneOwner: a thread uses, or frees, a block that another one has freed.
func (cs *Case) goneOwner(b *result.Bug, f *scheduler.Failure) string {
	back, known := cs.FreedAt(&f.Block)
	user, freer := f.Thread, f.Block.Back.Thread
	if f.Kind != trace.UseAfterFree && f.Kind != trace.DoubleFree || !known || !f.Block.Freed || freer == user {
		return ""
	}
	freed, used := where(back), where(b.Stack)
	if freed == "" || used == "" || result.Innermost(back).File == "" || result.Innermost(b.Stack).File == "" {
		return ""
	}
	t, u := cs.guest.Name(user), cs.guest.Name(freer)
	atFree := int(f.Block.Back.Step) - 1 // the beat
	switch {
	case isChild(t, u) && !cs.Joins(freer, user, atFree) && !cs.comesLater(f) && !cs.takenAway(f):
		if x, w, ok := cs.seenOf(freer, user, atFree); ok {
			return fmt.Sprintf("Thread %s frees the block (%s) when it has seen what thread %s, which it created, writes to %s (%s), and that thread still uses the block after that (%s). Join it before the free.", u, freed, t, x.Name(), where(w.Stack), used)
		}
		return fmt.Sprintf("Thread %s frees the block (%s) without waiting for thread %s, which it created and which still uses it (%s). Join that thread before the free.", u, freed, t, used)
	case f.Kind == trace.DoubleFree:
		return fmt.Sprintf("Thread %s (%s) and thread %s (%s) both free the block. Let one thread own it, or let a thread take the pointer and clear it in one atomic step.", u, freed, t, used)
	}
	for _, text := range []string{cs.countedTwice(user, freer, freed), cs.countedDown(f, freed, used)} {
		if text != "" {
			return text
		}
	}
	x, _, ok := cs.foundAt(user, cs.End(), &f.Block)
	if !ok {
		return cs.handedOver(f, freed, used)
	}
	p := cs.Shown(x)
	if where(p.Stack) == "" {
		return ""
	}
	in := "in " + p.Name()
	from := "from " + p.Name()
	if p.Symbol == "" || p.Bookkeeping { // a container's own memory
		in, from = "there", "there"
	}
	if lock, let := cs.freedAfter(f, x); x.Beat < atFree && lock != "" {
		return fmt.Sprintf("Thread %s takes the pointer %s under %s (%s), releases that (%s), and still uses the block (%s). In between thread %s frees it (%s). Hold %s until the last use, or count the threads that use the block and free it with the last.",
			t, from, lock, where(p.Stack), let, used, u, freed, lock)
	}
	if x.Beat < atFree {
		return fmt.Sprintf("Thread %s takes the pointer %s (%s), and thread %s frees the block (%s) before thread %s is done with it (%s). Hold one lock over both, or count the threads that use the block and free it with the last.", t, from, where(p.Stack), u, freed, t, used)
	}
	return fmt.Sprintf("Thread %s frees the block (%s), and thread %s still finds the pointer %s (%s). Take the pointer away before the free, with a lock over both.", u, freed, t, in, where(p.Stack))
}

// seenOf is a thread's last read before its free of a block, if it finds there what another one has written,
// and that write.
func (cs *Case) seenOf(freer, user trace.TID, atFree int) (x, w result.Access, ok bool) {
	n := 0
	for y, a := range cs.Backward(freer, at{Beat: atFree + 1}) {
		if n++; n > mostMoves {
			break
		}
		z, by, known := cs.Source(y)
		if a.IsWrite() || a.Addr < record.LowestVariable || cs.IsOwnLock(a.Addr) || !known || by != user {
			continue
		}
		x, w = cs.Shown(y), cs.Shown(z)
		return x, w, plain(&x, &w)
	}
	return x, w, false
}

// foundAt is the last access before a point by which a thread reads the address of a block,
// or one in it, that another thread wrote, outside of the block. It is the write, too, whose
// beat is -1 if it isn't on record.
func (cs *Case) foundAt(t trace.TID, before at, b *heap.Block) (x, from at, ok bool) {
	for x, a := range cs.Backward(t, before) {
		if a.Addr-b.Addr < b.Size || a.IsWrite() && a.Flags&trace.RMW == 0 {
			continue
		}
		w, by, known := cs.Source(x)
		v := cs.RawAt(x)
		if a.IsWrite() { // an exchange found the old value
			if !known || cs.AccessAt(w).Addr != a.Addr || cs.AccessAt(w).Size != a.Size {
				continue
			}
			v = cs.RawAt(w)
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
func (cs *Case) comesLater(f *scheduler.Failure) bool {
	if f.Block.Given.Thread == f.Thread {
		return true
	}
	_, from, ok := cs.foundAt(f.Thread, cs.End(), &f.Block)
	if !ok || from.Beat < 0 {
		return false
	}
	return cs.Beats[from.Beat].MadeBy(from.Access) != f.Block.Back.Thread || !cs.Between(from, cs.End(), trace.OpCreate, f.Thread)
}

// takenAway reports whether the thread that frees a block writes something else before that to where the
// other one has read the block's address. It means to keep the block from others, and not to wait for an end.
// The address may be in a block of which the same is true.
func (cs *Case) takenAway(f *scheduler.Failure) bool {
	block, before := f.Block, cs.End()
	for range maxLeads {
		x, _, ok := cs.foundAt(f.Thread, before, &block)
		if !ok {
			return false
		}
		if cs.replaced(f, x, &block) {
			return true
		}
		if block, ok = cs.BlockAt(cs.AccessAt(x).Addr); !ok {
			return false
		}
		before = x
	}
	return false
}

// replaced reports whether the thread that frees a block has written last, before that, another address than
// a block's to where an access is.
func (cs *Case) replaced(f *scheduler.Failure, x at, block *heap.Block) bool {
	freed := at{Beat: int(f.Block.Back.Step) - 1}
	for _, c := range cs.Calls(f.Block.Addr, trace.OpFree) {
		if c.Beat == freed.Beat {
			freed.Access = int(c.Op.At)
		}
	}
	for y, a := range cs.Backward(f.Block.Back.Thread, freed) {
		if a.IsWrite() && a.Overlaps(cs.AccessAt(x)) {
			return cs.RawAt(y)-block.Addr >= block.Size
		}
	}
	return false
}

// handedOver: a thread writes the address of a block to where another one takes it and frees
// the block, and uses the block after that.
func (cs *Case) handedOver(f *scheduler.Failure, freed, used string) string {
	atFree := at{Beat: int(f.Block.Back.Step) - 1}
	taken, _, ok := cs.foundAt(f.Block.Back.Thread, at{Beat: atFree.Beat + 1}, &f.Block)
	if !ok {
		return ""
	}
	for x, a := range cs.Backward(f.Thread, taken) {
		if !a.IsWrite() || a.Addr-f.Block.Addr < f.Block.Size || cs.RawAt(x)-f.Block.Addr >= f.Block.Size {
			continue
		}
		if !cs.Together(x, taken) && !cs.IsAtomic(a) && !cs.IsAtomic(cs.AccessAt(taken)) {
			return "" // it isn't handed over, but used by both
		}
		p, q := cs.Shown(x), cs.Shown(taken)
		if p.Symbol == "" || p.Bookkeeping || where(p.Stack) == "" || where(q.Stack) == "" {
			return ""
		}
		t, u := cs.guest.Name(f.Thread), cs.guest.Name(f.Block.Back.Thread)
		return fmt.Sprintf("Thread %s hands the block over in %s (%s), and still uses it after that (%s). In between, thread %s takes it (%s) and frees it (%s). Let thread %s be done with the block before it hands it over.",
			t, p.Name(), where(p.Stack), used, u, where(q.Stack), freed, t)
	}
	return ""
}

// countedTwice: a thread changes a count of users in a block, and looks at it again. In between,
// another one changes it too and frees the block.
func (cs *Case) countedTwice(user, freer trace.TID, freed string) string {
	var again, change at
	for x, a := range cs.Backward(user, cs.End()) {
		again = x
		if change = cs.LastOf(user, x, a); a.IsWrite() || change.Beat < 0 || !cs.AccessAt(change).IsWrite() {
			return ""
		}
		break
	}
	if !change.Before(again) {
		return ""
	}
	other := cs.LastOf(freer, again, cs.AccessAt(again))
	for other.Beat >= 0 && !cs.AccessAt(other).IsWrite() {
		other = cs.LastOf(freer, other, cs.AccessAt(again))
	}
	c, g := cs.Shown(change), cs.Shown(again)
	if other.Beat < 0 || !change.Before(other) || where(c.Stack) == "" || where(g.Stack) == "" || c.Symbol == "" {
		return ""
	}
	t, u := cs.guest.Name(user), cs.guest.Name(freer)
	return fmt.Sprintf("Thread %s changes %s (%s) and looks at it again (%s), as two steps. In between, thread %s changes it too (%s) and frees the block (%s). Change the count by one atomic operation, and look at what that returns.",
		t, c.Name(), where(c.Stack), where(g.Stack), u, where(cs.Shown(other).Stack), freed)
}

// countedDown: a thread counts itself out of a block's users and then uses the block, which
// another one has counted down to 0 in between, and freed.
func (cs *Case) countedDown(f *scheduler.Failure, freed, used string) string {
	user, freer := f.Thread, f.Block.Back.Thread
	for x, a := range cs.Backward(user, cs.End()) {
		if a.Addr-f.Block.Addr >= f.Block.Size {
			continue
		}
		last := cs.LastOf(freer, cs.End(), a)
		for last.Beat >= 0 && !cs.AccessAt(last).IsWrite() {
			last = cs.LastOf(freer, last, a)
		}
		if last.Beat < 0 || !x.Before(last) {
			return ""
		}
		left, mine := cs.oneLess(user, x)
		if none, its := cs.oneLess(freer, last); !mine || !its || left == 0 || none != 0 {
			return ""
		}
		c, o := cs.Shown(x), cs.Shown(last)
		if c.Symbol == "" || where(c.Stack) == "" || where(o.Stack) == "" {
			return ""
		}
		return fmt.Sprintf("Thread %s counts %s down (%s), and uses the block after that (%s). In between thread %s counts it down to 0 (%s) and frees the block (%s). Look at the count where it is counted down, under one lock, and leave the block alone from then on.",
			cs.guest.Name(user), c.Name(), where(c.Stack), used, cs.guest.Name(freer), where(o.Stack), freed)
	}
	return ""
}

// oneLess reports whether a thread's write takes 1 from the number that it read before, and
// what is left.
func (cs *Case) oneLess(t trace.TID, x at) (left uint64, ok bool) {
	read := cs.LastOf(t, x, cs.AccessAt(x))
	left = cs.RawAt(x)
	return left, cs.AccessAt(x).IsWrite() && read.Beat >= 0 && !cs.AccessAt(read).IsWrite() && cs.RawAt(read) == left+1
}

// burying makes the end of a thread the cause of a use of its stack.
func (cs *Case) burying(b *result.Bug, f *scheduler.Failure) {
	used, what, ok := cs.graveUse(b, f)
	if !ok {
		return
	}
	if b.Cause = fmt.Sprintf("thread %s ends before thread %s uses %s (%s)", cs.guest.Name(f.Dead), b.Thread, what, where(b.Stack)); f.EndedBy != 0 {
		e := cs.ended(f)
		b.Cause = fmt.Sprintf("%s of thread %s returns (%s) before thread %s uses %s (%s)", e.Function, cs.guest.Name(f.Dead), e.Where(), b.Thread, what, where(b.Stack))
	}
	b.Accesses, cs.collided, cs.hit = nil, nil, nil
	if used.Beat >= 0 {
		b.Accesses, cs.collided = []result.Access{cs.Shown(used)}, []at{used}
	}
}

// graveUse is the access to an ended thread's stack that a failure is about, and what was
// there. Its beat is -1 if the failure is an operation on an object there.
func (cs *Case) graveUse(b *result.Bug, f *scheduler.Failure) (used at, what string, ok bool) {
	used = at{Beat: -1}
	if f.Kind != trace.DeadStack || f.Dead == 0 && !f.Beneath || f.Beneath && f.EndedBy == 0 || where(b.Stack) == "" {
		return used, "", false
	}
	if what = "the stack of thread " + cs.guest.Name(f.Dead); f.EndedBy != 0 {
		what = "a variable of " + cs.ended(f).Function
	}
	for i := range cs.Beats {
		for k := range cs.Beats[i].Ops {
			o := &cs.Beats[i].Ops[k]
			if o.Kind != trace.OpFree || cs.Beats[i].Step.Thread != f.Dead {
				continue
			}
			for x, a := range cs.Backward(f.Thread, cs.End()) {
				if x.Beat > i && a.Addr >= o.Obj && a.Addr < o.Obj+uint64(o.Size) {
					used = x
				}
				break
			}
		}
	}
	if used.Beat >= 0 {
		if a := cs.Shown(used); a.Symbol != "" {
			what = a.Name()
		}
	}
	return used, what, true
}

// ended is the function of a variable that was used after the function had returned.
func (cs *Case) ended(f *scheduler.Failure) result.Frame {
	frames := cs.code.Frames([]uint64{f.EndedBy})
	return frames[len(frames)-1]
}

// goneStack: a thread uses the stack of one that has ended, by an address that it finds in a
// variable.
func (cs *Case) goneStack(b *result.Bug, f *scheduler.Failure) string {
	used, what, ok := cs.graveUse(b, f)
	switch {
	case ok && f.Returned:
		return cs.returned(b, f)
	case ok && f.EndedBy != 0:
		e := cs.ended(f)
		return fmt.Sprintf("Thread %s uses %s (%s) after %s has returned in thread %s (%s). Let %s wait for the last use, or keep what others use in memory that outlives it.",
			cs.guest.Name(f.Thread), what, where(b.Stack), e.Function, cs.guest.Name(f.Dead), e.Where(), e.Function)
	}
	if !ok || used.Beat < 0 {
		return ""
	}
	const near = abi.PageSize // an object's part may be meant by the object's address
	to := cs.AccessAt(used).Addr
	for x, a := range cs.Backward(f.Thread, used) {
		if v := cs.RawAt(x); a.IsWrite() || uint64(a.Size) != cs.code.Word() || v > to || to-v > near {
			continue
		}
		p := cs.Shown(x)
		if p.Symbol == "" || p.Bookkeeping || where(p.Stack) == "" {
			continue
		}
		t, u := cs.guest.Name(f.Thread), cs.guest.Name(f.Dead)
		return fmt.Sprintf("Thread %s finds the address of %s in %s (%s), and thread %s, whose memory that is, has ended. Let thread %s wait for its users, or keep what others use in memory that outlives it.",
			t, what, p.Name(), where(p.Stack), u, u)
	}
	return ""
}

// returned: a thread uses the stack of one that has ended with an address on it.
func (cs *Case) returned(b *result.Bug, f *scheduler.Failure) string {
	for _, c := range cs.Calls(uint64(f.Dead), trace.OpJoin) {
		if cs.Place(c) != "" {
			u := cs.guest.Name(f.Dead)
			return fmt.Sprintf("Thread %s ends with an address of its own stack, which thread %s takes by joining it (%s), and thread %s uses that (%s). Return what outlives the thread, such as a block of malloc.",
				u, cs.guest.Name(cs.By(c)), cs.Place(c), b.Thread, where(b.Stack))
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
func (cs *Case) reused() string {
	for i := len(cs.Beats) - 1; i >= 0; i-- {
		for k := range cs.Beats[i].Accesses {
			if text := cs.reusedAt(at{Beat: i, Access: k}); text != "" {
				return text
			}
		}
	}
	return ""
}

func (cs *Case) reusedAt(x at) string {
	a, t := cs.AccessAt(x), cs.Beats[x.Beat].MadeBy(x.Access)
	if a.Flags&trace.RMW == 0 || a.Flags&(trace.Atomic|trace.FailedCAS) != trace.Atomic {
		return ""
	}
	back, by, ok := cs.Source(x) // which wrote what the exchange expects
	v := cs.RawAt(back)
	if !ok || by == t {
		return ""
	}
	around, block := cs.BlockAt(v)
	block = block && around.Addr == v
	for y, o := range cs.Backward(t, x) {
		if o.Addr != a.Addr || o.Size != a.Size {
			continue
		}
		if o.IsWrite() || cs.RawAt(y) != v || !y.Before(back) {
			return ""
		}
		changed := false
		for i := y.Beat; i <= back.Beat; i++ {
			for k := range cs.Beats[i].Accesses {
				z := at{Beat: i, Access: k}
				c := cs.AccessAt(z)
				changed = changed || y.Before(z) && z.Before(back) && c.IsWrite() && c.Addr == a.Addr && cs.RawAt(z) != v && cs.Beats[i].MadeBy(k) != t
			}
		}
		m, r := cs.Shown(back), cs.Shown(y)
		if !changed || !block && !cs.Stale(t, y, x) || where(m.Stack) == "" || m.Symbol == "" {
			return ""
		}
		what := []string{"a block", "address"}
		if !block {
			what = []string{"an entry", "number"}
		}
		return fmt.Sprintf("Thread %s reads %s (%s), and its exchange (%s) succeeds, because the value is the same again: thread %s has changed it and changed it back (%s). This is the ABA problem. Change a count together with the pointer, or keep %s from being used again while a thread may hold its %s.",
			cs.guest.Name(t), r.Name(), where(r.Stack), where(cs.Shown(x).Stack), cs.guest.Name(by), where(m.Stack), what[0], what[1])
	}
	return ""
}
