package emu

import (
	"encoding/binary"
	"testing"
)

// TestFrozenConstants: a constant of the processor's state is no address of landgo's, though
// the program's heap lies where it would be one; what another processor hasn't is.
func TestFrozenConstants(t *testing.T) {
	m, c := boardMachine(t, 0, 0xf4)
	f, err := m.Freeze(c)
	if err != nil {
		t.Fatal(err)
	}
	constants := 0
	for at := 0; at+8 <= len(f.CPU); at += 8 {
		v := binary.LittleEndian.Uint64(f.CPU[at:])
		if v < 1<<24 || v >= 1<<31 { // a heap begins below that
			continue
		}
		constants++
		if err := m.noAddresses(f.CPU, []Range{{Lo: v, Hi: v + 1}}); err != nil {
			t.Errorf("%#x at %d: %v", v, at, err)
		}
		binary.LittleEndian.PutUint64(f.CPU[at:], v+8)
		if err := m.noAddresses(f.CPU, []Range{{Lo: v, Hi: v + 9}}); err == nil {
			t.Errorf("%#x at %d is in no other processor, and passes for a constant", v+8, at)
		}
		if err := m.noAddresses(f.CPU, []Range{{Lo: v + 8, Hi: v + 9}}); (err == nil) != (v+8 < m.space) {
			t.Errorf("%#x at %d, where another processor has no address, in a guest of %#x bytes: %v", v+8, at, m.space, err)
		}
		binary.LittleEndian.PutUint64(f.CPU[at:], v)
	}
	if constants == 0 {
		t.Error("no word of the state could be taken for an address: nothing was tried")
	}
}
