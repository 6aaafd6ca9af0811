package linux

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// target is the target of a kill.
type target struct {
	sig    uint64
	t      *thread   // nil: no thread
	shared bool      // sent to the process
	among  []*thread // of a signal to the process: those that may take it; valid until the next aim
	info   info      // its value
	errno  uint64
	// lingers: the thread has ended for the others, and may still have its number for Linux,
	// which tells them before it gives the number up. A signal to it is lost then.
	lingers bool
}

// isWrong reports whether the call fails whatever the threads do.
func (to *target) isWrong() bool {
	return to.errno == einval || to.errno == efault || to.errno == eperm
}

// toProcess reports whether the call sends a signal to the process.
func (c *call) toProcess() bool { return c.nr == sysKill || c.nr == sysSigqueue }

// aim decodes tkill, tgkill, kill, rt_sigqueueinfo and rt_tgsigqueueinfo.
func (c *call) aim() target {
	number, sig, carried := c.a[0], c.a[1], c.a[2]
	if c.nr == sysTgkill || c.nr == sysTgsigqueue {
		number, sig, carried = c.a[1], c.a[2], c.a[3]
	}
	i := sentBy(c.toProcess())
	if c.nr == sysSigqueue || c.nr == sysTgsigqueue {
		if !c.k.user.canRead(carried, siginfoSize) {
			return target{errno: efault}
		}
		i.code, i.addr, i.value = int32(c.k.log.Read32(carried+8)), c.k.log.Read64(carried+16), c.k.log.Read64(carried+24)
		if (i.code >= 0 || i.code == siTkill) && number&0xffffffff != c.t.number { // as if the kernel had sent it
			return target{errno: eperm}
		}
	}
	switch pid := c.int32(0); {
	case (c.nr == sysTgkill || c.nr == sysTgsigqueue) && pid <= 0:
		return target{errno: einval}
	case c.nr == sysKill && !isOurs(pid),
		(c.nr == sysTgkill || c.nr == sysTgsigqueue || c.nr == sysSigqueue) && pid != firstNumber:
		return target{errno: esrch}
	case sig >= numSignals:
		return target{errno: einval}
	}
	if c.toProcess() {
		among := c.k.signals.takers(sig)
		n := uint64(len(among))
		t := among[c.choice%n]
		c.choice /= n
		return target{sig: sig, t: t, shared: true, among: among, info: i}
	}
	t := c.k.roster.numbered(number & 0xffffffff)
	if t == nil {
		errno := c.toTheDead()
		if errno == esrch && int32(number) <= 0 {
			return target{errno: einval}
		}
		_, lived := c.k.roster.numbers[number&0xffffffff]
		return target{errno: errno, lingers: errno == esrch && lived}
	}
	return target{sig: sig, t: t, info: i}
}

// toTheDead is the result of a signal to a thread that has ended. musl's pthread_kill, and
// glibc's since version 2.34, and a thread's end exclude each other: it returns 0 without a
// call once the thread is about to end. Where landgo carries that end out neither the lock
// is taken nor the mark set.
func (c *call) toTheDead() uint64 {
	f, ok := c.k.img.SymbolAt(c.pc)
	if ok && (strings.HasPrefix(f.Name, "__pthread_kill_implementation") || c.nr == sysTkill && f.Name == "pthread_kill") {
		return 0
	}
	return esrch
}

// takers are threads: one of them has to look for a signal to the process. Linux prefers the
// first thread (complete_signal), if that doesn't block the signal. Where it was notified of
// another signal, and hasn't got to that yet, it is passed over unless it runs on a processor. Of
// the others it may be any that doesn't block it or waits for it: POSIX leaves that open, and
// Linux goes round them. To tell one again that was notified of another makes no difference. So
// of those the list has one. If all block the signal, the list is the first live thread alone.
func (s *signals) takers(sig uint64) []*thread {
	s.log.Get(&s.roster.list)
	list := s.takersList[:0]
	if t := s.roster.threads[0]; s.log.Get(&t.alive) != 0 && sig != 0 && (s.isQueued(&target{sig: sig, shared: true}) || s.wants(t, sig) && !s.looks(t)) {
		return append(list, t)
	}
	var first, told *thread
	for _, t := range s.roster.threads {
		if t == nil || s.log.Get(&t.alive) == 0 {
			continue
		}
		if first == nil || t.number < first.number {
			first = t
		}
		switch {
		case sig == 0 || !s.wants(t, sig):
		case !s.looks(t):
			list = append(list, t)
		case told == nil || t.number < told.number:
			told = t
		}
	}
	if told != nil {
		list = append(list, told)
	}
	slices.SortFunc(list, func(a, b *thread) int { return cmp.Compare(a.number, b.number) })
	s.takersList = list
	if len(list) == 0 {
		return append(list, first)
	}
	return list
}

