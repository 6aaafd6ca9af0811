package linux

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/x86"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// The frame of a signal handler on the guest's stack, as Linux on x86-64 lays
// it out (arch/x86/include/asm/sigframe.h, uapi/asm/ucontext.h). Unwinders
// (cancellation in glibc) and handlers (cancellation in musl) read it.
//
//	0    return address: the restorer, which calls rt_sigreturn
//	8    ucontext: flags, link, alternative stack, registers, mask
//	312  siginfo
//
// Vector and floating-point registers aren't in it (its fpstate is null): the
// host keeps the CPU's state from the handler's entry to its return.
const (
	frameContext = 8
	frameStack   = frameContext + 16
	frameRegs    = frameContext + abi.ContextRegs
	frameMask    = frameRegs + 256
	frameInfo    = frameMask + 8
	siginfoSize  = 128
	frameSize    = frameInfo + siginfoSize
	userFlags    = abi.Arithmetic | abi.TF | abi.DF | abi.AC // the part of RFLAGS that a return may set
)

// frameOrder are the registers as struct sigcontext has them.
func frameOrder(r *emu.Regs) [abi.ContextCount]*uint64 {
	return [...]*uint64{
		&r.R8, &r.R9, &r.R10, &r.R11, &r.R12, &r.R13, &r.R14, &r.R15,
		&r.RDI, &r.RSI, &r.RBP, &r.RBX, &r.RDX, &r.RAX, &r.RCX, &r.RSP, &r.RIP, &r.RFLAGS,
	}
}

const (
	segments     = 0x2b<<48 | 0x33 // ss, fs, gs, cs
	frameSegs    = frameRegs + 8*abi.ContextCount
	frameErr     = frameSegs + 8
	frameTrapno  = frameErr + 8
	frameOldMask = frameTrapno + 8
	frameCR2     = frameOldMask + 8
)

// info is the data that a signal carries, beside its number.
type info struct {
	code   int32
	addr   uint64 // of a fault; else the sender
	value  uint64 // of a timer, or of sigqueue
	trapno uint64
	detail uint64 // the processor's error code
	fault  bool
	shared bool // it was sent to the process
}

const (
	siUser  = 0
	siTkill = -6
)

// sentBy is the information of a signal that a thread sent, to the process or to a thread.
func sentBy(kill bool) info {
	i := info{code: siTkill, addr: userID<<32 | firstNumber, shared: kill}
	if kill {
		i.code = siUser
	}
	return i
}

const (
	trapBrkpt = 1
	int1      = 0xf1 // the instruction's last byte
)

// stackFault reports whether an address is none, and was meant for the stack: SIGBUS.
func (s *signals) stackFault(f emu.Fault, regs *emu.Regs) bool {
	if f.Kind == emu.FaultFetch || abi.Canonical(f.Addr) {
		return false
	}
	inst, _, err := x86.Decode(s.img.Bytes(regs.RIP, x86.MaxInst), s.img.Machine)
	return err == nil && x86.ThroughStack(&inst, f.Addr, regs.RSP)
}

func (s *signals) faultInfo(f emu.Fault, pc, sig uint64) info {
	i := info{code: 1, addr: pc, fault: true}
	switch f.Kind {
	case emu.FaultRead, emu.FaultWrite, emu.FaultFetch:
		if i.addr, i.trapno = f.Addr, abi.PageFault; !abi.Canonical(f.Addr) {
			if i.code, i.addr, i.trapno = siKernel, 0, abi.GeneralProtection; sig == sigBus {
				i.trapno = abi.StackFault
			}
		} else if sig == sigBus || s.log.HasMap(f.Addr) {
			i.code = 2 // BUS_ADRERR, SEGV_ACCERR
		}
		if i.trapno == abi.PageFault {
			i.detail = s.pageError(f)
		}
	case emu.FaultIllegal:
		i.code, i.trapno = 2, 6
	case emu.FaultProtection:
		i.code, i.addr, i.trapno = siKernel, 0, abi.GeneralProtection
	case emu.FaultBreakpoint:
		i.code, i.addr, i.trapno = siKernel, 0, abi.Breakpoint
	}
	return i
}

