package steer

import (
	"errors"
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Faults of a kernel's that no instruction makes: an interrupt that can't be
// delivered, and one from which the kernel returns in another state than it was in.

// undeliverableError: an interrupt can't be delivered. The processor then raises an
// exception, and if that can't be delivered either, it is reset.
type undeliverableError struct {
	kind trace.BugKind
	text string
}

func (e *undeliverableError) Error() string { return e.text }

// Exceptions that an interrupt without a gate, or without a stack, leads to.
const (
	doubleFault     = 8
	notPresentFault = 11
	protectionFault = 13
)

// noGate is the processor's error for an interrupt whose gate isn't there.
func (k *reading) noGate(vector uint8) error {
	text := fmt.Sprintf("interrupt %#x has no gate in the interrupt descriptor table", vector)
	for _, v := range []uint8{protectionFault, notPresentFault} {
		if _, ok := k.gate(v); ok {
			return &undeliverableError{trace.Segfault, text + ": a protection fault"}
		}
	}
	if _, ok := k.gate(doubleFault); ok {
		return &undeliverableError{trace.Segfault, text + ", nor has a protection fault: a double fault"}
	}
	return &undeliverableError{trace.Segfault, text + ", nor has any fault that follows: the processor is reset (triple fault)"}
}

// noStack is its error for one whose frame can't be pushed.
func (tk *ticker) noStack(vector uint8, sp uint64) error {
	return &undeliverableError{trace.Segfault, fmt.Sprintf("interrupt %#x can't push its frame at %#x, where nothing is mapped, nor can any fault that follows: the processor is reset (triple fault)", vector, sp)}
}

// gate is an entry of the interrupt descriptor table, by which an interrupt can be
// delivered; its upper half is 0 on i386.
func (k *reading) gate(vector uint8) (g [2]uint64, ok bool) {
	b := k.boardRegs()
	size := 2 * k.wordSize
	at := b.IDT + uint64(vector)*size
	low, ok := k.word(at)
	high, ok2 := k.word(at + k.wordSize)
	if k.wordSize == 4 {
		low |= high << 32
		high = 0
	}
	kind := low >> 40 & 0xf
	ok = ok && ok2 && uint64(vector)*size+size-1 <= b.IDTLimit && low>>32&gatePresent != 0 && (kind == gateInterrupt || kind == gateTrap)
	return [2]uint64{low, high}, ok
}

// undelivered makes a bug of an interrupt that can't be delivered to the thread of a
// stretch; before the kernel is up it makes the result invalid.
func (tk *ticker) undelivered(u *turn, err error) (happening, error) {
	var un *undeliverableError
	if !errors.As(err, &un) {
		return atNothing, err
	}
	if !tk.in.booted.Get() {
		return atNothing, tk.core.invalid(kernel.GapBoot, u.th, tk.proc.pcNow(), "before %s is called, %s", tk.in.upName(), un.text)
	}
	if tk.proc.set != trace.AllRegs {
		tk.proc.regs = tk.proc.regsNow()
	}
	return tk.exec.ended(u, tk.exec.failHere(u, un.kind, "%s", un.text))
}

// unreachedError: ticks don't bring the processor to a thread. That may be what the
// kernel does, and is no gap of landgo's while another thread can run.
type unreachedError struct{ *scheduler.InvalidError }

func (e *unreachedError) Unwrap() error { return e.InvalidError }

func (tk *ticker) unreached(th *thread, pc uint64, format string, args ...any) error {
	err := tk.core.invalid(kernel.GapSchedule, th, pc, format, args...)
	var inv *scheduler.InvalidError
	if !errors.As(err, &inv) {
		return err
	}
	return &unreachedError{inv}
}

func isUnreached(err error) bool {
	var u *unreachedError
	return errors.As(err, &u)
}

// registerNames are those that an interrupt has to leave alone.
var registerNames = []struct {
	name string
	of   func(*emu.Regs) uint64
}{
	{"rax", func(r *emu.Regs) uint64 { return r.RAX }}, {"rbx", func(r *emu.Regs) uint64 { return r.RBX }},
	{"rcx", func(r *emu.Regs) uint64 { return r.RCX }}, {"rdx", func(r *emu.Regs) uint64 { return r.RDX }},
	{"rsi", func(r *emu.Regs) uint64 { return r.RSI }}, {"rdi", func(r *emu.Regs) uint64 { return r.RDI }},
	{"rbp", func(r *emu.Regs) uint64 { return r.RBP }},
	{"r8", func(r *emu.Regs) uint64 { return r.R8 }}, {"r9", func(r *emu.Regs) uint64 { return r.R9 }},
	{"r10", func(r *emu.Regs) uint64 { return r.R10 }}, {"r11", func(r *emu.Regs) uint64 { return r.R11 }},
	{"r12", func(r *emu.Regs) uint64 { return r.R12 }}, {"r13", func(r *emu.Regs) uint64 { return r.R13 }},
	{"r14", func(r *emu.Regs) uint64 { return r.R14 }}, {"r15", func(r *emu.Regs) uint64 { return r.R15 }},
}

// keptFlags are the flags that an interrupt has to leave alone: those of
// arithmetic, the direction, and that interrupts are on.
const keptFlags = abi.Arithmetic | abi.DF | abi.IF

// wrongReturn says in what the state to which an iret returns, with these flags, differs from
// that in which the thread was interrupted. "" if it doesn't differ, or if it isn't the return
// from that interrupt.
func (ex *execution) wrongReturn(u *turn, flags uint64) string {
	was := u.until
	if was == nil || ex.proc.regs.RSP != was.RSP || !u.ticking {
		return ""
	}
	wide := ex.in.wordSize == 8
	mask := ^uint64(0)
	if !wide {
		mask = 1<<32 - 1
	}
	switch {
	case ex.proc.regs.RIP != was.RIP:
		return "" // a kernel may put code of its own between
	case was.RFLAGS&abi.IF != 0 && flags&abi.IF == 0:
		return "the interrupt's handler returns with interrupts off; they were on"
	case (flags^was.RFLAGS)&keptFlags != 0:
		return fmt.Sprintf("the interrupt's handler returns with the flags %#x; they were %#x", flags&keptFlags, was.RFLAGS&keptFlags)
	}
	for _, r := range registerNames {
		now, before := r.of(&ex.proc.regs)&mask, r.of(was)&mask
		if now == before {
			continue
		}
		name := r.name
		if !wide {
			name = "e" + name[1:]
		}
		return fmt.Sprintf("the interrupt's handler returns with %s = %#x; it was %#x", name, now, before)
	}
	return ""
}
