package pebbles

import (
	"math/bits"

	"landgo/internal/trace"
	"landgo/kernel"
)

// The states of a thread.
const (
	absent uint64 = iota // not created in this execution
	running
	descheduled
	vanished
)

// thread is a thread as the kernel knows it. All but its names is state.
type thread struct {
	id     trace.TID
	number uint64 // the result of gettid

	state    uint64
	children uint64 // created so far
	ticks    uint64 // its clock
	handler  handler
}

// A thread's number, which the guest sees, is its path name written in bits: a
// one for the first thread, then for each generation the ordinal among its
// parent's children. An ordinal is in Elias' gamma code (a zero for each bit
// after the first, then the number in binary). No code is the start of another,
// so no two threads share a number, in any order of creation. The first ones
// are small: the first thread is 1, its children 3, 10, 11, 36, ...
const (
	rootNumber = 1
	maxNumber  = 1<<31 - 1
)

// childNumber is the number of the n-th child (from 1) of a thread; false if
// it has more bits than a thread id.
func childNumber(parent, n uint64) (uint64, bool) {
	width := 2*bits.Len64(n) - 1
	if bits.Len64(parent)+width > 31 {
		return 0, false
	}
	return parent<<width | n, true
}

// parse takes a number apart into the parent's number and the ordinal; false
// for any other number.
func parse(number uint64) (parent, n uint64, ok bool) {
	if number <= rootNumber || number > maxNumber {
		return 0, 0, false
	}
	rest := bits.Len64(number) - 1 // bits that aren't read yet
	for {
		zeros := rest - bits.Len64(number&(1<<rest-1))
		width := 2*zeros + 1
		if width > rest {
			return 0, 0, false
		}
		if width == rest {
			return number >> width, number & (1<<width - 1), true
		}
		rest -= width
	}
}

// lookup is the TID of the thread with a number, created or not; trace.NoThread
// for any other number.
func (k *Kernel) lookup(number uint64) trace.TID {
	if id, ok := k.numbers[number]; ok {
		return id
	}
	parent, n, ok := parse(number)
	if !ok {
		return trace.NoThread
	}
	p := k.lookup(parent)
	if p == trace.NoThread {
		return p
	}
	id, err := k.host.Intern(p, n)
	if err != nil { // then it will never be created
		return trace.NoThread
	}
	k.numbers[number] = id
	return id
}

// thread is the state of a thread, nil if it was never created.
func (k *Kernel) thread(t trace.TID) *thread {
	if int(t) >= len(k.threads) {
		return nil
	}
	return k.threads[t]
}

// addThread makes the entry of a thread that is met for the first time.
func (k *Kernel) addThread(id trace.TID, number uint64) *thread {
	for int(id) >= len(k.threads) {
		k.threads = append(k.threads, nil)
	}
	t := &thread{id: id, number: number}
	k.threads[id] = t
	k.numbers[number] = id
	return t
}

// child names the next child of t: its TID and number.
func (k *Kernel) child(t *thread) (id trace.TID, number uint64, reason string) {
	n := t.children + 1
	number, ok := childNumber(t.number, n)
	if !ok {
		return trace.NoThread, 0, "thread " + k.host.Name(t.id) + " creates more threads than there are thread ids for"
	}
	id, err := k.host.Intern(t.id, n)
	if err != nil {
		return trace.NoThread, 0, err.Error()
	}
	return id, number, ""
}

func planThreadFork(c *call, p *kernel.Plan) {
	id, _, reason := c.k.child(c.t)
	if reason != "" {
		p.Effect, p.Reason, p.Gap = kernel.Invalid, reason, kernel.GapThreads
		return
	}
	c.event(p, trace.Op{Kind: trace.OpCreate, Obj: uint64(id)})
	c.touch(runWord(id), wordSize, trace.Write)
}

// doThreadFork: the child has all registers of its parent, the stack pointer
// too, but for the result. It inherits no exception handler.
func doThreadFork(c *call, o *kernel.Outcome) int64 {
	k := c.k
	id, number, reason := k.child(c.t)
	if reason != "" {
		o.Invalid, o.Gap = reason, kernel.GapThreads
		return noMemory
	}
	k.addChild(c.t, id, number)
	k.spawn = kernel.Spawn{Child: id, Regs: *c.regs}
	k.form.setResult(&k.spawn.Regs, 0)
	o.Spawn = &k.spawn
	c.touch(runWord(id), wordSize, trace.Write)
	return int64(number)
}

// addChild makes the next child of parent exist.
func (k *Kernel) addChild(parent *thread, id trace.TID, number uint64) {
	t := k.thread(id)
	if t == nil {
		t = k.addThread(id, number)
	}
	k.set(&parent.children, parent.children+1)
	k.set(&k.live, k.live+1)
	k.set(&t.state, running)
	k.set(&t.children, 0)
	k.set(&t.ticks, parent.ticks)
	k.setHandler(t, handler{})
}

func doGettid(c *call, _ *kernel.Outcome) int64 { return int64(c.t.number) }

func planVanish(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpExit, Obj: uint64(c.t.id)})
	c.touch(runWord(c.t.id), wordSize, trace.Write)
}

// doVanish ends the caller, and with the last thread the task.
func doVanish(c *call, o *kernel.Outcome) int64 {
	k := c.k
	c.touch(runWord(c.t.id), wordSize, trace.Write)
	k.set(&c.t.state, vanished)
	k.set(&k.live, k.live-1)
	o.ExitThread = true
	if k.live == 0 {
		o.ExitProcess, o.Status = true, int(int32(k.status))
	}
	return 0
}

// planEnd is the plan of a call that ends all threads.
func planEnd(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpEnd})
}

func doTaskVanish(c *call, o *kernel.Outcome) int64 {
	o.ExitProcess, o.Status = true, int(c.int(0))
	return 0
}

// doHalt: the machine stops, whatever the task's status.
func doHalt(c *call, o *kernel.Outcome) int64 {
	o.ExitProcess = true
	return 0
}

func planSetStatus(c *call, p *kernel.Plan) {
	c.event(p, trace.Op{Kind: trace.OpSyscall, Obj: statusWord, Size: wordSize, Arg: 1})
}

func doSetStatus(c *call, o *kernel.Outcome) int64 {
	o.SetsStatus = true
	c.k.set(&c.k.status, uint64(uint32(c.int(0))))
	return 0
}
