package debuginfo

import (
	"debug/dwarf"
	"sync"

	"landgo/internal/image/elffile"
	"landgo/internal/image/unwind"
)

// Info is the file's DWARF, read at its first use. A run that finds no bug
// never needs it, and parsing it costs more than the rest of Open.
//
// debug/dwarf isn't hardened against hostile input, by its documentation. So
// every way into it goes through guard, and data that could expand (compressed
// sections, shared range lists) has a budget.
type Info struct {
	*elffile.File
	*unwind.Table
	// parts are, of a program with a dynamic linker, the files beside its own: each has
	// debug information of its own, or none.
	parts []*Info

	mu     sync.Mutex // guards all below and the data built from it
	loaded bool
	data   *dwarf.Data // nil: the file has none that can be used
	units  []*unit
	// starts has where each unit's entries begin, ascending.
	starts   []dwarf.Offset
	sections dwarfSections
	infoSize int
	longest  map[string]int // strings of sections, see longestIn
	// fields and text are the rest of the budget of the current question, see
	// dwarfreader.go.
	fields, text int
	// lines has the tables read: units can share one. rowsLeft is
	// how many rows there may still be.
	lines    map[lineKey]lineTable
	rowsLeft int

	frames map[uint64][]Frame // memo of Frames, by pc
	vars   *variables         // nil until asked for
}

// New is what the file's debug information says, and its stacks.
func New(f *elffile.File) *Info {
	d := &Info{File: f, Table: unwind.New(f)}
	for i, p := range f.Parts {
		if i > 0 { // the first is the file itself
			d.parts = append(d.parts, &Info{File: p, Table: d.Table})
		}
	}
	return d
}

// of is what the file says in which an address is.
func (d *Info) of(addr uint64) *Info {
	if len(d.parts) == 0 {
		return d
	}
	f := d.PartAt(addr)
	for _, p := range d.parts {
		if p.File == f {
			return p
		}
	}
	return d
}

// unit is one compilation unit with code.
type unit struct {
	entry   *dwarf.Entry
	compDir string
	ranges  [][2]uint64 // as in the file, without the load base

	loaded bool
	rows   []row
	scopes []*scope
	files  []*dwarf.LineFile
	// lambdas says of functions' entries where the lambda is.
	lambdas map[dwarf.Offset]string

	pointees []dwarf.Offset // nil: not found yet, see local.go
}

// load reads the sections and finds the units. Preconditions: mu is held.
func (d *Info) load() {
	if d.loaded {
		return
	}
	d.loaded = true
	d.frames = map[uint64][]Frame{}
	d.lines, d.longest = map[lineKey]lineTable{}, map[string]int{}
	err := elffile.Guard(func() (err error) {
		if d.sections, err = readDWARF(d.DebugSections()); err != nil {
			return err
		}
		d.infoSize, d.rowsLeft = len(d.sections["info"]), len(d.sections["line"])+1<<10
		d.data, d.starts, err = d.sections.data()
		return err
	})
	if err == nil {
		err = d.guard(d.findUnits)
	}
	if err != nil {
		d.data, d.units, d.sections = nil, nil, nil
	}
}

// findUnits lists the units and where their code is.
func (d *Info) findUnits() error {
	r := d.reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		switch e.Tag {
		case dwarf.TagCompileUnit, dwarf.TagSkeletonUnit: // a skeleton's functions are in another file, its lines here
			u := &unit{entry: e}
			u.compDir, _ = e.Val(dwarf.AttrCompDir).(string)
			if u.ranges, err = d.entryRanges(e); err != nil {
				return err
			}
			d.units = append(d.units, u)
		}
		r.SkipChildren()
	}
}

// entryRanges decodes an entry's address ranges, within the budget.
func (d *Info) entryRanges(e *dwarf.Entry) ([][2]uint64, error) {
	rs, err := d.data.Ranges(e)
	if err != nil {
		return nil, err
	}
	if d.fields -= len(rs); d.fields < 0 {
		return nil, errBudget
	}
	return rs, nil
}

func inRanges(rs [][2]uint64, pc uint64) bool {
	for _, r := range rs {
		if pc >= r[0] && pc < r[1] {
			return true
		}
	}
	return false
}

// name is an entry's name, its own or that of the entry that it is an instance
// of.
func (d *Info) name(e *dwarf.Entry) string {
	const maxHops = 8 // real chains have three; hostile ones are circles
	for hop := 0; e != nil && hop < maxHops; hop++ {
		if n, ok := e.Val(dwarf.AttrName).(string); ok && n != "" {
			return n
		}
		e = d.origin(e)
	}
	return ""
}

// origin follows one reference to the entry that e completes; nil if none.
func (d *Info) origin(e *dwarf.Entry) *dwarf.Entry {
	off, ok := e.Val(dwarf.AttrAbstractOrigin).(dwarf.Offset)
	if !ok {
		if off, ok = e.Val(dwarf.AttrSpecification).(dwarf.Offset); !ok {
			return nil
		}
	}
	return d.entryAt(off)
}

func (d *Info) entryAt(off dwarf.Offset) *dwarf.Entry {
	r := d.reader()
	r.Seek(off)
	e, err := r.Next()
	if err != nil {
		return nil
	}
	return e
}
