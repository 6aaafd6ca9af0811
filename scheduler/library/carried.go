package library

import (
	"hash/fnv"
	"strconv"
	"strings"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// With --trust threads, landgo carries the functions on threads of a student's library out
// itself (thr_create, thr_join, thr_exit, thr_getid, thr_yield). They are threads of the
// kernel, with stacks of landgo's. The errors of these functions aren't tested. Their code
// never runs. The code of thr_init does, in one piece, and landgo notes the size of stacks
// that it is given. It often sets up what other parts of the library need, a mutex for malloc say.
//
//	thr_create  a thread at once, with a stack of at least the size that was asked
//	            for and no exception handler; its function's return is a thr_exit
//	thr_join    claims the thread, then waits for its thr_exit; a negative number
//	            for itself, for what is no thread, and for one that is claimed
//	thr_exit    the stack is no thread's from here on; the last thread ends the task,
//	            with the status of set_status
//
// The library's other knowledge of threads is in carriedkept.go.

// threadKernel is a kernel on which this works. The words are addresses that stand
// for a thread's states: a call that looks at one depends on the calls that change it.
type threadKernel interface {
	kernel.Leaver
	Number(t trace.TID) uint64
	Named(number uint64) (id trace.TID, run, join uint64)
	Runs(t trace.TID) bool
	NextChild(t trace.TID) (id trace.TID, run, join uint64, reason string)
	Fork(t trace.TID, base, size, room uint64) (number uint64, ok, taken bool)
	Block(regs *emu.Regs, function, top, arg uint64)
	Last(t trace.TID) (status int, last bool)
}

const (
	carriedStacks = 0xc0000000
	carriedEnd    = 0xf0000000
	// stackTail is above a stack: what a library keeps of a thread lies there.
	stackTail = abi.PageSize
	// callRoom is the part of its stack that the call of a thread's function takes.
	callRoom = 64
	failed   = ^uint64(0) // a negative number
)

// carried are the functions of a student's library on threads, which landgo carries out.
type carried struct {
	guest   *guest
	models  *models
	calls   *calls
	cells   *cells
	objects *objectCalls
	heap    *heapCalls
	quiets  *quiets
	runs    operations
	yield   func(trace.TID, *trace.Transition) scheduler.Verdict
}

// operations are those at which threads stand.
type operations interface {
	advance(th *thread, tr *trace.Transition, allow uint32) error
	possible(*thread) bool
	pendingOp(*thread) trace.Op
}

// carries reports whether landgo carries out a function on threads.
func (c *carried) carries(r profile.Role) bool {
	switch r {
	case profile.ThreadInit, profile.Create, profile.Join, profile.ThreadExit, profile.Self, profile.Yield:
		return c.guest.cfg.Tested && c.guest.trusts(r) && c.threadKernel() != nil
	}
	return false
}

func (c *carried) threadKernel() threadKernel {
	k, _ := c.guest.kernel.(threadKernel)
	return k
}

// at decides what the entry of such a function means.
func (c *carried) at(th edit, tr *trace.Transition, r profile.Role) (scheduler.Verdict, error) {
	if th.quiet.on && r != profile.Self && r != profile.Yield {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapTrust, th.ID, c.guest.callSite(th.thread), "%s is called inside of a function that is trusted as one step", c.guest.roles[th.Regs.RIP].Name)
	}
	if th.quiet.on {
		c.guest.machine.PutFlag(&c.models.skipped, true)
		return c.answer(th, r), nil
	}
	th.role, th.phase, th.timed = r, phaseEntry, false
	if r == profile.ThreadInit {
		return c.initThreads(th)
	}
	c.guest.machine.PutFlag(&c.models.skipped, true)
	return c.carry(th, tr)
}

// answer carries out what needs no step where no other thread can run.
func (c *carried) answer(th edit, r profile.Role) scheduler.Verdict {
	k, result := c.threadKernel(), uint64(0)
	if id := int32(th.arg(0)); r == profile.Self {
		result = k.Number(th.ID)
	} else if id != -1 {
		if t, _, _ := k.Named(uint64(uint32(id))); t == trace.NoThread || !k.Runs(t) {
			result = failed
		}
	}
	c.guest.ret(th, result)
	return scheduler.Pass
}

func (c *carried) initThreads(th edit) (scheduler.Verdict, error) {
	if !c.guest.core.Alone(th.ID) {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapTrust, th.ID, c.guest.callSite(th.thread), "%s is called while there are other threads", c.guest.roles[th.Regs.RIP].Name)
	}
	c.guest.machine.Put(&c.cells.stackSize, abi.PageUp(uint64(uint32(th.arg(0)))+callRoom))
	return c.quiets.enter(th, false)
}

// carry stands before a function, if other threads could observe when it is carried out, or
// carries it out.
func (c *carried) carry(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	seen := false
	for _, addr := range c.carriedWords(th.thread) {
		seen = c.sharesWord(th.thread, addr) || seen
	}
	if th.role == profile.ThreadExit {
		seen = seen || c.guest.core.Ends.IsStep(th.ID) || c.guest.core.Stacks.StackEnd(th.ID).Kind != trace.OpNone
	}
	if seen && c.guest.core.EveryOperation() && c.guest.core.Points.Allowed(th.ID, c.whereCarried(th.thread)) {
		th.Stand = scheduler.StandOp
		return scheduler.Stay, nil
	}
	return c.perform(th, tr)
}