// The bits of a page fault's error code.
const (
	pageThere   = 1 << 0 // the page allows some access, or is the kernel's
	pageWritten = 1 << 1
	pageOfUser  = 1 << 2
	pageFetched = 1 << 4
)

// pageError is a page fault's error code. A page that allows an access counts as there,
// whether it was touched before or not.
func (s *signals) pageError(f emu.Fault) uint64 {
	code := uint64(pageOfUser)
	if f.Addr >= kernelHalf || s.user.canRead(f.Addr, 1) {
		code |= pageThere
	}
	switch f.Kind {
	case emu.FaultWrite:
		code |= pageWritten
	case emu.FaultFetch:
		code |= pageFetched
	}
	return code
}

// frame remembers a handler's frame until its return.
type frame struct {
	addr   uint64
	sp     uint64 // the stack pointer when the signal came
	serial uint64 // see Interrupted
	cpu    emu.Ctx
	prev   uint64 // 1 + index of the thread's next outer one
}

// frames is a list that grows with every handler entered and shrinks when
// that is undone; a rewound entry is overwritten.
type frames struct {
	list []frame
	n    effect.Word // without a record: a frame's place in the list means nothing
}

func (s *signals) pushFrame(t *thread, f frame) {
	h := &s.handlers
	n := h.n.Peek()
	cpu := s.now.host.CPU(t.id)
	if t == s.now.call.t && s.now.outcome.RestoreCPU {
		cpu = s.now.outcome.Resume // between two handlers nothing of the first is left
		s.now.host.KeepCPU(cpu)
	}
	f.cpu = cpu
	if s.alarmed() {
		f.serial = s.serial.Peek()
		s.log.Init(&s.serial, f.serial+1)
		s.dropFrames(t, func(o *frame) bool { return o.addr-f.addr < frameSize || f.addr-o.addr < frameSize })
		n = h.n.Peek()
	}
	f.prev = s.log.Get(&t.frame)
	h.list = append(h.list[:n], f)
	s.log.Init(&h.n, n+1)
	s.log.Set(&t.frame, n+1)
}

// dropFrames forgets some of a thread's frames, wherever they are among the others: a
// program with threads of its own has handlers on many stacks, which end in any order.
func (s *signals) dropFrames(t *thread, gone func(*frame) bool) {
	h := &s.handlers
	var kept []frame
	n := 0
	for at := s.log.Get(&t.frame); at != 0; n++ {
		f := h.list[at-1]
		if at = f.prev; !gone(&f) {
			kept = append(kept, f)
		}
	}
	if len(kept) == n {
		return
	}
	top := uint64(0)
	for i := len(kept) - 1; i >= 0; i-- {
		kept[i].prev = top
		h.list = append(h.list[:h.n.Peek()], kept[i])
		top = h.n.Peek() + 1
		s.log.Init(&h.n, top)
	}
	s.log.Set(&t.frame, top)
}

// Interrupted implements scheduler.Clockwork.
func (k *Kernel) Interrupted(id trace.TID) (list []emu.Interrupted) {
	for at := k.roster.threads[id].frame.Peek(); at != 0; {
		f := &k.signals.handlers.list[at-1]
		list, at = append(list, emu.Interrupted{SP: f.sp, Serial: f.serial}), f.prev
	}
	return list
}

