package session

import (
	"cmp"
	"slices"
	"strings"
	"sync"

	"landgo/emu"
	"landgo/internal/image/debuginfo"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// Coverage has the lines and points that a search's guests reached: a search can have several, one
// after the other, by turns or at a time. The machines know anyway which lines were run.
// Points are noted step by step, by a runner around the guest's own, which only a search
// that asks for coverage has.
//
// Each guest has its own account. A worker's lines from a part of a divided search are
// taken with what else was seen of the part (TakeReached). They are added to the others' if
// the part counts. So the sum is the same for any number of workers.
type Coverage struct {
	mu     sync.Mutex
	pieces []debuginfo.Piece
	sum    Reached           // of guests that are closed
	open   map[*account]bool // of the others
	done   bool
}

// account is a guest's lines and points, beside its machine's.
type account struct {
	*Reached
	machine *emu.Machine
	users   map[uint64]bool // instructions, by whether they have a line of the user's
}

// Reached is the lines and points reached in a stretch of a search.
type Reached struct {
	ran    []bool // by piece
	points map[point]*passage
}

// Add adds what was reached elsewhere. Both are nil where coverage isn't asked for.
func (r *Reached) Add(o *Reached) {
	if r == nil || o == nil {
		return
	}
	for i, ran := range o.ran {
		r.ran[i] = r.ran[i] || ran
	}
	for at, n := range o.points {
		of := r.points[at]
		if of == nil {
			of = &passage{}
			r.points[at] = of
		}
		of.reached, of.switched = of.reached+n.reached, of.switched+n.switched
	}
}

// point is a place where a thread stands: the instruction, or the call of the user's in
// which it does.
type point struct {
	pc    uint64
	kind  trace.OpKind
	flags trace.AccessFlags
}

// passage is how often steps began at a point, and how many of them were another thread's.
type passage struct{ reached, switched uint64 }

// cover has the session's guest counted in.
func (s *Session) cover() {
	c := s.Covered
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sum.points == nil { // the first
		c.pieces = s.Image.Pieces()
		c.sum = *c.nothing()
	}
	s.account = &account{c.nothing(), s.Machine, map[uint64]bool{}}
	c.open[s.account] = true
	s.Guest.System = &pointed{System: s.Guest.System, present: s.Guest.Census, s: s.Plain, in: &s.Program, c: c, account: s.account, last: trace.NoThread}
}

func (c *Coverage) nothing() *Reached {
	return &Reached{make([]bool, len(c.pieces)), map[point]*passage{}}
}

// look adds what a machine has run to its account.
func (c *Coverage) look(a *account) {
	for i, p := range c.pieces {
		a.ran[i] = a.ran[i] || a.machine.Ran(p.Lo, p.Hi)
	}
}

// closing is called before a guest's machine is closed.
func (c *Coverage) closing(a *account) {
	if c == nil || a == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.open[a] && !c.done {
		c.look(a)
		c.sum.Add(a.Reached)
	}
	delete(c.open, a)
}

// TakeReached takes the coverage of the session's guest since the last time, or since its
// beginning. nil: coverage isn't asked for.
func (s *Session) TakeReached() *Reached {
	c := s.Covered
	if s.account == nil || c.done || s.Machine == nil {
		return nil
	}
	c.look(s.account)
	for _, p := range c.pieces {
		s.Machine.ForgetRan(p.Lo, p.Hi)
	}
	r := s.account.Reached
	s.account.Reached = c.nothing()
	return r
}

// CountReached adds to the session's account what was taken.
func (s *Session) CountReached(r *Reached) {
	if r != nil {
		s.account.Add(r)
	}
}

// ForgetPoints: the session's search begins anew, with finer steps. The lines that were run
// stay.
func (s *Session) ForgetPoints() {
	if s.account != nil && !s.Covered.done {
		clear(s.account.points)
	}
}

// pointed notes the points which a search reaches.
type pointed struct {
	por.System
	present por.Census
	s       *scheduler.System
	in      *Program
	c       *Coverage
	*account
	last  trace.TID // the thread of the step before, a store buffer's not
	marks []trace.TID
}

// Step implements por.System.
func (p *pointed) Step(t trace.TID, choice trace.Choice) (*trace.Transition, error) {
	if !p.c.done {
		p.note(t)
	}
	tr, err := p.System.Step(t, choice)
	if tr != nil && !tr.Updates {
		p.last = t
	}
	return tr, err
}

// Mark implements por.System.
func (p *pointed) Mark() trace.Mark {
	k := p.System.Mark()
	for len(p.marks) <= int(k) {
		p.marks = append(p.marks, trace.NoThread)
	}
	p.marks[k] = p.last
	return k
}

// Rewind implements por.System.
func (p *pointed) Rewind(k trace.Mark) {
	p.System.Rewind(k)
	p.last = trace.NoThread
	if int(k) < len(p.marks) {
		p.last = p.marks[k]
	}
}

// note counts the point at which the thread of the step before stands, if it could go on.
func (p *pointed) note(next trace.TID) {
	if p.last == trace.NoThread {
		return
	}
	list := p.present.Present().Threads
	i, ok := slices.BinarySearchFunc(list, p.last, func(th trace.Thread, t trace.TID) int { return cmp.Compare(th.ID, t) })
	if !ok {
		return
	}
	th := &list[i]
	if n, ok := slices.BinarySearchFunc(list, next, func(th trace.Thread, t trace.TID) int { return cmp.Compare(th.ID, t) }); !ok || list[n].Updates || th.Status != trace.Ready || th.Yielding {
		return
	}
	at := point{kind: th.Pending.Kind}
	if at.kind == trace.OpAccess {
		at.pc, at.flags = th.PendingAccess.PC, th.PendingAccess.Flags&(trace.Write|trace.RMW)
	}
	if at.kind != trace.OpAccess || !p.isUsers(at.pc) {
		for i, pc := range p.s.Stack(p.last) {
			if i > 0 {
				pc--
			}
			if i == 0 || p.isUsers(pc) {
				at.pc = pc
			}
			if p.isUsers(pc) {
				break
			}
		}
	}
	n := p.points[at]
	if n == nil {
		n = &passage{}
		p.points[at] = n
	}
	n.reached++
	if next != p.last {
		n.switched++
	}
}

// isUsers reports whether an instruction has a line of the user's.
func (p *pointed) isUsers(pc uint64) bool {
	known, ok := p.users[pc]
	if !ok {
		f := result.Innermost(p.in.Frames([]uint64{pc}))
		known = f.Line > 0 && !f.Library
		p.users[pc] = known
	}
	return known
}

// Cover puts into a result what was reached so far. Code run from then on isn't the
// search's.
func (s *Session) Cover(r *result.Result) {
	c := s.Covered
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for a := range c.open {
		c.look(a)
		c.sum.Add(a.Reached)
	}
	c.done = true
	r.Coverage = &result.Coverage{Files: c.files(s)}
	r.Coverage.Points = c.passages(s)
	s.sum(r.Coverage)
}

// files are the lines that have code, by file.
func (c *Coverage) files(s *Session) (files []result.CoveredFile) {
	type place struct {
		path string
		line int
	}
	lines := map[place]*result.CoveredLine{}
	at := map[string]int{}
	for i := range c.pieces {
		p := &c.pieces[i]
		l := lines[place{p.Path, p.Line}]
		if l == nil {
			l = &result.CoveredLine{Line: p.Line, Function: p.Function}
			lines[place{p.Path, p.Line}] = l
			if _, ok := at[p.Path]; !ok {
				at[p.Path] = len(files)
				files = append(files, result.CoveredFile{File: p.File, Path: p.Path})
			}
		}
		l.Run = l.Run || c.sum.ran[i]
	}
	for where, l := range lines {
		f := &files[at[where.path]]
		f.Lines = append(f.Lines, *l)
	}
	for i := range files {
		slices.SortFunc(files[i].Lines, func(a, b result.CoveredLine) int { return cmp.Compare(a.Line, b.Line) })
	}
	slices.SortFunc(files, func(a, b result.CoveredFile) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Path, b.Path))
	})
	return files
}

