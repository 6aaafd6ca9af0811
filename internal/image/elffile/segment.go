package elffile

import (
	"debug/elf"
	"sort"

	"landgo/internal/abi"
)

// Segment is a page-aligned run of memory with one set of permissions.
type Segment struct {
	Addr    uint64 // multiple of abi.PageSize
	Data    []byte // first bytes; the rest is zero. Read-only.
	MemSize uint64 // multiple of abi.PageSize
	// Physical is where a loader of kernels puts it, see Image.Physical.
	Physical uint64
	// Permissions, of whole pages.
	Read, Write, Exec bool
	// Rest are the further program headers in it, of a kernel: where each is to be.
	Rest []Placed
	// Headers: it holds the file's own headers and nothing else, as where a
	// linker was told where the text begins.
	Headers bool
	used    uint64 // the end in memory of what its headers ask for, from Addr
}

// Range is the address range [Lo, Hi).
type Range struct{ Lo, Hi uint64 }

// TLS is the template of a thread's thread-local storage.
type TLS struct {
	Addr, FileSize, MemSize, Align uint64
	// Errno is where the C library's errno is in it, if HasErrno (glibc).
	Errno    uint64
	HasErrno bool
}

// AddressLimit is the end of a program's addresses: the lower half of the
// address space, less a margin so that sums can't overflow.
func AddressLimit(m Machine) uint64 {
	if m == I386 {
		return 1<<32 - abi.PageSize
	}
	return 1<<47 - abi.PageSize
}

// addSegments turns the loadable program headers into segments.
func (f *File) addSegments(h *header, data []byte) error {
	var loads []elf.ProgHeader
	for _, p := range h.progs {
		switch p.Type {
		case elf.PT_LOAD:
			if p.Memsz != 0 {
				loads = append(loads, p)
			}
		case elf.PT_GNU_STACK:
			f.ExecStack = p.Flags&elf.PF_X != 0
		case elf.PT_GNU_RELRO:
			f.relro = Range{h.base + p.Vaddr, h.base + p.Vaddr + p.Memsz}
		case elf.PT_TLS:
			f.TLS = &TLS{Addr: p.Vaddr + h.base, FileSize: p.Filesz, MemSize: p.Memsz, Align: p.Align}
		}
	}
	if len(loads) == 0 {
		return errorf(NoCode, "no loadable segment")
	}
	if err := checkLoads(loads, h.base, h.machine, uint64(len(data))); err != nil {
		return err
	}
	sort.SliceStable(loads, func(i, j int) bool { return loads[i].Vaddr < loads[j].Vaddr })
	shared := bootLoaded(loads)
	for i := range loads {
		p, n := &loads[i], len(f.Segments)
		f.addSegment(*p, h, data)
		if !shared || n == 0 {
			continue
		}
		if both, ok := f.Segments[n-1].joined(&f.Segments[n], p, data); ok {
			f.Segments = append(f.Segments[:n-1], both)
		}
	}
	if s := f.Segments; len(s) > 1 && s[0].Headers && s[0].Addr+s[0].MemSize > s[1].Addr {
		f.Segments = s[1:] // the page is there with the other one
	}
	for i := 1; i < len(f.Segments); i++ {
		s, next := f.Segments[i-1], f.Segments[i]
		if s.Addr+s.MemSize > next.Addr {
			return errorf(Broken, "segments at %#x and %#x overlap or share a page: link with -z separate-code and without -n or -N",
				s.Addr, next.Addr)
		}
	}
	if err := f.checkTLS(); err != nil {
		return err
	}
	f.addBias(h)
	return f.addCode()
}

// addBias: a kernel that maps itself higher is loaded at other addresses than it is
// linked at, and its entry point can be by either.
func (f *File) addBias(h *header) {
	for i := range f.Segments {
		s := &f.Segments[i]
		if moved := s.Physical < s.Addr && (s.Physical != 0 || s.Addr>>63 != 0); moved && s.Exec {
			f.Bias = s.Addr - s.Physical
			break
		}
	}
	if f.Bias != 0 && !f.Holds(h.entry, 1) {
		f.Entry += f.Bias
	}
}

// Physical is where a kernel's address is in memory: below it by Bias, or itself, because a
// kernel can have a part that runs before it has page tables.
func (f *File) Physical(addr uint64) uint64 {
	if addr >= f.Bias {
		return addr - f.Bias
	}
	return addr
}

// checkLoads rejects segments that lie outside of the file or of any address
// space, and sizes that no guest needs.
func checkLoads(loads []elf.ProgHeader, base uint64, m Machine, fileSize uint64) error {
	total, limit := uint64(0), AddressLimit(m)
	for _, p := range loads {
		switch {
		case p.Filesz > p.Memsz:
			return errorf(Broken, "a damaged program header (segment at %#x is larger in the file than in memory)", p.Vaddr)
		case p.Off > fileSize || p.Filesz > fileSize-p.Off:
			return errTruncated
		case p.Memsz > MaxMemSize || total+p.Memsz > MaxMemSize:
			return errorf(TooLarge, "segments of more than 1 GiB in memory")
		case high(&p, m) && base == 0 && p.Memsz <= ^uint64(abi.PageSize-1)-p.Vaddr: // a kernel may be there
		case p.Vaddr >= limit-base || p.Memsz > limit-base-p.Vaddr:
			return errorf(TooLarge, "a segment at %#x, outside of a program's address space", p.Vaddr)
		}
		total += p.Memsz
	}
	return nil
}