// enter makes regs those of a handler's first instruction. It reports false
// where the frame can't be written.
func (s *signals) enter(t *thread, sig uint64, regs *emu.Regs, i info) bool {
	a := &s.actions[sig]
	handler, flags, restorer := s.log.Get(&a.handler), s.log.Get(&a.flags), s.log.Get(&a.restorer)
	sp := regs.RSP - abi.RedZone
	if flags&saOnstack != 0 && s.log.Get(&t.altSize) != 0 && !s.onAltStack(t, regs.RSP) {
		sp = s.log.Get(&t.altStack) + s.log.Get(&t.altSize)
	}
	sp = (sp-frameSize)&^15 - 8
	if flags&saRestorer == 0 || !s.user.canWrite(sp, frameSize) {
		return false
	}
	mask := s.log.Get(&t.blocked)
	blocked := mask | s.log.Get(&a.mask)
	if s.log.Get(&t.savedMaskIsWanted) != 0 {
		mask = s.log.Get(&t.savedMask)
		s.log.Set(&t.savedMaskIsWanted, 0)
	}
	s.log.Write(sp, s.buildFrame(t, sig, regs, i, restorer, mask))
	s.pushFrame(t, frame{addr: sp, sp: regs.RSP})
	if flags&saNodefer == 0 {
		blocked |= bit(sig)
	}
	was := s.log.Get(&t.blocked)
	s.log.Set(&t.blocked, blocked)
	s.retarget(t, blocked&^was)
	if flags&saResethand != 0 {
		s.log.Set(&a.handler, sigDefault)
	}
	regs.RIP, regs.RSP, regs.RAX = handler, sp, 0
	regs.RDI, regs.RSI, regs.RDX = sig, sp+frameInfo, sp+frameContext
	regs.RFLAGS &^= abi.DF | abi.TF
	return true
}

func (s *signals) buildFrame(t *thread, sig uint64, regs *emu.Regs, i info, restorer, mask uint64) []byte {
	var b [frameSize]byte
	put := func(off int, v uint64) { binary.LittleEndian.PutUint64(b[off:], v) }
	put(0, restorer)
	put(frameStack, s.log.Get(&t.altStack))
	put(frameStack+16, s.log.Get(&t.altSize))
	if s.log.Get(&t.altSize) == 0 {
		put(frameStack+8, ssDisable)
	}
	for n, r := range frameOrder(regs) {
		put(frameRegs+8*n, *r)
	}
	put(frameSegs, segments)
	put(frameOldMask, mask)
	put(frameMask, mask)
	putInfo(b[frameInfo:], sig, i)
	if i.fault {
		put(frameErr, i.detail)
		put(frameTrapno, i.trapno)
		put(frameCR2, i.addr)
	}
	return b[:]
}

func planSigreturn(c *call, p *kernel.Plan) {
	c.planMask(p, c.k.log.Read64(c.regs.RSP-8+frameMask)&^unblockable)
}

// putInfo writes a siginfo.
func putInfo(b []byte, sig uint64, i info) {
	binary.LittleEndian.PutUint32(b, uint32(sig))
	binary.LittleEndian.PutUint32(b[8:], uint32(i.code))
	binary.LittleEndian.PutUint64(b[16:], i.addr)
	binary.LittleEndian.PutUint64(b[24:], i.value)
}

// doSigreturn goes back to where a handler came from, as its frame says: the
// handler may have changed that.
func doSigreturn(c *call, o *kernel.Outcome) uint64 {
	k, t := c.k, c.t
	sp := c.regs.RSP - 8 // the handler's ret took the return address
	if !k.user.canRead(sp, frameSize) {
		o.Signal = sigSegv
		return 0
	}
	gs, fs := c.regs.GSBase, c.regs.FSBase
	for n, r := range frameOrder(c.regs) {
		*r = k.log.Read64(sp + frameRegs + uint64(8*n))
	}
	c.regs.RFLAGS = c.regs.RFLAGS&userFlags | abi.FlagsOfUser
	c.regs.GSBase, c.regs.FSBase = gs, fs
	c.remask(k.log.Read64(sp+frameMask) &^ unblockable)
	c.returned = true
	for at := c.get(&t.frame); at != 0; {
		f := &k.signals.handlers.list[at-1]
		at = f.prev
		if f.addr != sp {
			continue
		}
		o.RestoreCPU, o.Resume = true, f.cpu
		if k.Alarming() { // those that were entered later may be on other stacks
			k.signals.dropFrames(t, func(o *frame) bool { return o.addr == sp })
			break
		}
		c.set(&t.frame, at)
		break
	}
	return 0
}
