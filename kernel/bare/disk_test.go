package bare

import (
	"bytes"
	"testing"
)

// withDisks is a board with interrupt controllers on and a disk of three sectors as the
// first channel's second drive. Each of its sectors begins with its number.
func withDisks(t *testing.T) (*Board, *ram) {
	file := make([]byte, 2*sectorSize+5)
	file[0], file[sectorSize], file[2*sectorSize] = 10, 11, 12
	m := new(ram)
	b := New(m, m, nil, Config{OutputLimit: 8, Disks: [][]byte{nil, file}})
	b.write(t, [2]uint{0x20, 0x11}, [2]uint{0x21, 0x20}, [2]uint{0x21, 4}, [2]uint{0x21, 1},
		[2]uint{0xa0, 0x11}, [2]uint{0xa1, 0x28}, [2]uint{0xa1, 2}, [2]uint{0xa1, 1},
		[2]uint{0x21, 0xfa}, [2]uint{0xa1, 0xbf})
	return b, m
}

// ask writes a command for sectors of the second drive.
func (b *Board) ask(t *testing.T, first, count, command uint) {
	b.write(t, [2]uint{0x1f6, 0xf0}, [2]uint{0x1f2, count}, [2]uint{0x1f3, first}, [2]uint{0x1f4, 0}, [2]uint{0x1f5, 0}, [2]uint{0x1f7, command})
}

