package unwind

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"landgo/internal/image/fields"
)

// Call-frame information: .eh_frame (which any gcc writes for x86-64, debug
// information or not, and which strip leaves) and .debug_frame.
//
// Source: DWARF 5 §6.4 and the Linux Standard Base's chapter on exception
// frames. A common entry (CIE) holds the common part of many functions; a frame
// description (FDE) belongs to one range of code. Both hold programs that, run
// up to an instruction, say how to find the caller's registers there (file
// cfirow.go).

// description is one FDE.
type description struct {
	lo, hi  uint64
	at      uint64 // where it is itself
	common  *common
	in      *cfiSection // for pointers inside programs
	program []byte
	// handles: it names a table of what to run when the frame is unwound.
	handles bool
}

// common is one CIE.
type common struct {
	codeAlign  uint64
	dataAlign  int64
	retReg     uint64
	pointerEnc byte
	augmented  bool // FDEs have an augmentation block
	tables     bool // which has the address of the language's table, or 0
	addrSize   int
	program    []byte
}

// How a pointer is encoded (LSB, DW_EH_PE_*): the low half has its size, the
// high half its base.
const (
	encAbsolute = 0x00
	encULEB     = 0x01
	encU2       = 0x02
	encU4       = 0x03
	encU8       = 0x04
	encSLEB     = 0x09
	encS2       = 0x0a
	encS4       = 0x0b
	encS8       = 0x0c
	encPCRel    = 0x10
	encIndirect = 0x80
	encOmit     = 0xff
)

// maxFrameProgram bounds a program: it is run for each place that is asked for. Those
// of compilers' largest functions have some thousand bytes.
const maxFrameProgram = 1 << 16

var errCFI = errors.New("damaged call-frame information")

// cfiSection is a section being parsed.
type cfiSection struct {
	data []byte
	addr uint64 // where it is loaded, for pointers relative to themselves
	// eh: .eh_frame, where an FDE names its CIE by distance and pointers are
	// encoded. Otherwise .debug_frame: by offset, plain addresses.
	eh       bool
	addrSize int
	base     uint64 // load base, for plain addresses
	commons  map[int]*common
}

// parse appends the section's FDEs. Damage ends it early: the entries before it are good.
func (c *cfiSection) parse(ds []description) []description {
	c.commons = map[int]*common{}
	for off, end := range c.entries {
		d, err := c.entry(off, end)
		if err != nil {
			break
		}
		if d.hi > d.lo {
			ds = append(ds, d)
		}
	}
	return ds
}

// entries are the places of the section's entries, from their lengths to their ends.
func (c *cfiSection) entries(do func(off, end int) bool) {
	for off := 0; off+4 <= len(c.data); {
		length := int64(binary.LittleEndian.Uint32(c.data[off:]))
		if length == 0 { // a terminator; another object's part can follow
			off += 4
			continue
		}
		body := off + 4
		if length == 0xffffffff || length < 4 || length > int64(len(c.data)-body) {
			return // 64-bit entries: no compiler writes them for x86
		}
		end := body + int(length)
		if !do(off, end) {
			return
		}
		off = end
	}
}

// count is how many entries there are.
func (c *cfiSection) count() (n int) {
	for range c.entries {
		n++
	}
	return n
}

func byStart(a, b description) int { return cmp.Compare(a.lo, b.lo) }

// entry parses the entry at off; a CIE gives an empty description.
func (c *cfiSection) entry(off, end int) (description, error) {
	body := off + 4
	id := binary.LittleEndian.Uint32(c.data[body:])
	r := &cfiReader{fields.Reader{Data: c.data[:end], Off: body + 4}, c}
	if (c.eh && id == 0) || (!c.eh && id == 0xffffffff) {
		cie, err := parseCommon(r)
		c.commons[off] = cie
		return description{}, err
	}
	at := int(id)
	if c.eh {
		at = body - int(id)
	}
	cie := c.commons[at]
	if cie == nil {
		return description{}, errCFI
	}
	d := description{at: c.addr + uint64(off), common: cie, in: c}
	d.lo = r.pointer(cie.pointerEnc, cie.addrSize)
	d.hi = d.lo + r.pointer(cie.pointerEnc&0x0f, cie.addrSize)
	if !c.eh {
		d.lo, d.hi = d.lo+c.base, d.hi+c.base
	}
	if cie.augmented {
		block := r.Skip(r.Uleb())
		d.handles = cie.tables && slices.ContainsFunc(block, func(b byte) bool { return b != 0 })
	}
	d.program = r.Rest()
	if len(d.program) > maxFrameProgram {
		d.program = nil // the row of a function's entry is as good as a guess
	}
	return d, r.Err
}

func parseCommon(r *cfiReader) (*common, error) {
	cie := &common{addrSize: r.section.addrSize}
	version := r.U8()
	augmentation := r.Str()
	if version >= 4 { // address size, segment selector size
		cie.addrSize = int(r.U8())
		if r.U8() != 0 || (cie.addrSize != 4 && cie.addrSize != 8) {
			return nil, errCFI
		}
	}
	cie.codeAlign = r.Uleb()
	cie.dataAlign = r.Sleb()
	if version == 1 {
		cie.retReg = uint64(r.U8())
		if cie.addrSize == 4 {
			cie.retReg = number32(cie.retReg)
		}
	} else {
		cie.retReg = r.reg(cie.addrSize)
	}
	if augmentation != "" {
		if err := cie.parseAugmentation(r, augmentation); err != nil {
			return nil, err
		}
	}
	if cie.program = r.Rest(); len(cie.program) > maxFrameProgram {
		return nil, errCFI
	}
	return cie, r.Err
}

func (cie *common) parseAugmentation(r *cfiReader, augmentation string) error {
	if augmentation[0] != 'z' {
		return errCFI
	}
	cie.augmented = true
	size := r.Uleb()
	after := r.Off + int(min(size, uint64(len(r.Data))))
	for _, ch := range augmentation[1:] {
		switch ch {
		case 'L':
			cie.tables = r.U8() != encOmit
		case 'P':
			r.pointer(r.U8()&^encIndirect, cie.addrSize)
		case 'R':
			cie.pointerEnc = r.U8()
		case 'S': // signal frames: see sigframe.go
		default:
			return errCFI
		}
	}
	if r.Err == nil && after > len(r.Data) {
		return errCFI
	}
	r.Off = after
	return r.Err
}

// cfiReader reads an entry's fields, pointers among them.
type cfiReader struct {
	fields.Reader
	section *cfiSection
}

// pointer reads an encoded address.
func (r *cfiReader) pointer(enc byte, addrSize int) uint64 {
	if enc == encOmit {
		return 0
	}
	at := r.section.addr + uint64(r.Off)
	var v uint64
	switch enc & 0x0f {
	case encAbsolute:
		v = r.Uint(addrSize)
	case encULEB:
		v = r.Uleb()
	case encU2:
		v = r.Uint(2)
	case encU4:
		v = r.Uint(4)
	case encU8, encS8:
		v = r.Uint(8)
	case encSLEB:
		v = uint64(r.Sleb())
	case encS2:
		v = r.Sint(2)
	case encS4:
		v = r.Sint(4)
	default:
		r.Err = errCFI
	}
	switch enc & 0xf0 {
	case 0:
	case encPCRel:
		v += at
	default:
		r.Err = errCFI
	}
	return v
}
