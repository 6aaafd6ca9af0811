package steer

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Exceptions. A kernel's own handler may treat one and go on: a breakpoint, a page to map, a
// division to mend, an instruction to emulate. What its handler does decides whether
// one is a bug.
//
// Where there is a gate, landgo tries the handler out. If it returns, or gives the
// processor up, the exception is delivered for good, as a part of what the thread
// does. If instead it ends the guest, or the thread, stops for good, or faults, the
// exception is the bug, told at its instruction, and the handler hasn't run. If such
// comes after it has given the processor up, the exception is reported as well.
//
// A handler that returns to where the exception was raised has to have mended
// something. If the same exception comes again and again, with interrupts off or while
// no other thread can run, that is the bug.

// exception is one whose handler hasn't returned yet.
type exception struct {
	Vector uint8
	Code   uint64
	Addr   uint64 // of a page fault
	Regs   emu.Regs
	Kind   trace.BugKind // the bug that it is, if its handler doesn't return
	Text   string
	SP     uint64 // where its frame is
	Insns  uint64 // of the thread, when the handler had returned
	Vain   uint64 // how many times the same was raised before, with nothing between
}

// maxVain is how many times a handler has to be in vain before that is the bug.
const maxVain = 64

// isTrap: the handler returns behind the instruction.
func (x *exception) isTrap() bool {
	return x.Vector == abi.Breakpoint || x.Vector == abi.DebugException
}

// hasCode: the processor pushes an error code.
func (x *exception) hasCode() bool {
	return x.Vector == abi.DoubleFault || x.Vector >= abi.InvalidTask && x.Vector <= abi.PageFault
}

// faulted deals with a fault of the thread of a stretch.
func (ex *execution) faulted(u *turn, stop *emu.Stop) (happening, error) {
	ex.proc.regs, ex.proc.set = stop.Regs, trace.AllRegs
	if stop.Fault.Kind == emu.FaultStack {
		return ex.overflow(u, stop.Fault.Addr)
	}
	if k := stop.Fault.Kind; ex.in.user.Get() && k != emu.FaultBlockRead && k != emu.FaultBlockWrite {
		return atNothing, ex.core.invalid(kernel.GapInstruction, u.th, stop.PC, "an exception of a user program isn't modelled: %s", ex.faultOf(u.th, stop.Fault).Message)
	}
	if base := ex.in.codeBase(); base != 0 {
		return atNothing, ex.core.invalid(kernel.GapSegment, u.th, stop.PC, "the code segment begins at %#x: segments that don't begin at 0 aren't modelled", base)
	}
	before := u.th.Regs
	ex.core.edit(u.th.ID).Regs = ex.proc.regs
	f := ex.faultOf(u.th, stop.Fault)
	if _, gate := ex.in.gate(stop.Trap.Vector); gate && stop.Raised && ex.in.gap.Get() == gapNone {
		x := exception{Vector: stop.Trap.Vector, Code: uint64(stop.ErrorCode), Addr: stop.Fault.Addr, Regs: ex.proc.regs, Kind: f.Kind, Text: f.Message}
		if x.isTrap() {
			ex.proc.regs.RIP += uint64(stop.Trap.Len)
		}
		ex.core.edit(u.th.ID).Regs = before
		if h, taken, err := ex.raise(u, &x); taken {
			return h, err
		}
		f.Message = x.Text
		ex.proc.regs, ex.proc.set = x.Regs, trace.AllRegs
		ex.core.edit(u.th.ID).Regs = ex.proc.regs
	}
	ex.failOwn(u.th, u.tr, f)
	return atEnd, nil
}

