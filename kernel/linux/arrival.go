package linux

import (
	"cmp"
	"math/bits"
	"regexp"
	"slices"

	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// A signal to a thread that runs arrives some time after it was sent: the thread may meanwhile
// see what the sender does next. Linux marks the thread (TIF_SIGPENDING), and interrupts the
// processor on which it runs. The thread takes the signal when that interrupt comes, or before
// its next call returns. That includes the signal by which a C library cancels a thread, where threads
// may be cancelled between any two instructions: until it comes, such a thread goes on.
//
// So a signal that a thread has a handler for and doesn't block is kept, whether it was sent to the
// thread (pthread_kill) or to the process (kill). To take it is a step of its own, of a thread
// that the search has beside the guest's (scheduler/arrival.go). The C library's other signals come in
// the step that sends them.
//
// Signals to the process wait in a set that all threads share. Each has one thread look for it
// (takers). That thread takes all that is there for it, as does any other that looks there first.
// Those are the threads that were notified of another signal, change their mask, or wait for
// signals. A thread that loses its signal so goes on as if nothing had been. Where a thread that
// was told blocks the signal, or ends, it tells another one.

// arrives reports whether a signal is kept until it arrives.
func (s *signals) arrives(to *target) bool {
	return to.t != nil && to.sig != 0 && (to.shared || to.t != s.now.call.t) && s.now.call.t != nil &&
		(!kernel.IsLibrarys(s.img.Libc(), to.sig) || s.anywhere && kernel.Cancels(s.img.Libc(), to.sig)) && s.log.Get(&to.t.blocked)&bit(to.sig) == 0 && s.fate(to.sig) == fateHandled &&
		s.now.host.Arrival(to.t.id) != kernel.ArrivesAtOnce
}

// manyArrivals says why a signal can't be on its way.
const manyArrivals = ": signals on their way count as threads, one for each thread that gets some, and there are too many: see --max-threads"

// posts is the sending of a signal that arrives later: a thread's steps don't depend on it. But
// one does that leaves a call from which it was woken, for Linux has it take the signal first. So
// does one that the signal wakes.
func (c *call) posts(t *thread, sig uint64) trace.Op {
	op := trace.Op{Kind: trace.OpPost, Obj: uint64(t.id), Arg: sig}
	if c.k.host.Arrival(t.id) == kernel.ArrivesInCall || c.k.signals.retries(t) || c.k.signals.masks(t) {
		op.Kind = trace.OpCancel
	}
	return op
}

// onTheirWay are the signals that were sent to a thread, or that it was notified of, and haven't
// arrived. Get reads a word.
func (s *signals) onTheirWay(t *thread) uint64 { return s.arriving(t, s.log.Get) }

func (s *signals) arriving(t *thread, get func(*effect.Word) uint64) uint64 {
	set, open := get(&t.sent), ^get(&t.blocked)
	if set&open != 0 || get(&t.told.Word) != 0 {
		set |= get(&s.pending)
	}
	return set & open
}

// looks reports whether a thread looks for signals where it goes on, or leaves a call.
func (s *signals) looks(t *thread) bool {
	return s.log.Is(&t.told) || s.log.Get(&t.sent)&^s.log.Get(&t.blocked) != 0
}

// tell has a thread look for signals to the process.
func (s *signals) tell(t *thread) {
	if !s.log.Is(&t.told) {
		s.log.Put(&t.told, true)
	}
}

// recalculate is Linux's recalc_sigpending: a thread that looked at its signals looks again if
// there is one that it doesn't block, whichever thread was notified of it.
func (s *signals) recalculate(t *thread) {
	told := (s.log.Get(&t.sent)|s.log.Get(&s.pending))&^s.log.Get(&t.blocked) != 0
	if s.log.Is(&t.told) != told {
		s.log.Put(&t.told, told)
	}
}

// retarget has a thread that takes signals of a set no longer tell others of those to the process:
// the next that doesn't block one (Linux's retarget_shared_pending).
func (s *signals) retarget(from *thread, set uint64) {
	if set == 0 {
		return
	}
	if set &= s.log.Get(&s.pending); set == 0 {
		return
	}
	s.log.Get(&s.roster.list)
	var others []*thread
	for _, t := range s.roster.threads {
		if t != nil && t != from && s.log.Get(&t.alive) != 0 {
			others = append(others, t)
		}
	}
	slices.SortFunc(others, func(a, b *thread) int {
		// Linux goes round them, in the order of creation.
		return cmp.Compare(a.serial.Peek()-from.serial.Peek(), b.serial.Peek()-from.serial.Peek())
	})
	for _, t := range others {
		takes := set & (s.log.Get(&t.awaited) | ^s.log.Get(&t.blocked))
		if takes == 0 {
			continue
		}
		set &^= takes
		if s.looks(t) {
			continue
		}
		s.now.call.op(s.now.call.posts(t, uint64(bits.TrailingZeros64(takes))+1))
		s.tell(t)
		s.rouse(t)
		s.now.outcome.Posts = true
	}
}

// retries reports whether a thread sleeps in a sigwait, in an epoll_wait, or with a mask of its call's
// own (mask.go). These look for what they wait for whatever signal ends them. If the first two find nothing
// they end, also where another thread takes the signal: all other calls begin again then.
func (s *signals) retries(t *thread) bool {
	switch t.wait.kind.Peek() {
	case waitSignals:
		return s.log.Get(&t.awaited) != 0
	case waitObjects:
		return isEpollWait(t.sleepCall.Peek()) || s.masks(t)
	}
	return false
}

// rouse has such a thread make its call again: it takes what is there then.
func (s *signals) rouse(t *thread) {
	if !s.retries(t) {
		return
	}
	s.log.As(t.id, func() {
		s.log.Turn(&t.wait.roused, true)
		regs := *s.now.host.Regs(t.id)
		s.queues.again(t, &regs)
		s.queues.dequeue(t)
		s.now.host.SetRegs(t.id, &regs)
	})
	s.now.wakes = append(s.now.wakes, t.id)
}

// leave is the end of a call. The caller takes signals that are on their way to it before it
// goes on.
func (c *call) leave(o *kernel.Outcome) {
	s := &c.k.signals
	switch {
	case c.isOutside():
	case s.onTheirWay(c.t) == 0:
		if s.log.Is(&c.t.told) {
			s.log.Put(&c.t.told, false)
		}
	case !c.k.host.TakesInCall(c.t.id):
		o.Late = true
	case c.k.host.Arrival(c.t.id) == kernel.ArrivesAtOnce:
		s.deliver(c.t, c.regs, o)
	case c.k.host.Arrival(c.t.id) == kernel.NoArrival:
		o.Gap, o.Invalid = kernel.GapThreads, CallName(c.nr)+manyArrivals
	default:
		o.Held = true
	}
}

// Calls that the C library makes without the kernel (vdso).
const (
	sysGettimeofday = 96
	sysTime         = 201
	sysClockGettime = 228
	sysGetcpu       = 309
)

// outsideClocks are the clocks that can be read so, and outside begins the names of the functions that do.
var (
	outsideClocks = []int32{0, 1, 4, 5, 6, 7, 11}
	outside       = regexp.MustCompile(`^_*(clock_gettime|gettimeofday|time|getcpu|sched_getcpu)`)
)

// isOutside reports whether the present call is one of these: the thread takes no signals there. The
// program's own system call is none, nor is that of syscall.
func (c *call) isOutside() bool {
	switch c.nr {
	case sysClockGettime:
		if !slices.Contains(outsideClocks, c.int32(0)) {
			return false
		}
	case sysGettimeofday, sysTime, sysGetcpu:
	default:
		return false
	}
	f, ok := c.k.img.SymbolAt(c.pc)
	return !ok || outside.MatchString(f.Name)
}

// Coming implements scheduler.Courier.
func (k *Kernel) Coming(id trace.TID) (sig uint64) {
	t := k.roster.threads[id]
	if t.alive.Peek() == 0 || t.wait.roused.On() || k.signals.masks(t) {
		return 0
	}
	if set := k.signals.arriving(t, (*effect.Word).Peek); set != 0 {
		k.log.Begin(id, 0)
		return k.signals.nextSignal(t, set)
	}
	return 0
}

// Arrive implements scheduler.Courier. Where more than one signal is on its way, the thread takes
// the others in steps of their own, before it begins the handler: another thread may be first.
func (k *Kernel) Arrive(id, by trace.TID) kernel.Outcome {
	s, t, o := &k.signals, k.roster.threads[id], &k.outcome
	k.log.Begin(by, 0)
	k.call = call{k: k}
	k.ops, k.wakes = k.ops[:0], k.wakes[:0]
	*o = kernel.Outcome{}
	sig := s.nextSignal(t, s.onTheirWay(t))
	k.call.op(trace.Op{Kind: trace.OpCancel, Obj: uint64(id), Arg: sig | trace.Arrives})
	i := s.take(t, sig)
	switch s.fate(sig) {
	case fateDeadly:
		o.Signal = int(sig)
	case fateStop:
		o.Gap, o.Invalid = kernel.GapCall, "a signal that stops the process is not modelled"
	case fateHandled:
		s.interrupt(&target{sig: sig, t: t, info: i}, o)
	}
	s.recalculate(t)
	o.Held = s.looks(t)
	o.Accesses, o.Others = k.log.Made(), k.log.Others()
	o.Ops, o.Wakes = k.ops, k.wakes
	return *o
}
