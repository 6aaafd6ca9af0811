package page

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// Row is one dot of the picture: an operation or an access of a thread.
type Row struct {
	Thread  int    `json:"t"`
	Text    string `json:"text"`
	short   string // in the picture
	foreign bool   // a library's line
	File    string `json:"file,omitempty"`
	Line    int    `json:"line,omitempty"`
	Func    string `json:"func,omitempty"`
	// Step is the account's step, from 1. Turn is the stretch of one thread's steps that it is
	// in, from 1: landgo debug --at TURN.
	Step int `json:"step"`
	Turn int `json:"turn"`
	// Cause: the bug's cause speaks of it. Fails: here the run fails. Waits: the thread
	// waits from here on.
	Cause bool `json:"cause,omitempty"`
	Fails bool `json:"fails,omitempty"`
	Waits bool `json:"waits,omitempty"`
	// Why is the reason why another thread ran before, of a row after a switch.
	Why     string `json:"why,omitempty"`
	Preempt bool   `json:"preempt,omitempty"`
	// Variable is an access's variable, and Value its content afterwards, if that is
	// known. Writes: the access changes it.
	Variable string   `json:"var,omitempty"`
	Value    string   `json:"value,omitempty"`
	Writes   bool     `json:"writes,omitempty"`
	Held     []string `json:"held,omitempty"`
	// Differs: 1, of the event that comes first here and later in the nearest run that
	// passes; 2, of the one that comes first there.
	Differs int `json:"differs,omitempty"`
	// Block is the end of the block's life that the row is: "allocated", "freed".
	Block string `json:"block,omitempty"`
	// Gone: the thread's stack ends here, and is used afterwards.
	Gone bool `json:"gone,omitempty"`
	// Buffers: the access goes to the thread's store buffer; Flushes: from there to memory.
	Buffers bool   `json:"buffers,omitempty"`
	Flushes bool   `json:"flushes,omitempty"`
	Output  string `json:"out,omitempty"`
	// Times is how often the rows from here to Until are repeated, if not once.
	Times int `json:"times,omitempty"`
	Until int `json:"until,omitempty"`
	// After are the rows of other threads that this one comes after.
	After []int `json:"after,omitempty"`
	// Woke are those of other threads that go on because of this one.
	Woke []int `json:"woke,omitempty"`
}

// maxRows bounds a picture.
const maxRows = 400

// story is a run as rows.
type story struct {
	called result.Names
	names  []string // of threads, by lane
	lanes  map[string]int
	origin map[string]string // of threads, by path name
	rows   []Row
	races  [][2]int // rows of the cause that collide
	cut    int      // rows left out
	lined  bool     // the guest's own code has lines
	width  int      // of the picture
	// written are the addresses that the run stores to.
	written map[result.Addr]bool
}