// raise delivers an exception, if its handler comes back.
func (ex *execution) raise(u *turn, x *exception) (h happening, taken bool, err error) {
	if last := u.th.own.Mended; last != nil {
		if !x.isTrap() && last.Vector == x.Vector && last.Addr == x.Addr && last.Regs == x.Regs && u.th.Insns == last.Insns+1 && !u.ticking {
			x.Vain = last.Vain + 1
		}
	}
	if x.Vain >= maxVain {
		if ex.in.on.Get() && u.points && ex.in.others(u.th) {
			ex.core.edit(u.th.ID).own.Mended = nil
			return atCountOut, true, nil
		}
		x.Text += ", again and again: its handler returns to it, and has mended nothing"
		return atNothing, false, nil
	}
	if u.trial == 0 && !ex.comesBack(u, x) {
		return atNothing, false, nil
	}
	return atNothing, ex.enter(u, x), nil
}

// enter delivers an exception; not, if its frame can't be pushed.
func (ex *execution) enter(u *turn, x *exception) bool {
	if x.Vector == abi.PageFault {
		ex.in.machine.PutFlag(&ex.in.mending, true)
	}
	if u.shadow {
		u.shadow = false
		ex.in.interrupts(u, true)
	}
	var code []uint64
	if x.hasCode() {
		code = []uint64{x.Code}
	}
	if ex.trap(u, x.Vector, code...) != nil {
		return false
	}
	if x.isTrap() {
		ex.did(u)
	}
	own := &ex.core.edit(u.th.ID).own
	x.SP = ex.proc.regs.RSP + uint64(len(code))*ex.in.wordSize
	n := len(own.Exceptions)
	own.Exceptions = append(own.Exceptions[:n:n], *x)
	return true
}

// trap enters the handler of what an instruction of the thread itself has raised.
func (ex *execution) trap(u *turn, vector uint8, code ...uint64) error {
	was := ex.in.on.Get()
	if err := ex.ticker.deliver(u.th, vector, code...); err != nil {
		return err
	}
	if was && !ex.in.on.Get() && !u.ticking && ex.in.booted.Get() {
		ex.in.section(u.tr, true)
	}
	return nil
}

// comesBack tries out whether an exception's handler returns, or gives the processor
// up. One that goes round without having looked at memory never does.
func (ex *execution) comesBack(u *turn, x *exception) (yes bool) {
	regs, set, stop := ex.proc.regs, ex.proc.set, ex.in.stopIf
	ex.in.stopIf = nil // an answer can't be left out
	v := turn{ticking: u.ticking, blind: u.blind, links: u.links, trial: 1 + len(u.th.own.Exceptions)}
	of, on := u.tr.Thread, u.th.ID
	ex.tryOut(func() { // had it u itself, each turn's state would be on the heap
		v.th, v.tr = &ex.in.threads[on], &trace.Transition{Thread: of, Begin: ex.in.threads[of].Insns}
		if !ex.enter(&v, x) {
			return
		}
		for quiet := (turn{}); ; {
			h, err := ex.runFor(&v)
			switch {
			case err != nil || h == atEnd:
				return
			case h == atReturn || h == atSwitch:
				yes = true
				return
			case h != atCountOut && h != atHalt:
				continue
			}
			v.at = ex.proc.regsNow()
			if quiet.th != nil && quiet.at == v.at && quiet.looked == v.looked {
				return
			}
			quiet = v
		}
	})
	ex.proc.regs, ex.proc.set, ex.in.stopIf = regs, set, stop
	return yes
}

// goesBack notes that a thread returns from an interrupt by the frame at sp. It reports
// whether that is from an exception.
func (ex *execution) goesBack(th *thread, sp uint64) (yes bool) {
	for n := len(th.own.Exceptions); n > 0 && th.own.Exceptions[n-1].SP <= sp && ex.proc.sameStack(th.own.Exceptions[n-1].SP); n-- {
		e := ex.core.edit(th.ID)
		x := th.own.Exceptions[n-1]
		x.Insns = th.Insns
		e.own.Mended, e.own.Exceptions = &x, th.own.Exceptions[:n-1:n-1]
		yes = true
	}
	return yes
}
