package debuginfo

import (
	"cmp"
	"debug/dwarf"
	"errors"
	"io"
	"math"
	"path"
	"slices"
	"sort"
	"strings"
)

// Frame is a place in the sources.
type Frame struct {
	Function string
	// Offset is pc's distance from the function's symbol; the place, where File
	// is empty. For an inlined function, from that of the function around it.
	Offset uint64
	// File is a path relative to where the compiler ran, or the last element
	// of one from elsewhere: the same on any machine. Path is the whole path
	// as the compiler knew it, to read the source from.
	File, Path   string
	Line, Column int // Column 0: unknown
	// Inlined: the function has been inlined into the next frame's.
	Inlined bool

	shown string // see Shown
}

// row is one entry of a line table: code from addr to the next row's.
type row struct {
	addr         uint64
	file         *dwarf.LineFile
	line, column int32
	nth          int32 // of its table
	end          bool  // ends a sequence: no code from here
}

// maxRows bounds a table: a byte of the file is enough for a row.
const maxRows = 1 << 22

// scope is a function, or one inlined into another.
type scope struct {
	ranges     [][2]uint64
	name       string
	shown      string       // of C++: with what is around it
	first      dwarf.Offset // of the entry that it is an instance of
	inlined    bool
	callFile   *dwarf.LineFile
	callLine   int
	callColumn int
	children   []*scope // inlined here
}

// Frames returns the place of the instruction at pc, innermost first: inlined
// functions, then the one that they were inlined into. For a return address,
// ask for the byte before it. Without debug information there is one frame
// with function and offset; an address outside of all code has none.
func (d *Info) Frames(pc uint64) []Frame {
	if !d.IsCode(pc) {
		return nil
	}
	if p := d.of(pc); p != d {
		return d.framesOfPart(p, pc)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.load()
	if fs, ok := d.frames[pc]; ok {
		return fs
	}
	var fs []Frame
	err := d.guard(func() (err error) {
		fs, err = d.lookup(pc - d.Base)
		return err
	})
	if err != nil || len(fs) == 0 {
		fs = []Frame{{}}
	}
	if s, ok := d.SymbolAt(pc); ok {
		for i := range fs {
			fs[i].Offset = pc - s.Addr
		}
		if last := &fs[len(fs)-1]; last.Function == "" {
			last.Function = s.Name
		}
	}
	d.frames[pc] = fs
	return fs
}

// framesOfPart is Frames of code that is in a library. Code without a name there may have
// got one when the dynamic linker chose it; else it is called after the library.
func (d *Info) framesOfPart(p *Info, pc uint64) []Frame {
	fs := slices.Clone(p.Frames(pc))
	last := &fs[len(fs)-1]
	if last.Function != "" {
		return fs
	}
	last.Function, last.Offset = path.Base(p.Path), pc-p.Base
	if s, ok := d.SymbolAt(pc); ok {
		last.Function, last.Offset = s.Name, pc-s.Addr
	}
	return fs
}

// lookup finds pc (as in the file) in the units.
func (d *Info) lookup(pc uint64) ([]Frame, error) {
	for _, u := range d.units {
		if !inRanges(u.ranges, pc) {
			continue
		}
		if err := d.loadUnit(u); err != nil {
			return nil, err
		}
		return u.frames(pc), nil
	}
	return nil, nil
}

// frames builds the places of pc: the line table has the innermost one, each
// inlined scope says where it was called from.
func (u *unit) frames(pc uint64) []Frame {
	r := u.row(pc)
	chain := u.chain(pc)
	if r == nil && len(chain) == 0 {
		return nil
	}
	var at Frame
	if r != nil {
		at = u.place(r.file, int(r.line), int(r.column))
	}
	if len(chain) == 0 {
		return []Frame{at}
	}
	var fs []Frame
	for i := len(chain) - 1; i >= 0; i-- {
		s := chain[i]
		at.Function, at.Inlined, at.shown = s.name, s.inlined, s.shown
		if lambda := u.lambdas[s.first]; lambda != "" {
			at.shown = lambda
		}
		fs = append(fs, at)
		at = u.place(s.callFile, s.callLine, s.callColumn)
	}
	return fs
}

// chain lists the scopes around pc, outermost first.
func (u *unit) chain(pc uint64) []*scope {
	var chain []*scope
	for scopes := u.scopes; ; {
		var in *scope
		for _, s := range scopes {
			if inRanges(s.ranges, pc) {
				in = s
				break
			}
		}
		if in == nil {
			return chain
		}
		chain = append(chain, in)
		scopes = in.children
	}
}

// row finds the line table's row for pc. Line 0 marks code of no line: it
// counts to the line before it.
func (u *unit) row(pc uint64) *row {
	i := sort.Search(len(u.rows), func(i int) bool { return u.rows[i].addr > pc }) - 1
	if i < 0 || u.rows[i].end {
		return nil
	}
	for j := i; j >= 0 && !u.rows[j].end; j-- {
		if u.rows[j].line != 0 {
			return &u.rows[j]
		}
	}
	return nil
}

// place fills in a frame's position, its paths made the same on any machine.
func (u *unit) place(f *dwarf.LineFile, line, column int) Frame {
	if f == nil {
		return Frame{}
	}
	whole, shown := f.Name, path.Base(f.Name)
	if !path.IsAbs(whole) { // DWARF 5: relative to where the compiler ran
		whole = path.Join(u.compDir, f.Name)
		shown = path.Clean(f.Name)
	} else if rel, ok := strings.CutPrefix(whole, u.compDir+"/"); ok && u.compDir != "" {
		shown = path.Clean(rel)
	}
	return Frame{File: shown, Path: path.Clean(whole), Line: line, Column: column}
}

// loadUnit reads a unit's line table and functions.
func (d *Info) loadUnit(u *unit) error {
	if u.loaded {
		return nil
	}
	u.loaded = true
	if err := d.loadRows(u); err != nil {
		return err
	}
	return d.loadScopes(u)
}

// lineKey is all that a line table depends on.
type lineKey struct {
	at      int64
	compDir string
}

// lineTable is a decoded one.
type lineTable struct {
	rows  []row
	files []*dwarf.LineFile
}

func (d *Info) loadRows(u *unit) error {
	at, ok := u.entry.Val(dwarf.AttrStmtList).(int64)
	if !ok {
		return nil
	}
	key := lineKey{at, u.compDir}
	t, ok := d.lines[key]
	if !ok {
		var err error
		if t, err = d.readRows(u); err != nil {
			return err
		}
		d.lines[key] = t
	}
	u.rows, u.files = t.rows, t.files
	return nil
}

func (d *Info) readRows(u *unit) (t lineTable, err error) {
	size, err := d.checkLine(u)
	if err != nil {
		return t, err
	}
	// Tables don't lie over each other, and an opcode makes one row at the most.
	if d.rowsLeft -= size; d.rowsLeft < 0 {
		return t, errLine
	}
	lr, err := d.data.LineReader(u.entry)
	if err != nil || lr == nil {
		return t, err
	}
	var e dwarf.LineEntry
	for {
		if err := lr.Next(&e); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return t, err
		}
		if len(t.rows) == maxRows {
			return lineTable{}, errLine
		}
		t.rows = append(t.rows, row{e.Address, e.File, clip32(e.Line), clip32(e.Column), int32(len(t.rows)), e.EndSequence})
	}
	t.files = lr.Files()
	// Sequences come in any order. At one address an end comes before the
	// next sequence's begin; otherwise the table's order stays: its last row
	// for an address counts.
	slices.SortFunc(t.rows, func(a, b row) int {
		switch {
		case a.addr != b.addr:
			return cmp.Compare(a.addr, b.addr)
		case a.end != b.end && a.end:
			return -1
		case a.end != b.end:
			return 1
		}
		return cmp.Compare(a.nth, b.nth)
	})
	return t, nil
}

