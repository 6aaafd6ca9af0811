package library

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"landgo/internal/image/profile"
	"landgo/internal/linear"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Properties are a guest's statements with landgo's header: conditions (scheduler/promise.go),
// and the calls of objects that are to be linearisable.
//
// A call begins with the next event of its thread, and is over with the latest one, though
// landgo_op_begin and landgo_op_end are called earlier or later. Between, the thread does
// only what no other thread can tell. That is as good. Take an execution with calls that
// begin and end anywhere. In the one with the same events whose calls are as short as
// that, each call that was over before another began still is. So if no order explains the
// results in the first, none does in the second; and the second is an execution too.
//
// Its beginning and its end are operations of the steps in which these events are
// (trace.OpCallBegins, OpCallEnds). A beginning depends on each end, so all executions of a
// trace have the same order of calls in real time. Two beginnings, or two ends, make no
// difference to it. A call without any event may be anywhere between its thread's
// neighbouring ones: its end is a step of its own, with its beginning.
//
// A step has to be run to know what its end must show. So a search isn't promised that
// steps are one event (por.Options.OneEvent) where a guest has such calls.

// specified is an object with a specification.
type specified struct {
	obj  uint64
	spec linear.Spec
}

// called is an entry in the history of a guest's calls: a beginning or an end.
type called struct {
	thread  trace.TID
	obj     uint64
	part    int64
	op, arg int64
	pc      uint64
	// For an end, of is the beginning's place, and set what may have happened by then.
	end    bool
	of     int
	result int64
	set    linear.Set
}

// opened is a call that a thread is in: at is its beginning's place in the history, -1
// before it shows.
type opened struct {
	obj     uint64
	op, arg int64
	pc      uint64
	at      int
}

// properties are the objects that the guest says are linearizable.
type properties struct {
	guest  *guest
	models *models
}

// at is asked where a thread calls a function of landgo's header. Its code runs on.
func (p *properties) at(th edit, tr *trace.Transition, r profile.Role) (scheduler.Verdict, error) {
	if th.trusted() {
		return scheduler.Step, nil
	}
	switch r {
	case profile.Always:
		return scheduler.Step, p.guest.core.Promises.Add(th.ID, true, th.arg(0), th.arg(1), 0)
	case profile.AlwaysWhen:
		return scheduler.Step, p.guest.core.Promises.Add(th.ID, true, th.arg(0), th.arg(1), th.arg(2))
	case profile.Eventually:
		// The later it is made, the less it is given. So all that others do comes before it, too.
		if !p.guest.core.Alone(th.ID) && !p.guest.core.Coarse() {
			th.Stand, th.role, th.phase, th.timed = scheduler.StandOp, r, phaseEntry, false
			return scheduler.Stay, nil
		}
		return scheduler.Step, p.eventually(th)
	}
	if p.guest.cfg.Buffers {
		return scheduler.Stay, p.guest.gapAt(th.thread, "landgo_assert_linearizable isn't modelled with store buffers: is a call over when it returns, or when others see what it stored?")
	}
	switch r {
	case profile.Linearizable:
		spec, err := linear.New(p.guest.number(th.arg(1)), p.guest.number(th.arg(2)))
		if err != nil {
			return scheduler.Stay, p.guest.gapAt(th.thread, "%v", err)
		}
		p.models.specified = append(p.models.specified, specified{th.arg(0), spec})
	case profile.LinearizableAs:
		if n := th.arg(3); n == 0 || n > maxState {
			return scheduler.Stay, p.guest.gapAt(th.thread, "a specification's state has %d bytes; it can have 1 to %d", n, maxState)
		}
		p.models.specified = append(p.models.specified, specified{th.arg(0), &ownSpec{in: p.guest, thread: th.thread, init: th.arg(1), apply: th.arg(2), size: th.arg(3)}})
	case profile.CallBegins:
		if p.models.specOf(th.arg(0)) == nil {
			return scheduler.Stay, p.guest.gapAt(th.thread, "landgo_op_begin on %s, for which landgo_assert_linearizable wasn't called", p.guest.core.VariableName(th.arg(0)))
		}
		th.opened = append(slices.Clone(th.opened), opened{th.arg(0), p.guest.number(th.arg(1)), p.guest.number(th.arg(2)), p.guest.callSite(th.thread), -1})
		if p.guest.core.Alone(th.ID) {
			p.models.Steps(th.ID, tr)
		}
	case profile.CallEnds:
		i := p.models.lastOpened(th.thread)
		if i < 0 {
			return scheduler.Stay, p.guest.gapAt(th.thread, "landgo_op_end on %s without a landgo_op_begin of the same thread before", p.guest.core.VariableName(th.arg(0)))
		}
		if th.opened[i].at < 0 && !p.guest.core.Alone(th.ID) && !p.guest.core.Coarse() {
			th.Stand, th.role, th.phase, th.timed = scheduler.StandOp, r, phaseEntry, false
			return scheduler.Stay, nil
		}
		return p.endCall(th, tr)
	}
	return scheduler.Step, nil
}

