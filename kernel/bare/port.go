package bare

import "fmt"

// The devices by port. Sizes are of one access in bytes; a device that has
// registers of a byte gives an access of more to the ports that follow.

const (
	masterPort, slavePort = 0x20, 0xa0

	timerPort, timerControl   = 0x40, 0x43
	keyboardPort, keyStatus   = 0x60, 0x64
	speakerPort               = 0x61
	cmosIndex, cmosData       = 0x70, 0x71
	delayPort, gatePort       = 0x80, 0x92
	consolePort               = 0xe9 // of emulators
	exitPort                  = 0xf4 // of QEMU's isa-debug-exit
	bochsExit, bochsPower     = 0x501, 0x8900
	serialPort                = 0x3f8
	vgaFirst, vgaLast         = 0x3c0, 0x3df
	screenStatus              = 0x3da
	acpiPower, oldAcpiPower   = 0x604, 0xb004
	powerDown                 = 0x2000
	diskFirst, diskLast       = 0x1f0, 0x1f7
	disk2First, disk2Last     = 0x170, 0x177
	diskControl, disk2Control = 0x3f6, 0x376
	pciAddress, pciData       = 0xcf8, 0xcfc
	printerFirst, printerLast = 0x378, 0x37a
	delayToo                  = 0x84 // read to let time pass

	absent = 0xff // the value read from a missing device
	// printerReady is the status of a printer that takes each byte at once.
	printerReady = 0xdf

	// The fields of the timer's control: the counter (0 ticks), the bytes that
	// come next (none: it is only read), and the modes that tick again and
	// again.
	ofCounter, counterBytes, again = 0xc0, 0x30, 0x04

	// Bits that toggle with each read, for loops that wait for them: the
	// refresh of memory, at the speaker's port, and of the screen, and its time
	// without a picture.
	refreshBit, retraceBits = 0x10, 0x09
)

// powerWord switches a Bochs off, byte by byte.
const powerWord = "Shutdown"

// In reads a port.
func (b *Board) In(port uint16, size uint8) (v uint32, err error) {
	if c, register, control, ok := diskPort(port); ok && register == diskData && !control {
		return b.dataIn(c, size), nil
	}
	for i := range size {
		x, err := b.in(port + uint16(i))
		if err != nil {
			return 0, err
		}
		v |= uint32(x&0xff) << (8 * i)
	}
	return v, nil
}

func (b *Board) in(port uint16) (uint64, error) {
	switch {
	case port == masterPort, port == slavePort:
		c := &b.pic[port>>7&1]
		if c.Selected.on() {
			return c.Service, nil
		}
		return c.Requests, nil
	case port == masterPort+1, port == slavePort+1:
		return b.pic[port>>7&1].Mask, nil
	case port >= timerPort && port <= timerControl:
		return 0, fmt.Errorf("reading the timer's counter (port %#x) isn't modelled: time passes by its interrupts only", port)
	case port == keyboardPort, port == keyStatus:
		return 0, nil // no key was pressed
	case port == speakerPort:
		b.m.Set(&b.speaker, b.speaker^refreshBit)
		return b.speaker, nil
	case port == cmosData:
		return b.cmosRegister(b.cmos & 0x7f), nil
	case port == cmosIndex, port == delayPort, port == delayToo, port == gatePort, port == consolePort:
		return 0, nil
	case port >= serialPort && port < serialPort+8:
		return b.readSerial(port - serialPort), nil
	case port == screenStatus:
		b.m.Set(&b.retrace, b.retrace^retraceBits)
		return b.retrace, nil
	case port >= vgaFirst && port <= vgaLast:
		return 0, nil
	case port >= pciAddress && port < pciData+4:
		return absent, nil
	case port == printerFirst+1:
		return printerReady, nil
	case port >= printerFirst && port <= printerLast:
		return 0, nil
	}
	if c, register, control, ok := diskPort(port); ok {
		return b.readDisk(c, register, control), nil
	}
	return 0, fmt.Errorf("input from port %#x isn't modelled", port)
}

// clockRegisters are those of the real-time clock, in BCD: it stands still, for
// nothing of the host may reach the guest.
var clockRegisters = [128]uint64{4: 0x12, 6: 0x01, 7: 0x01, 8: 0x01, 9: 0x20, 10: 0x26, 11: 0x02, 13: 0x80, 50: 0x20}

// cmosRegister is a register of the clock's memory: the time, or where a BIOS leaves how
// much memory there is.
func (b *Board) cmosRegister(n uint64) uint64 {
	extended := min((b.cfg.Memory-firstMegabyte)>>10, 0xfc00)
	var above uint64 // the memory above 16 MiB, in pieces of 64 KiB
	if b.cfg.Memory > 16<<20 {
		above = min((b.cfg.Memory-16<<20)>>16, 0xffff)
	}
	word := map[uint64]uint64{0x15: lowerMemory >> 10, 0x17: extended, 0x30: extended, 0x34: above}
	if v, ok := word[n]; ok {
		return v & 0xff
	}
	if v, ok := word[n-1]; ok {
		return v >> 8
	}
	return clockRegisters[n]
}

// Out writes a port.
func (b *Board) Out(port uint16, size uint8, v uint32) error {
	switch port {
	case acpiPower, oldAcpiPower:
		if v&powerDown != 0 {
			b.end(0)
		}
		return nil
	case exitPort:
		b.end(uint64(v))
		return nil
	case bochsExit:
		b.end(0)
		return nil
	}
	if c, register, control, ok := diskPort(port); ok && register == diskData && !control {
		b.dataOut(c, size, v)
		return nil
	}
	for i := range size {
		if err := b.out(port+uint16(i), uint64(v>>(8*i)&0xff)); err != nil {
			return err
		}
	}
	return nil
}

func (b *Board) out(port uint16, v uint64) error {
	switch {
	case port == masterPort, port == slavePort:
		return b.command(&b.pic[port>>7&1], v)
	case port == masterPort+1, port == slavePort+1:
		b.data(&b.pic[port>>7&1], v)
	case port == timerControl && v&ofCounter == 0 && v&counterBytes != 0 && v&again == 0:
		return fmt.Errorf("the timer's mode %d, in which it ticks once, isn't modelled", v>>1&7)
	case port >= timerPort && port <= timerControl: // time is the scheduler's
	case port == keyboardPort, port == keyStatus, port == delayPort, port == delayToo, port == gatePort:
	case port == speakerPort:
		b.m.Set(&b.speaker, v)
	case port == cmosIndex:
		b.m.Set(&b.cmos, v)
	case port == cmosData:
	case port >= serialPort && port < serialPort+8:
		return b.writeSerial(port-serialPort, v)
	case port == consolePort:
		return b.print(byte(v))
	case port >= vgaFirst && port <= vgaLast: // the cursor and the like
	case port == bochsPower:
		b.power(byte(v))
	case port >= pciAddress && port < pciData+4: // no device is there
	case port >= printerFirst && port <= printerLast: // printed bytes aren't kept
	default:
		if c, register, control, ok := diskPort(port); ok {
			return b.writeDisk(c, register, control, v)
		}
		return fmt.Errorf("output to port %#x isn't modelled", port)
	}
	return nil
}

// power takes a letter of the word that switches off.
func (b *Board) power(letter byte) {
	n := b.typed
	if letter != powerWord[n] {
		n = 0
	}
	if letter == powerWord[n] {
		n++
	}
	if n == uint64(len(powerWord)) {
		b.end(0)
		n = 0
	}
	b.m.Set(&b.typed, n)
}
