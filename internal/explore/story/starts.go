package story

import (
	"path/filepath"
	"slices"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// starts says what each thread is, and gives it its label.
func (st *Story) starts(b *result.Bug) {
	number := map[trace.TID]int{} // from 1; 0: it was there at the run's beginning
	for n, t := range st.born {
		number[t] = n + 1
	}
	tids := map[string]trace.TID{}
	for _, x := range st.Guest.Starts() {
		st.roots.look(st.Session, x.Thread, nil)
		ts := startOf(st.Session, x, st.roots[x.Thread].Frame)
		if own, ok := st.created[x.Thread]; ok && ts.Created != nil {
			ts.Created = &own
		}
		tids[ts.Thread] = x.Thread
		b.ThreadStarts = append(b.ThreadStarts, ts)
	}
	slices.SortFunc(b.ThreadStarts, func(x, y result.ThreadStart) int { return result.ComparePaths(x.Thread, y.Thread) })
	var inOrder []*result.ThreadStart
	for i := range b.ThreadStarts {
		inOrder = append(inOrder, &b.ThreadStarts[i])
	}
	slices.SortStableFunc(inOrder, func(x, y *result.ThreadStart) int { return number[tids[x.Thread]] - number[tids[y.Thread]] })
	result.Label(inOrder)
}

// NameOthers names the threads of a bug that had come no further than a library's start of threads.
// The guest stands at the end of this run, in which they have come further.
func (st *Story) NameOthers(b *result.Bug) {
	for _, x := range st.Guest.Starts() {
		i := slices.IndexFunc(b.ThreadStarts, func(s result.ThreadStart) bool { return s.Thread == st.Guest.Name(x.Thread) })
		root := st.roots[x.Thread] // nil for one that took no step: a timer that didn't fire
		if i < 0 || root == nil || !root.found || !standsInLibrary(st.Session, x.Entry) {
			continue
		}
		s := &b.ThreadStarts[i]
		if own := startOf(st.Session, x, root.Frame); own.Function != s.Function {
			s.Rename(own.Function)
			s.Defined = own.Defined
		}
	}
}

// startOf says what a thread is. root is the user's outermost function on its stack, if one
// was seen.
func startOf(s *session.Session, x scheduler.Start, root result.Frame) result.ThreadStart {
	ts := result.ThreadStart{Thread: s.Guest.Name(x.Thread)}
	if trace.IsTimerName(ts.Thread) {
		ts.Function = "timer"
		return ts
	}
	if fs := s.Frames([]uint64{x.Entry}); len(fs) > 0 {
		ts.Function, ts.Defined = fs[len(fs)-1].Function, definition(&fs[len(fs)-1])
	}
	if root.Function != "" && (ts.Function == "" || standsInLibrary(s, x.Entry) || ts.Defined != nil && assembled(ts.Defined)) {
		ts.Function, ts.Defined = root.Function, nil
		if f, ok := s.Image.SymbolAt(uint64(root.Address) - 1); ok {
			if fs := s.Frames([]uint64{f.Addr}); len(fs) > 0 && fs[len(fs)-1].Function == root.Function {
				ts.Defined = definition(&fs[len(fs)-1])
			}
		}
	}
	if x.Created != 0 {
		f := result.Innermost(s.Frames([]uint64{x.Created - 1}))
		ts.Created = &f
	}
	return ts
}

// root is the user's function that a thread runs.
type root struct {
	result.Frame
	tries int
	found bool
}

// rootTries is how many steps of a thread are looked at for it: on some systems a thread
// begins in the assembler's part of a library.
const rootTries = 32

// roots are the functions that threads run, as far as they were seen.
type roots map[trace.TID]*root

// look looks for the function that a thread runs: the user's outermost one that isn't
// written in assembler, on a stack of the thread's. Nil: where it stands.
func (rs roots) look(s *session.Session, t trace.TID, stack []uint64) {
	r := rs[t]
	if r == nil {
		r = &root{}
		rs[t] = r
	}
	if r.found || r.tries == rootTries || s.IsBeside(t) {
		return
	}
	r.tries++
	if stack == nil {
		stack = s.Guest.Stack(t)
	}
	if f := rootFrame(s.Frames(stack)); f.Function != "" {
		r.Frame, r.found = f, !assembled(&f)
	}
}

// rootFrame is the outermost frame of the user's on a stack, of those that aren't in
// assembler if there are any.
func rootFrame(stack []result.Frame) (f result.Frame) {
	for i := len(stack) - 1; i >= 0; i-- {
		if s := &stack[i]; s.File == "" || s.Library {
			continue
		} else if !assembled(s) {
			return *s
		} else if f.Function == "" {
			f = *s
		}
	}
	return f
}

// assembled reports whether a frame's source is assembler.
func assembled(f *result.Frame) bool {
	switch filepath.Ext(f.File) {
	case ".S", ".s", ".asm":
		return true
	}
	return false
}

// definition is a frame at a function's first instruction, as the place of the function.
func definition(f *result.Frame) *result.Frame {
	if f.File == "" || f.Line == 0 {
		return nil
	}
	return &result.Frame{Function: f.Function, File: f.File, Line: f.Line, Address: f.Address, Library: f.Library}
}

// Starts adds the threads of the present state to a list, where it doesn't have them, or
// only knows which function of a library's they begin in.
func (v *Visited) Starts(s *session.Session, list []result.ThreadStart) []result.ThreadStart {
	for _, x := range s.Guest.Starts() {
		v.roots.look(s, x.Thread, nil)
		ts := startOf(s, x, v.roots[x.Thread].Frame)
		if f, ok := v.created[x.Thread]; ok && ts.Created != nil {
			ts.Created = &f
		}
		switch i := slices.IndexFunc(list, func(known result.ThreadStart) bool { return known.Thread == ts.Thread }); {
		case i < 0:
			list = append(list, ts)
		case v.roots[x.Thread].found:
			list[i] = ts
		}
	}
	return list
}