// sum counts lines, and leaves out files that weren't run at all and functions that landgo
// carries out.
func (s *Session) sum(c *result.Coverage) {
	carried := map[string]bool{}
	for addr, b := range s.roles {
		if !s.trusts(b) {
			continue
		}
		if f, ok := s.Image.SymbolAt(addr); ok {
			carried[f.Name] = true
		}
	}
	var used []result.CoveredFile
	for _, f := range c.Files {
		if startsOnly(&f) || headerOnly(&f) {
			continue
		}
		ran := map[string]bool{}
		for _, l := range f.Lines {
			ran[l.Function] = ran[l.Function] || l.Run
		}
		f.Lines = slices.DeleteFunc(f.Lines, func(l result.CoveredLine) bool {
			if !carried[l.Function] || ran[l.Function] {
				return false
			}
			if !slices.Contains(c.Carried, l.Function) {
				c.Carried = append(c.Carried, l.Function)
			}
			return true
		})
		run := 0
		for _, l := range f.Lines {
			if l.Run {
				run++
			}
		}
		if run == 0 {
			if len(f.Lines) > 0 {
				c.Unused = append(c.Unused, f.File)
			}
			continue
		}
		c.Lines, c.Run = c.Lines+len(f.Lines), c.Run+run
		used = append(used, f)
	}
	slices.Sort(c.Carried)
	c.Files = used
}

// startsOnly reports whether a file has only a C library's code for a program's start and end.
func startsOnly(f *result.CoveredFile) bool {
	return !slices.ContainsFunc(f.Lines, func(l result.CoveredLine) bool {
		return !slices.Contains([]string{"_start", "_start_c", "_init", "_fini"}, l.Function)
	})
}

// headerOnly reports whether a file is landgo's own header, whose functions are empty.
func headerOnly(f *result.CoveredFile) bool {
	return !slices.ContainsFunc(f.Lines, func(l result.CoveredLine) bool { return !strings.HasPrefix(l.Function, "landgo_") })
}

// passages are the points, those at one line that do the same together.
func (c *Coverage) passages(s *Session) (all []result.CoveredPoint) {
	for at, n := range c.sum.points {
		f := result.Innermost(s.Frames([]uint64{at.pc}))
		p := result.CoveredPoint{Function: f.Function, File: f.File, Line: f.Line, Does: does(at), Reached: n.reached, Switched: n.switched}
		if f.Library {
			continue
		}
		same := func(o result.CoveredPoint) bool {
			return o.Function == p.Function && o.File == p.File && o.Line == p.Line && o.Does == p.Does
		}
		if i := slices.IndexFunc(all, same); i >= 0 {
			all[i].Reached += p.Reached
			all[i].Switched += p.Switched
			continue
		}
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b result.CoveredPoint) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Function, b.Function), cmp.Compare(a.Does, b.Does))
	})
	return all
}

// does is the verb for a thread's next step at a point.
func does(at point) string {
	switch {
	case at.kind != trace.OpAccess:
		if verb, ok := scheduler.Verb(at.kind); ok {
			return verb
		}
		return at.kind.String()
	case at.flags&trace.RMW != 0:
		return "updates"
	case at.flags&trace.Write != 0:
		return "writes"
	}
	return "reads"
}
