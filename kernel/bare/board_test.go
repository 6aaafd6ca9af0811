package bare

import (
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/image/elffile"
)

// ram is a machine without a processor.
type ram struct {
	bytes [defaultMemory]byte
	undos []func()
}

func (r *ram) Load(at uint64, p []byte) error        { copy(r.bytes[at:], p); return nil }
func (r *ram) Bytes(at, n uint64) []byte             { return r.bytes[at : at+n] }
func (r *ram) Protect(addr, size uint64, p emu.Prot) {}
func (r *ram) Set(p *uint64, v uint64)               { *p = v }
func (r *ram) Undo(f func())                         { r.undos = append(r.undos, f) }
func (r *ram) StartBoard(gdt uint64, size uint32)    {}
func (r *ram) StartPaging(uint64)                    {}
func (r *ram) DeviceBytes(at, n uint64) []byte       { return nil }
func (r *ram) HasPaging() bool                       { return true }
func board(t *testing.T) *Board                      { return onRAM(nil, Config{OutputLimit: 8}) }

// onRAM is a board with fresh memory.
func onRAM(img *elffile.File, cfg Config) *Board {
	r := new(ram)
	return New(r, r, img, cfg)
}

// write writes bytes to ports.
func (b *Board) write(t *testing.T, ports ...[2]uint) {
	t.Helper()
	for _, p := range ports {
		if err := b.Out(uint16(p[0]), 1, uint32(p[1])); err != nil {
			t.Fatal(err)
		}
	}
}

// started is a board whose controllers were initialised as PCs are: vectors from
// 0x20, the timer and the serial line on.
func started(t *testing.T) *Board {
	b := board(t)
	b.write(t, [2]uint{0x20, 0x11}, [2]uint{0x21, 0x20}, [2]uint{0x21, 4}, [2]uint{0x21, 1},
		[2]uint{0xa0, 0x11}, [2]uint{0xa1, 0x28}, [2]uint{0xa1, 2}, [2]uint{0xa1, 1},
		[2]uint{0x21, 0xee}, [2]uint{0xa1, 0xff})
	return b
}

// TestInterrupts: an interrupt waits while its line is off and while one that
// comes before it is in service, which ends when the kernel says so.
func TestInterrupts(t *testing.T) {
	b := board(t)
	b.write(t, [2]uint{0x21, 0xff})
	if b.Timer() {
		t.Error("the timer interrupts through a line that is off")
	}
	b = started(t)
	if !b.Timer() {
		t.Fatal("the timer can't interrupt")
	}
	if v, ok := b.Pending(); !ok || v != 0x20 {
		t.Fatalf("pending is %#x, %v, want 0x20", v, ok)
	}
	b.Acknowledge()
	if _, ok := b.Pending(); ok || b.Timer() {
		t.Error("a second tick comes before the first one has ended")
	}
	b.raise(serialLine)
	if _, ok := b.Pending(); ok {
		t.Error("the serial line interrupts the timer's handler")
	}
	b.write(t, [2]uint{0x20, 0x20})
	if v, ok := b.Pending(); !ok || v != 0x24 {
		t.Errorf("after the end of the tick %#x, %v is pending, want the serial line's 0x24", v, ok)
	}
	if !b.Timer() {
		t.Error("no tick after the end of the first")
	}
	if v, _ := b.Pending(); v != 0x20 {
		t.Errorf("%#x comes before the timer", v)
	}
}

// TestSecondController: its lines come through the first one's third.
func TestSecondController(t *testing.T) {
	b := started(t)
	b.write(t, [2]uint{0x21, 0xfa}, [2]uint{0xa1, 0xef})
	b.raise(12)
	if v, ok := b.Pending(); !ok || v != 0x2c {
		t.Fatalf("pending is %#x, %v, want 0x2c", v, ok)
	}
	b.Acknowledge()
	if _, ok := b.Pending(); ok {
		t.Error("it comes twice")
	}
	b.write(t, [2]uint{0xa0, 0x20}, [2]uint{0x20, 0x20})
	if b.pic[0].Service != 0 || b.pic[1].Service != 0 {
		t.Error("it hasn't ended")
	}
}

