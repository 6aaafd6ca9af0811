package corrupt

import (
	"math/rand/v2"
	"strings"
)

// field is a number in a file.
type field struct{ at, bytes int }

// layout is where an ELF file's fields are, and its sections by name.
type layout struct {
	fields   []field
	sections map[string]span
}

type span struct{ lo, hi int }

// ELF breaks an ELF file in one to four places: in its headers, its symbols, its
// debug and call-frame information, its code, or its length.
func ELF(b []byte, r *rand.Rand) []byte {
	l := read(b)
	for range 1 + r.IntN(4) {
		switch k := r.IntN(20); {
		case k < 8:
			f := l.fields[r.IntN(len(l.fields))]
			put(b, f.at, f.bytes, boundary(r, f.bytes, len(b), get(b, f.at, f.bytes)))
		case k < 10: // a field becomes another's value
			f, g := l.fields[r.IntN(len(l.fields))], l.fields[r.IntN(len(l.fields))]
			put(b, f.at, f.bytes, get(b, g.at, g.bytes))
		case k < 18:
			l.section(b, r)
		case k == 18:
			b = b[:len(b)-r.IntN(len(b)/2)]
			if len(b) < 64 {
				return b
			}
		default:
			b = append(b, make([]byte, r.IntN(5000))...)
		}
	}
	return b
}

// read finds the fields of the headers. It ignores faults of the file: it is a
// good one.
func read(b []byte) *layout {
	l := &layout{sections: map[string]span{}}
	add := func(at int, sizes ...int) {
		for _, n := range sizes {
			if at+n <= len(b) {
				l.fields = append(l.fields, field{at, n})
			}
			at += n
		}
	}
	word, phsize, shsize := 8, 56, 64
	if b[4] == 1 {
		word, phsize, shsize = 4, 32, 40
	}
	add(4, 1, 1, 1)
	add(16, 2, 2, 4, word, word, word, 4, 2, 2, 2, 2, 2, 2)
	counts := 24 + 3*word + 4 + 2 // of the program headers' size
	phoff, shoff := int(get(b, 24+word, word)), int(get(b, 24+2*word, word))
	for i := range int(get(b, counts+2, 2)) {
		if word == 8 {
			add(phoff+i*phsize, 4, 4, 8, 8, 8, 8, 8, 8)
		} else {
			add(phoff+i*phsize, 4, 4, 4, 4, 4, 4, 4, 4)
		}
	}
	count, names := int(get(b, counts+6, 2)), int(get(b, counts+8, 2))
	header := func(i, nth int) int { // the nth word-sized field behind name and type
		return int(get(b, shoff+i*shsize+8+nth*word, word))
	}
	for i := range count {
		add(shoff+i*shsize, 4, 4, word, word, word, word, 4, 4, word, word)
		at, size := header(i, 2), header(i, 3)
		name := header(names, 2) + int(get(b, shoff+i*shsize, 4))
		if at < 0 || size <= 0 || at+size > len(b) || name >= len(b) || get(b, shoff+i*shsize+4, 4) == 8 {
			continue
		}
		text, _, _ := strings.Cut(string(b[name:min(name+64, len(b))]), "\x00")
		l.sections[text] = span{at, at + size}
	}
	return l
}

// interesting are the sections that something is decoded from.
var interesting = []string{
	".debug_info", ".debug_info", ".debug_info", ".debug_abbrev", ".debug_abbrev", ".debug_line", ".debug_line", ".debug_str", ".debug_line_str",
	".debug_ranges", ".debug_rnglists", ".debug_addr", ".debug_str_offsets", ".debug_loclists", ".debug_frame", ".eh_frame", ".symtab", ".symtab", ".strtab", ".shstrtab",
	".text", ".note.gnu.build-id", ".note.Pebbles", ".data", ".rodata", ".multiboot",
}

// section breaks something in a section: a number of a usual size at any place, one
// without an end, an entry like its neighbour, a piece of zeros.
func (l *layout) section(b []byte, r *rand.Rand) {
	s, ok := l.sections[interesting[r.IntN(len(interesting))]]
	if !ok || s.hi > len(b) {
		return
	}
	at := s.lo + r.IntN(s.hi-s.lo)
	if r.IntN(4) == 0 { // near the begin, where headers are
		at = s.lo + r.IntN(min(s.hi-s.lo, 64))
	}
	switch r.IntN(6) {
	case 0, 1:
		n := []int{1, 1, 2, 4, 8}[r.IntN(5)]
		put(b[:s.hi], at, n, boundary(r, n, s.hi-s.lo, get(b, at, n)))
	case 2: // LEB128
		for n := r.IntN(12); n > 0 && at < s.hi; n, at = n-1, at+1 {
			b[at] = 0x80 | byte(r.Uint32())
		}
	case 3:
		from := s.lo + r.IntN(s.hi-s.lo)
		n := min(1+r.IntN(64), s.hi-at, s.hi-from)
		copy(b[at:at+n], b[from:from+n])
	case 4:
		clear(b[at:min(at+1+r.IntN(64), s.hi)])
	default:
		for i := at; i < min(at+1+r.IntN(256), s.hi); i++ {
			b[i] = 0xff
		}
	}
}
