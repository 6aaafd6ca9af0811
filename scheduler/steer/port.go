package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Ports: in and out are carried out here; those of strings by the engine, an element at a
// time, for they access memory.

// port carries out an access to a port.
func (ex *execution) port(u *turn) (happening, error) {
	p, ok := decodePort(ex.in.code(ex.proc.regs.RIP))
	if !ok {
		return atNothing, ex.core.invalid(kernel.GapDevice, u.th, ex.proc.regs.RIP, "this form of port input or output isn't modelled")
	}
	number := uint16(ex.proc.regs.RDX)
	if p.immediate {
		number = uint16(p.port)
	}
	disk := ex.in.board.UsesDisk(number)
	if (disk || p.strings && ex.in.isOthers(u.th, p.memory(&ex.proc.regs))) && ex.isPoint(u, trace.PointMem) {
		return ex.point(u)
	}
	ex.in.asked++
	if !u.ticking {
		ex.core.edit(u.th.ID).own.Stored = true // a device may tell it the time
		ex.in.machine.Put(&ex.in.ports, ex.in.ports.Get()+1)
		ex.step.wide = ex.step.wide || disk // which sector comes next, say, isn't recorded
	}
	if p.strings {
		return ex.portString(u, p, number)
	}
	mask := uint64(1)<<(8*p.size) - 1
	if p.out {
		if err := ex.in.board.Out(number, p.size, uint32(ex.proc.regs.RAX&mask)); err != nil {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, ex.proc.regs.RIP, "%v", err)
		}
		if status, ended := ex.in.board.Ended(); ended {
			return atEnd, ex.switchedOff(u, status)
		}
	} else {
		v, err := ex.in.board.In(number, p.size)
		if err != nil {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, ex.proc.regs.RIP, "%v", err)
		}
		ex.proc.regs.RAX = ex.proc.regs.RAX&^mask | uint64(v)
		if p.size == 4 {
			ex.proc.regs.RAX = uint64(v)
		}
	}
	h, err := ex.next(u, p.length)
	if h != atNothing || err != nil {
		return h, err
	}
	return ex.portUsed(u)
}

// portUsed is the consequence of an access to a port.
func (ex *execution) portUsed(u *turn) (happening, error) {
	if u.shadow {
		u.shadow = false
		return ex.turnedOn(u)
	}
	if _, waits := ex.in.board.Pending(); waits && ex.in.on.Get() {
		return atOn, nil // a device asks for an interrupt at once
	}
	return atNothing, nil
}

// portString carries out an element of ins or outs. The engine does what concerns memory,
// so that is recorded, and faults are found.
func (ex *execution) portString(u *turn, p portInsn, number uint16) (happening, error) {
	value := uint32(0)
	if at := p.memory(&ex.proc.regs); !p.out && ex.in.mapped(at, uint64(p.size)) && p.moves(&ex.proc.regs) {
		var err error
		if value, err = ex.in.board.In(number, p.size); err != nil {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, ex.proc.regs.RIP, "%v", err)
		}
	}
	moves, pc := p.moves(&ex.proc.regs), ex.proc.regs.RIP
	stop := ex.permitPort(u, value)
	if stop.Why != emu.StopInsn {
		if !p.out && stop.Why == emu.StopFault && ex.in.mapped(p.memory(&ex.proc.regs), uint64(p.size)) {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, pc, "a fault of an instruction that has read from a port isn't modelled: what it read is lost")
		}
		return ex.stopped(u, stop)
	}
	if p.out && moves {
		if err := ex.in.board.Out(number, p.size, stop.Port); err != nil {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, pc, "%v", err)
		}
		if status, ended := ex.in.board.Ended(); ended {
			ex.proc.regs = ex.proc.regsNow()
			return atEnd, ex.switchedOff(u, status)
		}
	}
	return ex.portUsed(u)
}

// permitPort has the engine execute one instruction that accesses a port, from which it
// reads value.
func (ex *execution) permitPort(u *turn, value uint32) *emu.Stop {
	ex.portValue = value
	defer func() { ex.portValue = 0 }()
	return ex.permit(u)
}

// isOthers reports whether another thread than th has touched the memory at an address.
func (k *reading) isOthers(th *thread, va uint64) bool {
	pa, ok := k.translate(va)
	return ok && !k.itsOwn(th, pa)
}

// mapped reports whether all of some bytes are in memory.
func (k *reading) mapped(va, n uint64) bool {
	_, first := k.translate(va)
	_, last := k.translate(va + n - 1)
	return first && last
}

// portInsn is an in or out instruction, or one of strings (ins, outs).
type portInsn struct {
	out, immediate   bool
	strings, repeats bool
	size             uint8
	port             uint8
	length           uint64
}

// memory is where an instruction of strings has its next element.
func (p *portInsn) memory(r *emu.Regs) uint64 {
	if p.out {
		return r.RSI
	}
	return r.RDI
}

// moves reports whether it moves an element now: one that repeats may have moved all.
func (p *portInsn) moves(r *emu.Regs) bool { return !p.repeats || r.RCX != 0 }

// decodePort takes in and out apart.
func decodePort(code []byte) (p portInsn, ok bool) {
	p.size = 4
	for i, c := range code {
		switch c {
		case 0x66:
			p.size = 2
			continue
		case 0xf2, 0xf3:
			p.repeats = true
			continue
		case 0xe4, 0xe5, 0xe6, 0xe7:
			if i+1 >= len(code) {
				return p, false
			}
			p.immediate, p.port = true, code[i+1]
			p.length = uint64(i + 2)
		case 0xec, 0xed, 0xee, 0xef:
			p.length = uint64(i + 1)
		case 0x6c, 0x6d, 0x6e, 0x6f:
			p.strings, p.length = true, uint64(i+1)
		default:
			return p, false
		}
		p.out = c&2 != 0
		if c&1 == 0 {
			p.size = 1
		}
		p.repeats = p.repeats && p.strings
		return p, true
	}
	return p, false
}