// TestSerial: a kernel that writes by interrupts is told after each byte that
// there is room for the next, once.
func TestSerial(t *testing.T) {
	b := started(t)
	b.write(t, [2]uint{0x3fb, 0x80}, [2]uint{0x3f8, 1}, [2]uint{0x3fb, 3})
	if len(b.Output(1)) != 0 {
		t.Error("the divisor is output")
	}
	b.write(t, [2]uint{0x3f8, 'a'})
	if _, ok := b.Pending(); ok {
		t.Error("an interrupt that isn't on")
	}
	b.write(t, [2]uint{0x3f9, 2})
	if v, ok := b.Pending(); !ok || v != 0x24 {
		t.Errorf("pending is %#x, %v, want 0x24", v, ok)
	}
	if v, _ := b.In(0x3fa, 1); v != isEmpty {
		t.Errorf("the reason is %#x, want that the transmitter is empty", v)
	}
	if v, _ := b.In(0x3fa, 1); v != nothing {
		t.Errorf("the reason is %#x when it was reported, want none", v)
	}
	if _, ok := b.Pending(); ok {
		t.Error("the interrupt stays when its reason was read")
	}
	b.write(t, [2]uint{0x3f8, 'b'})
	if _, ok := b.Pending(); !ok {
		t.Error("no interrupt after the second byte")
	}
	if got := string(b.Output(1)); got != "ab" {
		t.Errorf("the output is %q", got)
	}
	for range 6 {
		b.write(t, [2]uint{0x3f8, 'c'})
	}
	if err := b.Out(0x3f8, 1, 'd'); err == nil {
		t.Error("more output than allowed")
	}
}

// TestOff: the ways to switch the machine off.
func TestOff(t *testing.T) {
	for name, off := range map[string]func(b *Board) error{
		"acpi":  func(b *Board) error { return b.Out(0x604, 2, 0x2000) },
		"bochs": func(b *Board) error { return b.Out(0x501, 1, 0x31) },
		"qemu":  func(b *Board) error { return b.Out(0xf4, 1, 0) },
		"word": func(b *Board) (err error) {
			for _, c := range "ShutShutdown" {
				err = b.Out(0x8900, 1, uint32(c))
			}
			return err
		},
	} {
		b := board(t)
		if _, ended := b.Ended(); ended {
			t.Errorf("%s: off from the start", name)
		}
		err := off(b)
		if status, ended := b.Ended(); !ended || status != 0 || err != nil {
			t.Errorf("%s: ended %v with status %d, %v", name, ended, status, err)
		}
	}
}

// TestUnmodelled: a port that nothing is at is named.
func TestUnmodelled(t *testing.T) {
	b := board(t)
	_, err := b.In(0x60c, 4)
	if err == nil || !strings.Contains(err.Error(), "0x60c") {
		t.Errorf("reading port 0x60c: %v", err)
	}
	if err := b.Out(0xcafe, 1, 0); err == nil || !strings.Contains(err.Error(), "0xcafe") {
		t.Errorf("writing port 0xcafe: %v", err)
	}
	if _, err := b.In(0x40, 1); err == nil {
		t.Error("the timer's counter can be read")
	}
}

// TestScreen: what a kernel wrote to its screen is its output if it used no
// serial line.
func TestScreen(t *testing.T) {
	r := new(ram)
	b := New(r, r, nil, Config{})
	for i, c := range "hello" {
		r.bytes[screenAt+2*i] = byte(c)
		r.bytes[screenAt+160*2+2*i] = byte(c)
	}
	if got := string(b.Output(1)); got != "hello\n\nhello\n" {
		t.Errorf("the output is %q", got)
	}
}

