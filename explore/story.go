package explore

import (
	"fmt"
	"slices"
	"sort"
	"strings"

	"landgo/explore/session"
	"landgo/por"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// story replays an execution and writes down what a person needs to see of it.
type story struct {
	*session.Session
	path     []por.PathStep
	schedule trace.Schedule
	beats    []beat
	outputs  map[int]int
	adjacent []neighbour // races, where they are bugs
	blocks   map[lifeKey]*lifeStacks
}

// beat is one step of the execution.
type beat struct {
	step     por.PathStep
	accesses []trace.Access
	by       []trace.TID // of accesses, where other threads made some
	values   []value     // of accesses
	ops      []trace.Op
	// Of the thread of the step, before it: where it stood.
	stack []uint64
	why   string // why the thread was left after the step, if it was
	held  []string
	out   string
}

// value is what an access read and wrote.
type value struct{ old, new string }

// tell replays a path and tells its story. The path must be one of this
// session's System.
func tell(s *session.Session, path []por.PathStep) (*story, error) {
	st := &story{Session: s, path: path, schedule: trace.Schedule{Check: s.Check}, outputs: map[int]int{}, blocks: map[lifeKey]*lifeStacks{}}
	s.Guest.Rewind(s.Root)
	s.Guest.Observe(st)
	defer s.Guest.Observe(nil)
	n := newNeighbours(s)
	for i := range path {
		p := &path[i]
		b := beat{step: *p, held: s.Guest.Held(p.Thread)}
		if i == 0 || path[i-1].Thread != p.Thread {
			b.stack = s.Guest.Stack(p.Thread)
		}
		tr, err := s.Take(p)
		if err != nil {
			return nil, fmt.Errorf("an execution couldn't be run again: %w", err)
		}
		if s.Config.FailOnRace {
			n.step(tr)
		}
		b.accesses = append(b.accesses, tr.Accesses...)
		for j := range tr.Accesses {
			if len(tr.Tails) > 0 {
				b.by = append(b.by, tr.By(j))
			}
		}
		for j := range b.accesses {
			b.values = append(b.values, valueOf(s, &b.accesses[j]))
		}
		b.ops = append(b.ops, tr.Ops...)
		b.out = st.newOutput()
		last := s.Guest.Position(p.Thread)
		seg := trace.Segment{Thread: s.Guest.Name(p.Thread), Until: last.Insns, Part: last.Part, Choice: p.Choice}
		st.schedule.Append(seg)
		if i+1 < len(path) && path[i+1].Thread != p.Thread {
			b.why = leaves(s, p.Thread, path[i+1].Preemption)
		}
		st.beats = append(st.beats, b)
	}
	st.adjacent = n.seen
	return st, nil
}

// schedule names an execution by its threads' instructions, so that it can be
// run again by whoever knows less, or more, of what threads share.
func schedule(s *session.Session, path []por.PathStep) (trace.Schedule, error) {
	st, err := tell(s, path)
	if err != nil {
		return trace.Schedule{}, err
	}
	return st.schedule, nil
}

// valueOf is the memory that an access was to, after its step: what it read, or
// what it wrote.
func valueOf(s *session.Session, a *trace.Access) value {
	if a.Size == 0 || a.Size > 8 {
		return value{}
	}
	var v uint64
	for i, c := range s.Machine.Bytes(a.Addr, uint64(a.Size)) {
		v |= uint64(c) << (8 * i)
	}
	text := fmt.Sprintf("%#x", v)
	if v < 1<<16 {
		text = fmt.Sprint(v)
	}
	if a.IsWrite() {
		return value{new: text}
	}
	return value{old: text}
}

// newOutput is what the guest wrote since it was asked last.
func (st *story) newOutput() string {
	var b strings.Builder
	for fd := 1; fd <= 2; fd++ {
		out := st.Console.Output(fd)
		if n := st.outputs[fd]; n <= len(out) {
			b.Write(out[n:])
		}
		st.outputs[fd] = len(out)
	}
	return b.String()
}

// leaves says why a thread doesn't go on.
func leaves(s *session.Session, t trace.TID, preemption bool) string {
	if preemption {
		if next := s.Guest.NextText(t); next != "" {
			return "preempted before it " + next
		}
		return "preempted"
	}
	return s.Guest.StateText(t)
}

// bug makes the report of the finding whose story this is.
func (st *story) bug(f *finding) (*result.Bug, error) {
	fl := &f.failure
	b := &result.Bug{
		Kind: session.KindOf(fl.Kind), Message: fl.Message, Thread: st.Guest.Name(fl.Thread),
		Preemptions: f.preemptions, Minimal: f.minimal, BeforeThreads: st.beforeThreads(),
		Schedule: st.schedule.String(), Stack: st.Frames(st.failingStack(fl)), Output: st.output(),
	}
	st.switches(b)
	st.collisions(b)
	st.waits(b, fl)
	b.Block = st.block(&fl.Block)
	st.starts(b)
	if fl.Kind != failureRace {
		return b, nil
	}
	x := st.raceIn(fl.Message)
	if x == nil {
		return nil, fmt.Errorf("an execution went another way when it was run again: %s", fl.Message)
	}
	return b, st.collide(b, x)
}

// failingStack is where the failing thread stands, from the source line on
// where the failure was seen in a library function (assert, abort).
func (st *story) failingStack(f *scheduler.Failure) []uint64 {
	return st.Guest.Stack(f.Thread)
}

// beforeThreads: no second thread was ever there.
func (st *story) beforeThreads() bool {
	for i := range st.beats {
		if st.beats[i].step.Thread != st.beats[0].step.Thread { // a kernel may boot with several
			return false
		}
		for _, op := range st.beats[i].ops {
			if op.Kind == trace.OpCreate {
				return false
			}
		}
	}
	return true
}

func (st *story) output() string {
	var b strings.Builder
	for i := range st.beats {
		b.WriteString(st.beats[i].out)
	}
	return b.String()
}

// switches lists the switches from thread to thread.
func (st *story) switches(b *result.Bug) {
	from := 0
	for i := 1; i < len(st.beats); i++ {
		prev, next := &st.beats[i-1], &st.beats[i]
		if prev.step.Thread == next.step.Thread {
			continue
		}
		step := result.Step{
			From: st.Guest.Name(prev.step.Thread), To: st.Guest.Name(next.step.Thread),
			Why: prev.why, Preemption: next.step.Preemption, Instruction: prev.step.Last,
			Stack: st.Frames(st.leftAt(i)),
		}
		for j := max(from, i-4); j < i; j++ {
			for k := range st.beats[j].accesses {
				if l := st.beats[j].accesses; k > 0 && l[k].Addr == l[k-1].Addr && l[k].Size == l[k-1].Size && l[k].PC == l[k-1].PC && l[k].IsWrite() == l[k-1].IsWrite() {
					continue // of one call
				}
				step.Accesses = append(step.Accesses, st.shown(j, k))
			}
		}
		from = i
		b.Steps = append(b.Steps, step)
	}
}

// leftAt is the stack at which the thread before beat i was left: where it
// stood when it went on, or where it stands at the end.
func (st *story) leftAt(i int) []uint64 {
	t := st.beats[i-1].step.Thread
	for j := i; j < len(st.beats); j++ {
		if st.beats[j].step.Thread == t {
			return st.beats[j].stack
		}
	}
	return st.Guest.Stack(t)
}

// shown is access k of beat j for a person.
func (st *story) shown(j, k int) result.Access {
	b := &st.beats[j]
	a := st.Access(b.madeBy(k), &b.accesses[k])
	a.Old, a.New = b.values[k].old, b.values[k].new
	a.Held = st.held(at{j, k})
	return a
}

// madeBy is the thread that made an access.
func (b *beat) madeBy(k int) trace.TID {
	if b.by != nil {
		return b.by[k]
	}
	return b.step.Thread
}

// has reports whether a thread made accesses in a beat.
func (b *beat) has(t trace.TID) bool { return b.step.Thread == t || slices.Contains(b.by, t) }

// held names the locks that the thread holds at an access: those before its beat,
// and what the beat did to them by then.
func (st *story) held(x at) []string {
	b := &st.beats[x.beat]
	list := slices.Clone(b.held)
	for i := range b.ops {
		o := &b.ops[i]
		if int(o.At) > x.access {
			break
		}
		switch {
		case takes(o):
			list = append(list, st.Guest.VariableName(o.Obj))
		case o.Kind == trace.OpUnlock, o.Kind == trace.OpReadUnlock, o.Kind == trace.OpWriteUnlock:
			name := st.Guest.VariableName(o.Obj)
			list = slices.DeleteFunc(list, func(l string) bool { return l == name })
		}
	}
	return list
}

// takes reports whether an operation took a lock.
func takes(o *trace.Op) bool {
	switch o.Kind {
	case trace.OpLock, trace.OpTryLock, trace.OpReadLock, trace.OpTryReadLock, trace.OpWriteLock, trace.OpTryWriteLock:
		return true
	}
	return false
}

// at is access number access of beat number beat.
type at struct{ beat, access int }

// collisions finds the accesses that the story is about: at a preemption, a
// thread was between two accesses of its own to what another thread then
// changed, without a lock in common if there is such a thing. If there is nothing
// of the kind, an access of the other's that conflicts with one of the thread's
// will do.
func (st *story) collisions(b *result.Bug) {
	for _, strict := range []bool{true, false} {
		for _, locked := range []bool{false, true} {
			for i := range st.beats {
				for _, t := range st.tails(i) {
					if st.collision(b, i, t, strict, locked) {
						return
					}
				}
				if i > 0 && st.beats[i].step.Preemption && st.collision(b, i, st.beats[i-1].step.Thread, strict, locked) {
					return
				}
			}
		}
	}
}

// tails are the other threads of which a beat has accesses: each was left behind it.
func (st *story) tails(i int) []trace.TID {
	b := &st.beats[i]
	return slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(b.by))), func(t trace.TID) bool { return t == b.step.Thread })
}