// wants reports whether a thread takes a signal that is sent to it.
func (s *signals) wants(t *thread, sig uint64) bool {
	return s.log.Get(&t.blocked)&bit(sig) == 0 || s.awaits(t, sig)
}

// awaits reports whether t sleeps in a sigwait for sig.
func (s *signals) awaits(t *thread, sig uint64) bool { return s.log.Get(&t.awaited)&bit(sig) != 0 }

func planKill(c *call, p *kernel.Plan) {
	to := c.aim()
	if to.isWrong() {
		return
	}
	if to.sig == 0 || to.t == nil {
		c.event(p, trace.Op{Kind: trace.OpCancel, Obj: c.victim(to)})
		if to.lingers {
			p.Outcomes = 2
		}
		return
	}
	blocks := c.get(&to.t.blocked)&bit(to.sig) != 0
	arrives := c.k.signals.arrives(&to)
	if arrives && c.k.host.Arrival(to.t.id) == kernel.NoArrival {
		beyond(p, kernel.GapThreads, p.Name+manyArrivals)
		return
	}
	p.Outcomes = uint32(len(to.among))
	switch f := c.k.signals.fate(to.sig); {
	case f == fateStop:
		invalid(p, p.Name+" with a signal that stops the process is not modelled")
	case f == fateDeadly && !blocks:
		c.event(p, trace.Op{Kind: trace.OpEnd})
	case to.t == c.t && p.Outcomes < 2 && !arrives:
		// To itself: no other thread can tell.
	case arrives:
		c.event(p, c.posts(to.t, to.sig))
	default:
		c.event(p, trace.Op{Kind: trace.OpCancel, Obj: uint64(to.t.id)})
	}
}

// victim is the TID that a kill depends on, also where the thread is gone.
func (c *call) victim(to target) uint64 {
	number := c.a[0]
	switch {
	case to.t != nil:
		return uint64(to.t.id)
	case c.nr == sysTgkill || c.nr == sysTgsigqueue:
		number = c.a[1]
	}
	if t, ok := c.k.roster.numbers[number&0xffffffff]; ok {
		return uint64(t)
	}
	return noVictim
}

// noVictim is the victim of a signal to a number that no thread ever had: glibc
// sends to 0 if a thread has ended.
const noVictim = math.MaxUint64

func doKill(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	to := c.aim()
	if to.isWrong() {
		return to.errno
	}
	arrives := k.signals.arrives(&to)
	switch {
	case arrives:
		c.op(c.posts(to.t, to.sig))
	case to.t != c.t:
		c.op(trace.Op{Kind: trace.OpCancel, Obj: c.victim(to), Arg: to.sig})
	}
	switch {
	case to.lingers && c.choice == 1:
		o.Idle = true
		return 0
	case to.errno != 0:
		o.Idle = true
		return to.errno
	case to.sig == 0 || to.t == nil:
		o.Idle = true
		return 0
	}
	if k.signals.isQueued(&to) {
		o.Idle = true
		return 0
	}
	if arrives {
		k.signals.keep(&to, to.shared)
		if to.shared {
			k.signals.tell(to.t)
		}
		k.signals.rouse(to.t)
		o.Posts = true
		return 0
	}
	k.signals.send(to, o)
	return 0
}

// isQueued reports whether the same signal was sent before and hasn't been taken: it is one signal.
func (s *signals) isQueued(to *target) bool {
	set := &s.pending
	if !to.shared {
		set = &to.t.sent
	}
	return s.log.Get(set)&bit(to.sig) != 0 && !s.isRealTime(to.sig)
}