// TestControllerReads: a kernel may ask a controller whether an interrupt is
// real (a spurious one comes by line 7 and isn't in service). It gets the mask,
// the lines that ask, those in service.
func TestControllerReads(t *testing.T) {
	b := started(t)
	read := func(port uint16) uint32 {
		v, err := b.In(port, 1)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if m, s := read(0x21), read(0xa1); m != 0xee || s != 0xff {
		t.Errorf("the masks are %#x and %#x, want 0xee and 0xff", m, s)
	}
	b.raise(serialLine)
	if asks := read(0x20); asks != 0x10 {
		t.Errorf("the lines that ask are %#x, want 0x10", asks)
	}
	b.write(t, [2]uint{0x20, 0x0b})
	if in := read(0x20); in != 0 {
		t.Errorf("in service are %#x before anything was delivered", in)
	}
	b.Acknowledge()
	if in := read(0x20); in != 0x10 {
		t.Errorf("in service are %#x, want 0x10", in)
	}
	b.write(t, [2]uint{0x20, 0x0a})
	if asks := read(0x20); asks != 0 {
		t.Errorf("the lines that ask are %#x after the delivery", asks)
	}
	b.write(t, [2]uint{0x20, 0x64}) // the end of line 4
	b.raise(serialLine)
	b.lower(serialLine)
	if v, ok := b.Pending(); ok {
		t.Errorf("%#x comes when its reason is gone", v)
	}
}

// TestAlone: a controller that is told that it is the only one has no third word.
func TestAlone(t *testing.T) {
	b := board(t)
	b.write(t, [2]uint{0x20, 0x13}, [2]uint{0x21, 0x20}, [2]uint{0x21, 1}, [2]uint{0x21, 0xfe})
	if b.pic[0].Mask != 0xfe || b.pic[0].Automatic != 0 || !b.Timer() {
		t.Errorf("the controller is %+v", b.pic[0])
	}
	b.Acknowledge()
	b.write(t, [2]uint{0x20, 0x68 &^ 0x20}, [2]uint{0x20, 0x20}) // the usual order of lines; the end
	if b.pic[0].Service != 0 {
		t.Error("the tick hasn't ended")
	}
}

// TestRefused: what landgo's controllers and its timer don't do is named.
func TestRefused(t *testing.T) {
	for _, p := range [][2]uint{{0x20, 0xa0}, {0xa0, 0xc1}, {0x20, 0x0c}, {0x43, 0x30}, {0x43, 0x38}, {0x43, 0x12}} {
		if err := started(t).Out(uint16(p[0]), 1, uint32(p[1])); err == nil || !strings.Contains(err.Error(), "isn't modelled") {
			t.Errorf("%#x to port %#x: %v", p[1], p[0], err)
		}
	}
	started(t).write(t, [2]uint{0x43, 0x34}, [2]uint{0x43, 0x36}, [2]uint{0x43, 0}, [2]uint{0x43, 0xb0})
}

// TestLoop: a serial line that is tied to itself gets its own bytes, and they
// go nowhere else.
func TestLoop(t *testing.T) {
	b := started(t)
	read := func(port uint16) uint32 {
		v, err := b.In(port, 1)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	b.write(t, [2]uint{0x3fc, 0x1e}, [2]uint{0x3f8, 0xae})
	if s, m := read(0x3fd), read(0x3fe); s != 0x61 || m != 0xd0 {
		t.Errorf("the line's status is %#x, the modem's %#x, want 0x61 and 0xd0", s, m)
	}
	if v := read(0x3f8); v != 0xae || read(0x3fd) != 0x60 {
		t.Errorf("%#x comes back", v)
	}
	b.write(t, [2]uint{0x3fc, 0x0f}, [2]uint{0x3f8, 'a'})
	if got := string(b.Output(1)); got != "a" {
		t.Errorf("the output is %q", got)
	}
}

// TestRetrace: a wait for the screen's retrace, or for its end, ends.
func TestRetrace(t *testing.T) {
	b := board(t)
	for _, port := range []uint16{0x3da, 0x61} {
		seen := map[uint32]bool{}
		for range 4 {
			v, err := b.In(port, 1)
			if err != nil {
				t.Fatal(err)
			}
			seen[v] = true
		}
		if len(seen) != 2 {
			t.Errorf("port %#x reads %v", port, seen)
		}
	}
}
