package scheduler

import (
	"encoding/binary"
	"slices"

	"landgo/internal/trace"
)

// What the guest's memory holds, as numbers.

// valueAt is the value that an access would find.
func (s *fixed) valueAt(a *trace.Access) uint64 {
	var b [8]byte
	copy(b[:], s.machine.Bytes(a.Addr, uint64(a.Size)))
	return binary.LittleEndian.Uint64(b[:])
}

// valuesAt are the values that the bytes of an access have had in the present execution, now
// first.
func (s *present) valuesAt(a *trace.Access, now uint64) []uint64 {
	values := []uint64{now}
	for _, v := range s.writes.Before(a) {
		if !slices.Contains(values, v) {
			values = append(values, v)
		}
	}
	return values
}

// word reads a word of memory; 0 outside of memory.
func (s *fixed) word(addr, size uint64) uint64 {
	var b [8]byte
	copy(b[:], s.machine.Bytes(addr, min(size, 8)))
	return binary.LittleEndian.Uint64(b[:])
}

// canAwait reports whether an access is within a word.
func canAwait(a *trace.Access) bool {
	return a.Size <= 8 && a.Addr&7+uint64(a.Size) <= 8
}
