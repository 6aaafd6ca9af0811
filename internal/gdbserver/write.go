package gdbserver

import (
	"encoding/hex"
	"fmt"
	"strings"
)

// Writing memory. The run is recorded, so nothing can be changed in it. Where gdb's user is
// told so in another way than by an error, what was written is shown as long as the run
// stands where it stands. An error would end a script of gdb's with a failing status. An
// answer that nothing stands behind would leave gdb's caches with other bytes than ours.

// write answers the packets M (hexadecimal) and X (binary).
func (s *server) write(p string) (string, error) {
	place, data, ok := strings.Cut(p[1:], ":")
	addr, size, ok2 := hexPair(place)
	if !ok || !ok2 {
		return refused, nil
	}
	if p[0] == 'X' && size == 0 {
		return "OK", nil // gdb asks whether the packet is known
	}
	b := []byte(data)
	if p[0] == 'M' {
		var err error
		if b, err = hex.DecodeString(data); err != nil {
			return refused, nil
		}
	}
	if s.notes == nil || uint64(len(b)) != size {
		return refused, nil
	}
	if there, err := s.target.Memory(addr, size); err != nil || len(there) != len(b) {
		return refused, nil // nothing is there
	}
	if s.written == nil {
		s.written = map[uint64]byte{}
	}
	for i, x := range b {
		s.written[addr+uint64(i)] = x
	}
	fmt.Fprintf(s.notes, "landgo: the run is recorded, and stays as it is: what is written at %#x is seen until it goes on, by gdb only\n", addr)
	return "OK", nil
}

// overlay puts what was written over memory.
func (s *server) overlay(addr uint64, b []byte) {
	if len(s.written) == 0 {
		return
	}
	for i := range b {
		if x, ok := s.written[addr+uint64(i)]; ok {
			b[i] = x
		}
	}
}