func (b *Board) readByte(t *testing.T, port uint16) uint32 {
	t.Helper()
	v, err := b.In(port, 1)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// sector reads a sector from the data register.
func (b *Board) sector(t *testing.T) (p []byte) {
	t.Helper()
	for range sectorSize / 4 {
		v, err := b.In(0x1f0, 4)
		if err != nil {
			t.Fatal(err)
		}
		p = append(p, byte(v), byte(v>>8), byte(v>>16), byte(v>>24))
	}
	return p
}

// TestDiskReads: the sectors come one after the other, the last one filled up; and then
// the drive has nothing more to give.
func TestDiskReads(t *testing.T) {
	b, _ := withDisks(t)
	b.ask(t, 1, 2, readOne)
	for _, want := range []byte{11, 12} {
		if v := b.readByte(t, 0x1f7); v != diskReady|diskSeeked|diskRequest {
			t.Fatalf("status %#x before sector %d", v, want)
		}
		if p := b.sector(t); p[0] != want || p[5] != 0 || len(p) != sectorSize {
			t.Errorf("a sector that begins with %d, want %d", p[0], want)
		}
	}
	if v := b.readByte(t, 0x3f6); v != diskReady|diskSeeked {
		t.Errorf("status %#x behind the last sector", v)
	}
	b.ask(t, 2, 2, readOne)
	if v := b.readByte(t, 0x1f7); v&diskFailed == 0 || b.readByte(t, 0x1f1) != diskNotFound {
		t.Errorf("status %#x for a sector that the disk hasn't got", v)
	}
}

// TestDiskWrites: what was written is read again, a rewind takes it back, and the file's
// bytes stay.
func TestDiskWrites(t *testing.T) {
	b, m := withDisks(t)
	file := bytes.Clone(b.drives[1].file)
	b.ask(t, 0, 1, writeOne)
	for i := range uint32(sectorSize / 2) {
		if err := b.Out(0x1f0, 2, 0x100+i); err != nil {
			t.Fatal(err)
		}
	}
	if v := b.readByte(t, 0x1f7); v != diskReady|diskSeeked {
		t.Errorf("status %#x behind a write", v)
	}
	b.ask(t, 0, 1, readOne)
	if p := b.sector(t); p[0] != 0 || p[1] != 1 || p[2] != 1 {
		t.Errorf("read % x behind a write", p[:4])
	}
	for i := len(m.undos) - 1; i >= 0; i-- {
		m.undos[i]()
	}
	b.ask(t, 0, 1, readOne)
	if p := b.sector(t); p[0] != 10 {
		t.Errorf("read % x when the write was taken back", p[:4])
	}
	if !bytes.Equal(file, b.drives[1].file) {
		t.Error("the file's bytes have changed")
	}
}

// TestDiskInterrupt: it comes when it is let, unless the kernel has read the status, or
// wants none, or its line is off.
func TestDiskInterrupt(t *testing.T) {
	b, _ := withDisks(t)
	next := func() uint8 {
		t.Helper()
		if !b.Disk() && !b.Timer() {
			return 0
		}
		v, ok := b.Pending()
		if !ok {
			t.Fatal("nothing is pending")
		}
		b.Acknowledge()
		b.write(t, [2]uint{0x20, 0x20}, [2]uint{0xa0, 0x20})
		return v
	}
	b.ask(t, 0, 1, readOne)
	if _, ok := b.Pending(); ok {
		t.Error("the interrupt doesn't wait for a tick")
	}
	if !b.DiskDue() {
		t.Error("no interrupt is due")
	}
	if v, w := next(), next(); v != 0x2e || w != 0x20 {
		t.Errorf("interrupts %#x, %#x, want the disk's and the timer's", v, w)
	}
	b.ask(t, 0, 1, readOne)
	b.readByte(t, 0x1f7)
	if v := next(); v != 0x20 {
		t.Errorf("interrupt %#x when the status was read", v)
	}
	b.write(t, [2]uint{0x3f6, 2})
	b.ask(t, 0, 1, readOne)
	if v := next(); v != 0x20 {
		t.Errorf("interrupt %#x with the drive's interrupts off", v)
	}
	b.write(t, [2]uint{0x3f6, 0}, [2]uint{0xa1, 0xff})
	b.ask(t, 0, 1, readOne)
	if b.DiskDue() {
		t.Error("an interrupt is due whose line is off")
	}
	if v := next(); v != 0x20 {
		t.Errorf("interrupt %#x with the line off", v)
	}
	b.write(t, [2]uint{0xa1, 0xbf})
	if v := next(); v != 0x2e {
		t.Errorf("interrupt %#x when the line is on again", v)
	}
}

// TestDiskIdentity: a drive tells its size and that it counts sectors; where none is, all
// registers are 0.
func TestDiskIdentity(t *testing.T) {
	b, _ := withDisks(t)
	b.ask(t, 0, 0, identify)
	p := b.sector(t)
	if p[120] != 3 || p[99] != 2 || string(p[54:58]) != "aldn" {
		t.Errorf("sectors %d, abilities %d, model %q", p[120], p[99], p[54:64])
	}
	b.write(t, [2]uint{0x1f6, 0xe0})
	if v := b.readByte(t, 0x1f7); v != 0 {
		t.Errorf("status %#x of a drive that isn't there", v)
	}
	if v := b.readByte(t, 0x177); v != 0 {
		t.Errorf("status %#x of a channel without drives", v)
	}
	if !b.UsesDisk(0x1f0) || b.UsesDisk(0x170) || b.UsesDisk(0x3f8) {
		t.Error("which ports are a disk's")
	}
	for _, command := range []uint32{0x25, 0xc8} {
		b.write(t, [2]uint{0x1f6, 0xf0})
		if err := b.Out(0x1f7, 1, command); err == nil {
			t.Errorf("the command %#x is taken", command)
		}
	}
}

// TestDiskFrozen: a board that is thawed has the sectors that were written, and goes on in
// the middle of a transfer.
func TestDiskFrozen(t *testing.T) {
	b, m := withDisks(t)
	b.ask(t, 0, 1, writeOne)
	for range sectorSize / 4 {
		if err := b.Out(0x1f0, 4, 0x61616161); err != nil {
			t.Fatal(err)
		}
	}
	b.ask(t, 0, 2, readOne)
	b.sector(t)
	state, err := b.Freeze()
	if err != nil {
		t.Fatal(err)
	}
	c := New(m, m, nil, Config{Disks: [][]byte{nil, b.drives[1].file}})
	if err := c.Thaw(state); err != nil {
		t.Fatal(err)
	}
	if p := c.sector(t); p[0] != 11 {
		t.Errorf("goes on with a sector that begins with %d, want 11", p[0])
	}
	c.ask(t, 0, 1, readOne)
	if p := c.sector(t); p[0] != 'a' {
		t.Errorf("the first sector begins with %d, want what was written", p[0])
	}
}

// TestSpecialMask: in that mode a line in service that is off holds no other up, and the
// end of an interrupt is another's.
func TestSpecialMask(t *testing.T) {
	b := started(t)
	b.write(t, [2]uint{0x20, 0x68}, [2]uint{0x20, 0x0a})
	b.Timer()
	b.Acknowledge()
	b.raise(serialLine)
	if _, ok := b.Pending(); ok {
		t.Error("the timer's handler is interrupted, though its line is on")
	}
	b.write(t, [2]uint{0x21, 0xef})
	if v, ok := b.Pending(); !ok || v != 0x24 {
		t.Fatalf("pending is %#x, %v with the timer's line off, want 0x24", v, ok)
	}
	b.Acknowledge()
	b.write(t, [2]uint{0x20, 0x20})
	if b.pic[0].Service != 1<<timerLine {
		t.Errorf("in service: %#x, want the timer's", b.pic[0].Service)
	}
	b.write(t, [2]uint{0x20, 0x48})
	b.raise(serialLine)
	if _, ok := b.Pending(); ok {
		t.Error("the mode is off, and the timer's handler is interrupted")
	}
}

// TestPrinter: it is there and ready, and prints nothing.
func TestPrinter(t *testing.T) {
	b := board(t)
	if v := b.readByte(t, 0x379); v&0x80 == 0 {
		t.Errorf("status %#x: busy", v)
	}
	b.write(t, [2]uint{0x378, 'a'}, [2]uint{0x37a, 0x0d}, [2]uint{0x37a, 8})
	if len(b.Output(1)) != 0 && b.printed != 0 {
		t.Error("the printer's paper is output")
	}
	b.readByte(t, 0x84)
}

// TestMemoryInCMOS: a kernel finds there how much memory there is.
func TestMemoryInCMOS(t *testing.T) {
	b := board(t) // 64 MiB
	word := func(n uint) (v uint32) {
		for i := range uint(2) {
			b.write(t, [2]uint{0x70, n + i})
			v |= b.readByte(t, 0x71) << (8 * i)
		}
		return v
	}
	if base, extended, above := word(0x15), word(0x17), word(0x34); base != 640 || extended != 63<<10 || above != 48<<4 {
		t.Errorf("%d KiB, %d KiB and %d times 64 KiB, want 640, 64512 and 768", base, extended, above)
	}
}
