package bare

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"landgo/emu"
)

// The interrupt controllers of multiprocessors: a local APIC beside the one
// processor, and an I/O APIC, to which devices' lines go. The 8259s reach the
// processor past them for as long as the local APIC is off.
//
// Source: Intel's manual, volume 3, "Advanced Programmable Interrupt
// Controller", and the data sheet of the 82093AA. Deviations: time is the
// scheduler's, so the timer has to be periodic, and its count can't be read.
// Interrupts are of edges and of fixed delivery to this processor; none are
// sent between processors.

const (
	localAt = 0xfee00000
	ioAt    = 0xfec00000

	localID   = 0
	ioID      = 1
	ioLines   = 24
	ioVersion = 0x11 | (ioLines-1)<<16

	localVersion = 0x14 | 5<<16 // six entries in its vector table
	localMasked  = 1 << 16      // of an entry, of the I/O APIC's too
	periodic     = 1 << 17
	localOn      = 1 << 8 // of the spurious vector's register
)

// Registers of the local APIC, by offset.
const (
	idRegister        = 0x20
	versionRegister   = 0x30
	taskPriority      = 0x80
	processorPriority = 0xa0
	endRegister       = 0xb0
	destination       = 0xd0
	destinationFormat = 0xe0
	spurious          = 0xf0
	inService         = 0x100 // and seven more, 16 bytes apart; so the next two
	triggerModes      = 0x180
	requested         = 0x200
	errorStatus       = 0x280
	commandLow        = 0x300
	commandHigh       = 0x310
	timerEntry        = 0x320
	thermalEntry      = 0x330
	counterEntry      = 0x340
	line0Entry        = 0x350
	line1Entry        = 0x360
	errorEntry        = 0x370
	initialCount      = 0x380
	currentCount      = 0x390
	divider           = 0x3e0

	firstEntry, lastEntry = timerEntry, errorEntry

	deliveryMode, initLevelDeassert = 7 << 8, 5<<8 | level
	extern                          = 7 << 8 // an entry's: from the 8259s
	assert                          = 1 << 14
)

// local is the local APIC.
type local struct {
	Requests, Service [4]uint64 // a bit for each vector
	Task              uint64    // priority
	Spurious          uint64
	Entries           [6]uint64
	Count, Divider    uint64
	Command           [2]uint64
	Destination       [2]uint64
}

// io is the I/O APIC.
type io struct {
	Chosen uint64 // register
	Id     uint64
	Lines  [ioLines]uint64 // redirection
}

// resetAPICs makes the state after power on.
func (b *Board) resetAPICs() {
	b.local = local{Spurious: 0xff, Destination: [2]uint64{0, 0xffffffff}}
	for i := range b.local.Entries {
		b.local.Entries[i] = localMasked
	}
	b.io = io{Id: ioID << 24}
	for i := range b.io.Lines {
		b.io.Lines[i] = localMasked
	}
}

// Devices are the pages of registers of a board. A processor reads its own
// number from its APIC.
func Devices() []emu.Device {
	return []emu.Device{{Addr: localAt, Plain: []uint64{localAt + idRegister, localAt + versionRegister}}, {Addr: ioAt}}
}

// fillPlain puts the registers that never change where they are read.
func (b *Board) fillPlain() {
	for register, v := range map[uint64]uint32{idRegister: localID << 24, versionRegister: localVersion} {
		if p := b.mem.DeviceBytes(localAt+register, 4); p != nil {
			binary.LittleEndian.PutUint32(p, v)
		}
	}
}

// Load reads a device's register.
func (b *Board) Load(addr uint64, size uint32) (uint64, error) {
	if size != 4 || addr%16 != 0 {
		return 0, fmt.Errorf("an access of %d bytes to %#x isn't modelled: registers of APICs have 4 bytes", size, addr)
	}
	if addr >= localAt {
		return b.readLocal(addr - localAt)
	}
	return b.readIO(addr - ioAt)
}

// Store writes a device's register.
func (b *Board) Store(addr uint64, size uint32, v uint64) error {
	if size != 4 || addr%16 != 0 {
		return fmt.Errorf("an access of %d bytes to %#x isn't modelled: registers of APICs have 4 bytes", size, addr)
	}
	if addr >= localAt {
		return b.writeLocal(addr-localAt, v)
	}
	return b.writeIO(addr-ioAt, v)
}