// collision looks at what happens from beat i on, where thread t was preempted,
// until that thread goes on. locked: accesses under a common lock count.
func (st *story) collision(b *result.Bug, i int, t trace.TID, strict, locked bool) bool {
	resume := i
	for resume < len(st.beats) && st.beats[resume].step.Thread != t {
		resume++
	}
	for j := i; j < resume; j++ {
		for k := range st.beats[j].accesses {
			mid := &st.beats[j].accesses[k]
			if st.beats[j].madeBy(k) == t {
				continue
			}
			before, okB := st.lastConflict(t, at{j, k}, mid)
			after, okA := st.firstConflict(t, resume, mid)
			if strict && !(okB && okA && mid.IsWrite()) || !okB && !okA {
				continue
			}
			if !locked && (okB && st.together(at{j, k}, before) || okA && st.together(at{j, k}, after)) {
				continue
			}
			var list []at
			if okB {
				list = append(list, before)
			}
			list = append(list, at{j, k})
			if okA {
				list = append(list, after)
			}
			for _, x := range list {
				b.Accesses = append(b.Accesses, st.shown(x.beat, x.access))
			}
			b.Cause = st.cause(t, before, at{j, k}, after, okB, okA)
			return true
		}
	}
	return false
}

// together reports whether two accesses were made with a lock in common.
func (st *story) together(x, y at) bool {
	mine := st.held(x)
	return slices.ContainsFunc(st.held(y), func(l string) bool { return slices.Contains(mine, l) })
}

