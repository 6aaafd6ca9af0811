package unwind

import (
	"slices"
	"sort"
	"sync"

	"landgo/internal/image/elffile"
)

// Table is the file's call-frame information, parsed when first used.
type Table struct {
	file *elffile.File

	once         sync.Once
	descriptions []description

	mu      sync.Mutex
	recipes map[place]recipe
}

// New is the call-frame information of a file.
func New(f *elffile.File) *Table { return &Table{file: f} }

func (t *Table) load() {
	t.once.Do(func() {
		sections := sectionsOf(t.file)
		for i, part := range t.file.Parts {
			if i > 0 { // the first is the file itself
				sections = append(sections, sectionsOf(part)...)
			}
		}
		n := 0
		for _, c := range sections {
			n += c.count()
		}
		ds := make([]description, 0, n)
		for _, c := range sections {
			ds = c.parse(ds)
		}
		slices.SortStableFunc(ds, byStart)
		t.descriptions = ds
	})
}

// sectionsOf are those of a file, the better ones first.
func sectionsOf(f *elffile.File) (list []*cfiSection) {
	for _, name := range []string{".eh_frame", ".debug_frame"} {
		if s, b := f.Section(name); s != nil {
			list = append(list, &cfiSection{data: b, addr: s.Addr + f.Base, eh: name == ".eh_frame", addrSize: int(f.Machine.Word()), base: f.Base})
		}
	}
	return list
}

// CodeAround is the code around an address that one description is of: a function, or one
// part of it.
func (t *Table) CodeAround(pc uint64) (lo, hi uint64, ok bool) {
	t.load()
	if d := t.find(pc); d != nil {
		return d.lo, d.hi, true
	}
	return 0, 0, false
}

// DescriptionOf is where in memory the exception frame of the code around an address lies (an FDE of
// .eh_frame, as unwinders look for it), and where that code begins.
func (t *Table) DescriptionOf(pc uint64) (at, lo uint64, ok bool) {
	t.load()
	if d := t.find(pc); d != nil && d.in.eh {
		return d.at, d.lo, true
	}
	return 0, 0, false
}

// find returns the description that covers pc; of two, .eh_frame's.
func (t *Table) find(pc uint64) *description {
	ds := t.descriptions
	i := sort.Search(len(ds), func(i int) bool { return ds[i].lo > pc }) - 1
	for ; i >= 0; i-- {
		if pc < ds[i].hi {
			for i > 0 && ds[i-1].lo == ds[i].lo && ds[i-1].hi == ds[i].hi {
				i--
			}
			return &ds[i]
		}
		if i > 0 && ds[i-1].lo != ds[i].lo {
			return nil // ranges don't nest
		}
	}
	return nil
}

// recipe is how to leave the frame of one instruction: a function of the file
// alone, so worked out once.
type recipe struct {
	row     *cfiRow // nil: unknown
	retReg  uint64
	guessed bool // from the code, not from call-frame information
}

// place is an instruction of a stack: the innermost frame's own, or the one
// behind a call.
type place struct {
	pc     uint64
	called bool
}

// recipe looks it up or works it out.
func (t *Table) recipe(at place) recipe {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.recipes[at]
	if ok {
		return r
	}
	pc := at.pc
	if at.called {
		pc-- // a call may be its function's last instruction
	}
	if d := t.find(pc); d != nil {
		if row, err := d.row(pc, d.in); err == nil {
			r = recipe{row: &row, retReg: d.common.retReg}
		}
	}
	if r.row == nil {
		row, _ := t.prologue(at.pc, at.called)
		r = recipe{row: row, retReg: regRIP, guessed: true}
	}
	if t.recipes == nil {
		t.recipes = map[place]recipe{}
	}
	t.recipes[at] = r
	return r
}
