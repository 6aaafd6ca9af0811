package bare

import (
	"encoding/binary"
	"strings"
	"testing"
)

// registers writes words to a device's registers.
func (b *Board) registers(t *testing.T, writes ...[2]uint64) {
	t.Helper()
	for _, w := range writes {
		if err := b.Store(w[0], 4, w[1]); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *Board) register(t *testing.T, addr uint64) uint64 {
	t.Helper()
	v, err := b.Load(addr, 4)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

const timerVector = 0x40

// byAPIC is a board whose clock is the local APIC's.
func byAPIC(t *testing.T) *Board {
	t.Helper()
	b := board(t)
	b.write(t, [2]uint{0x21, 0xff}, [2]uint{0xa1, 0xff})
	b.registers(t, [2]uint64{localAt + spurious, localOn | 0xff}, [2]uint64{localAt + line0Entry, localMasked},
		[2]uint64{localAt + divider, 0xb}, [2]uint64{localAt + timerEntry, periodic | timerVector},
		[2]uint64{localAt + initialCount, 1000}, [2]uint64{localAt + taskPriority, 0})
	return b
}

// TestLocalTimer: the clock interrupts once it is on, has a count and isn't masked; not
// while its last interrupt is in service, and not below the task's priority.
func TestLocalTimer(t *testing.T) {
	b := byAPIC(t)
	if !b.Timer() {
		t.Fatal("the timer can't interrupt")
	}
	if v, ok := b.Pending(); !ok || v != timerVector {
		t.Fatalf("pending is %#x, %v, want %#x", v, ok, timerVector)
	}
	b.Acknowledge()
	if at := uint64(timerVector / 32 * 16); b.register(t, localAt+inService+at) != 1<<(timerVector%32) || b.register(t, localAt+requested+at) != 0 {
		t.Error("it isn't in service, or asks still")
	}
	if _, ok := b.Pending(); ok || b.Timer() {
		t.Error("a second tick comes before the first one has ended")
	}
	b.registers(t, [2]uint64{localAt + endRegister, 0})
	if !b.Timer() {
		t.Error("no tick after the end of the first")
	}
	b.Acknowledge()
	b.registers(t, [2]uint64{localAt + endRegister, 0}, [2]uint64{localAt + taskPriority, timerVector})
	if b.Timer() {
		t.Error("a tick comes through a task's priority that is as high")
	}
	b.registers(t, [2]uint64{localAt + taskPriority, timerVector - 0x10})
	if !b.Timer() {
		t.Error("a tick doesn't come past a task's priority that is lower")
	}
	b = byAPIC(t)
	b.registers(t, [2]uint64{localAt + timerEntry, periodic | localMasked | timerVector})
	if b.Timer() {
		t.Error("a timer that is masked interrupts")
	}
	b = byAPIC(t)
	b.registers(t, [2]uint64{localAt + initialCount, 0})
	if b.Timer() {
		t.Error("a timer without a count interrupts")
	}
}

// TestLines: a device's line interrupts by the I/O APIC, at the vector that its
// redirection says, and the lower one of two waits.
func TestLines(t *testing.T) {
	b := byAPIC(t)
	entry := uint64(0x10 + 2*serialLine)
	b.raise(serialLine)
	if _, ok := b.Pending(); ok {
		t.Error("a line that is masked interrupts")
	}
	b.lower(serialLine)
	b.registers(t, [2]uint64{ioAt, entry}, [2]uint64{ioAt + 0x10, 0x34}, [2]uint64{ioAt, entry + 1}, [2]uint64{ioAt + 0x10, 0})
	b.raise(serialLine)
	if v, ok := b.Pending(); !ok || v != 0x34 {
		t.Fatalf("pending is %#x, %v, want 0x34", v, ok)
	}
	if !b.Timer() {
		t.Error("the clock, of higher priority, waits")
	}
	b.Acknowledge()
	if _, ok := b.Pending(); ok {
		t.Error("the line interrupts the clock's handler")
	}
	b.registers(t, [2]uint64{localAt + endRegister, 0})
	if v, _ := b.Pending(); v != 0x34 {
		t.Errorf("after the end of the tick %#x is pending, want 0x34", v)
	}
	b.registers(t, [2]uint64{ioAt, 1})
	if v := b.register(t, ioAt+0x10); v>>16&0xff != ioLines-1 {
		t.Errorf("the version is %#x", v)
	}
}

// TestPast: until the local APIC is on, and where it lets them, the 8259s interrupt.
func TestPast(t *testing.T) {
	b := started(t)
	b.registers(t, [2]uint64{localAt + line0Entry, extern}, [2]uint64{localAt + spurious, localOn | 0xff})
	if !b.Timer() {
		t.Error("the 8254 can't interrupt by the 8259s")
	}
	b.registers(t, [2]uint64{localAt + line0Entry, localMasked})
	if _, ok := b.Pending(); ok || b.Timer() {
		t.Error("the 8254 interrupts where the 8259s are masked")
	}
}

// TestAPICRefused: what the APICs don't do is named.
func TestAPICRefused(t *testing.T) {
	for _, w := range [][2]uint64{
		{localAt + timerEntry, timerVector}, {localAt + line0Entry, 0x33}, {localAt + commandLow, 0x4040},
		{localAt + commandLow, 0xc0500}, {localAt + spurious, 0xff}, {localAt + idRegister, 1 << 24},
		{localAt + destination, 1 << 24}, {localAt + 0x40, 0}, {ioAt + 0x20, 0},
	} {
		if err := byAPIC(t).Store(w[0], 4, w[1]); err == nil || !strings.Contains(err.Error(), "modelled") {
			t.Errorf("%#x to %#x: %v", w[1], w[0], err)
		}
	}
	for _, v := range []uint64{0x34 | level, 0x34 | logical, 0x34 | 1<<8} {
		b := byAPIC(t)
		b.registers(t, [2]uint64{ioAt, 0x18})
		if err := b.Store(ioAt+0x10, 4, v); err == nil || !strings.Contains(err.Error(), "modelled") {
			t.Errorf("redirection %#x: %v", v, err)
		}
	}
	b := byAPIC(t)
	b.registers(t, [2]uint64{ioAt, 0x14})
	if err := b.Store(ioAt+0x10, 4, 0x30); err == nil || !strings.Contains(err.Error(), "two timers") {
		t.Errorf("a second clock: %v", err)
	}
	if _, err := b.Load(localAt+currentCount, 4); err == nil {
		t.Error("the clock's count can be read")
	}
	if _, err := b.Load(localAt+spurious, 1); err == nil {
		t.Error("a byte of a register can be read")
	}
	byAPIC(t).registers(t, [2]uint64{localAt + commandLow, 0x88500}) // all agree on the numbers
}

// TestMultiprocessorTables: the tables' sums are 0, and they name both APICs.
func TestMultiprocessorTables(t *testing.T) {
	r := new(ram)
	if err := New(r, r, nil, Config{}).multiprocessor(); err != nil {
		t.Fatal(err)
	}
	word := func(at uint64) uint64 { return uint64(binary.LittleEndian.Uint32(r.bytes[at:])) }
	sum := func(at, n uint64) (s byte) {
		for _, c := range r.bytes[at : at+n] {
			s += c
		}
		return s
	}
	table := word(floatingAt + 4)
	length := word(table+4) & 0xffff
	if string(r.bytes[floatingAt:floatingAt+4]) != "_MP_" || string(r.bytes[table:table+4]) != "PCMP" || sum(floatingAt, 16) != 0 || sum(table, length) != 0 {
		t.Fatal("no tables, or they are damaged")
	}
	kinds := map[byte]int{}
	at := table + 44
	for n := word(table+34) & 0xffff; n > 0; n-- {
		kinds[r.bytes[at]]++
		if r.bytes[at] == ioEntry && word(at+4) != ioAt {
			t.Errorf("the I/O APIC is at %#x", word(at+4))
		}
		if at += 8; r.bytes[at-8] == processorEntry {
			at += processorSize - 8
		}
	}
	if at != table+length || kinds[processorEntry] != 1 || kinds[ioEntry] != 1 || kinds[lineEntry] != 15 || word(table+36) != localAt {
		t.Errorf("entries %v, from %#x to %#x of %#x, the local APIC at %#x", kinds, table, at, table+length, word(table+36))
	}
	if binary.LittleEndian.Uint16(r.bytes[lowerSizeAt:]) != 640 {
		t.Error("the lower memory's size is missing")
	}
}
