package library

import (
	"hash/fnv"
	"strconv"
	"strings"

	"landgo/emu"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// With --trust threads, landgo carries the functions on threads of a student's
// library out itself (thr_create, thr_join, thr_exit, thr_getid, thr_yield): threads
// of the kernel, with stacks of landgo's, so that what is wrong with these functions
// is no part of what is tested. Their code never runs. Of thr_init the size of
// stacks is noted, and its code runs as well, in one piece: it often sets up what
// other parts of the library need, a mutex for malloc say.
//
//	thr_create  a thread at once, with a stack of at least the size that was asked
//	            for and no exception handler; its function's return is a thr_exit
//	thr_join    claims the thread, then waits for its thr_exit; a negative number
//	            for itself, for what is no thread, and for one that is claimed
//	thr_exit    the stack is no thread's from here on; the last thread ends the task,
//	            with the status of set_status
//
// What the library knows of threads besides stands in carriedkept.go.

// threadKernel is a kernel on which this works. The words are addresses that stand
// for a thread's states: a call that looks at one depends on the calls that change it.
type threadKernel interface {
	Number(t trace.TID) uint64
	Named(number uint64) (id trace.TID, run, join uint64)
	Runs(t trace.TID) bool
	NextChild(t trace.TID) (id trace.TID, run, join uint64, reason string)
	Fork(t trace.TID, base, size, room uint64) (number uint64, ok, taken bool)
	Block(regs *emu.Regs, function, top, arg uint64)
	Last(t trace.TID) (status int, last bool)
	Leave(t trace.TID)
}

const (
	carriedStacks = 0xc0000000
	carriedEnd    = 0xf0000000
	// stackTail is above a stack: what a library keeps of a thread lies there.
	stackTail = 4096
	// callRoom is what the call of a thread's function takes of its stack.
	callRoom = 64
	failed   = ^uint64(0) // a negative number
)

// carries reports whether landgo carries out a function on threads.
func (s *Library) carries(r profile.Role) bool {
	switch r {
	case profile.ThreadInit, profile.Create, profile.Join, profile.ThreadExit, profile.Self, profile.Yield:
		return s.cfg.Tested && s.trusts(r) && s.threadKernel() != nil
	}
	return false
}

func (s *Library) threadKernel() threadKernel {
	k, _ := s.kernel.(threadKernel)
	return k
}

// atCarried decides what the entry of such a function means.
func (s *Library) atCarried(th *thread, tr *trace.Transition, r profile.Role) (scheduler.Verdict, error) {
	if th.quiet.on && r != profile.Self && r != profile.Yield {
		return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, s.callSite(th), "%s is called inside of a function that is trusted as one step", s.roles[th.Regs.RIP].Name)
	}
	if th.quiet.on {
		s.machine.Put(&s.skipped, 1)
		return s.answer(th, r), nil
	}
	th.role, th.phase, th.timed = r, phaseEntry, false
	if r == profile.ThreadInit {
		return s.initThreads(th)
	}
	s.machine.Put(&s.skipped, 1)
	return s.carry(th, tr)
}

// answer carries out what needs no step where no other thread can run.
func (s *Library) answer(th *thread, r profile.Role) scheduler.Verdict {
	k, result := s.threadKernel(), uint64(0)
	if id := int32(th.arg(0)); r == profile.Self {
		result = k.Number(th.ID)
	} else if id != -1 {
		if t, _, _ := k.Named(uint64(uint32(id))); t == trace.NoThread || !k.Runs(t) {
			result = failed
		}
	}
	s.ret(th, result)
	return scheduler.Pass
}

func (s *Library) initThreads(th *thread) (scheduler.Verdict, error) {
	if !s.core.Alone(th.ID) {
		return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, s.callSite(th), "%s is called while there are other threads", s.roles[th.Regs.RIP].Name)
	}
	s.machine.Put(&s.stackSize, (uint64(uint32(th.arg(0)))+callRoom+4095)&^4095)
	return s.enterQuiet(th, false)
}

// carry stands before a function, if others could tell when it is carried out, or
// carries it out.
func (s *Library) carry(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	seen := false
	for _, addr := range s.carriedWords(th) {
		seen = s.sharesWord(th, addr) || seen
	}
	if th.role == profile.ThreadExit {
		seen = seen || s.core.Ends.IsStep(th.ID) || s.core.Stacks.StackEnd(th.ID).Kind != trace.OpNone
	}
	if seen && s.core.EveryOperation() && s.core.Points.Allowed(th.ID, s.whereCarried(th)) {
		th.Stand = scheduler.StandOp
		return scheduler.Stay, nil
	}
	return s.performCarried(th, tr)
}

