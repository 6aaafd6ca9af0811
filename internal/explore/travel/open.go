package travel

import (
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"landgo/internal/debugger"
	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// Travel is a run that stands at a moment. It implements debugger.Target.
type Travel struct {
	s     *session.Session
	bug   *result.Bug // nil: the run ends without one
	sched trace.Schedule
	path  []por.PathStep

	pieces []piece
	total  uint64 // ticks
	trails trails
	roots  map[trace.TID]string // the function that a thread runs
	auxv   []byte

	// live is the piece at whose beginning the machine stands, or, with within, somewhere
	// in which. marks are those of pieces' beginnings before it, ascending.
	live   int
	within bool
	marks  []marked

	at      uint64 // the moment
	current trace.TID
	goal    *uint64 // where the next Go goes, see Tell

	interrupted atomic.Bool
}

// Open follows a schedule. A replay has shown its result. The session is the Travel's
// own from then on.
func Open(s *session.Session, sched trace.Schedule, bug *result.Bug) (*Travel, error) {
	t := &Travel{s: s, bug: bug, sched: sched, roots: map[trace.TID]string{}}
	if err := t.follow(sched); err != nil {
		return nil, err
	}
	if err := t.scan(); err != nil {
		return nil, fmt.Errorf("the run couldn't be gone through again: %w", err)
	}
	t.at, t.current = t.total, t.owner(t.path[len(t.path)-1].Thread)
	if bug != nil {
		if tid, ok := s.Guest.Lookup(bug.Thread); ok {
			t.current = tid
		}
	}
	return t, nil
}

// follow finds the path's steps. In a replay a new thread's private beginning is run at
// its creation, whose time it takes no part of. Here it is to be seen, so threads stay at
// their beginning. A guest that can't be followed so has its threads' beginnings as the
// replay has.
func (t *Travel) follow(sched trace.Schedule) error {
	s := t.s
	s.Following = true
	if !s.Platform.Ticks {
		s.Plain.StayAtStart(true)
		path, failure, err := s.FollowAll(sched)
		if err == nil && len(path) > 0 && t.isBug(failure) && t.allNamed(sched) {
			t.path = path
			return nil
		}
		s.Plain.StayAtStart(false)
	}
	path, failure, err := s.FollowAll(sched)
	if err != nil {
		return err
	}
	if len(path) == 0 {
		return errors.New("the run has no step")
	}
	t.path = path
	if !s.Platform.Ticks {
		return t.followWhole(sched, failure)
	}
	return nil
}

// isBug reports whether a failure is the run's bug. There is none where the bug is a race,
// or an output, which is known otherwise.
func (t *Travel) isBug(f *scheduler.Failure) bool {
	return f == nil && t.bug == nil || t.bug != nil && (f == nil && (t.bug.Kind == trace.Race || t.bug.Kind == trace.Output) || f != nil && f.Kind == t.bug.Kind && f.Message == t.bug.Message)
}

// allNamed reports whether a schedule says how far each thread goes.
func (t *Travel) allNamed(sched trace.Schedule) bool {
	return !slices.ContainsFunc(t.s.Guest.Starts(), func(x scheduler.Start) bool { return !named(sched, t.s.Guest.Name(x.Thread)) })
}

func named(sched trace.Schedule, thread string) bool {
	return slices.ContainsFunc(sched.Segments, func(g trace.Segment) bool { return g.Thread == thread })
}

// followWhole follows a schedule that names those threads too which did nothing beyond
// their private beginning.
func (t *Travel) followWhole(sched trace.Schedule, failure *scheduler.Failure) error {
	s := t.s
	whole := trace.Schedule{Check: sched.Check, Segments: slices.Clone(sched.Segments)}
	for _, x := range s.Guest.Starts() {
		name, at := s.Guest.Name(x.Thread), s.Guest.Position(x.Thread)
		if at.Insns > 0 && !named(sched, name) {
			whole.Segments = append(whole.Segments, trace.Segment{Thread: name, Until: at.Insns, Part: at.Part})
		}
	}
	state := s.Guest.State()
	s.Plain.StayAtStart(true)
	again, other, err := s.FollowAll(whole)
	if err == nil && len(again) > 0 && alike(failure, other) && s.Guest.State() == state {
		t.path = again
		return nil
	}
	s.Plain.StayAtStart(false)
	t.path, _, err = s.FollowAll(sched)
	return err
}

func alike(a, b *scheduler.Failure) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Kind == b.Kind && a.Message == b.Message
}

// Describe implements debugger.Target.
func (t *Travel) Describe() (*debugger.Description, error) {
	img := t.s.Image
	d := &debugger.Description{
		Guest: t.s.Config.Guest, Wide: img.Machine.Word() == 8, Linux: t.s.Platform.Linux(), Bias: img.Base,
		Schedule: t.sched.String(), Auxv: t.auxv,
	}
	if tls := img.TLS; tls != nil {
		align := max(tls.Align, 1)
		d.ThreadLocal = (tls.MemSize + align - 1) / align * align
	}
	if t.bug != nil {
		d.Signal, d.Bug = signals[t.bug.Kind], fmt.Sprintf("%s: %s", t.bug.Kind, t.bug.Message)
	}
	return d, nil
}

// signals are those by which debuggers know what has happened (Linux's numbers, which are
// the remote protocol's for these). A deadlock has none.
var signals = map[trace.BugKind]int{
	trace.Assertion: 6, trace.Segfault: 11, trace.IllegalInstruction: 4, trace.DivideError: 8,
	trace.UseAfterFree: 11, trace.HeapOverflow: 11, trace.DeadStack: 11, trace.StackOverflow: 11,
	trace.DoubleFree: 6, trace.InvalidFree: 6, trace.DoubleAllocation: 6, trace.LockMisuse: 6,
}

// name is a thread's, with the function that it runs.
func (t *Travel) name(tid trace.TID) string {
	if own := t.owner(tid); own != tid {
		return "store buffer of " + t.name(own)
	}
	if root := t.roots[tid]; root != "" {
		return t.s.Guest.Name(tid) + " " + root
	}
	return t.s.Guest.Name(tid)
}

// root finds out what function a thread runs, where it stands.
func (t *Travel) root(tid trace.TID) {
	if t.roots[tid] == "" && !t.s.IsBeside(tid) {
		t.roots[tid] = story.Root(t.s.Stack(tid))
	}
}