// tell makes rows of a replay's account.
func tell(r *result.Result, b *result.Bug) *story {
	s := &story{lanes: map[string]int{}, origin: map[string]string{}, called: b.Names(), written: map[result.Addr]bool{}}
	for i := range r.Account {
		for _, a := range r.Account[i].Accesses {
			if a.New != "" {
				s.written[a.Address] = true
			}
		}
	}
	starts := slices.Clone(b.ThreadStarts)
	slices.SortStableFunc(starts, func(x, y result.ThreadStart) int { return x.Number() - y.Number() })
	for _, t := range starts {
		s.lined = s.lined || t.Defined != nil
		s.lane(t.Thread)
		s.introduce(&t)
		// Its store buffer's lane is beside its own.
		if buffer := t.Thread + trace.BufferMark; slices.ContainsFunc(r.Account, func(e result.Event) bool { return e.Thread == buffer }) {
			s.lane(buffer)
		}
	}
	last := map[int]int{}      // step: its last row
	behind := map[string]int{} // by thread: a step that its next row comes after
	var after [][]int          // of rows, as steps
	turn, why, preempt := 0, "", false
	for i := range r.Account {
		e := &r.Account[i]
		if i == 0 || r.Account[i-1].Thread != e.Thread {
			turn++
		}
		if e.After > 0 {
			behind[e.Thread] = e.After
		}
		rows, afters := s.event(e, i+1, b)
		if n := behind[e.Thread]; n > 0 && len(rows) > 0 {
			afters[0] = append(afters[0], n)
			delete(behind, e.Thread)
		}
		for k := range rows {
			rows[k].Turn = turn
		}
		if i > 0 && r.Account[i-1].Thread != e.Thread {
			why, preempt = s.called.In(r.Account[i-1].Switch), r.Account[i-1].Preemption
		}
		if len(rows) > 0 && why != "" { // the steps before may have nothing to show
			rows[0].Why, rows[0].Preempt, why, preempt = why, preempt, "", false
		}
		s.rows = append(s.rows, rows...)
		after = append(after, afters...)
		if len(s.rows) > 0 {
			last[i+1] = len(s.rows) - 1
		}
	}
	for i := range s.rows {
		for _, step := range after[i] {
			if n, ok := last[step]; ok {
				s.rows[i].After = append(s.rows[i].After, n)
			}
		}
	}
	s.reduce()
	s.wake(r.Account)
	s.end(b)
	for i := range s.rows {
		if s.rows[i].Turn == 0 { // how it ends
			s.rows[i].Turn = max(turn, 1)
		}
	}
	s.collide()
	s.outlived()
	s.fold()
	s.shorten()
	s.shortTexts()
	return s
}

// lane is the number of a thread.
func (s *story) lane(thread string) int {
	n, ok := s.lanes[thread]
	if !ok {
		n = len(s.names)
		s.lanes[thread] = n
		s.names = append(s.names, clean(s.called.Of(thread)))
	}
	return n
}

// event is a step as rows: its operations and accesses, in their order. after has, for
// each row, the steps that it comes after.
func (s *story) event(e *result.Event, step int, b *result.Bug) (rows []Row, after [][]int) {
	lane := s.lane(e.Thread)
	add := func(r Row, steps []int) {
		r.Thread, r.Step = lane, step
		rows = append(rows, r)
		after = append(after, steps)
	}
	operations := e.Operations
	for k := 0; k <= len(e.Accesses); k++ {
		for len(operations) > 0 && (operations[0].Before <= k || k == len(e.Accesses)) {
			op := operations[0]
			operations = operations[1:]
			if (op.Does == "syscall" || strings.HasPrefix(op.Does, "syscall 0x")) && len(op.After) == 0 {
				continue // which one isn't known
			}
			if s.lined && strings.HasPrefix(op.Does, "futex-") && (len(op.After) == 0 && len(e.Wakes) == 0 || strings.Contains(op.Does, " the C library's record of ")) {
				continue // which a library's function makes; where a thread waits, the switch says so
			}
			if s.lined && inLibrary(op, e) && (strings.Contains(op.Does, "lock") || strings.HasPrefix(op.Does, "passes ")) && len(op.After) == 0 {
				continue // a library's own
			}
			r := Row{Text: s.called.In(op.Does), Held: s.calledAll(op.Held), Differs: differs(b, step, 0, op.Does), Block: lifeOf(b, e, step, op)}
			if r.Block == "freed" {
				r.Text, r.Cause = "frees the block", b.Kind == trace.UseAfterFree || b.Kind == trace.DoubleFree
			}
			if r.Text == "gives its stack up" && gone(b, e.Thread) {
				r.Gone, r.Cause = true, true
			}
			if n := len(rows); n > 0 && op.Place != nil && strings.HasPrefix(rows[n-1].Text, "frees ") && strings.HasPrefix(op.Does, "destroys ") && rows[n-1].File == op.Place.File && rows[n-1].Line == op.Place.Line {
				continue // with its memory
			}
			if op.Place != nil {
				r.at(*op.Place)
			} else {
				r.at(result.Innermost(e.Stack))
			}
			for i := range b.Accesses { // a signal, by the word that a kernel keeps it in
				c := &b.Accesses[i]
				r.Cause = r.Cause || c.Bookkeeping && c.Thread == e.Thread && strings.HasPrefix(op.Does, "sends ") && r.File != "" && result.Innermost(c.Stack).Line == r.Line
			}
			add(r, op.After)
		}
		if k < len(e.Accesses) && !e.Accesses[k].Bookkeeping {
			r := s.access(&e.Accesses[k], b)
			r.Differs = differs(b, step, k+1, "")
			if a := &e.Accesses[k]; !s.lined || a.Symbol != "" || s.written[a.Address] || r.Cause || r.Differs > 0 {
				add(r, nil) // and not what a linker's table says
			}
		}
	}
	if len(rows) == 0 && (e.ChoiceText != "" || e.Output != "") {
		r := Row{Text: e.ChoiceText, Held: s.calledAll(e.Held)}
		if r.Text == "" {
			r.Text = "prints"
		}
		r.at(result.Innermost(e.Stack))
		add(r, nil)
	}
	if len(rows) > 0 {
		rows[len(rows)-1].Output = e.Output
	}
	return rows, after
}

