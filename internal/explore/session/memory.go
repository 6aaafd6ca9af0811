package session

import (
	"encoding/binary"

	"landgo/internal/abi"
)

// Memory is the bytes at an address of the guest's: fewer than asked for if no more
// are there.
func (s *Session) Memory(addr, size uint64) []byte {
	out := make([]byte, 0, size)
	for uint64(len(out)) < size {
		at := addr + uint64(len(out))
		page, ok := s.page(at, min(size-uint64(len(out)), abi.PageSize-at%abi.PageSize))
		if !ok {
			break
		}
		out = append(out, page...)
	}
	return out
}

// page is memory within one page, by the guest's addresses.
func (s *Session) page(addr, n uint64) ([]byte, bool) {
	if !s.Platform.Ticks {
		if s.Machine.Prot(addr) == 0 {
			return nil, false
		}
		return s.Machine.Bytes(addr, n), true
	}
	var out []byte
	word := s.Image.Machine.Word()
	for first := addr &^ (word - 1); first < addr+n; first += word {
		v, ok := s.Plain.ReadStack(first)
		if !ok {
			return nil, false
		}
		b := binary.LittleEndian.AppendUint64(nil, v)[:word]
		lo, hi := max(addr, first), min(addr+n, first+word)
		out = append(out, b[lo-first:hi-first]...)
	}
	return out, true
}
