package story

import (
	"slices"
	"strings"

	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// record is an execution as it was replayed, step by step. It answers what happened when,
// and which accesses met. A Story decides which of that a person should see.
type record struct {
	*session.Session
	path     []por.PathStep
	Schedule trace.Schedule
	beats    []beat
	own      map[uint64]bool // the guest's own locks, once they have been looked for (ownlock.go)
}

// beat is one step of the execution.
type beat struct {
	step     por.PathStep
	accesses []trace.Access
	by       []trace.TID      // of accesses, where other threads made some
	values   []value          // of accesses
	stacks   [][]result.Frame // of accesses in a library's headers, if they were asked for (callers.go)
	names    []string         // of what is accessed, "" if it has a variable's
	ops      []trace.Op
	calls    map[int][]uint64 // of ops: the stack of one that a library's header calls for the user
	wakes    []trace.TID
	// Of the thread of the step, before it: where it stood, if that isn't where it was
	// left, or isn't the user's code.
	stack []uint64
	left  []uint64 // where it stood after the step, if it was preempted there
	why   string   // why the thread was left after the step, if it was
	held  []string
	out   string
}

// value has the values that an access read and wrote.
type value struct {
	old, new string
	raw      uint64
}

// at is access number access of beat number beat.
type at struct{ beat, access int }

// call is an operation of the story.
type call struct {
	beat int
	op   *trace.Op
}

// calls are the operations of some kinds on an object, in order.
func (r *record) calls(obj uint64, kinds ...trace.OpKind) (list []call) {
	for i := range r.beats {
		for k := range r.beats[i].ops {
			if o := &r.beats[i].ops[k]; o.Obj == obj && slices.Contains(kinds, o.Kind) {
				list = append(list, call{i, o})
			}
		}
	}
	return list
}

func (r *record) by(c call) trace.TID { return r.beats[c.beat].step.Thread }

// place is where the guest's code makes a call.
func (r *record) place(c call) string { return where([]result.Frame{r.caller(c)}) }

// caller is the user's line that makes a call. A C++ library's header may make it for the user: the
// stack tells, if the thread stood there before the step.
func (r *record) caller(c call) result.Frame {
	b, pcs := &r.beats[c.beat], []uint64{c.op.PC - 1}
	if k := int(c.op.At); r.own[c.op.Obj] {
		if takes(c.op) {
			k--
		}
		if b.stacks != nil && b.stacks[k] != nil {
			return result.Innermost(b.stacks[k])
		}
	}
	for n, stack := range b.calls {
		if &b.ops[n] == c.op {
			return result.Innermost(r.Frames(stack))
		}
	}
	first := slices.IndexFunc(b.ops, func(o trace.Op) bool { return o.PC == c.op.PC })
	if k := slices.Index(b.stack, c.op.PC); k > 0 && first >= 0 && &b.ops[first] == c.op {
		pcs = append(pcs, b.stack[k+1:]...)
	}
	return result.Innermost(r.Frames(pcs))
}

func (r *record) accessAt(x at) *trace.Access { return &r.beats[x.beat].accesses[x.access] }

func (r *record) rawAt(x at) uint64 {
	if b := &r.beats[x.beat]; x.access < len(b.values) {
		return b.values[x.access].raw
	}
	return 0
}

// beforeThreads: no second thread was ever there.
func (r *record) beforeThreads() bool {
	for i := range r.beats {
		if r.beats[i].step.Thread != r.beats[0].step.Thread { // a kernel may boot with several
			return false
		}
		for _, op := range r.beats[i].ops {
			if op.Kind == trace.OpCreate {
				return false
			}
		}
	}
	return true
}

func (r *record) output() string {
	var b strings.Builder
	for i := range r.beats {
		b.WriteString(r.beats[i].out)
	}
	return b.String()
}