// gone reports whether a bug is about the stack of this thread, which has ended.
func gone(b *result.Bug, thread string) bool {
	return b.Kind == trace.DeadStack && strings.HasSuffix(b.Message, " of thread "+thread+", which has ended")
}

// inLibrary reports whether an operation is in code without lines of the user's.
func inLibrary(op result.Operation, e *result.Event) bool {
	f := result.Innermost(e.Stack)
	if op.Place != nil {
		f = *op.Place
	}
	return f.File == "" || f.Library
}

// differs is Row.Differs of a step's event: access number access, or, if that is 0, an
// operation.
func differs(b *result.Bug, step, access int, does string) int {
	for i, m := range b.Difference {
		if m.Step == step && m.Access == access && (access > 0 || m.Does == does || strings.HasPrefix(does, "frees") && strings.HasPrefix(m.Does, "frees")) {
			return i + 1
		}
	}
	return 0
}

// lifeOf is Row.Block of an operation.
func lifeOf(b *result.Bug, e *result.Event, step int, op result.Operation) string {
	if b.Block == nil || op.Place == nil {
		return ""
	}
	is := func(o *result.Origin, verb string) bool {
		f := result.Innermost(o.Stack)
		return o.Step == step && o.Thread == e.Thread && strings.HasPrefix(op.Does, verb) && f.File == op.Place.File && f.Line == op.Place.Line
	}
	switch {
	case is(&b.Block.Allocated, "is given"), is(&b.Block.Allocated, "allocates"):
		return "allocated"
	case b.Block.Freed != nil && is(b.Block.Freed, "frees"):
		return "freed"
	}
	return ""
}

func (s *story) access(a *result.Access, b *result.Bug) Row {
	r := Row{Buffers: a.Op == "buffers", Flushes: a.Op == "flushes", Text: a.Op + " " + s.called.In(a.Name()), Variable: s.called.In(a.Name()), Value: s.called.In(a.New), Writes: a.New != "", Held: s.calledAll(a.Held)}
	if !r.Writes {
		r.Value = s.called.In(a.Old)
	}
	if r.Value != "" {
		r.Text += " = " + r.Value
	}
	r.at(result.Innermost(a.Stack))
	for i := range b.Accesses {
		c := &b.Accesses[i]
		r.Cause = r.Cause || c.Thread == a.Thread && c.Address == a.Address && c.Op == a.Op && c.Instruction == a.Instruction &&
			result.Innermost(c.Stack) == result.Innermost(a.Stack)
	}
	return r
}

func (s *story) calledAll(list []string) (all []string) {
	for _, text := range list {
		all = append(all, s.called.In(text))
	}
	return all
}

func (r *Row) at(f result.Frame) {
	r.File, r.Line, r.Func, r.foreign = f.File, f.Line, f.Function, f.Library
	if f.Line == 0 {
		r.File = ""
	}
}