// high reports whether a segment is in the upper half of the address space, and is
// to be loaded elsewhere.
func high(p *elf.ProgHeader, m Machine) bool {
	return m == X86_64 && p.Vaddr>>63 != 0 && p.Vaddr < ^uint64(abi.PageSize-1) && p.Paddr < AddressLimit(m)
}

// addSegment pads p to whole pages. Unlike Linux, which maps whatever the file
// has beside the segment, the padding is zero: nothing that a program may rely
// on.
func (f *File) addSegment(p elf.ProgHeader, h *header, data []byte) {
	lo, hi := abi.PageDown(p.Vaddr), abi.PageUp(p.Vaddr+p.Memsz)
	bytes := data[p.Off : p.Off+p.Filesz : p.Off+p.Filesz]
	if pad := p.Vaddr - lo; pad != 0 && len(bytes) != 0 {
		bytes = append(make([]byte, pad), bytes...)
	}
	if h.phoff >= p.Off && h.phoff-p.Off < p.Filesz {
		f.PhdrAddr = h.base + p.Vaddr + (h.phoff - p.Off)
	}
	f.Segments = append(f.Segments, Segment{
		Addr: h.base + lo, Data: bytes, MemSize: hi - lo, Physical: h.base + p.Paddr - (p.Vaddr - lo), used: p.Vaddr - lo + p.Memsz,
		Read:  p.Flags&elf.PF_R != 0,
		Write: p.Flags&elf.PF_W != 0,
		Exec:  p.Flags&elf.PF_X != 0,

		Headers: p.Off == 0 && p.Filesz <= h.phoff+uint64(len(h.progs)*h.phent),
	})
}

func (f *File) checkTLS() error {
	t := f.TLS
	if t == nil {
		return nil
	}
	if t.FileSize > t.MemSize || t.MemSize > MaxMemSize || t.Align > abi.PageSize || (t.FileSize > 0 && !f.Holds(t.Addr, t.FileSize)) {
		return errorf(Broken, "a damaged thread-local storage header")
	}
	return nil
}

// Holds reports whether one segment holds [addr, addr+size).
func (f *File) Holds(addr, size uint64) bool {
	for i := range f.Segments {
		s := &f.Segments[i]
		if addr >= s.Addr && addr-s.Addr < s.MemSize {
			return size <= s.MemSize-(addr-s.Addr)
		}
	}
	return false
}

// addCode collects the executable ranges and checks the entry point.
func (f *File) addCode() error {
	for _, s := range f.Segments {
		if !s.Exec {
			continue
		}
		if n := len(f.Code); n > 0 && f.Code[n-1].Hi == s.Addr {
			f.Code[n-1].Hi = s.Addr + s.MemSize
			continue
		}
		f.Code = append(f.Code, Range{s.Addr, s.Addr + s.MemSize})
	}
	if f.library && f.Entry == f.Base { // it is loaded, and not begun
		return nil
	}
	if len(f.Code) == 0 {
		return errorf(NoCode, "no executable segment")
	}
	if !f.IsCode(f.Entry) && !f.library {
		return errorf(NoCode, "the entry point %#x is in no executable segment", f.Entry)
	}
	return nil
}

// IsCode reports whether addr is in an executable segment.
func (f *File) IsCode(addr uint64) bool {
	for _, r := range f.Code {
		if addr >= r.Lo && addr < r.Hi {
			return true
		}
	}
	return false
}

// AfterCall reports whether a call instruction may end right before addr.
func (f *File) AfterCall(addr uint64) bool {
	if !f.IsCode(addr) {
		return false
	}
	const nearCall, indirect = 0xe8, 0xff
	if b := f.Bytes(addr-5, 5); len(b) == 5 && b[0] == nearCall {
		return true
	}
	for n := uint64(2); n <= 7; n++ { // ff /2 with 0 to 5 bytes of address
		if b := f.Bytes(addr-n, 2); len(b) == 2 && b[0] == indirect && b[1]>>3&7 == 2 {
			return true
		}
	}
	return false
}

// Bytes returns up to n bytes of the file as loaded at addr: fewer at the end
// of the file's contents. Read-only.
func (f *File) Bytes(addr uint64, n int) []byte {
	for i := range f.Segments {
		s := &f.Segments[i]
		if addr >= s.Addr && addr-s.Addr < uint64(len(s.Data)) {
			b := s.Data[addr-s.Addr:]
			return b[:min(n, len(b))]
		}
	}
	return nil
}