// describeCarried fills in what a thread does next that stands at such a function.
func (s *Library) describeCarried(th *thread, d *trace.Thread) {
	switch {
	case th.role == profile.ThreadExit:
		d.Pending = s.pendingOp(th)
		return
	case th.phase == phaseClaimed:
		d.Pending = th.pending
		if !s.possible(th) {
			d.Status = trace.Blocked
		}
		return
	}
	d.Pending.Kind = trace.OpAccess
	for _, addr := range s.carriedWords(th) {
		if _, shared := s.machine.Sharing(addr); shared {
			d.PendingAccess = trace.Access{Addr: addr, Size: 8, PC: s.whereCarried(th), Flags: s.carriedFlags(th)}
		}
	}
}

// sharesWord reports whether several threads look at a word.
func (s *Library) sharesWord(th *thread, addr uint64) bool {
	if s.core.Alone(th.ID) {
		return false
	}
	return s.core.Sharing.Shared(th.ID, addr, 8)
}

// carriedWords are those by which others tell when the function at which a thread
// stands is carried out.
func (s *Library) carriedWords(th *thread) []uint64 {
	k := s.threadKernel()
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
func (s *Library) carriedFlags(th *thread) trace.AccessFlags {
	if th.role == profile.Yield {
		return 0
	}
	return trace.Write
}

// whereCarried is the call for which a function is carried out.
func (s *Library) whereCarried(th *thread) uint64 {
	if th.fellOff {
		return th.Regs.RIP
	}
	return s.callSite(th)
}

// stepCarried carries out the function at which a thread stands and lets it run on.
func (s *Library) stepCarried(th *thread, tr *trace.Transition) error {
	v, err := s.performCarried(th, tr)
	if err != nil || v == scheduler.Stay {
		return err
	}
	return s.advance(th, tr, 0)
}

func (s *Library) performCarried(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	if s.untrusted != "" {
		return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, s.callSite(th), "the allocator, which is trusted, uses %s, which belongs to the functions on threads: leave one of the two out", s.untrusted)
	}
	k := s.threadKernel()
	pc := s.whereCarried(th)
	if th.phase == phaseClaimed {
		return s.takeStatus(th, tr, pc)
	}
	words := s.carriedWords(th)
	for _, addr := range words {
		s.core.Sharing.Touch(th.ID, tr, pc, addr, 8, s.carriedFlags(th))
	}
	switch th.role {
	case profile.Self:
		return s.answer(th, profile.Self), nil
	case profile.Yield:
		s.answer(th, profile.Yield)
		return s.Yield(th.ID, tr), nil
	case profile.Create:
		return s.create(th, tr, pc)
	case profile.ThreadExit:
		return s.exitCarried(th, tr)
	}
	t, _, _ := k.Named(uint64(uint32(th.arg(0))))
	if t == trace.NoThread || t == th.ID || int(t) >= len(s.threads) || !s.threads[t].Exists || s.threads[t].claimed {
		s.ret(th, failed)
		return scheduler.Pass, nil
	}
	s.core.Save(t)
	s.threads[t].claimed = true
	th.pending, th.phase = trace.Op{Kind: trace.OpJoin, Obj: uint64(t), PC: pc}, phaseClaimed
	if s.core.Alone(th.ID) {
		return s.takeStatus(th, tr, pc)
	}
	th.Insns++ // schedules name the states on both sides
	th.Stand = scheduler.StandOp
	return scheduler.Stay, nil
}

