package elffile

import "bytes"

// Multiboot is the header by which loaders know a kernel (Multiboot
// Specification 0.6.96, section 3.1).
type Multiboot struct {
	At    uint64 // where the kernel is linked to have it
	Flags uint32
	// Where to load the file, read as one piece, and where to begin; physical.
	// Set if Flags has MultibootAddresses.
	Header, Load, LoadEnd, BssEnd, Entry uint64
}

// Flags of the header. A loader that doesn't know one of the lower half doesn't
// start the kernel.
const (
	MultibootAligned   = 1 << 0 // modules by the page; there are none
	MultibootMemory    = 1 << 1 // the information has memory
	MultibootVideo     = 1 << 2 // a mode of the screen
	MultibootAddresses = 1 << 16
)

const (
	multibootRoom  = 8192 // of a file, in which the header has to be
	multibootAlign = 4
	multibootWords = 8
)

var multibootMagic = []byte{0x02, 0xb0, 0xad, 0x1b}

// Multiboot finds the header; nil if there is none.
func (f *File) Multiboot() *Multiboot {
	for i := range f.Segments {
		s := &f.Segments[i]
		b := s.Data[:min(len(s.Data), multibootRoom)]
		for at := 0; ; at += multibootAlign {
			k := bytes.Index(b[min(at, len(b)):], multibootMagic)
			if k < 0 {
				break
			}
			if at += k; at%multibootAlign != 0 || at+12 > len(b) {
				at &^= multibootAlign - 1
				continue
			}
			word := func(n int) uint32 { return order.Uint32(b[at+4*n:]) }
			if word(0)+word(1)+word(2) != 0 {
				continue
			}
			m := &Multiboot{At: s.Addr + uint64(at), Flags: word(1)}
			if m.Flags&MultibootAddresses != 0 && at+4*multibootWords <= len(b) {
				m.Header, m.Load, m.LoadEnd = uint64(word(3)), uint64(word(4)), uint64(word(5))
				m.BssEnd, m.Entry = uint64(word(6)), uint64(word(7))
			}
			return m
		}
	}
	return nil
}