// eventually has the condition count for whose landgo_eventually a thread stands.
func (p *properties) eventually(th edit) error {
	return p.guest.core.Promises.Add(th.ID, false, th.arg(0), th.arg(1), 0)
}

// maxState is how many bytes the state of a guest's own specification may have.
const maxState = 4096

func (l *guest) gapAt(th *thread, format string, args ...any) error {
	return l.core.Invalid(kernel.GapCall, th.ID, l.callSite(th), format, args...)
}

// number is an argument of type long.
func (l *guest) number(v uint64) int64 {
	if l.wordSize == 4 {
		if v = uint64(int64(int32(v))); int64(v) == math.MinInt32 {
			return linear.Empty
		}
	}
	return int64(v)
}

func (l *models) specOf(obj uint64) linear.Spec {
	for i := len(l.specified) - 1; i >= 0; i-- {
		if l.specified[i].obj == obj {
			return l.specified[i].spec
		}
	}
	return nil
}

// lastOpened is the place in th.opened of the call whose end a thread is at; -1: none.
func (l *models) lastOpened(th *thread) int {
	for i := len(th.opened) - 1; i >= 0; i-- {
		if th.opened[i].obj == th.arg(0) {
			return i
		}
	}
	return -1
}

// Steps notes that a thread takes a step: the calls that a thread has begun show from its next step on.
func (l *models) Steps(t trace.TID, tr *trace.Transition) {
	if !slices.ContainsFunc(l.threads[t].opened, func(o opened) bool { return o.at < 0 }) {
		return
	}
	th := l.edit(t)
	th.opened = slices.Clone(th.opened)
	for i := range th.opened {
		o := &th.opened[i]
		if o.at >= 0 {
			continue
		}
		o.at = len(l.history)
		l.history = append(l.history, called{thread: t, obj: o.obj, part: l.specOf(o.obj).Part(o.op, o.arg), op: o.op, arg: o.arg, pc: o.pc})
		tr.Did(trace.Op{Kind: trace.OpCallBegins, Obj: o.obj, PC: o.pc})
	}
}

// endCall ends the call at whose end a thread is: can its result be explained?
func (p *properties) endCall(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	p.models.Steps(th.ID, tr)
	i := p.models.lastOpened(th.thread)
	o := th.opened[i]
	th.opened = slices.Delete(slices.Clone(th.opened), i, i+1)
	spec, begin := p.models.specOf(o.obj), p.models.history[o.at]
	e := called{thread: th.ID, obj: o.obj, part: begin.part, op: o.op, arg: o.arg, pc: p.guest.callSite(th.thread), end: true, of: o.at, result: spec.Normal(o.op, p.guest.number(th.arg(1)))}
	if own, ok := spec.(*ownSpec); ok {
		own.thread = th.thread
	}
	before, open, err := p.models.before(&e, spec)
	if err != nil {
		return scheduler.Stay, err
	}
	var could []int64
	if e.set, could, err = before.End(spec, open, e.of, e.result); err != nil {
		if _, gap := err.(*scheduler.InvalidError); !gap {
			err = p.guest.gapAt(th.thread, "%v", err)
		}
		return scheduler.Stay, err
	}
	p.models.history = append(p.models.history, e)
	tr.Did(trace.Op{Kind: trace.OpCallEnds, Obj: o.obj, PC: e.pc})
	if len(e.set) > 0 {
		return scheduler.Step, nil
	}
	return scheduler.Stay, p.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.Linearizability, Thread: th.ID, PC: e.pc,
		Message: p.unexplained(&e, spec, could), Calls: p.callsOf(&e, spec)})
}

