package debuginfo

import (
	"debug/dwarf"
	"errors"

	"landgo/internal/image/fields"
)

// A line table's header is checked before debug/dwarf decodes it (DWARF 5
// §6.2.4). That package allocates as many names as the header claims, and joins
// each of them with its claimed folder.

// maxNames bounds the joined names of a table's folders and files.
const maxNames = 256 << 20

var errLine = errors.New("a damaged line table")

// Forms of names (DWARF 5 §7.5.5), and a table's columns for a file.
const (
	formBlock   = 0x09
	formData1   = 0x0b
	formData2   = 0x05
	formData4   = 0x06
	formData8   = 0x07
	formData16  = 0x1e
	formUdata   = 0x0f
	formString  = 0x08
	formStrp    = 0x0e
	formLineStr = 0x1f
)

// checkLine looks at the table that a unit names; size is the table's.
func (d *Info) checkLine(u *unit) (size int, err error) {
	section := d.sections["line"]
	at, ok := u.entry.Val(dwarf.AttrStmtList).(int64)
	if !ok {
		return 0, nil
	}
	if at < 0 || at > int64(len(section)) || len(u.compDir) > maxDebugString {
		return 0, errLine
	}
	r := &fields.Reader{Data: section, Off: int(at)}
	length, wide := unitLength(r)
	if r.Err != nil || length > uint64(len(section)-r.Off) {
		return 0, errLine
	}
	size = r.Off - int(at) + int(length)
	r.Data = section[:r.Off+int(length)]
	version := r.Uint(2)
	if version >= 5 {
		r.Uint(2)
	}
	offset(r, wide)
	fixed := uint64(5)
	if version < 4 {
		fixed = 4
	}
	r.Skip(fixed)
	if base := r.U8(); base > 0 {
		r.Skip(uint64(base) - 1)
	}
	n := &nameCount{d: d, wide: wide, longest: len(u.compDir)}
	if version < 5 {
		n.folders(r)
		n.files(r)
	} else {
		n.list(r)
		n.list(r)
	}
	if r.Err != nil || uint64(n.count)*uint64(n.longest) > maxNames {
		return 0, errLine
	}
	return size, nil
}

// nameCount is how many names a table has, and the longest that one can become.
type nameCount struct {
	d       *Info
	wide    bool
	count   int
	longest int
}

func (n *nameCount) add(name string) {
	n.count++
	n.longest = max(n.longest, len(name))
}

// folders and files are the lists of versions up to 4, which end with an empty name.
func (n *nameCount) folders(r *fields.Reader) {
	for r.Err == nil {
		name := r.Str()
		if name == "" {
			return
		}
		n.add(name)
	}
}

func (n *nameCount) files(r *fields.Reader) {
	for r.Err == nil {
		name := r.Str()
		if name == "" {
			return
		}
		n.add(name)
		r.Uleb()
		r.Uleb()
		r.Uleb()
	}
}

// list is one of version 5, which describes the form of its entries.
func (n *nameCount) list(r *fields.Reader) {
	var forms []uint64
	for range int(r.U8()) {
		r.Uleb()
		forms = append(forms, r.Uleb())
	}
	entries := r.Uleb()
	if r.Err != nil || entries > 0 && len(forms) == 0 || entries > uint64(len(r.Data)-r.Off) {
		r.Err = errLine
		return
	}
	for range entries {
		for _, form := range forms {
			n.field(r, form)
		}
		if r.Err != nil {
			return
		}
		n.count++
	}
}

func (n *nameCount) field(r *fields.Reader, form uint64) {
	switch form {
	case formString:
		n.longest = max(n.longest, len(r.Str()))
	case formStrp:
		offset(r, n.wide)
		n.longest = max(n.longest, n.d.longestIn("str"))
	case formLineStr:
		offset(r, n.wide)
		n.longest = max(n.longest, n.d.longestIn("line_str"))
	case formUdata:
		r.Uleb()
	case formData1, formData2, formData4, formData8, formData16:
		r.Skip(map[uint64]uint64{formData1: 1, formData2: 2, formData4: 4, formData8: 8, formData16: 16}[form])
	case formBlock:
		r.Skip(r.Uleb())
	default:
		r.Err = errLine
	}
}

// longestIn is the longest string of a section.
func (d *Info) longestIn(section string) int {
	n, ok := d.longest[section]
	if !ok {
		n = longest(d.sections[section])
		d.longest[section] = n
	}
	return n
}