// describe fills in what a thread does next that stands at such a function.
func (c *carried) describe(th *thread, d *trace.Thread) {
	switch {
	case th.role == profile.ThreadExit:
		d.Pending = c.runs.pendingOp(th)
		return
	case th.phase == phaseClaimed:
		d.Pending = th.pending
		if !c.runs.possible(th) {
			d.Status = trace.Blocked
		}
		return
	}
	d.Pending.Kind = trace.OpAccess
	for _, addr := range c.carriedWords(th) {
		if _, shared := c.guest.machine.Sharing(addr); shared {
			d.PendingAccess = trace.Access{Addr: addr, Size: 8, PC: c.whereCarried(th), Flags: c.carriedFlags(th)}
		}
	}
}

// sharesWord reports whether several threads look at a word.
func (c *carried) sharesWord(th *thread, addr uint64) bool {
	if c.guest.core.Alone(th.ID) {
		return false
	}
	return c.guest.core.Sharing.Shared(th.ID, addr, 8)
}

// carriedWords are those by which others tell when the function at which a thread
// stands is carried out.
func (c *carried) carriedWords(th *thread) []uint64 {
	k := c.threadKernel()
	switch th.role {
	case profile.Create:
		if _, run, join, reason := k.NextChild(th.ID); reason == "" {
			return []uint64{run, join}
		}
	case profile.Join:
		if t, _, join := k.Named(uint64(uint32(th.arg(0)))); t != trace.NoThread {
			return []uint64{join}
		}
	case profile.ThreadExit:
		_, run, _ := k.Named(k.Number(th.ID))
		return []uint64{run}
	case profile.Yield:
		if t, run, _ := k.Named(uint64(uint32(th.arg(0)))); t != trace.NoThread {
			return []uint64{run}
		}
	}
	return nil
}

// carriedFlags: all but a yield change these words.
func (c *carried) carriedFlags(th *thread) trace.AccessFlags {
	if th.role == profile.Yield {
		return 0
	}
	return trace.Write
}

// whereCarried is the call for which a function is carried out.
func (c *carried) whereCarried(th *thread) uint64 {
	if th.fellOff {
		return th.Regs.RIP
	}
	return c.guest.callSite(th)
}

// step carries out the function at which a thread stands and lets it run on.
func (c *carried) step(th edit, tr *trace.Transition) error {
	v, err := c.perform(th, tr)
	if err != nil || v == scheduler.Stay {
		return err
	}
	return c.runs.advance(th.thread, tr, 0)
}

func (c *carried) perform(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if c.models.untrusted != "" {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapTrust, th.ID, c.guest.callSite(th.thread), "the allocator, which is trusted, uses %s, which belongs to the functions on threads: leave one of the two out", c.models.untrusted)
	}
	k := c.threadKernel()
	pc := c.whereCarried(th.thread)
	if th.phase == phaseClaimed {
		return c.takeStatus(th, tr, pc)
	}
	words := c.carriedWords(th.thread)
	for _, addr := range words {
		c.guest.core.Sharing.Touch(th.ID, tr, pc, addr, 8, c.carriedFlags(th.thread))
	}
	switch th.role {
	case profile.Self:
		return c.answer(th, profile.Self), nil
	case profile.Yield:
		c.answer(th, profile.Yield)
		return c.yield(th.ID, tr), nil
	case profile.Create:
		return c.create(th, tr, pc)
	case profile.ThreadExit:
		return c.exit(th, tr)
	}
	t, _, _ := k.Named(uint64(uint32(th.arg(0))))
	if t == trace.NoThread || t == th.ID || int(t) >= len(c.models.threads) || !c.models.threads[t].Exists || c.models.threads[t].claimed {
		c.guest.ret(th, failed)
		return scheduler.Pass, nil
	}
	c.models.edit(t).claimed = true
	th.pending, th.phase = trace.Op{Kind: trace.OpJoin, Obj: uint64(t), PC: pc}, phaseClaimed
	if c.guest.core.Alone(th.ID) {
		return c.takeStatus(th, tr, pc)
	}
	th.Insns++ // schedules name the states on both sides
	th.Stand = scheduler.StandOp
	return scheduler.Stay, nil
}