// send delivers a signal or keeps it until it is unblocked. The caller's own
// are kept too: Do delivers them once the call has its result.
func (s *signals) send(to target, o *kernel.Outcome) {
	t := to.t
	f, blocks := s.fate(to.sig), s.log.Get(&t.blocked)&bit(to.sig) != 0
	switch {
	case f == fateIgnored && !blocks:
	case blocks:
		s.keep(&to, to.shared)
		if s.awaits(t, to.sig) {
			s.tell(t)
			s.rouse(t)
		}
	case t == s.now.call.t:
		s.keep(&to, false)
		s.now.call.unmasks = true
	case f == fateDeadly:
		o.Signal = int(to.sig)
	case s.masks(t):
		if s.keep(&to, to.shared); to.shared {
			s.tell(t)
		}
		s.rouse(t)
	default:
		s.interrupt(&to, o)
	}
}

// isRealTime: Linux queues these, each as often as it is sent. The C library's own are
// left out: it sends them once.
func (s *signals) isRealTime(sig uint64) bool {
	return sig >= firstRealTime && !kernel.IsLibrarys(s.img.Libc(), sig)
}

// deliver makes a thread that is about to return from a call take the signals
// that it doesn't block. The call has changed the mask, or sent the caller a signal. Linux takes
// them one by one. So after one with a handler the others arrive in steps of their own, if signals
// do: another thread may take one in between.
func (s *signals) deliver(t *thread, regs *emu.Regs, o *kernel.Outcome) {
	for {
		own, shared := s.log.Get(&t.sent), s.log.Get(&s.pending)
		ready := (own | shared) &^ s.log.Get(&t.blocked)
		if ready == 0 {
			break
		}
		sig := s.nextSignal(t, ready)
		i := s.take(t, sig)
		switch s.fate(sig) {
		case fateDeadly:
			o.Signal = int(sig)
			return
		case fateStop:
			o.Invalid = "a signal that stops the process is not modelled"
			return
		case fateHandled:
			if !s.enter(t, sig, regs, i) {
				o.Signal = sigSegv
				return
			}
			if o.Interrupted == 0 {
				o.Interrupted = regs.RSP
			}
			if s.othersArrive(t) {
				s.recalculate(t)
				return
			}
		}
	}
	s.recalculate(t)
	if s.log.Get(&t.savedMaskIsWanted) != 0 { // sigsuspend, or such a call, that no handler ended
		s.log.Set(&t.savedMaskIsWanted, 0)
		s.log.Set(&t.blocked, s.log.Get(&t.savedMask))
	}
}

// othersArrive reports whether there are more signals for a thread, which arrive later.
func (s *signals) othersArrive(t *thread) bool {
	if (s.log.Get(&t.sent)|s.log.Get(&s.pending))&^s.log.Get(&t.blocked) == 0 {
		return false
	}
	a := s.now.host.Arrival(t.id)
	return a == kernel.Arrives || a == kernel.ArrivesInCall
}

// nextSignal is the signal that a thread takes next, of its own and the process's
// pending ones in a set. Its own come first, of these those that faults raise, and the
// lowest number (dequeue_signal in Linux).
func (s *signals) nextSignal(t *thread, ready uint64) uint64 {
	for _, set := range []uint64{s.log.Get(&t.sent) & ready, ready} {
		for _, set := range []uint64{set & ofFaults, set} {
			if set != 0 {
				return uint64(bits.TrailingZeros64(set)) + 1
			}
		}
	}
	return 0
}

// interrupt sends another thread into a handler.
func (s *signals) interrupt(to *target, o *kernel.Outcome) {
	t, sig := to.t, to.sig
	regs := *s.now.host.Regs(t.id)
	slept, tries := t.wait.kind.Peek() != awake && !t.leaves(), false
	switch {
	case t.leaves(): // another handler comes first
	case slept:
		tries = s.leaveSleep(t, sig, &regs)
		s.now.wakes = append(s.now.wakes, t.id)
	case t.wait.retried.On():
		regs.RIP += abi.SyscallSize // it stands before the call
		s.leaveObjects(t, sig, &regs)
		tries = true
	}
	entered := false
	s.log.As(t.id, func() { entered = s.enter(t, sig, &regs, to.info) })
	if !entered {
		o.Signal = sigSegv
		return
	}
	if tries {
		s.log.Init(&t.wait.leaving, regs.RSP)
	}
	s.now.host.Interrupt(t.id, &regs)
}
