package effect

import (
	"encoding/binary"
	"slices"

	"landgo/internal/trace"
	"landgo/kernel"
)

// A call whose copies are divided (package scheduler, copies.go) finds bytes that earlier steps
// of it have read, and leaves those that it writes to later steps.

// copies are a call's, while it is divided.
type copies struct {
	on   bool
	read []kernel.Part  // by earlier steps
	left []kernel.Part  // to later ones
	out  []kernel.Bytes // where the call may write, as it has asked
}

// Divide has the calls that follow read parts as they are given here, and write nothing of more
// than a word.
func (l *Log) Divide(read []kernel.Part) { l.divided = copies{on: true, read: read} }

// Whole ends that, and returns what the latest call has left to be written.
func (l *Log) Whole() []kernel.Part {
	left := l.divided.left
	l.divided = copies{}
	return left
}

// covers reports whether earlier steps have read some of [addr, addr+size).
func (c *copies) covers(addr, size uint64) bool {
	return slices.ContainsFunc(c.read, func(p kernel.Part) bool { return p.Addr < addr+size && addr < p.Addr+uint64(len(p.Bytes)) })
}

// touchRest records a read of the bytes that no earlier step has read.
func (l *Log) touchRest(addr, end uint64, flags trace.AccessFlags) {
	for addr < end {
		next, part := end, false
		for i := range l.divided.read {
			p := &l.divided.read[i]
			switch to := p.Addr + uint64(len(p.Bytes)); {
			case p.Addr <= addr && addr < to:
				next, part = min(end, to), true
			case !part && addr < p.Addr:
				next = min(next, p.Addr)
			}
		}
		if !part { // none covers it
			l.touch(addr, uint32(next-addr), flags)
		}
		addr = next
	}
}

// overlay puts what the parts have into p, the bytes at addr.
func (c *copies) overlay(addr uint64, p []byte) {
	for _, list := range [][]kernel.Part{c.read, c.left} {
		for i := range list {
			at, b := list[i].Addr, list[i].Bytes
			if at+uint64(len(b)) <= addr || addr+uint64(len(p)) <= at {
				continue
			}
			if at < addr {
				at, b = addr, b[addr-at:]
			}
			copy(p[at-addr:], b)
		}
	}
}

// number is v, a number of size bytes at addr, as the parts have it.
func (c *copies) number(addr, size, v uint64) uint64 {
	if !c.on {
		return v
	}
	var p [8]byte
	binary.LittleEndian.PutUint64(p[:], v)
	c.overlay(addr, p[:size])
	return binary.LittleEndian.Uint64(p[:])
}

// leaves reports whether a write is left to later steps: one of the caller's that it has asked for.
func (l *Log) leaves(addr uint64, p []byte) bool {
	if !l.divided.on || len(p) <= wordSize || l.by != l.caller {
		return false
	}
	if !slices.ContainsFunc(l.divided.out, func(o kernel.Bytes) bool { return o.Addr <= addr && addr+uint64(len(p)) <= o.Addr+o.Size }) {
		return false
	}
	l.divided.left = append(l.divided.left, kernel.Part{Addr: addr, Bytes: slices.Clone(p)})
	return true
}