// before has the possible pasts of an end that is to be the next of the history,
// and the calls that aren't over.
func (l *models) before(e *called, spec linear.Spec) (set linear.Set, open []linear.Call, err error) {
	over, found := map[int]bool{}, false
	for i := len(l.history) - 1; i >= 0; i-- {
		switch h := &l.history[i]; {
		case h.obj != e.obj || h.part != e.part:
		case !h.end && !over[i]:
			open = append(open, linear.Call{ID: i, Op: h.op, Arg: h.arg})
		case h.end:
			over[h.of] = true
			if !found {
				set, found = h.set, true
			}
		}
	}
	slices.Reverse(open)
	if !found {
		set, err = linear.Start(spec)
	}
	return set, open, err
}

// objectName is the name of an object: the variable that begins there, and not its first
// part, which has the same address.
func (p *properties) objectName(addr uint64) string {
	name := p.guest.core.VariableName(addr)
	at := strings.IndexAny(name, ".[")
	if at <= 0 || name[at-1] == ' ' || strings.HasPrefix(p.guest.core.VariableName(addr-1), name[:at]) {
		return name
	}
	return name[:at]
}

// unexplained says what result no order explains.
func (p *properties) unexplained(e *called, spec linear.Spec, could []int64) string {
	text := fmt.Sprintf("%s %s isn't linearizable: %s", spec.Kind(), p.objectName(e.obj), spec.Name(e.op, e.arg))
	said := spec.Said(e.op, e.result)
	if said == "" {
		return text + " can't have happened in any order of the calls"
	}
	text += " gave " + said + ", but "
	var words []string
	for _, c := range could {
		words = append(words, spec.Said(e.op, c))
	}
	switch len(words) {
	case 0:
		return text + "no order of the calls explains that"
	case 1:
		return text + "in every order of the calls that explains the others it gives " + words[0]
	}
	last := len(words) - 1
	return text + "in every order of the calls that explains the others it gives " + strings.Join(words[:last], ", ") + " or " + words[last]
}

// callsOf are the calls up to an end, which is the last of the history, with their places.
func (p *properties) callsOf(e *called, spec linear.Spec) []scheduler.Called {
	var list []scheduler.Called
	place, at := map[int]int{}, 0
	for i := range p.models.history {
		h := &p.models.history[i]
		if h.obj != e.obj || h.part != e.part {
			continue
		}
		if at++; !h.end {
			place[i] = len(list)
			list = append(list, scheduler.Called{Thread: h.thread, Name: spec.Name(h.op, h.arg), Begin: at, PC: h.pc})
			continue
		}
		c := &list[place[h.of]]
		c.End, c.Result = at, spec.Said(h.op, h.result)
	}
	return list
}

// historyDigest is a digest of the outcomes of the guest's calls.
func (l *models) historyDigest() trace.Digest {
	h := trace.NewHash()
	for i := range l.history {
		c := &l.history[i]
		h.Words(uint64(c.thread), c.obj, uint64(c.op), uint64(c.arg), uint64(c.result), trace.Bit(c.end), uint64(c.of))
	}
	for i := range l.specified {
		h.Word(l.specified[i].obj)
	}
	return h.Sum()
}

// ownSpec is a specification that the guest has as functions: init(state) makes the first
// state, and apply(state, op, arg) changes it and returns the call's result.
type ownSpec struct {
	in                *guest
	thread            *thread // whose registers they run with
	init, apply, size uint64
}

func (o *ownSpec) run(function uint64, state []byte, args ...uint64) (uint64, string, error) {
	regs := o.thread.Regs
	result, after, err := o.in.core.Promises.Aside(o.thread.ID, &regs, function, state, args, nil)
	return result, string(after), err
}

// Init implements linear.Spec.
func (o *ownSpec) Init() (string, error) {
	_, state, err := o.run(o.init, make([]byte, o.size))
	return state, err
}

// Apply implements linear.Spec.
func (o *ownSpec) Apply(state string, op, arg int64) (linear.Outcome, error) {
	result, next, err := o.run(o.apply, []byte(state), uint64(op), uint64(arg))
	return linear.Outcome{State: next, Result: o.in.number(result)}, err
}

// Part implements linear.Spec.
func (o *ownSpec) Part(_, _ int64) int64 { return 0 }

// Normal implements linear.Spec.
func (o *ownSpec) Normal(_, result int64) int64 { return result }

// Kind implements linear.Spec.
func (o *ownSpec) Kind() string { return "object" }

// Name implements linear.Spec.
func (o *ownSpec) Name(op, arg int64) string { return fmt.Sprintf("operation %d (%d)", op, arg) }

// Said implements linear.Spec.
func (o *ownSpec) Said(_, result int64) string {
	if result == linear.Empty {
		return "empty"
	}
	return fmt.Sprint(result)
}
