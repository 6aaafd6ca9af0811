package debuginfo

import (
	"debug/dwarf"
	"errors"

	"landgo/internal/image/elffile"
)

// dieReader reads entries as dwarf.Reader does, within the budget of the
// current question. A few bytes of a hostile file can stand for an entry of a
// thousand attributes, or for a circle of types with a million paths. It skips
// an entry's children without going down a level of the stack for each of
// theirs.
type dieReader struct {
	d    *Info
	r    *dwarf.Reader
	last *dwarf.Entry
	over bool // behind the last unit
}

// errBudget ends a question whose answer takes more reading than the file is worth.
var errBudget = errors.New("more work than the debug information is worth")

func (d *Info) reader() *dieReader { return &dieReader{d: d, r: d.data.Reader()} }

func (r *dieReader) Seek(off dwarf.Offset) {
	r.r.Seek(off)
	r.last, r.over = nil, false
}

// Next is the next entry; nil behind the last.
func (r *dieReader) Next() (*dwarf.Entry, error) {
	if r.over {
		return nil, nil
	}
	e, err := r.r.Next()
	r.last = e
	if e != nil {
		r.d.spend(e)
	}
	return e, err
}

// SkipChildren goes on behind the children of the entry read last.
func (r *dieReader) SkipChildren() {
	e := r.last
	if e == nil || !e.Children {
		return
	}
	if sibling, ok := e.Val(dwarf.AttrSibling).(dwarf.Offset); ok && sibling > e.Offset {
		r.Seek(sibling)
		return
	}
	switch e.Tag {
	case dwarf.TagCompileUnit, dwarf.TagPartialUnit, dwarf.TagTypeUnit, dwarf.TagSkeletonUnit:
		if next, ok := r.d.unitBehind(e.Offset); ok {
			r.Seek(next)
		} else {
			r.over = true
		}
		return
	}
	for depth := 1; depth > 0; {
		c, err := r.Next()
		if err != nil || c == nil {
			return
		}
		switch {
		case c.Tag == 0:
			depth--
		case c.Children:
			depth++
		}
	}
}

// guard runs f, which reads DWARF to answer one question, within a budget. A panic
// inside means that the DWARF is damaged, and ends f like an error.
func (d *Info) guard(f func() error) error {
	d.fields, d.text = 4*d.infoSize+1<<16, 64*d.infoSize+1<<20
	return elffile.Guard(f)
}

// spend counts the cost of reading an entry.
func (d *Info) spend(e *dwarf.Entry) {
	d.fields -= 1 + len(e.Field)
	for i := range e.Field {
		switch v := e.Field[i].Val.(type) {
		case string:
			d.text -= len(v)
		case []byte:
			d.text -= len(v)
		}
	}
	if d.fields < 0 || d.text < 0 {
		panic(errBudget)
	}
}
