package linux

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// A signal wakes a thread that sleeps in a call. The thread runs some time later, and finds
// what the sender, or another thread, has done since. Linux has it look for what it waits for
// first, and for signals then (pipe_read, futex_wait). So a byte that is written after the
// signal is read, a futex's wake that comes after it finds the thread, and the handler comes
// behind that. If it doesn't return, the byte is lost, or the wake.
//
// landgo has the thread stand at its handler's first instruction from the signal on (see
// signal.go). Its next step tries the call once more, and writes the result into the
// handler's frame. Until then it is in its futex's queue.

// leaves reports whether a signal has interrupted the thread's call, and the thread hasn't
// gone on yet.
func (t *thread) leaves() bool { return t.wait.leaving.Peek() != 0 }

// leaveSleep is the way out of an interrupted call: again, or with EINTR. It reports whether
// the thread tries the call once more before. A queue that the thread leaves is one in which
// another thread's wake might have found it.
func (s *signals) leaveSleep(t *thread, sig uint64, regs *emu.Regs) (tries bool) {
	restart := false
	switch t.wait.kind.Peek() {
	case waitObjects:
		s.queues.dequeue(t)
		s.leaveObjects(t, sig, regs)
		return true
	case waitFutex:
		restart = t.wait.deadline.Peek() == noDeadline && s.log.Get(&s.actions[sig].flags)&saRestart != 0
		s.now.call.op(futexOp(trace.OpFutexTimeout, t.wait.addr.Peek()))
		s.log.Init(&t.wait.kind, waitLeaving)
		s.log.Init(&t.wait.deadline, noDeadline)
		tries = true
	case waitPI:
		restart = true
		s.now.call.op(futexOp(trace.OpFutexTimeout, t.wait.addr.Peek()))
		fallthrough
	default:
		s.queues.dequeue(t)
	}
	regs.RAX = eintr
	if restart {
		s.queues.again(t, regs)
	}
	return tries
}

// restarts reports whether a call begins again after a handler with SA_RESTART: those that
// wait for several things, or for a time, don't.
func restarts(nr uint64) bool {
	switch nr {
	case sysPoll, sysPpoll, sysSelect, sysPselect6:
		return false
	}
	return !isEpollWait(nr)
}

// leaveObjects is leaveSleep for a thread that slept for objects, or that has just been let
// go: so its call ends if the last try finds nothing. The program counter is behind it.
func (s *signals) leaveObjects(t *thread, sig uint64, regs *emu.Regs) {
	for i := range t.wait.ninterests.Peek() {
		in := t.wait.interests.list[i]
		o, end := s.objects.list[in.object.Peek()], in.end.Peek()
		s.now.call.op(o.receive(o.reads(end)))
	}
	regs.RAX = eintr
	if restarts(t.sleepCall.Peek()) && s.log.Get(&s.actions[sig].flags)&saRestart != 0 {
		s.queues.again(t, regs)
	}
}

// wakeLeaving ends the wait of a thread that a signal has woken, if a wake found it all the same.
// The call returns the wake's result, and the handler comes then.
func (qs *queues) wakeLeaving(t *thread) {
	qs.dequeue(t)
	qs.log.As(t.id, func() { qs.result(t.wait.leaving.Peek(), 0) })
}

// Places of registers in a frame.
const (
	frameRAX = frameRegs + 8*13
	frameRIP = frameRegs + 8*16
)

// result writes the result of a call into the frame of the handler that has interrupted it.
func (qs *queues) result(frame, result uint64) {
	if qs.log.Read64(frame+frameRAX) != eintr { // it stood before its call
		qs.log.Write64(frame+frameRIP, qs.log.Read64(frame+frameRIP)+abi.SyscallSize)
	}
	qs.log.Write64(frame+frameRAX, result)
}

// LastTry implements scheduler.Receiver.
func (k *Kernel) LastTry(id trace.TID, regs *emu.Regs) (out *kernel.Outcome, name string) {
	t := k.roster.threads[id]
	frame := t.wait.leaving.Peek()
	if frame == 0 {
		return nil, ""
	}
	k.begin(id, regs)
	k.log.Init(&t.wait.leaving, 0)
	c, o := &k.call, &k.outcome
	c.nr, *o = t.sleepCall.Peek(), kernel.Outcome{}
	if t.wait.retried.On() {
		k.tryObjects(c, frame, o)
	} else {
		// Also where a wake has found it: before that, it would have left the queue.
		c.op(futexOp(trace.OpFutexTimeout, t.wait.addr.Peek()))
		if t.wait.kind.Peek() == waitLeaving {
			k.queues.dequeue(t)
		}
	}
	if c.unmasks { // a pipe is broken
		k.signals.deliver(t, regs, o)
	}
	o.Accesses, o.Others, o.Pages = k.log.Made(), k.log.Others(), k.log.Pages()
	o.Ops, o.Wakes = k.ops, k.wakes
	return o, CallName(c.nr)
}

// tryObjects makes a call on objects again that a signal has interrupted. If it has no result,
// it is over as leaveObjects has it, or with what it wrote before.
func (k *Kernel) tryObjects(c *call, frame uint64, o *kernel.Outcome) {
	t := c.t
	c.pc = k.log.Read64(frame + frameRIP)
	if k.log.Read64(frame+frameRAX) == eintr {
		c.pc -= abi.SyscallSize
	}
	for i, n := range [...]uint64{8, 9, 12, 2, 0, 1} { // rdi, rsi, rdx, r10, r8, r9 in frameOrder
		c.a[i] = k.log.Read64(frame + frameRegs + 8*n)
	}
	result := c.row().do(c, o)
	if o.Sleep {
		o.Sleep, o.Pending = false, trace.Op{}
		k.queues.dequeue(t)
		if result = t.wait.done.Peek(); result == 0 {
			c.tellNone()
			result = eintr
		}
	}
	if result != eintr {
		k.queues.result(frame, result)
	}
	k.objects.finish(t)
}