func (b *Board) readLocal(register uint64) (uint64, error) {
	l := &b.local
	switch {
	case register == taskPriority, register == processorPriority:
		if c := classOf(top(&l.Service)) << 4; register == processorPriority && c > l.Task&0xf0 {
			return c, nil
		}
		return l.Task, nil
	case register == endRegister, register == errorStatus: // no error happens here
		return 0, nil
	case register == destination, register == destinationFormat:
		return l.Destination[register>>4-destination>>4], nil
	case register == spurious:
		return l.Spurious, nil
	case register >= inService && register < triggerModes:
		return word(&l.Service, register-inService), nil
	case register >= triggerModes && register < requested:
		return 0, nil
	case register >= requested && register < errorStatus:
		return word(&l.Requests, register-requested), nil
	case register == commandLow, register == commandHigh:
		return l.Command[register>>4&1], nil
	case register >= firstEntry && register <= lastEntry:
		return l.Entries[(register-firstEntry)>>4], nil
	case register == initialCount:
		return l.Count, nil
	case register == divider:
		return l.Divider, nil
	case register == currentCount:
		return 0, fmt.Errorf("reading the count of the local APIC's timer isn't modelled: time passes by its interrupts only")
	}
	return 0, fmt.Errorf("reading the local APIC's register %#x isn't modelled", register)
}

func (b *Board) writeLocal(register, v uint64) error {
	l := &b.local
	switch {
	case register == taskPriority:
		b.m.Set(&l.Task, v&0xff)
	case register == endRegister:
		if vector := top(&l.Service); vector >= 0 {
			b.setBit(&l.Service, vector, false)
		}
	case register == errorStatus:
	case register == destination && v>>24 != 0, register == destinationFormat && v != 0xffffffff:
		return fmt.Errorf("logical destinations of the local APIC aren't modelled")
	case register == destination, register == destinationFormat:
	case register == spurious && v&localOn == 0 && l.Spurious&localOn != 0:
		return fmt.Errorf("turning the local APIC off isn't modelled")
	case register == spurious:
		b.m.Set(&l.Spurious, v)
	case register == commandLow:
		// All processors are told to agree on a number, which one does at once.
		if v&(deliveryMode|level|assert) != initLevelDeassert {
			return fmt.Errorf("an interrupt from processor to processor (%#x to the local APIC's command register) isn't modelled", v)
		}
		b.m.Set(&l.Command[0], v)
	case register == commandHigh:
		b.m.Set(&l.Command[1], v)
	case register >= firstEntry && register <= lastEntry:
		return b.writeEntry(register, v)
	case register == initialCount:
		b.m.Set(&l.Count, v)
		return b.oneTimer()
	case register == divider:
		b.m.Set(&l.Divider, v)
	case register == idRegister:
		return fmt.Errorf("giving the local APIC another number isn't modelled")
	default:
		return fmt.Errorf("writing the local APIC's register %#x isn't modelled", register)
	}
	return nil
}

// writeEntry writes an entry of the local vector table.
func (b *Board) writeEntry(register, v uint64) error {
	e := &b.local.Entries[(register-firstEntry)>>4]
	on := v&localMasked == 0
	switch {
	case on && register == timerEntry && v&periodic == 0:
		return fmt.Errorf("a timer of the local APIC that ticks once isn't modelled")
	case on && (register == line0Entry || register == line1Entry) && v&deliveryMode != extern && v&deliveryMode != 4<<8:
		return fmt.Errorf("an interrupt of the local APIC's own lines (%#x in its vector table) isn't modelled", v)
	}
	b.m.Set(e, v)
	return b.oneTimer()
}

// ticks reports whether the local APIC's timer is on.
func (l *local) ticks() bool {
	return l.Spurious&localOn != 0 && l.Entries[0]&localMasked == 0 && l.Count != 0
}

// byLocal reports whether interrupts come by the local APIC, and no longer from the
// 8259s alone.
func (l *local) byLocal() bool { return l.Spurious&localOn != 0 }

// passes reports whether the 8259s reach the processor.
func (l *local) passes() bool {
	e := l.Entries[(line0Entry-firstEntry)>>4]
	return !l.byLocal() || e&localMasked == 0 && e&deliveryMode == extern
}

// oneTimer: one clock ticks, because the order of two would be unknown.
func (b *Board) oneTimer() error {
	if b.local.ticks() && (b.ioTimer() >= 0 || b.local.passes() && b.pic[0].Mask&(1<<timerLine) == 0 && b.pic[0].Word == 0 && b.pic[0].Base != 0) {
		return fmt.Errorf("two timers that tick (the local APIC's and the 8254) aren't modelled")
	}
	return nil
}