// takeStatus ends a join of a thread that has ended.
func (s *Library) takeStatus(th *thread, tr *trace.Transition, pc uint64) (scheduler.Verdict, error) {
	t := &s.threads[th.pending.Obj]
	if t.vanished {
		return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, pc, "%s waits for thread %s, which ended by vanish and not by thr_exit: only the library knows the effect", s.roles[th.Regs.RIP].Name, s.core.Name(t.ID))
	}
	if p := th.arg(1); p != 0 {
		for _, a := range [2]uint64{p, p + s.wordSize - 1} {
			if s.machine.Prot(a)&emu.ProtWrite == 0 {
				return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, pc, "%s is to put a status at %#x, which isn't writable", s.roles[th.Regs.RIP].Name, p)
			}
		}
		if f := s.core.Blocks.DeadAccess(th.ID, pc, p, s.wordSize, "a join writes its status", false); f != nil {
			return scheduler.Stay, s.core.Fail(th.ID, f)
		}
		s.setWord(p, t.Returned)
		s.core.Sharing.Touch(th.ID, tr, pc-1, p, uint32(s.wordSize), trace.Write)
	}
	s.core.Join(t.ID, tr)
	op := th.pending
	tr.Did(op)
	th.phase = phaseEntry
	s.ret(th, 0)
	return scheduler.Pass, nil
}

func (s *Library) setWord(addr, v uint64) {
	if s.wordSize == 4 {
		s.machine.Write32(addr, uint32(v))
		return
	}
	s.machine.Write64(addr, v)
}

// carriedPlaces is how many stacks of landgo's there may be.
const carriedPlaces = 128

// carriedPlace is a function of a thread's name alone: the n-th child of the first
// thread has place n; deeper ones share the last 32 by a hash of their names.
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
func (s *Library) create(th *thread, tr *trace.Transition, pc uint64) (scheduler.Verdict, error) {
	k := s.threadKernel()
	child, _, _, reason := k.NextChild(th.ID)
	if reason != "" {
		return scheduler.Stay, s.core.Invalid(kernel.GapThreads, th.ID, pc, "%s", reason)
	}
	if s.stackSize.Get() == 0 { // thr_init comes first
		s.ret(th, failed)
		return scheduler.Pass, nil
	}
	place := carriedPlace(s.core.Name(child))
	apart := s.stackSize.Get() + stackTail + 2*4096
	base := carriedStacks + place*apart + 4096
	for i := range s.threads {
		if s.threads[i].Exists && s.threads[i].roomAt == base+s.stackSize.Get() {
			place = carriedPlaces
		}
	}
	if place >= carriedPlaces || base+apart > carriedEnd {
		return scheduler.Stay, s.core.Invalid(kernel.GapThreads, th.ID, pc, "there is no room for the stack of another thread: at most 95 children of the first thread and 32 others, and 768 MiB")
	}
	number, ok, taken := k.Fork(th.ID, base, s.stackSize.Get(), stackTail)
	if taken {
		return scheduler.Stay, s.core.Invalid(kernel.GapTrust, th.ID, pc, "the guest has memory of its own at %#x, where landgo puts the stack of a thread", base)
	}
	if !ok {
		s.ret(th, failed)
		return scheduler.Pass, nil
	}
	s.Got(th.ID, base, s.stackSize.Get())
	s.machine.Touch(scheduler.AllThreads, base+s.stackSize.Get(), stackTail)
	regs := emu.Regs{RFLAGS: th.Regs.RFLAGS}
	k.Block(&regs, th.arg(0), base+s.stackSize.Get(), th.arg(1))
	s.ret(th, number)
	return scheduler.Pass, s.core.Spawn(th.ID, child, &regs, tr, base+s.stackSize.Get())
}

// exitCarried ends a thread by its thr_exit.
func (s *Library) exitCarried(th *thread, tr *trace.Transition) (scheduler.Verdict, error) {
	th.Insns++ // schedules name the states on both sides
	th.Stand, th.Returned = scheduler.StandRun, th.arg(0)
	k := s.threadKernel()
	if status, last := k.Last(th.ID); last {
		k.Leave(th.ID)
		return scheduler.Stay, s.core.Traps.ExitProcess(th.ID, tr, status)
	}
	if f := s.exitMisuse(th); f != nil {
		return scheduler.Stay, s.core.Fail(th.ID, f)
	}
	th.holds = nil
	s.gone(th, tr, false)
	return scheduler.Stay, nil
}

// fallsOff reports whether a thread that jumped to 0 returned from its function: its
// return address was 0. It stands at a thr_exit with what the function returned.
func (s *Library) fallsOff(th *thread) bool {
	if th.roomAt == 0 || th.Regs.RIP != 0 || th.Regs.RSP != th.exitSP+s.wordSize {
		return false
	}
	th.fellOff = true
	th.role, th.phase, th.timed = profile.ThreadExit, phaseEntry, false
	th.args = [4]uint64{th.Regs.RAX}
	return true
}
