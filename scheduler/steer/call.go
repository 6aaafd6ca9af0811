package steer

import (
	"slices"
	"strings"

	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Functions of a kernel to which a profile gives roles: its locks, its allocators,
// its panic. A call is followed from the entry to the return to its caller at its
// caller's stack pointer, on whatever stack that is: other threads may run in
// between. The code is tested like all other code.

// ownCall is a call under way.
type ownCall struct {
	Role   profile.Role
	Family uint8
	Sleep  bool
	LetsGo bool // it has no point behind the call
	Entry  uint64
	On     bool // interrupts were on
	// sp is the stack pointer behind the return to ret.
	Sp, Ret uint64
	P, Size uint64 // an allocator's arguments
}

// findCalls sets breakpoints on the functions that have roles.
func (k *fixed) findCalls() {
	for addr, b := range k.named {
		k.machine.Break(addr, aBreak)
		if b.Point == profile.AtReturn {
			for _, ret := range static.Returns(k.image.File, addr) {
				k.tellAt(ret, tellUnlocked)
			}
		}
	}
	if k.profile != nil {
		for addr := range k.profile.Sleep {
			k.machine.Break(addr, aBreak)
		}
	}
}

// calls are those of functions with roles that threads are in, and the kernel's blocks.
type calls struct {
	in          *situation
	core        core
	proc        *processor
	exec        *execution
	annotations *annotations
	end         func(*trace.Transition, trace.End)
	bootBlocks  []bootBlock
}

// called takes in that the processor stands where a function is called, or to
// where one returns.
func (c *calls) called(u *turn) (happening, error) {
	h, err := c.returned(u)
	if err != nil || h == atEnd {
		return h, err
	}
	pc := c.proc.regs.RIP
	c.enterSleep(u)
	b, ok := c.in.named[pc]
	if !ok {
		return h, nil
	}
	if h2, err := c.enterNamed(u, &b); err != nil || h2 != atNothing {
		return h2, err
	}
	return h, nil
}

// enterCall keeps a call in mind, until it returns.
func (c *calls) enterCall(u *turn, call ownCall) {
	call.Ret, call.Sp = c.proc.returnAddress(), c.proc.regs.RSP+c.in.wordSize
	call.Entry, call.On = c.proc.regs.RIP, c.in.on.Get()
	own := &c.core.edit(u.th.ID).own
	n := len(own.Calls)
	for n > 0 && own.Calls[n-1].Sp <= c.proc.regs.RSP && c.proc.sameStack(own.Calls[n-1].Sp) {
		n-- // left in another way than by a return
	}
	own.Calls = append(own.Calls[:n:n], call)
	if !c.in.returns[call.Ret] {
		c.in.returns[call.Ret] = true
		c.in.machine.Break(call.Ret, aBreak)
	}
}

// returned ends the calls that return here: several, where a function's last call
// was made by a jump.
func (c *calls) returned(u *turn) (happening, error) {
	if !c.in.returns[c.proc.regs.RIP] {
		return atNothing, nil
	}
	point := atNothing
	for {
		own := &u.th.own
		n := len(own.Calls)
		if n == 0 || own.Calls[n-1].Ret != c.proc.regs.RIP || own.Calls[n-1].Sp != c.proc.regs.RSP {
			return point, nil
		}
		call := own.Calls[n-1]
		c.core.edit(u.th.ID).own.Calls = own.Calls[:n-1]
		h, err := c.ends(u, &call)
		if err != nil || h == atEnd {
			return h, err
		}
		if h == atPoint {
			point = h
		}
	}
}

// ends takes in that a call has returned.
func (c *calls) ends(u *turn, call *ownCall) (happening, error) {
	switch call.Role {
	case profile.Malloc, profile.Calloc, profile.AlignedAlloc, profile.Memalign:
		return c.gaveOwn(u, call)
	case profile.Realloc, profile.ReallocArray:
		if p := c.proc.result(); call.P != 0 && (p != 0 || call.Size == 0) {
			if h, err := c.takeBlock(u, "a free", call.P, call.Family, call.Ret); h != atNothing || err != nil {
				return h, err
			}
		}
		return c.gaveOwn(u, call)
	}
	if c.in.leftOff(u, call) {
		f, _ := c.in.image.SymbolAt(call.Entry)
		return c.exec.ended(u, c.exec.failHere(u, trace.Assertion, "%s was called with interrupts on, and returns with them off", f.Name))
	}
	if scheduler.PointsAt(call.Role)&trace.PointUnlock != 0 && !u.ticking && c.exec.isPoint(u, trace.PointUnlock) {
		return atPoint, nil
	}
	return atNothing, nil
}

// leftOff reports whether a call that has returned left interrupts off. A function
// that acquires something may do that, as a spin lock does; one that lets go of
// something leaves them as they were, or on. Nothing is claimed of landgo_unlocked:
// where the function began isn't known, and it may have been in its caller's
// section.
func (k *reading) leftOff(u *turn, c *ownCall) bool {
	return (c.LetsGo || scheduler.PointsAt(c.Role)&trace.PointUnlock != 0) && c.On && !k.on.Get() && !u.shadow && !u.ticking && k.booted.Get()
}

// gaveOwn takes in the block that an allocator's call has returned.
func (c *calls) gaveOwn(u *turn, call *ownCall) (happening, error) {
	if p := c.proc.result(); p != 0 && call.Size != 0 {
		return c.giveBlock(u, "an allocator", p, call.Size, call.Family, call.Ret)
	}
	return atNothing, nil
}

// enterNamed: a function with a role is called.
func (c *calls) enterNamed(u *turn, b *profile.Bound) (happening, error) {
	arg := func(n int) uint64 {
		if b.Args != nil {
			n = b.Args[n] - 1
		}
		return c.proc.argument(n)
	}
	call := ownCall{Role: b.Role, Family: b.Family}
	if b.Point != profile.AfterCall {
		call.Role, call.LetsGo = profile.NoRole, true
	}
	points := scheduler.PointsAt(b.Role)
	switch b.Role {
	case profile.Panic:
		first := 0
		if b.Args != nil {
			first = b.Args[0] - 1
		}
		text := scheduler.Formatted(c.in.wordSize, c.in.text, func() uint64 {
			first++
			return c.proc.anyArgument(first - 1)
		})
		text = strings.TrimRight(text, "\n")
		if c.in.endsBy(text) {
			c.core.edit(u.th.ID).Regs = c.proc.regs
			c.end(u.tr, endProcess)
			return atEnd, nil
		}
		return c.panics(u, "the kernel panics: "+text)
	case profile.AssertFail:
		return c.panics(u, "assertion failed: "+c.in.text(arg(0)))
	case profile.Abort:
		return c.panics(u, "the kernel panics in "+b.Name)
	case profile.TestReport:
		if arg(0) != 0 {
			return c.panics(u, "the test reports a failure")
		}
		return atNothing, nil
	case profile.CondWait:
		return atNothing, nil
	case profile.Free:
		h := atNothing
		if p := arg(0); p != 0 && !c.insideAllocator(u.th, b.Family) {
			var err error
			if h, err = c.takeBlock(u, "a free", p, b.Family, c.proc.returnAddress()); err != nil || h != atNothing {
				return h, err
			}
		}
	case profile.Malloc, profile.AlignedAlloc, profile.Memalign:
		if call.Size = b.Size; call.Size == 0 {
			call.Size = arg(map[bool]int{true: 0, false: 1}[b.Role == profile.Malloc])
		}
	case profile.Calloc:
		call.Size = arg(0) * arg(1)
	case profile.Realloc:
		call.P, call.Size = arg(0), arg(1)
	case profile.ReallocArray:
		call.P, call.Size = arg(0), arg(1)*arg(2)
	}
	if b.Family != 0 && c.insideAllocator(u.th, b.Family) {
		call.Role, call.Size = profile.InsideAllocator, 0 // one of its functions calls another
	}
	if b.Family != 0 || call.LetsGo || points&(trace.PointLock|trace.PointUnlock) != 0 {
		c.enterCall(u, call) // its return means something
	}
	if points&trace.PointLock != 0 && !u.ticking && c.in.booted.Get() {
		c.core.edit(u.th.ID).own.Wants = arg(0)
		if c.exec.isPoint(u, trace.PointLock) {
			return atPoint, nil
		}
	}
	return atNothing, nil
}

// endsBy: a panic with this text is how the kernel ends in order, by its profile.
func (k *reading) endsBy(text string) bool {
	return k.profile != nil && k.booted.Get() && slices.ContainsFunc(k.profile.Ends, func(end string) bool { return strings.Contains(text, end) })
}

// panics: the kernel gives up.
func (c *calls) panics(u *turn, text string) (happening, error) {
	if !c.in.booted.Get() {
		return atNothing, c.core.invalid(kernel.GapBoot, u.th, c.proc.pcNow(), "the kernel gives up before %s is called: %s", c.in.upName(), text)
	}
	c.core.edit(u.th.ID).Regs = c.proc.regs
	return c.exec.ended(u, c.exec.failHere(u, trace.Assertion, "%s", text))
}

// insideAllocator reports whether a thread is in a call of an allocator's function:
// of a given one's, or of any (0).
func (c *calls) insideAllocator(th *thread, family uint8) bool {
	for i := range th.own.Calls {
		if f := th.own.Calls[i].Family; f != 0 && (family == 0 || f == family) {
			return true
		}
	}
	return false
}

// inLock reports whether a thread is in a call of a function that acquires something.
func (c *calls) inLock(th *thread) bool {
	for i := range th.own.Calls {
		if scheduler.PointsAt(th.own.Calls[i].Role)&trace.PointLock != 0 {
			return true
		}
	}
	return false
}