// clip32 is a line or column; 0, which is none, for an impossible one.
func clip32(n int) int32 {
	if n < 0 || n > math.MaxInt32 {
		return 0
	}
	return int32(n)
}

// loadScopes reads the unit's functions and the functions inlined into them.
// Lexical blocks between an inlined call and its caller make no scope.
func (d *Info) loadScopes(u *unit) error {
	r := d.reader()
	r.Seek(u.entry.Offset)
	u.lambdas = map[dwarf.Offset]string{}
	if _, err := r.Next(); err != nil {
		return err
	}
	if !u.entry.Children {
		return nil
	}
	stack := []*scope{nil} // the scope around the entries being read; nil: none
	lambdas := []string{""}
	for len(stack) > 0 {
		e, err := r.Next()
		if err != nil || e == nil {
			return err
		}
		if e.Tag == 0 {
			stack, lambdas = stack[:len(stack)-1], lambdas[:len(stack)-1]
			continue
		}
		around := stack[len(stack)-1]
		s, err := d.scope(u, e)
		if err != nil {
			return err
		}
		if in := lambdas[len(stack)-1]; in != "" && e.Tag == dwarf.TagSubprogram && d.name(e) == "operator()" {
			u.lambdas[e.Offset] = in
		}
		if s == nil {
			s = around
		} else if around == nil || !s.inlined {
			u.scopes = append(u.scopes, s)
		} else {
			around.children = append(around.children, s)
		}
		if e.Children {
			stack, lambdas = append(stack, s), append(lambdas, d.lambda(u, e))
		}
	}
	return nil
}

// scope makes a scope of an entry that is one with code; nil otherwise.
func (d *Info) scope(u *unit, e *dwarf.Entry) (*scope, error) {
	if e.Tag != dwarf.TagSubprogram && e.Tag != dwarf.TagInlinedSubroutine {
		return nil, nil
	}
	rs, err := d.entryRanges(e)
	if err != nil || len(rs) == 0 {
		return nil, err
	}
	s := &scope{ranges: rs, name: d.name(e), shown: Demangled(d.linkage(e)), first: d.first(e).Offset, inlined: e.Tag == dwarf.TagInlinedSubroutine}
	if s.inlined {
		if i, ok := e.Val(dwarf.AttrCallFile).(int64); ok && i >= 0 && i < int64(len(u.files)) {
			s.callFile = u.files[i]
		}
		line, _ := e.Val(dwarf.AttrCallLine).(int64)
		column, _ := e.Val(dwarf.AttrCallColumn).(int64)
		s.callLine, s.callColumn = int(line), int(column)
	}
	return s, nil
}