// end adds how the run ends: the failure, and what each thread waits for.
func (s *story) end(b *result.Bug) {
	step := 1
	if n := len(s.rows); n > 0 {
		step = s.rows[n-1].Step
	}
	for _, w := range b.Waits {
		text := "waits for " + s.called.In(strings.TrimSpace(w.For+" "+w.Object))
		if w.For == "thread" {
			text = "waits for " + s.called.Noun(w.Object) + " to end"
		}
		if w.Owner != "" && w.Owner != w.Object {
			text += ", which " + s.called.Noun(w.Owner) + " holds"
		}
		r := Row{Thread: s.lane(w.Thread), Text: text, Step: step, Waits: true, Cause: true, Held: s.calledAll(w.Held)}
		r.at(own(w.Stack))
		s.rows = append(s.rows, r)
	}
	for _, l := range b.Loops {
		r := Row{Thread: s.lane(l.Thread), Text: "spins for ever", Step: step, Waits: true, Cause: true}
		if len(l.Lines) > 0 {
			r.at(result.Innermost(l.Lines))
		}
		for _, a := range l.Waits {
			r.Text += ", reading " + s.called.In(a.Name())
		}
		s.rows = append(s.rows, r)
	}
	if len(b.Waits)+len(b.Loops) > 0 {
		s.rows[len(s.rows)-1].Fails = true
		return
	}
	r := Row{Thread: s.lane(b.Thread), Text: title(b), Step: step, Fails: true}
	if n := len(s.rows) - 1; n >= 0 && s.rows[n].Thread == r.Thread && s.rows[n].Text == "ends the process" && s.rows[n].Output == "" {
		s.rows = s.rows[:n] // the failure does that
	}
	for i := range s.rows {
		if s.rows[i].Thread == r.Thread {
			r.Held = s.rows[i].Held
		}
	}
	r.at(own(behindAssert(b)))
	s.rows = append(s.rows, r)
}

// asserts are functions that end a program, or a kernel, whose assertion failed.
var asserts = []string{"__assert_fail", "__assert", "__assert_func", "abort", "panic", "landgo_panicked"}

// behindAssert is a bug's stack from where the user's code asserts.
func behindAssert(b *result.Bug) []result.Frame {
	stack := b.Stack
	for b.Kind == trace.Assertion && len(stack) > 1 && slices.Contains(asserts, stack[0].Function) && slices.ContainsFunc(stack[1:], func(f result.Frame) bool { return f.File != "" && f.Line > 0 }) {
		stack = stack[1:]
	}
	return stack
}

// own is where the user's code stands on a stack, if a source of a language shows that.
// A kernel's threads all wait in the assembler code of its switch.
func own(stack []result.Frame) result.Frame {
	assembler := func(f *result.Frame) bool { return strings.HasSuffix(strings.ToLower(f.File), ".s") }
	inner := result.Innermost(stack)
	for i := range stack {
		if f := &stack[i]; assembler(&inner) && f.File != "" && f.Line > 0 && !f.Library && !assembler(f) {
			return *f
		}
	}
	return inner
}

// title is the failure in one line.
func title(b *result.Bug) string {
	if strings.HasPrefix(b.Message, string(b.Kind)) {
		return clean(b.Says())
	}
	return fmt.Sprintf("%s: %s", b.Kind, clean(b.Says()))
}

// collide finds the neighbours among the cause's accesses that are of different threads
// and to the same variable.
func (s *story) collide() {
	before := -1
	for i := range s.rows {
		r := &s.rows[i]
		if !r.Cause || r.Variable == "" {
			continue
		}
		if before >= 0 && s.rows[before].Thread != r.Thread && s.rows[before].Variable == r.Variable {
			s.races = append(s.races, [2]int{before, i})
		}
		before = i
	}
}

// outlived joins the end of a block, or of a stack, to its use by another thread.
func (s *story) outlived() {
	last := len(s.rows) - 1
	for i := range s.rows {
		if r := &s.rows[i]; r.Cause && (r.Block == "freed" || r.Gone) && r.Thread != s.rows[last].Thread {
			s.races = append(s.races, [2]int{i, last})
		}
	}
}
