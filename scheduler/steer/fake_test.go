package steer

import (
	"testing"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// fakeBoard is a board whose ports remember what was written, and whose timer asks for
// interrupts when it is told to.
type fakeBoard struct {
	ports   map[uint16]uint32
	pending []uint8
}

func (b *fakeBoard) In(port uint16, _ uint8) (uint32, error) { return b.ports[port], nil }
func (b *fakeBoard) Out(port uint16, _ uint8, v uint32) error {
	b.ports[port] = v
	return nil
}
func (b *fakeBoard) UsesDisk(uint16) bool { return false }
func (b *fakeBoard) Disk() bool           { return false }
func (b *fakeBoard) DiskDue() bool        { return false }
func (b *fakeBoard) Timer() bool {
	b.pending = append(b.pending, 0x20)
	return true
}
func (b *fakeBoard) Pending() (uint8, bool) {
	if len(b.pending) == 0 {
		return 0, false
	}
	return b.pending[0], true
}
func (b *fakeBoard) Acknowledge()                        { b.pending = b.pending[1:] }
func (b *fakeBoard) Load(uint64, uint32) (uint64, error) { return 0, nil }
func (b *fakeBoard) Store(uint64, uint32, uint64) error  { return nil }
func (b *fakeBoard) Screen() emu.Range                   { return emu.Range{Lo: 0xb8000, Hi: 0xb8fa0} }
func (b *fakeBoard) Ended() (status uint64, ended bool)  { return 0, false }

// newKernel makes a kernel that is up, for i386 or x86-64, with threads that are known.
// Its machine has memory and no processor, so nothing runs.
func newKernel(t testing.TB, machine elffile.Machine, threads ...ownThread) (*Kernel, *fakeBoard) {
	t.Helper()
	m, err := emu.New(emu.Config{Space: 1 << 20, Code: []emu.Range{{Lo: 0x1000, Hi: 0x2000}}, NoEngine: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(m.Close)
	img := image.Of(&elffile.File{Machine: machine, Kernel: elffile.Bare, Code: []elffile.Range{{Lo: 0x1000, Hi: 0x2000}}})
	b := &fakeBoard{ports: map[uint16]uint32{}}
	k := New(scheduler.New(scheduler.Config{MaxThreads: 16, StepBudget: 1000}, m, img), b, nil, nil)
	m.PutFlag(&k.booted, true)
	m.PutFlag(&k.on, true)
	k.control = &emu.BoardRegs{CS: 8, SS: 16}
	for i, own := range threads {
		id := trace.TID(i)
		if i > 0 {
			if _, err := k.Intern(0, uint64(i)); err != nil {
				t.Fatal(err)
			}
		}
		k.beliefs.bear(id, 0, own)
	}
	return k, b
}
