package linux

import (
	"fmt"
	"slices"
	"testing"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

const (
	word  = dataPage + 0x100
	word2 = dataPage + 0x200
)

// sleepers makes n threads that wait at a word which holds 0.
func (c *caller) sleepers(n int, addr uint64) []trace.TID {
	c.Helper()
	var ids []trace.TID
	for range n {
		id := c.spawn(0, dataPage+0x3000+8*uint64(len(c.threads)))
		if _, o := c.choose1(0, id, nrFutex, addr, futexWait, 0); !o.Sleep || o.Pending.Kind != trace.OpFutexWait || o.Pending.Obj != addr {
			c.Fatalf("a wait for the word's value didn't sleep: %+v", o)
		}
		ids = append(ids, id)
	}
	return ids
}

func TestFutexWait(t *testing.T) {
	c := newCaller(t, Config{})
	c.m.Write32(word, 7)
	if r, o := c.choose1(0, 0, nrFutex, word, futexWait, 8); r != eagain || !o.Idle || o.Sleep {
		t.Errorf("another value: %d, %+v", int64(r), o)
	}
	c.want("misaligned", c.do(0, nrFutex, word+1, futexWait, 7), einval)
	c.want("unmapped", c.do(0, nrFutex, 0x10000, futexWait, 7), efault)
	c.want("bad time", c.do(0, nrFutex, word, futexWait, 7, c.timespec(word2, 0, second)), einval)
	c.want("no bits", c.do(0, nrFutex, word, futexWaitBitset, 7, 0, 0, 0), einval)
	c.want("past", c.do(0, nrFutex, word, futexWaitBitset|futexClockRealtime, 7, c.timespec(word2, 1, 0), 0, matchAny), etimedout)
}

// TestFutexKinds: a wake, a requeue and a wake by operation find the waiters of their
// own kind, private or not; the end of a thread wakes those that aren't.
func TestFutexKinds(t *testing.T) {
	for _, kind := range []uint64{0, futexPrivate} {
		other := kind ^ futexPrivate
		c := newCaller(t, Config{})
		id := c.sleepers(1, word)[0]
		if kind != 0 {
			c.want("wake", c.do(0, nrFutex, word, futexWake, 1), 1)
			c.choose1(0, id, nrFutex, word, futexWait|futexPrivate, 0)
		}
		c.want("wake", c.do(0, nrFutex, word, futexWake|other, 1), 0)
		c.want("bits", c.do(0, nrFutex, word, futexWakeBitset|other, 1, 0, 0, 1), 0)
		c.want("requeue", c.do(0, nrFutex, word, futexRequeue|other, 0, 9, word2), 0)
		c.want("operation", c.do(0, nrFutex, word, futexWakeOp|other, 1, 1, word2, 0), 0)
		c.want("requeue", c.do(0, nrFutex, word, futexRequeue|kind, 0, 9, word2), 1)
		c.want("wake", c.do(0, nrFutex, word2, futexWake|other, 1), 0)
		c.want("wake", c.do(0, nrFutex, word2, futexWake|kind, 1), 1)
	}
}

// TestWakeChoosesAnySubset: all subsets of the waiters, each once.
func TestWakeChoosesAnySubset(t *testing.T) {
	for _, tt := range []struct{ waiters, n, outcomes int }{
		{0, 1, 1}, {1, 1, 1}, {2, 1, 2}, {3, 1, 3}, {3, 2, 3}, {4, 2, 6}, {3, 3, 1}, {3, 9, 1},
	} {
		c := newCaller(t, Config{})
		ids := c.sleepers(tt.waiters, word)
		p := c.plan(0, nrFutex, word, futexWake, uint64(tt.n))
		if p.Outcomes != uint32(tt.outcomes) {
			t.Errorf("%d of %d: %d outcomes, want %d", tt.n, tt.waiters, p.Outcomes, tt.outcomes)
		}
		seen := map[string]bool{}
		for choice := range p.Outcomes {
			m := c.m.Mark()
			r, o := c.choose1(trace.Choice(choice), 0, nrFutex, word, futexWake, uint64(tt.n))
			woken := min(tt.n, tt.waiters)
			if r != uint64(woken) || len(o.Wakes) != woken || o.Idle != (woken == 0) {
				t.Errorf("%d of %d, choice %d: result %d, %+v", tt.n, tt.waiters, choice, r, o)
			}
			for _, w := range o.Wakes {
				if !slices.Contains(ids, w) {
					t.Errorf("woke %d, which doesn't wait", w)
				}
				c.want("the waiter's result", c.threads[w].regs.RAX, 0)
			}
			seen[fmt.Sprint(o.Wakes)] = true
			c.m.Rewind(m)
		}
		if len(seen) != tt.outcomes {
			t.Errorf("%d of %d: %d different subsets %v", tt.n, tt.waiters, len(seen), seen)
		}
	}
}

// TestChoicesIgnoreArrival: the outcomes are numbered by thread, not by the
// order in which the waiters came.
func TestChoicesIgnoreArrival(t *testing.T) {
	wake := func(order ...trace.TID) string {
		c := newCaller(t, Config{})
		for range order {
			c.spawn(0, dataPage+8)
		}
		for _, id := range order {
			c.do(id, nrFutex, word, futexWait, 0)
		}
		_, o := c.choose1(1, 0, nrFutex, word, futexWake, 1)
		return fmt.Sprint(o.Wakes)
	}
	if a, b := wake(1, 2, 3), wake(3, 1, 2); a != b || a != "[2]" {
		t.Errorf("choice 1 woke %s and %s", a, b)
	}
}

func TestBitsets(t *testing.T) {
	c := newCaller(t, Config{})
	a, b := c.spawn(0, dataPage+8), c.spawn(0, dataPage+16)
	c.do(a, nrFutex, word, futexWaitBitset, 0, 0, 0, 1)
	c.do(b, nrFutex, word, futexWaitBitset, 0, 0, 0, 2)
	if _, o := c.choose1(0, 0, nrFutex, word, futexWakeBitset, 5, 0, 0, 2); fmt.Sprint(o.Wakes) != fmt.Sprint([]trace.TID{b}) {
		t.Errorf("woke %v, want %d", o.Wakes, b)
	}
	if r := c.do(0, nrFutex, word, futexWake, 5); r != 1 {
		t.Errorf("a wake for any found %d", r)
	}
}

func TestRequeue(t *testing.T) {
	c := newCaller(t, Config{})
	c.sleepers(3, word)
	c.want("another value", c.do(0, nrFutex, word, futexCmpRequeue, 1, 9, word2, 5), eagain)
	if p := c.plan(0, nrFutex, word, futexRequeue, 1, 1, word2); p.Outcomes != 6 {
		t.Errorf("one of three woken and one of two moved: %d outcomes", p.Outcomes)
	}
	r, o := c.choose1(4, 0, nrFutex, word, futexRequeue, 1, 1, word2)
	if r != 2 || len(o.Wakes) != 1 || len(o.Ops) != 2 || o.Ops[1].Obj != word2 {
		t.Errorf("result %d, %+v", r, o)
	}
	c.want("left", c.do(0, nrFutex, word, futexWake, 9), 1)
	c.want("moved", c.do(0, nrFutex, word2, futexWake, 9), 1)
}

func TestWakeOp(t *testing.T) {
	encode := func(op, arg, cmp, cmparg uint64) uint64 { return op<<28 | cmp<<24 | arg<<12 | cmparg }
	for _, tt := range []struct {
		old, encoded uint64
		new          uint64
		woken        uint64
	}{
		{5, encode(wakeOpSet, 9, 0, 5), 9, 2},                  // set; old == 5
		{5, encode(wakeOpAdd, 0xfff, 1, 5), 4, 1},              // add -1; old != 5
		{1, encode(wakeOpOr, 2, 4, 0), 3, 2},                   // or; old > 0
		{7, encode(wakeOpAndn, 2, 2, 3), 5, 1},                 // andn; old < 3
		{6, encode(wakeOpXor, 3, 5, 6), 5, 2},                  // xor; old >= 6
		{0, encode(wakeOpSet|wakeOpShift, 4, 3, 0xfff), 16, 1}, // set 1<<4; old <= -1
	} {
		c := newCaller(t, Config{})
		c.sleepers(1, word)
		c.m.Write32(word2, 0)
		id := c.spawn(0, dataPage+8)
		c.do(id, nrFutex, word2, futexWait, 0)
		c.m.Write32(word2, uint32(tt.old))
		r := c.do(0, nrFutex, word, futexWakeOp, 1, 1, word2, tt.encoded)
		if got := uint64(c.m.Read32(word2)); got != tt.new || r != tt.woken {
			t.Errorf("%#x on %d: word %d, woke %d; want %d, %d", tt.encoded, tt.old, got, r, tt.new, tt.woken)
		}
	}
}

// TestAbandonedPI: the owner's end gives the futex to the thread that has waited longest, and
// the word says of it.
func TestAbandonedPI(t *testing.T) {
	c := newCaller(t, Config{})
	a, b := c.spawn(0, dataPage+8), c.spawn(0, dataPage+16)
	number := func(id trace.TID) uint64 { return c.k.roster.threads[id].number }
	c.want("lock", c.do(a, nrFutex, word, futexLockPI), 0)
	for _, id := range []trace.TID{b, 0} {
		if _, o := c.choose1(0, id, nrFutex, word, futexLockPI); !o.Sleep {
			t.Fatalf("a lock of an owned futex didn't sleep: %+v", o)
		}
		c.want("marked", uint64(c.m.Read32(word)), number(a)|futexWaiters)
	}
	if _, o := c.choose1(0, a, nrExit); len(o.Wakes) != 1 || o.Wakes[0] != b {
		t.Errorf("the owner's end woke %v, want %d", o.Wakes, b)
	}
	c.want("its owner died", uint64(c.m.Read32(word)), number(b)|futexWaiters|futexOwnerDied)
	c.want("again", c.do(b, nrFutex, word, futexLockPI), 0)
	for _, call := range []uint64{futexLockPI, futexTrylockPI} { // one that comes after the end
		c.m.Write32(word2, uint32(number(a)))
		c.want("a dead owner's", c.do(b, nrFutex, word2, call), esrch)
		c.want("marked", uint64(c.m.Read32(word2)), number(a)|futexWaiters)
	}
}

// TestOverwrittenPI: Linux knows the owner of a futex that threads wait for, whatever the word says. Its
// end hands the futex on, and the new owner writes the word when it goes on.
func TestOverwrittenPI(t *testing.T) {
	c := newCaller(t, Config{})
	a, b, d := c.spawn(0, dataPage+8), c.spawn(0, dataPage+16), c.spawn(0, dataPage+24)
	number := func(id trace.TID) uint64 { return c.k.roster.threads[id].number }
	c.want("lock", c.do(a, nrFutex, word, futexLockPI), 0)
	if _, o := c.choose1(0, b, nrFutex, word, futexLockPI); !o.Sleep {
		t.Fatalf("a lock of an owned futex didn't sleep: %+v", o)
	}
	contradicts := func() {
		t.Helper()
		c.m.Write32(word, 0)
		c.want("lock", c.do(0, nrFutex, word, futexLockPI), einval)
		c.want("try", c.do(0, nrFutex, word, futexTrylockPI), einval)
		c.m.Write32(word, uint32(number(0)))
		c.want("unlock by the word's owner", c.do(0, nrFutex, word, futexUnlockPI), einval)
		c.want("word", uint64(c.m.Read32(word)), number(0))
		c.m.Write32(word, 0)
	}
	contradicts()
	c.want("unlock by Linux's owner", c.do(a, nrFutex, word, futexUnlockPI), eperm)
	c.m.Write32(word, futexOwnerDied)
	if _, o := c.choose1(0, d, nrFutex, word, futexLockPI); !o.Sleep {
		t.Errorf("a lock of a futex whose owner died didn't sleep: %+v", o)
	}
	c.m.Write32(word, 0)
	if _, o := c.choose1(0, a, nrExit); len(o.Wakes) != 1 || o.Wakes[0] != b {
		t.Errorf("the owner's end woke %v, want %d", o.Wakes, b)
	}
	c.want("word", uint64(c.m.Read32(word)), 0)
	contradicts()
	c.want("again", c.do(b, nrFutex, word, futexLockPI), 0)
	c.want("its owner died", uint64(c.m.Read32(word)), number(b)|futexWaiters|futexOwnerDied)
	if _, o := c.choose1(0, b, nrFutex, word, futexUnlockPI); len(o.Wakes) != 1 || o.Wakes[0] != d {
		t.Errorf("the release woke %v, want %d", o.Wakes, d)
	}
}

// TestPriorityInheritance: a thread that can't have a futex sets FUTEX_WAITERS, and an owner's release hands
// it on: no other thread finds it free.
func TestPriorityInheritance(t *testing.T) {
	c := newCaller(t, Config{})
	a, b := c.spawn(0, dataPage+8), c.spawn(0, dataPage+16)
	number := func(id trace.TID) uint64 { return c.k.roster.threads[id].number }
	c.want("lock", c.do(0, nrFutex, word, futexLockPI), 0)
	c.want("word", uint64(c.m.Read32(word)), number(0))
	c.want("lock again", c.do(0, nrFutex, word, futexLockPI), edeadlk)
	c.want("word", uint64(c.m.Read32(word)), number(0))
	for call, want := range map[uint64]trace.OpKind{futexLockPI: trace.OpFutexWait, futexUnlockPI: trace.OpFutexUnlockPI} {
		if p := c.plan(0, nrFutex, word, call); p.Op.Kind != want {
			t.Errorf("the owner's call %d counts as %v, want %v", call, p.Op.Kind, want)
		}
	}
	c.want("unlock by another", c.do(a, nrFutex, word, futexUnlockPI), eperm)
	c.want("trylock by another", c.do(a, nrFutex, word, futexTrylockPI), eagain)
	c.want("word", uint64(c.m.Read32(word)), number(0)|futexWaiters)
	c.want("unlock", c.do(0, nrFutex, word, futexUnlockPI), 0)
	c.want("word", uint64(c.m.Read32(word)), 0)
	c.want("lock", c.do(a, nrFutex, word, futexLockPI), 0)
	c.timespec(word2, epoch/second+1, 0)
	if p := c.plan(b, nrFutex, word, futexLockPI, 0, word2); p.Blocked || p.Op.Kind != trace.OpFutexWait {
		t.Errorf("a lock of an owned futex: %+v", p)
	}
	if _, o := c.choose1(0, b, nrFutex, word, futexLockPI, 0, word2); !o.Sleep {
		t.Fatalf("a lock of an owned futex didn't sleep: %+v", o)
	}
	c.want("word", uint64(c.m.Read32(word)), number(a)|futexWaiters)
	if _, o := c.choose1(0, a, nrFutex, word, futexUnlockPI); len(o.Wakes) != 1 || o.Wakes[0] != b {
		t.Errorf("woke %v", o.Wakes)
	}
	r := &c.threads[b].regs
	c.want("word", uint64(c.m.Read32(word)), number(b)|futexWaiters)
	c.want("again: rip", r.RIP, codePage)
	c.want("again: rax", r.RAX, nrFutex)
	c.want("another's try", c.do(a, nrFutex, word, futexTrylockPI), eagain)
	c.want("again", c.do(b, nrFutex, word, futexLockPI, 0, word2), 0)
	c.want("once", c.do(b, nrFutex, word, futexLockPI, 0, word2), edeadlk)
	c.want("past", c.do(a, nrFutex, word, futexLockPI, 0, c.timespec(word2, 1, 0)), etimedout)
	c.want("unlock", c.do(b, nrFutex, word, futexUnlockPI), 0)
	c.m.Write32(word, 4242)
	c.want("an owner that isn't", c.do(a, nrFutex, word, futexLockPI), esrch)
	c.m.Write32(word, futexOwnerDied)
	c.want("after a death", c.do(a, nrFutex, word, futexLockPI), 0)
	c.want("word", uint64(c.m.Read32(word)), number(a)|futexOwnerDied)
}

func TestRobustList(t *testing.T) {
	c := newCaller(t, Config{})
	ids := c.sleepers(2, word)
	owner := c.spawn(0, dataPage+8)
	number := uint32(c.k.roster.threads[owner].number)
	// Two locks on the list, one of another thread's, one being taken.
	const head, e1, e2, e3, pend = dataPage + 0x800, dataPage + 0x900, dataPage + 0xa00, dataPage + 0xb00, dataPage + 0xc00
	const offset = 32
	link := func(at, next uint64) { c.m.Write(at, pair(next, 0)[:8]) }
	link(head, e1)
	c.m.Write(head+8, pair(offset, pend))
	link(e1, e2)
	link(e2, e3)
	link(e3, head)
	c.m.Write32(e1+offset, number|futexWaiters)
	c.m.Write32(e2+offset, number)
	c.m.Write32(e3+offset, number+1)
	c.m.Write32(pend+offset, number)
	waiter := ids[0]
	c.do(0, nrFutex, word, futexWake, 9)
	c.m.Write32(e1+offset, 0)
	c.do(waiter, nrFutex, e1+offset, futexWait, 0)
	c.m.Write32(e1+offset, number|futexWaiters)

	c.want("wrong size", c.do(owner, nrSetRobust, head, 16), einval)
	c.want("set_robust_list", c.do(owner, nrSetRobust, head, 24), 0)
	_, o := c.choose1(0, owner, nrExit)
	if !o.ExitThread || len(o.Wakes) != 1 || o.Wakes[0] != waiter {
		t.Errorf("exit: %+v", o)
	}
	c.want("with waiters", uint64(c.m.Read32(e1+offset)), futexOwnerDied|futexWaiters)
	c.want("without", uint64(c.m.Read32(e2+offset)), futexOwnerDied)
	c.want("another's", uint64(c.m.Read32(e3+offset)), uint64(number+1))
	c.want("pending", uint64(c.m.Read32(pend+offset)), futexOwnerDied)

	// A circular list ends.
	other := c.spawn(0, dataPage+8)
	link(e1, e1)
	c.do(other, nrSetRobust, head, 24)
	c.do(other, nrExit)
}

// TestExitClearsAndWakes: the word of CLONE_CHILD_CLEARTID, one waiter of any.
func TestExitClearsAndWakes(t *testing.T) {
	c := newCaller(t, Config{})
	child := c.spawn(0, word)
	number := c.k.roster.threads[child].number
	c.want("the id", uint64(c.m.Read32(word)), number)
	a, b := c.spawn(0, dataPage+8), c.spawn(0, dataPage+16)
	for _, id := range []trace.TID{a, b} {
		c.do(id, nrFutex, word, futexWait, number)
	}
	p := c.plan(child, nrExit, 0)
	if p.Outcomes != 2 || p.Op.Kind != trace.OpExit || p.Op.Obj != uint64(child) {
		t.Errorf("plan: %+v", p)
	}
	seen := c.k.Foresee(child, emu.Trap{Syscall: true, Len: 2}).Accesses
	if !slices.ContainsFunc(seen, func(a trace.Access) bool { return a.Addr == word && a.Flags == trace.Write|trace.Atomic }) {
		t.Errorf("it touches %+v", seen)
	}
	if _, o := c.choose1(1, child, nrExit); !o.ExitThread || len(o.Wakes) != 1 || o.Wakes[0] != b {
		t.Errorf("outcome 1: %+v", o)
	}
	c.want("the word", uint64(c.m.Read32(word)), 0)
	c.want("a signal to the dead", c.do(0, sysTkill, number, 0), esrch)
	for _, nr := range []uint64{142, 143, 144, 145} { // sched_setparam and its like
		c.want("a policy of the dead", c.do(0, nr, number, word, word), esrch)
		c.want("a policy below 0", c.do(0, nr, ^uint64(0), word, word), einval)
	}
}

func TestTheLastExitEndsTheProcess(t *testing.T) {
	c := newCaller(t, Config{})
	child := c.spawn(0, word)
	if _, o := c.choose1(0, 0, nrExit, 3); !o.ExitThread || o.ExitProcess {
		t.Errorf("first exit: %+v", o)
	}
	if p := c.plan(child, nrExit, 4); p.Op.Kind != trace.OpEnd {
		t.Errorf("last exit's plan: %+v", p)
	}
	if _, o := c.choose1(0, child, nrExit, 4); !o.ExitProcess || o.Status != 4 {
		t.Errorf("last exit: %+v", o)
	}
}

func TestTimeouts(t *testing.T) {
	c := newCaller(t, Config{})
	a, b := c.spawn(0, dataPage+8), c.spawn(0, dataPage+16)
	c.do(a, nrFutex, word, futexWait, 0, c.timespec(word2, 2, 0))
	c.do(b, nrFutex, word, futexWait, 0, c.timespec(word2, 1, 5))
	id, when := c.k.nextDeadline()
	if id != b || when != epoch+second+5 {
		t.Fatalf("next: %d at %d", id, when)
	}
	c.k.AdvanceTo(when)
	c.k.Expire(b)
	c.want("result", c.threads[b].regs.RAX, etimedout)
	c.want("the clock", c.k.clock.now.Peek(), when)
	c.want("left", c.do(0, nrFutex, word, futexWake, 9), 1)
	if id, _ := c.k.nextDeadline(); id != trace.NoThread {
		t.Errorf("%d still has a deadline", id)
	}

	any := newCaller(t, Config{TimeoutsAny: true})
	any.timespec(word2, 2, 0)
	if p := any.plan(0, nrFutex, word, futexWait, 0, word2); p.Outcomes != 2 {
		t.Errorf("%d outcomes of a timed wait", p.Outcomes)
	}
	if p := any.plan(0, nrFutex, word, futexWait, 0, 0); p.Outcomes > 1 {
		t.Errorf("%d outcomes of a wait without a time", p.Outcomes)
	}
	if r, o := any.choose1(1, 0, nrFutex, word, futexWait, 0, word2); r != etimedout || o.Sleep || o.Ops[0].Kind != trace.OpFutexTimeout {
		t.Errorf("result %d, %+v", int64(r), o)
	}
	any.do(0, nrClockGettime, 0, word2)
	any.want("the time after", any.m.Read64(word2), epoch/second+2)
}

// TestSleepsMoveTheClock: time passes for all threads, whichever slept.
func TestSleepsMoveTheClock(t *testing.T) {
	c := newCaller(t, Config{})
	child := c.spawn(0, word)
	c.do(0, nrNanosleep, c.timespec(word2, 3, 0), 0)
	if p := c.plan(child, nrClockGettime, 0, word2); p.Op != onClockOp(p, 0) {
		t.Errorf("another's look: %v", p.Op)
	}
	c.do(child, nrClockGettime, 0, word2)
	c.want("seconds", c.m.Read64(word2), epoch/second+3)
	c.want("the clock", c.k.clock.now.Peek(), epoch+3*second)
	c.timespec(word2, 3, 0)
	for _, nr := range []uint64{nrNanosleep, nrClockGettime} { // one changes the clock, the other reads it
		args := map[uint64][]uint64{nrNanosleep: {word2, 0}, nrClockGettime: {0, word2}}
		c.prepare(0, nr, args[nr])
		seen := c.k.Foresee(0, emu.Trap{Syscall: true, Len: 2}).Accesses
		if i := slices.IndexFunc(seen, func(a trace.Access) bool { return a.Addr == wordClock }); i < 0 || seen[i].IsWrite() != (nr == nrNanosleep) {
			t.Errorf("call %d: %+v", nr, seen)
		}
	}
}

// onClockOp is the operation that a look at the clock has to be.
func onClockOp(p kernel.Plan, moves uint64) trace.Op {
	op := onResource(resourceClock, moves)
	op.PC = p.Op.PC
	return op
}

func TestTooManyChoices(t *testing.T) {
	c := newCaller(t, Config{})
	c.sleepers(40, word)
	if p := c.plan(0, nrFutex, word, futexWake, 20); p.Effect != kernel.Invalid {
		t.Errorf("20 of 40: %+v", p)
	}
	if p := c.plan(0, nrFutex, word, futexWake, 39); p.Outcomes != 40 {
		t.Errorf("39 of 40: %d outcomes", p.Outcomes)
	}
}
