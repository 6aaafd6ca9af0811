package bare

import (
	"encoding/binary"
	"fmt"
)

// Disks by IDE (ATA, without DMA): two channels with two drives each. The kernel moves
// each sector through the data register, a word at a time, and polls the status or has
// itself interrupted (lines 14 and 15).
//
// A drive is never busy: it has done a command as soon as that is written. Its
// interrupt comes when the scheduler says so (Disk), so how long a drive takes is the
// search's choice. It doesn't come if the kernel has read the status by then.

// channel is one of the two, with the registers that its drives share.
type channel struct {
	Features, Count, Low, Mid, High, Device uint64
	Control                                 uint64
	Status, Error                           uint64 // of the chosen drive
	Due                                     flag   // its interrupt hasn't come yet
	// The bytes that go through the data register: a block of a sector or more. At
	// bytes of it have passed. Left counts the sectors that are still to come, Next is the
	// first of these, and Block how many go without an interrupt between. Writes: into
	// the drive.
	Buffer                       [sectorSize / 8]uint64
	At, Left, Next, Block, Moved uint64
	Writes                       flag
}

// Registers of a channel, from its first port.
const (
	diskData = iota
	diskError
	diskCount
	diskLow
	diskMid
	diskHigh
	diskDevice
	diskStatus

	diskBusy, diskReady, diskSeeked, diskRequest, diskFailed = 0x80, 0x40, 0x10, 0x08, 0x01
	diskAborted, diskNotFound                                = 0x04, 0x10 // of the error
	diskSecond, diskByNumber                                 = 0x10, 0x40 // of the device
	diskSilent, diskReset                                    = 0x02, 0x04 // of the control

	identify, identifyPacket     = 0xec, 0xa1
	readOne, readOnce            = 0x20, 0x21
	writeOne, writeOnce          = 0x30, 0x31
	readMany, writeMany, setMany = 0xc4, 0xc5, 0xc6
	flushCache, setFeatures      = 0xe7, 0xef
	setGeometry, recalibrate     = 0x91, 0x10

	diskLine   = 14 // of the first channel
	maxSectors = 256
)