// lastConflict is the last access of thread t before another that conflicts with it.
func (st *story) lastConflict(t trace.TID, mid at, a *trace.Access) (x at, ok bool) {
	for i := mid.beat; i >= 0; i-- {
		b := &st.beats[i]
		if !b.has(t) {
			continue
		}
		last := len(b.accesses) - 1
		if i == mid.beat {
			last = mid.access - 1
		}
		for k := last; k >= 0; k-- {
			if b.madeBy(k) == t && b.accesses[k].Conflicts(a) {
				return at{i, k}, true
			}
		}
	}
	return x, false
}

// firstConflict is the first access of thread t, from beat i on, that conflicts
// with a.
func (st *story) firstConflict(t trace.TID, i int, a *trace.Access) (x at, ok bool) {
	for ; i < len(st.beats); i++ {
		b := &st.beats[i]
		if !b.has(t) {
			continue
		}
		for k := range b.accesses {
			if b.madeBy(k) == t && b.accesses[k].Conflicts(a) {
				return at{i, k}, true
			}
		}
	}
	return x, false
}

// cause puts a collision into one line.
func (st *story) cause(t trace.TID, before, mid, after at, okB, okA bool) string {
	m := st.shown(mid.beat, mid.access)
	place := func(a result.Access) string { f := result.Innermost(a.Stack); return f.Where() }
	noun := map[string]string{"reads": "read", "writes": "write", "updates": "update", "fails to exchange": "failed exchange"}
	verb := map[string]string{"reads": "reads", "writes": "changes", "updates": "changes", "fails to exchange": "looks at"}
	line := fmt.Sprintf("thread %s %s %s (%s)", m.Thread, verb[m.Op], m.Name(), place(m))
	who := "thread " + st.Guest.Name(t)
	switch {
	case okB && okA:
		x, y := st.shown(before.beat, before.access), st.shown(after.beat, after.access)
		return fmt.Sprintf("%s between %s's %s (%s) and its %s (%s)", line, who, noun[x.Op], place(x), noun[y.Op], place(y))
	case okB:
		x := st.shown(before.beat, before.access)
		return fmt.Sprintf("%s after %s's %s (%s), and before it went on", line, who, noun[x.Op], place(x))
	}
	y := st.shown(after.beat, after.access)
	return fmt.Sprintf("%s before %s's %s (%s)", line, who, noun[y.Op], place(y))
}

