package debuginfo

import (
	"bytes"
	"debug/dwarf"
	"debug/elf"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"

	"landgo/internal/image/fields"
)

// The sections of DWARF, looked at before debug/dwarf gets them. That package
// believes a section's own claims. It allocates a table's number of entries
// before it reads one. It decodes an abbreviation table anew for each offset
// that a unit names, and copies a string without an end for each entry that has
// it. Compilers' output stays far within the bounds here.

const (
	// maxUnpacked bounds the debug sections together, as a multiple of the file.
	maxUnpacked = 16
	// maxAttributes is the most that an abbreviation has; compilers need some thirty.
	maxAttributes = 512
	// maxDebugString is the longest string; C++'s longest names have some 10,000 bytes.
	maxDebugString = 1 << 18
)

// dwarfSections are those that landgo reads, by the ends of their names.
type dwarfSections map[string][]byte

// readDWARF reads the sections; a linker writes each once.
func readDWARF(f *elf.File, fileSize int) (dwarfSections, error) {
	total := uint64(0)
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".zdebug_") {
			// The old GNU form has its size in the data. No linker of the last ten
			// years makes it.
			return nil, fmt.Errorf("%s: compressed in an outdated way", s.Name)
		}
		if strings.HasPrefix(s.Name, ".debug_") {
			total += min(s.Size, 1<<40)
		}
	}
	if total > uint64(fileSize)*maxUnpacked {
		return nil, fmt.Errorf("debug sections of %d bytes in a file of %d", total, fileSize)
	}
	all := dwarfSections{}
	for _, name := range []string{"abbrev", "info", "str", "line", "ranges", "addr", "line_str", "str_offsets", "rnglists"} {
		s := f.Section(".debug_" + name)
		if s == nil || s.Type == elf.SHT_NOBITS {
			continue
		}
		b, err := s.Data()
		if err != nil {
			return nil, err
		}
		all[name] = b
	}
	return all, nil
}

// data is debug/dwarf's form of the sections, and the beginning of each unit's
// entries.
func (all dwarfSections) data() (*dwarf.Data, []dwarf.Offset, error) {
	for _, name := range []string{"str", "line_str"} {
		if n := longest(all[name]); n > maxDebugString {
			return nil, nil, fmt.Errorf("a string of %d bytes in .debug_%s", n, name)
		}
	}
	units, abbreviations, err := all.unitHeaders()
	if err != nil {
		return nil, nil, err
	}
	if err := all.checkAbbreviations(abbreviations); err != nil {
		return nil, nil, err
	}
	d, err := dwarf.New(all["abbrev"], nil, nil, all["info"], all["line"], nil, all["ranges"], all["str"])
	if err != nil {
		return nil, nil, err
	}
	for _, name := range []string{"addr", "line_str", "str_offsets", "rnglists"} {
		if err := d.AddSection(".debug_"+name, all[name]); err != nil {
			return nil, nil, err
		}
	}
	return d, units, nil
}

// longest is the length of the longest string of a section.
func longest(b []byte) (n int) {
	for len(b) > 0 {
		end := bytes.IndexByte(b, 0)
		if end < 0 {
			return max(n, len(b))
		}
		n = max(n, end)
		b = b[end+1:]
	}
	return n
}

var errUnit = errors.New("a damaged unit header")

// unitHeaders finds where the entries of each unit begin, and the offsets of the
// abbreviation tables that the units use.
func (all dwarfSections) unitHeaders() (units []dwarf.Offset, abbreviations []uint64, err error) {
	info := all["info"]
	for at := 0; at < len(info); {
		r := &fields.Reader{Data: info, Off: at}
		length, wide := unitLength(r)
		if r.Err != nil || length > uint64(len(info)-r.Off) {
			return nil, nil, errUnit
		}
		end := r.Off + int(length)
		if length == 0 {
			at = end
			continue
		}
		version, kind := r.Uint(2), byte(0)
		if version < 2 || version > 5 {
			return nil, nil, errUnit
		}
		if version == 5 {
			kind = r.U8()
			r.U8()
		}
		abbreviations = append(abbreviations, offset(r, wide))
		if version < 5 {
			r.U8()
		}
		switch kind {
		case unitSkeleton, unitSplit:
			r.Uint(8)
		case unitType, unitSplitType:
			r.Uint(8)
			offset(r, wide)
		}
		if r.Err != nil || r.Off > end {
			return nil, nil, errUnit
		}
		units = append(units, dwarf.Offset(r.Off))
		at = end
	}
	slices.Sort(abbreviations)
	return units, slices.Compact(abbreviations), nil
}

// Kinds of units that have more in their headers (DWARF 5 §7.5.1).
const (
	unitType      = 0x02
	unitSkeleton  = 0x04
	unitSplit     = 0x05
	unitSplitType = 0x06
)

// unitLength reads the length that tables begin with.
func unitLength(r *fields.Reader) (n uint64, wide bool) {
	if n = r.Uint(4); n == 0xffffffff {
		return r.Uint(8), true
	}
	return n, false
}

// offset reads an offset into a section.
func offset(r *fields.Reader, wide bool) uint64 {
	if wide {
		return r.Uint(8)
	}
	return r.Uint(4)
}

// checkAbbreviations refuses tables that lie over each other: a thousand in a
// thousand bytes would be decoded into a million.
func (all dwarfSections) checkAbbreviations(offsets []uint64) error {
	const implicit = 0x21 // the form whose value is in the table
	section, end := all["abbrev"], uint64(0)
	for _, at := range offsets {
		if at > uint64(len(section)) || at < end {
			return fmt.Errorf("a damaged abbreviation table at %#x", at)
		}
		r := &fields.Reader{Data: section, Off: int(at)}
		for r.Err == nil && uint32(r.Uleb()) != 0 {
			r.Uleb()
			r.U8()
			for n := 0; r.Err == nil; n++ {
				attr, form := r.Uleb(), r.Uleb()
				if attr == 0 && form == 0 {
					break
				}
				if n == maxAttributes {
					return fmt.Errorf("more than %d attributes in an abbreviation", maxAttributes)
				}
				if form == implicit {
					r.Sleb()
				}
			}
		}
		if r.Err != nil {
			return fmt.Errorf("a damaged abbreviation table at %#x", at)
		}
		end = uint64(r.Off)
	}
	return nil
}

// unitAt is where the entries of the unit behind that of an entry begin; false if it
// is the last.
func (d *Info) unitBehind(off dwarf.Offset) (dwarf.Offset, bool) {
	i := sort.Search(len(d.starts), func(i int) bool { return d.starts[i] > off })
	if i == len(d.starts) {
		return 0, false
	}
	return d.starts[i], true
}
