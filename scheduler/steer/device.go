package steer

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/kernel"
)

// Registers of devices that are in memory: the engine executes the instruction, and
// finds what it reads in the device's page (emu.Device).

// device carries out the access to a device before which the processor stopped.
func (s *Kernel) device(u *turn, stop *emu.Stop) (happening, error) {
	a := stop.Device
	s.asked++
	if !u.ticking {
		u.th.own.Stored = true // a device may tell it the time
		s.machine.Put(&s.ports, s.ports.Get()+1)
		s.wide = true // what it does to the device, and what it finds there, isn't recorded
	}
	var bytes [8]byte
	if a.Size > uint32(len(bytes)) || s.machine.DeviceBytes(a.Addr, uint64(a.Size)) == nil {
		return atNothing, s.core.invalid(kernel.GapDevice, u.th, s.proc.regs.RIP, "an access of %d bytes to a device at %#x isn't modelled", a.Size, a.Addr)
	}
	if !a.Write {
		v, err := s.board.Load(a.Addr, a.Size)
		if err != nil {
			return atNothing, s.core.invalid(kernel.GapDevice, u.th, s.proc.regs.RIP, "%v", err)
		}
		binary.LittleEndian.PutUint64(bytes[:], v)
		copy(s.machine.DeviceBytes(a.Addr, uint64(a.Size)), bytes[:a.Size])
	}
	pc := s.proc.regs.RIP
	ran := s.permit(u)
	if ran.Why != emu.StopInsn {
		return s.stopped(u, ran)
	}
	if a = ran.Device; a.Write {
		copy(bytes[:], s.machine.DeviceBytes(a.Addr, uint64(a.Size)))
		if err := s.board.Store(a.Addr, a.Size, binary.LittleEndian.Uint64(bytes[:])&(1<<(8*a.Size)-1)); err != nil {
			return atNothing, s.core.invalid(kernel.GapDevice, u.th, pc, "%v", err)
		}
	}
	if u.shadow {
		u.shadow = false
		return s.turnedOn(u)
	}
	if _, waits := s.board.Pending(); waits && s.on.Get() {
		return atOn, nil // a device asks for an interrupt at once
	}
	return atNothing, nil
}
