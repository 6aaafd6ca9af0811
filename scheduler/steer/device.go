package steer

import (
	"encoding/binary"

	"landgo/emu"
	"landgo/kernel"
)

// Registers of devices that are in memory: the engine executes the instruction, and
// finds what it reads in the device's page (emu.Device).

// device carries out the access to a device before which the processor stopped.
func (ex *execution) device(u *turn, stop *emu.Stop) (happening, error) {
	a := stop.Device
	ex.in.asked++
	if !u.ticking {
		ex.core.edit(u.th.ID).own.Stored = true // a device may tell it the time
		ex.in.machine.Put(&ex.in.ports, ex.in.ports.Get()+1)
		ex.step.wide = true // its effect on the device, and the device's answer, aren't recorded
	}
	var bytes [8]byte
	if a.Size > uint32(len(bytes)) || ex.in.machine.DeviceBytes(a.Addr, uint64(a.Size)) == nil {
		return atNothing, ex.core.invalid(kernel.GapDevice, u.th, ex.proc.regs.RIP, "an access of %d bytes to a device at %#x isn't modelled", a.Size, a.Addr)
	}
	if !a.Write {
		v, err := ex.in.board.Load(a.Addr, a.Size)
		if err != nil {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, ex.proc.regs.RIP, "%v", err)
		}
		binary.LittleEndian.PutUint64(bytes[:], v)
		copy(ex.in.machine.DeviceBytes(a.Addr, uint64(a.Size)), bytes[:a.Size])
	}
	pc := ex.proc.regs.RIP
	ran := ex.permit(u)
	if ran.Why != emu.StopInsn {
		return ex.stopped(u, ran)
	}
	if a = ran.Device; a.Write {
		copy(bytes[:], ex.in.machine.DeviceBytes(a.Addr, uint64(a.Size)))
		if err := ex.in.board.Store(a.Addr, a.Size, binary.LittleEndian.Uint64(bytes[:])&(1<<(8*a.Size)-1)); err != nil {
			return atNothing, ex.core.invalid(kernel.GapDevice, u.th, pc, "%v", err)
		}
	}
	if u.shadow {
		u.shadow = false
		return ex.turnedOn(u)
	}
	if _, waits := ex.in.board.Pending(); waits && ex.in.on.Get() {
		return atOn, nil // a device asks for an interrupt at once
	}
	return atNothing, nil
}