// diskPort is the channel of a port and its register there; control: it is the one
// beside these.
func diskPort(port uint16) (c int, register uint16, control, ok bool) {
	switch {
	case port >= diskFirst && port <= diskLast:
		return 0, port - diskFirst, false, true
	case port >= disk2First && port <= disk2Last:
		return 1, port - disk2First, false, true
	case port == diskControl, port == disk2Control:
		return b2i(port == disk2Control), 0, true, true
	}
	return 0, 0, false, false
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// chosen is the drive that a channel's device register chooses; nil: there is none.
func (b *Board) chosen(c int) *drive {
	return b.drives[2*c+b2i(b.disks[c].Device&diskSecond != 0)]
}

// readDisk reads a register. Where no drive is, all are 0.
func (b *Board) readDisk(c int, register uint16, control bool) uint64 {
	d := &b.disks[c]
	if b.chosen(c) == nil {
		return 0
	}
	if control {
		return d.Status
	}
	switch register {
	case diskError:
		return d.Error
	case diskCount:
		return d.Count
	case diskLow:
		return d.Low
	case diskMid:
		return d.Mid
	case diskHigh:
		return d.High
	case diskDevice:
		return d.Device
	case diskStatus:
		b.turn(&d.Due, false)
		b.lower(diskLine + c)
		return d.Status
	}
	return 0
}

// writeDisk writes a register. The shared ones are written for both drives.
func (b *Board) writeDisk(c int, register uint16, control bool, v uint64) error {
	d := &b.disks[c]
	if control {
		if d.Control&diskReset != 0 && v&diskReset == 0 {
			b.resetDisk(d)
		}
		b.m.Set(&d.Control, v)
		return nil
	}
	switch register {
	case diskError:
		b.m.Set(&d.Features, v)
	case diskCount:
		b.m.Set(&d.Count, v)
	case diskLow:
		b.m.Set(&d.Low, v)
	case diskMid:
		b.m.Set(&d.Mid, v)
	case diskHigh:
		b.m.Set(&d.High, v)
	case diskDevice:
		b.m.Set(&d.Device, v)
	case diskStatus:
		if b.chosen(c) != nil {
			return b.diskCommand(c, v)
		}
	}
	return nil
}

// resetDisk gives a channel its state after a reset: the mark of a disk.
func (b *Board) resetDisk(d *channel) {
	for _, p := range []*uint64{&d.Mid, &d.High, &d.Device, &d.Left, &d.At} {
		b.m.Set(p, 0)
	}
	b.turn(&d.Due, false)
	b.m.Set(&d.Count, 1)
	b.m.Set(&d.Low, 1)
	b.m.Set(&d.Error, 1)
	b.m.Set(&d.Status, diskReady|diskSeeked)
}

// diskCommand carries out a command of the chosen drive.
func (b *Board) diskCommand(c int, v uint64) error {
	d := &b.disks[c]
	b.m.Set(&d.Error, 0)
	b.m.Set(&d.Left, 0)
	b.turn(&d.Writes, false)
	switch v {
	case identify:
		b.fillBuffer(d, b.identity(c))
		b.diskAsks(d)
	case readOne, readOnce, readMany, writeOne, writeOnce, writeMany:
		return b.transfer(c, v)
	case flushCache, setFeatures, setMany, setGeometry, recalibrate:
		b.m.Set(&d.Status, diskReady|diskSeeked)
		b.diskAsks(d)
	case identifyPacket: // of other drives than disks
		b.diskFails(d, diskAborted)
	default:
		return fmt.Errorf("the disk's command %#x isn't modelled: sectors are read and written by number, without DMA", v)
	}
	return nil
}

// transfer begins to move sectors.
func (b *Board) transfer(c int, v uint64) error {
	d := &b.disks[c]
	if d.Device&diskByNumber == 0 {
		return fmt.Errorf("a disk's sectors by cylinder and head aren't modelled: the device register %#x has no bit %#x", d.Device, diskByNumber)
	}
	count := d.Count & 0xff
	if count == 0 {
		count = maxSectors
	}
	first := d.Device&0xf<<24 | d.High&0xff<<16 | d.Mid&0xff<<8 | d.Low&0xff
	if first+count > b.chosen(c).sectors() {
		b.diskFails(d, diskNotFound)
		return nil
	}
	b.m.Set(&d.Next, first)
	b.m.Set(&d.Left, count)
	b.m.Set(&d.Moved, 0)
	b.m.Set(&d.Block, 1)
	if v == readMany || v == writeMany {
		b.m.Set(&d.Block, count)
	}
	if v == readOne || v == readOnce || v == readMany {
		b.nextRead(c)
		b.diskAsks(d)
		return nil
	}
	b.turn(&d.Writes, true)
	b.m.Set(&d.At, 0)
	b.m.Set(&d.Status, diskReady|diskSeeked|diskRequest)
	return nil
}

// nextRead puts the next sector before the data register.
func (b *Board) nextRead(c int) {
	d := &b.disks[c]
	b.fillBuffer(d, b.chosen(c).read(d.Next))
	b.m.Set(&d.Next, d.Next+1)
	b.m.Set(&d.Left, d.Left-1)
}

func (b *Board) fillBuffer(d *channel, p []byte) {
	for i := range d.Buffer {
		b.m.Set(&d.Buffer[i], binary.LittleEndian.Uint64(p[8*i:]))
	}
	b.m.Set(&d.At, 0)
	b.m.Set(&d.Status, diskReady|diskSeeked|diskRequest)
}

func (b *Board) diskFails(d *channel, why uint64) {
	b.m.Set(&d.Error, why)
	b.m.Set(&d.Status, diskReady|diskSeeked|diskFailed)
	b.diskAsks(d)
}

// diskAsks: an interrupt is due, if the kernel wants any.
func (b *Board) diskAsks(d *channel) { b.turn(&d.Due, d.Control&diskSilent == 0) }

// dataIn reads bytes from the data register. Where nothing is to be read, it is 0.
func (b *Board) dataIn(c int, size uint8) (v uint32) {
	d := &b.disks[c]
	if b.chosen(c) == nil || d.Status&diskRequest == 0 || d.Writes.on() {
		return 0
	}
	for i := range size {
		if d.At == sectorSize {
			break
		}
		v |= uint32(d.Buffer[d.At/8]>>(d.At%8*8)&0xff) << (8 * i)
		b.m.Set(&d.At, d.At+1)
	}
	if d.At < sectorSize {
		return v
	}
	b.m.Set(&d.Moved, d.Moved+1)
	if d.Left == 0 {
		b.m.Set(&d.Status, diskReady|diskSeeked)
		return v
	}
	b.nextRead(c)
	if d.Moved%d.Block == 0 {
		b.diskAsks(d)
	}
	return v
}

// dataOut writes bytes to the data register. A sector is in the drive when it is
// whole.
func (b *Board) dataOut(c int, size uint8, v uint32) {
	d := &b.disks[c]
	if b.chosen(c) == nil || d.Status&diskRequest == 0 || !d.Writes.on() {
		return
	}
	for i := range size {
		if d.At == sectorSize {
			break
		}
		shift := d.At % 8 * 8
		b.m.Set(&d.Buffer[d.At/8], d.Buffer[d.At/8]&^(0xff<<shift)|uint64(v>>(8*i)&0xff)<<shift)
		b.m.Set(&d.At, d.At+1)
	}
	if d.At < sectorSize {
		return
	}
	sector := make([]byte, 0, sectorSize)
	for _, w := range d.Buffer {
		sector = binary.LittleEndian.AppendUint64(sector, w)
	}
	b.chosen(c).write(b.m, d.Next, sector)
	b.m.Set(&d.Next, d.Next+1)
	b.m.Set(&d.Left, d.Left-1)
	b.m.Set(&d.Moved, d.Moved+1)
	b.m.Set(&d.At, 0)
	if d.Left == 0 {
		b.m.Set(&d.Status, diskReady|diskSeeked)
	}
	if d.Left == 0 || d.Moved%d.Block == 0 {
		b.diskAsks(d)
	}
}

// UsesDisk reports whether a port's value depends on what was done with the disks
// before.
func (b *Board) UsesDisk(port uint16) bool {
	c, _, _, ok := diskPort(port)
	return ok && (b.drives[2*c] != nil || b.drives[2*c+1] != nil)
}

// Disk has a disk whose interrupt is due ask for it. It reports whether one can be
// delivered.
func (b *Board) Disk() bool {
	for c := range b.disks {
		line := diskLine + c
		if !b.disks[c].Due.on() || b.barred(line) {
			continue
		}
		b.lower(line)
		b.raise(line)
		if _, ok := b.Pending(); ok {
			b.turn(&b.disks[c].Due, false)
			return true
		}
		b.lower(line)
	}
	return false
}

// DiskDue reports whether a disk's interrupt is due that Disk would deliver.
func (b *Board) DiskDue() bool {
	for c := range b.disks {
		line := diskLine + c
		if !b.disks[c].Due.on() || b.barred(line) {
			continue
		}
		if e := b.io.Lines[line]; b.local.byLocal() && e&localMasked == 0 {
			return true
		}
		master, slave := b.pic[0], b.pic[1]
		slave.Requests |= 1 << (line % linesOfOne)
		best, ok := slave.best()
		master.Requests |= 1 << slaveLine
		first, ok2 := master.best()
		if b.local.passes() && ok && best == line%linesOfOne && ok2 && first == slaveLine {
			return true
		}
	}
	return false
}

// barred: the I/O APIC has a device's line, and the local one delivers no such interrupt
// now.
func (b *Board) barred(line int) bool {
	e := b.io.Lines[line]
	return b.local.byLocal() && e&localMasked == 0 && classOf(int(e&0xff)) <= max(classOf(top(&b.local.Service)), b.local.Task>>4)
}

// identity is a drive's description of itself.
func (b *Board) identity(c int) []byte {
	p := make([]byte, sectorSize)
	word := func(i int, v uint64) { binary.LittleEndian.PutUint16(p[2*i:], uint16(v)) }
	text := func(i, n int, s string) {
		for k := range n {
			at := byte(' ')
			if k < len(s) {
				at = s[k]
			}
			p[2*i+k^1] = at // each word's first letter is its upper byte
		}
	}
	n := min(b.chosen(c).sectors(), 1<<28-1)
	const heads, perTrack = 16, 63
	word(0, 0x40) // a fixed disk
	word(1, min(n/(heads*perTrack), 16383))
	word(3, heads)
	word(6, perTrack)
	text(10, 20, "0")
	text(23, 8, "1")
	text(27, 40, "landgo disk")
	word(47, 0x8000|maxSectors/2)
	word(49, 0x200) // by number
	word(53, 1)
	word(60, n)
	word(61, n>>16)
	word(80, 0x7e)
	word(82, 1<<14)
	word(83, 1<<14)
	return p
}