// waits describes a deadlock's or livelock's threads.
func (st *story) waits(b *result.Bug, f *scheduler.Failure) {
	for _, w := range f.Waits {
		stack := st.Stack(w.Thread)
		if w.Spins {
			loop := result.Loop{Thread: st.Guest.Name(w.Thread), Lines: stack[:min(1, len(stack))]}
			for i := range w.Reads {
				loop.Waits = append(loop.Waits, st.Access(w.Thread, &w.Reads[i]))
			}
			b.Loops = append(b.Loops, loop)
			continue
		}
		out := result.Wait{Thread: st.Guest.Name(w.Thread), For: w.For, Object: w.Name, Address: result.Addr(w.Obj), Stack: stack, Held: st.Guest.Held(w.Thread)}
		if w.Owner != trace.NoThread {
			out.Owner = st.Guest.Name(w.Owner)
			out.Acquired = st.acquired(w.Owner, w.Obj)
		}
		b.Waits = append(b.Waits, out)
	}
	b.Cycle = st.cycle(f)
}

// cycle is the waits-for cycle, by names, beginning with its first thread.
func (st *story) cycle(f *scheduler.Failure) []string {
	for i := range f.Waits {
		if !f.Waits[i].Cycle {
			continue
		}
		var names []string
		for t := f.Waits[i].Thread; len(names) <= len(f.Waits); {
			names = append(names, st.Guest.Name(t))
			for _, w := range f.Waits {
				if w.Thread == t {
					t = w.Owner
					break
				}
			}
			if t == f.Waits[i].Thread {
				return names
			}
		}
	}
	return nil
}

// acquired is where a thread took the object that it holds at the end.
func (st *story) acquired(owner trace.TID, obj uint64) *result.Frame {
	for i := len(st.beats) - 1; i >= 0; i-- {
		if st.beats[i].step.Thread != owner {
			continue
		}
		for _, op := range st.beats[i].ops {
			if takes(&op) && op.Obj == obj && op.PC != 0 {
				f := result.Innermost(st.Frames([]uint64{op.PC - 1}))
				return &f
			}
		}
	}
	return nil
}

// starts says what each thread is.
func (st *story) starts(b *result.Bug) {
	for _, x := range st.Guest.Starts() {
		ts := result.ThreadStart{Thread: st.Guest.Name(x.Thread)}
		if fs := st.Frames([]uint64{x.Entry}); len(fs) > 0 {
			ts.Function = fs[len(fs)-1].Function
		}
		if x.Created != 0 {
			f := result.Innermost(st.Frames([]uint64{x.Created - 1}))
			ts.Created = &f
		}
		b.ThreadStarts = append(b.ThreadStarts, ts)
	}
	sort.Slice(b.ThreadStarts, func(i, j int) bool { return b.ThreadStarts[i].Thread < b.ThreadStarts[j].Thread })
}