// takeStatus ends a join of a thread that has ended.
func (c *carried) takeStatus(th edit, tr *trace.Transition, pc uint64) (scheduler.Verdict, error) {
	t := &c.models.threads[th.pending.Obj]
	if t.vanished {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapTrust, th.ID, pc, "%s waits for thread %s, which ended by vanish and not by thr_exit: only the library knows the effect", c.guest.roles[th.Regs.RIP].Name, c.guest.core.Name(t.ID))
	}
	if p := th.arg(1); p != 0 {
		for _, a := range [2]uint64{p, p + c.guest.wordSize - 1} {
			if c.guest.machine.Prot(a)&emu.ProtWrite == 0 {
				return scheduler.Stay, c.guest.core.Invalid(kernel.GapTrust, th.ID, pc, "%s is to put a status at %#x, which isn't writable", c.guest.roles[th.Regs.RIP].Name, p)
			}
		}
		if f := c.guest.core.Blocks.DeadAccess(th.ID, pc, p, c.guest.wordSize, "a join writes its status", false); f != nil {
			return scheduler.Stay, c.guest.core.Fail(th.ID, f)
		}
		c.setWord(p, t.Returned)
		c.guest.core.Sharing.Touch(th.ID, tr, pc-1, p, uint32(c.guest.wordSize), trace.Write)
	}
	c.guest.core.Join(t.ID, tr)
	op := th.pending
	tr.Did(op)
	th.phase = phaseEntry
	c.guest.ret(th, 0)
	return scheduler.Pass, nil
}

func (c *carried) setWord(addr, v uint64) {
	if c.guest.wordSize == 4 {
		c.guest.machine.Write32(addr, uint32(v))
		return
	}
	c.guest.machine.Write64(addr, v)
}

// carriedPlaces is how many stacks of landgo's there may be.
const carriedPlaces = 128

// carriedPlace is a function of a thread's name alone: the n-th child of the first
// thread has place n. Deeper ones share the last 32 by a hash of their names.
func carriedPlace(name string) uint64 {
	parts := strings.Split(name, ".")
	if len(parts) <= 2 {
		n, _ := strconv.ParseUint(parts[len(parts)-1], 10, 64)
		if n >= carriedPlaces-32 {
			return carriedPlaces
		}
		return n
	}
	h := fnv.New32a()
	h.Write([]byte(name))
	return carriedPlaces - 32 + uint64(h.Sum32()%32)
}

// create makes a thread that runs a function on a stack of landgo's.
func (c *carried) create(th edit, tr *trace.Transition, pc uint64) (scheduler.Verdict, error) {
	k := c.threadKernel()
	child, _, _, reason := k.NextChild(th.ID)
	if reason != "" {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapThreads, th.ID, pc, "%s", reason)
	}
	if c.cells.stackSize.Get() == 0 { // thr_init comes first
		c.guest.ret(th, failed)
		return scheduler.Pass, nil
	}
	place := carriedPlace(c.guest.core.Name(child))
	apart := c.cells.stackSize.Get() + stackTail + 2*abi.PageSize
	base := carriedStacks + place*apart + abi.PageSize
	for i := range c.models.threads {
		if c.models.threads[i].Exists && c.models.threads[i].roomAt == base+c.cells.stackSize.Get() {
			place = carriedPlaces
		}
	}
	if place >= carriedPlaces || base+apart > carriedEnd {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapThreads, th.ID, pc, "there is no room for the stack of another thread: at most 95 children of the first thread and 32 others, and 768 MiB")
	}
	number, ok, taken := k.Fork(th.ID, base, c.cells.stackSize.Get(), stackTail)
	if taken {
		return scheduler.Stay, c.guest.core.Invalid(kernel.GapTrust, th.ID, pc, "the guest has memory of its own at %#x, where landgo puts the stack of a thread", base)
	}
	if !ok {
		c.guest.ret(th, failed)
		return scheduler.Pass, nil
	}
	c.heap.Got(th.ID, base, c.cells.stackSize.Get())
	c.guest.machine.Touch(scheduler.AllThreads, base+c.cells.stackSize.Get(), stackTail, true)
	regs := emu.Regs{RFLAGS: th.Regs.RFLAGS}
	k.Block(&regs, th.arg(0), base+c.cells.stackSize.Get(), th.arg(1))
	c.guest.ret(th, number)
	return scheduler.Pass, c.guest.core.Spawn(th.ID, child, &regs, tr, base+c.cells.stackSize.Get())
}

// exit ends a thread by its thr_exit.
func (c *carried) exit(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	th.Insns++ // schedules name the states on both sides
	th.Stand, th.Returned = scheduler.StandRun, th.arg(0)
	k := c.threadKernel()
	if status, last := k.Last(th.ID); last {
		k.Leave(th.ID)
		return scheduler.Stay, c.guest.core.Traps.ExitProcess(th.ID, tr, status)
	}
	if f := c.calls.exitMisuse(th.thread); f != nil {
		return scheduler.Stay, c.guest.core.Fail(th.ID, f)
	}
	th.holds = nil
	c.objects.gone(th, tr, false)
	return scheduler.Stay, nil
}

// fallsOff reports whether a thread that jumped to 0 returned from its function: its
// return address was 0. It stands at a thr_exit with what the function returned.
func (c *carried) fallsOff(th edit) bool {
	if th.roomAt == 0 || th.Regs.RIP != 0 || th.Regs.RSP != th.exitSP+c.guest.wordSize {
		return false
	}
	th.fellOff = true
	th.role, th.phase, th.timed = profile.ThreadExit, phaseEntry, false
	th.args = [4]uint64{th.Regs.RAX}
	return true
}
