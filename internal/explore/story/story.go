package story

import (
	"fmt"
	"maps"
	"strings"

	"landgo/internal/explore/session"
	"landgo/internal/explore/story/cause"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// Story replays an execution and writes down what a person needs to see of it.
type Story struct {
	*session.Session
	*record.Run
	path     []por.PathStep
	Schedule trace.Schedule
	outputs  map[int]int
	adjacent []neighbour // races, where they are bugs
	blocks   map[lifeKey]*lifeStacks
	ends     map[lifeEnd][]result.Frame // where threads stood then
	namer
	created map[trace.TID]result.Frame // where a thread was made, by the user's code
	born    []trace.TID                // the threads that the run created, in order
	roots                              // the user's functions that they run
	lined   *bool                      // see lines
	stored  map[uint64]bool            // the words of eight bytes that are written; see varies
	calling map[int][]uint64           // a beat's calls, while its step is taken
	why     *cause.Case                // why it fails
}

// Tell replays a path and tells its story. The path must be one of this
// session's System.
func Tell(s *session.Session, path []por.PathStep) (*Story, error) {
	var untyped map[uint64]bool
	for {
		st, err := tell(s, path, maps.Clone(untyped))
		if err != nil || len(st.untyped) == len(untyped) {
			return st, err
		}
		untyped = st.untyped // what came before was named by wrong types
	}
}

func tell(s *session.Session, path []por.PathStep, untyped map[uint64]bool) (*Story, error) {
	st := &Story{Session: s, Run: record.New(answers{s}), path: path, Schedule: trace.Schedule{Check: s.Check}, outputs: map[int]int{}, blocks: map[lifeKey]*lifeStacks{}, ends: map[lifeEnd][]result.Frame{},
		created: map[trace.TID]result.Frame{}, roots: roots{}, namer: namer{untyped: untyped}}
	s.Guest.Rewind(s.Root)
	s.Guest.Observe(st)
	defer s.Guest.Observe(nil)
	n := newNeighbours(s)
	for i := range path {
		p := &path[i]
		b := record.Beat{Step: *p, Held: s.Guest.Held(p.Thread)}
		if i == 0 || path[i-1].Thread != p.Thread || !s.IsBuffer(p.Thread) && (p.Choice > 0 || standsInLibrary(s, s.Guest.PC(p.Thread))) {
			b.Stack = s.Guest.Stack(p.Thread)
		}
		st.roots.look(s, p.Thread, b.Stack)
		st.calling = nil
		tr, err := s.Take(p)
		if err != nil {
			return nil, fmt.Errorf("an execution couldn't be run again: %w", err)
		}
		if tr.Begin != p.Begin || tr.Last != p.Last {
			return nil, fmt.Errorf("an execution went another way when it was run again: its step %d is instructions %d to %d of thread %s, and was %d to %d", i, tr.Begin, tr.Last, s.Guest.Name(p.Thread), p.Begin, p.Last)
		}
		if s.Config.FailOnRace {
			n.step(tr)
		}
		var ops []int
		b.Accesses, b.Ops, ops = told(tr)
		for j := range b.Accesses {
			if len(tr.Tails) > 0 {
				b.By = append(b.By, tr.By(j))
			}
		}
		for j := range b.Accesses {
			b.Values = append(b.Values, st.valueOf(p.Thread, &b.Accesses[j]))
			name := ""
			if addr := b.Accesses[j].Addr; addr >= record.LowestVariable {
				if _, ok := s.Guest.Variable(addr); !ok {
					st.ask(s, p.Thread, addr)
					name = st.of(s, addr)
				}
			}
			b.Names = append(b.Names, name)
		}
		b.Wakes, b.Calls = append(b.Wakes, tr.Wakes...), callsOf(st.calling, ops)
		for j := range b.Ops { // an object's name, while its stack is there
			if o := &b.Ops[j]; o.Size != 0 && o.Obj >= record.LowestVariable && o.Kind != trace.OpFree {
				if _, ok := s.Guest.Variable(o.Obj); !ok {
					st.of(s, o.Obj)
				}
			}
		}
		b.Out = st.newOutput()
		last := s.Guest.Position(p.Thread)
		seg := trace.Segment{Thread: s.Guest.Name(p.Thread), Until: last.Insns, Part: last.Part, Choice: p.Choice}
		st.Schedule.Append(seg)
		next := i + 1 // the next step of a thread
		for next < len(path) && s.IsBeside(path[next].Thread) {
			next++
		}
		if next < len(path) && path[next].Thread != p.Thread && !s.IsBeside(p.Thread) {
			b.Why = st.Named(leaves(s, p.Thread, path[next].Preemption))
			if path[next].Preemption {
				b.Left = s.Guest.Stack(p.Thread)
			}
		}
		st.Beats = append(st.Beats, b)
	}
	st.adjacent = n.seen
	st.why = cause.New(st.Run, st, s.Guest, answers{s}, s.Platform.Ticks, s.Config.Buffers())
	return st, nil
}

// Schedule names an execution by its threads' instructions, so that it can be
// run again with less, or more, knowledge of what threads share.
func Schedule(s *session.Session, path []por.PathStep) (trace.Schedule, error) {
	st, err := Tell(s, path)
	if err != nil {
		return trace.Schedule{}, err
	}
	return st.Schedule, nil
}

// valueOf is the value of thread t's access, after its step and as the thread sees it: the value
// read, or the value written.
func (st *Story) valueOf(t trace.TID, a *trace.Access) record.Value {
	if a.Size == 0 || a.Size > 8 || a.Addr < record.LowestVariable { // a kernel's words have no bytes
		return record.Value{}
	}
	v := little(st.Plain.SeenBy(t, a.Addr, uint64(a.Size)))
	text, small := Number(v, a.Size)
	if !small && uint64(a.Size) == st.Image.Machine.Word() {
		st.learn(st.Session, a.Addr, v)
	}
	st.doubt(st.Session, a, v)
	if !small {
		if name := st.pointer(st.Session, v); name != "" && uint64(a.Size) == st.Image.Machine.Word() {
			text = name
		}
	}
	if a.IsWrite() {
		return record.Value{New: text, Raw: v}
	}
	return record.Value{Old: text, Raw: v}
}

// little is a number of at most eight bytes, as memory has it.
func little(bytes []byte) (v uint64) {
	for i, c := range bytes {
		v |= uint64(c) << (8 * i)
	}
	return v
}

// Number is the content of this many bytes, as a number for a person; small: it looks like one, and
// not like an address.
func Number(v uint64, size uint32) (text string, small bool) {
	signed := int64(v<<(64-8*size)) >> (64 - 8*size)
	switch {
	case size < 4 && v < 1<<16:
		return fmt.Sprint(v), true
	case v < 1<<16 || size >= 4 && signed < 0 && signed > -1<<16:
		return fmt.Sprint(signed), true
	}
	return fmt.Sprintf("%#x", v), false
}

// newOutput is the guest's output since the last call.
func (st *Story) newOutput() string {
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