// ioTimer is the line of the I/O APIC by which the 8254 interrupts, if that is on: -1
// if none is.
func (b *Board) ioTimer() int {
	for _, line := range [2]int{timerLine, 2} {
		if b.local.byLocal() && b.io.Lines[line]&localMasked == 0 {
			return line
		}
	}
	return -1
}

func (b *Board) readIO(register uint64) (uint64, error) {
	switch register {
	case 0:
		return b.io.Chosen, nil
	case 0x10:
		n := b.io.Chosen
		switch {
		case n == 0:
			return b.io.Id, nil
		case n == 1:
			return ioVersion, nil
		case n == 2:
			return b.io.Id, nil
		case n >= 0x10 && n < 0x10+2*ioLines:
			return b.io.Lines[(n-0x10)/2] >> (n & 1 * 32) & 0xffffffff, nil
		}
		return 0, fmt.Errorf("reading the I/O APIC's register %#x isn't modelled", n)
	}
	return 0, fmt.Errorf("reading the I/O APIC at %#x isn't modelled", ioAt+register)
}

// Bits of a redirection's lower half.
const (
	logical, level = 1 << 11, 1 << 15
)

func (b *Board) writeIO(register, v uint64) error {
	if register == 0 {
		b.m.Set(&b.io.Chosen, v&0xff)
		return nil
	}
	n := b.io.Chosen
	switch {
	case register != 0x10:
		return fmt.Errorf("writing the I/O APIC at %#x isn't modelled", ioAt+register)
	case n == 0:
		b.m.Set(&b.io.Id, v)
		return nil
	case n < 0x10 || n >= 0x10+2*ioLines:
		return fmt.Errorf("writing the I/O APIC's register %#x isn't modelled", n)
	}
	line := &b.io.Lines[(n-0x10)/2]
	if n&1 != 0 {
		b.m.Set(line, *line&0xffffffff|v<<32)
	} else {
		b.m.Set(line, *line&^0xffffffff|v)
	}
	if now := *line; now&localMasked == 0 && (now&(deliveryMode|logical|level) != 0 || now>>56 != localID) {
		return fmt.Errorf("the redirection %#x of the I/O APIC's line %d isn't modelled: it is by level, not fixed, or to another processor", now, (n-0x10)/2)
	}
	return b.oneTimer()
}

// request asks the local APIC for an interrupt.
func (b *Board) request(vector uint64) { b.setBit(&b.local.Requests, int(vector&0xff), true) }

func (b *Board) setBit(set *[4]uint64, n int, on bool) {
	w := set[n/64] &^ (1 << (n % 64))
	if on {
		w |= 1 << (n % 64)
	}
	b.m.Set(&set[n/64], w)
}

// top is the highest vector of a set; -1 if there is none.
func top(set *[4]uint64) int {
	for i := len(set) - 1; i >= 0; i-- {
		if set[i] != 0 {
			return 64*i + 63 - bits.LeadingZeros64(set[i])
		}
	}
	return -1
}

// classOf is a vector's priority.
func classOf(vector int) uint64 {
	if vector < 0 {
		return 0
	}
	return uint64(vector) >> 4
}

func word(set *[4]uint64, offset uint64) uint64 {
	n := offset >> 4
	return set[n/2] >> (n % 2 * 32) & 0xffffffff
}

// best is the vector that the local APIC delivers next, which comes before all in
// service and before the task's priority; false if there is none.
func (l *local) best() (vector int, ok bool) {
	vector = top(&l.Requests)
	return vector, l.byLocal() && vector >= 0 && classOf(vector) > max(classOf(top(&l.Service)), l.Task>>4)
}

// localTimer has the clock ask for an interrupt, by an APIC. It reports whether one can
// be delivered; known: an APIC has the clock.
func (b *Board) localTimer() (can, known bool) {
	l := &b.local
	vector := l.Entries[0]
	if !l.ticks() {
		line := b.ioTimer()
		if line < 0 {
			return false, false
		}
		vector = b.io.Lines[line]
	}
	n := int(vector & 0xff)
	if classOf(n) <= max(classOf(top(&l.Service)), l.Task>>4) {
		return false, true
	}
	b.request(uint64(n))
	best, ok := l.best()
	return ok && best == n, true
}

// raiseIO has a device's line ask the I/O APIC.
func (b *Board) raiseIO(line int) {
	if e := b.io.Lines[line]; e&localMasked == 0 && b.local.byLocal() {
		b.request(e)
	}
}
