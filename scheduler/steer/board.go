package steer

import "landgo/emu"

// The machine that a kernel owns, as landgo models it (package kernel/bare).

// Board has what a Kernel needs of its machine's devices.
type Board struct {
	Ports
	Interrupts
	Devices
}

// Interrupts are those that a Board has for its processor.
type Interrupts interface {
	// Timer has the timer ask for an interrupt; false: it can't be delivered.
	Timer() bool
	// Pending is the vector of the interrupt to deliver next, and Acknowledge
	// takes it.
	Pending() (vector uint8, ok bool)
	Acknowledge()
}

// Devices are those beyond a Board's memory.
type Devices interface {
	// Load and Store access a register of one.
	Load(addr uint64, size uint32) (uint64, error)
	Store(addr uint64, size uint32, v uint64) error
	// Screen is the memory of the text screen.
	Screen() emu.Range
}

// Ports are those of a Board, and of its disks.
type Ports interface {
	In(port uint16, size uint8) (uint32, error)
	Out(port uint16, size uint8, v uint32) error
	// Ended: the machine was switched off, by a port.
	Ended() (status uint64, ended bool)
	// UsesDisk: what a port gives depends on earlier accesses to it and others.
	UsesDisk(port uint16) bool
	// DiskDue: a disk's interrupt can be delivered. It may come late: Disk has it come.
	DiskDue() bool
	Disk() bool
}
