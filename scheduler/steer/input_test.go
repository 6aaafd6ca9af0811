package steer

import (
	"testing"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
)

// TestAwaits: threads wait for input, or for a child that does, by what is in their
// channels: values that the profile names, or their own structures.
func TestAwaits(t *testing.T) {
	const parent, child, input, children = 0x3000, 0x4000, 0x80000004, 0x80000001
	for _, c := range []struct {
		name          string
		ofParent      uint32
		ofChild       uint32
		parentOfChild uint32
		want          bool
	}{
		{"the child waits for input", children, input, parent, true},
		{"known by its own structure", parent, input, parent, true},
		{"the child waits for something else", children, 0x100, parent, false},
		{"the parent waits for something else", 0x100, input, parent, false},
		{"it isn't its child", children, input, 0, false},
		{"both wait for input", input, input, 0, true},
	} {
		k, _ := newKernel(t, elffile.I386, ownThread{Number: parent, State: ownBlocked}, ownThread{Number: child, State: ownBlocked})
		k.profile = &profile.OwnKernel{Channel: debuginfo.Member{Offset: 8, Size: 4}, Parent: debuginfo.Member{Offset: 12, Size: 4}, Input: []uint64{input}, Children: []uint64{children}}
		k.machine.Write32(parent+8, c.ofParent)
		k.machine.Write32(child+8, c.ofChild)
		k.machine.Write32(child+12, c.parentOfChild)
		if got := k.awaitsInput(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
