package session

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// MarksKept is about how many marks are kept on the way through a run. Each keeps a context
// of its thread.
const MarksKept = 4096

// FollowAll follows a schedule to its end. In a fresh process less is known of what threads
// share than when the schedule was made, so a step could go too far. Its news of sharing is
// kept, and the schedule begins again. So does a schedule that can't be followed because it
// was made with libc's own code for threads and locks, before the call that shows that this
// is needed. So does one that was made before threads' ends were steps, and doesn't name
// them.
func (s *Session) FollowAll(sched trace.Schedule) ([]por.PathStep, *scheduler.Failure, error) {
	if s.Following {
		s.limitStarts(sched)
	}
	var first error
	ends, text := false, sched.String()
	s.through = s.long == text
	defer func() { s.through = false }()
	for {
		path, failure, err := s.follow(sched, ends)
		var gap *Invalid
		var long *scheduler.BudgetError
		switch {
		case errors.Is(err, por.ErrFiner):
		case errors.As(err, &long) && long.Steps != 0 && !s.through:
			s.through, s.long = true, text
		case errors.Is(err, errEnds):
			ends = true
		case first != nil && err != nil:
			return path, failure, first
		case errors.As(err, &gap) && gap.Kind == result.Diverged && s.Guest.Distrust():
			first = err
		default:
			return path, failure, err
		}
	}
}

// IsLong notes that a schedule has more steps than are followed one by one.
func (s *Session) IsLong(sched trace.Schedule) { s.long = sched.String() }

// limitStarts has threads begin no farther than a schedule has them.
func (s *Session) limitStarts(sched trace.Schedule) {
	starts := map[string]uint64{}
	for _, g := range sched.Segments {
		if _, ok := starts[g.Thread]; !ok {
			starts[g.Thread] = g.Until
		}
	}
	s.Guest.LimitStarts(starts)
}

// FollowPart follows a schedule that may stop anywhere: nothing is done beyond it, and
// what its end means isn't asked. It begins again as FollowAll does.
func (s *Session) FollowPart(sched trace.Schedule) ([]por.PathStep, error) {
	if s.Following {
		s.limitStarts(sched)
	}
	for {
		path, err := s.followPart(sched)
		var gap *Invalid
		if errors.Is(err, por.ErrFiner) || errors.As(err, &gap) && gap.Kind == result.Diverged && s.Guest.Distrust() {
			continue
		}
		return path, err
	}
}

func (s *Session) followPart(sched trace.Schedule) (path []por.PathStep, err error) {
	s.Guest.Rewind(s.Root)
	for n, g := range sched.Segments {
		t, ok := s.Guest.Lookup(g.Thread)
		if !ok && trace.IsDrainName(g.Thread) {
			continue // nothing is known yet of that thread's stores
		}
		if !ok {
			return path, s.diverged(n, "there is no thread "+g.Thread)
		}
		var end string
		path, end, err = s.segment(t, g, path)
		switch {
		case err != nil || end == ended:
			return path, err
		case end != "":
			return path, s.diverged(n, end)
		}
	}
	return path, nil
}

// follow runs a schedule from the root and returns the steps that it took and
// the bug that it ended with, or nil. ErrFiner: begin again; errEnds: with ends, by
// which a thread's last segment goes to the thread's end, if it stands before it.
func (s *Session) follow(sched trace.Schedule, ends bool) (path []por.PathStep, failure *scheduler.Failure, err error) {
	s.Guest.Rewind(s.Root)
	s.Unfinished = false
	s.edge = min(longestEdge, allEdges/uint64(max(len(sched.Segments), 1)))
	unknown := -1
	for n, g := range sched.Segments {
		t, ok := s.Guest.Lookup(g.Thread)
		if !ok && trace.IsDrainName(g.Thread) {
			unknown = n // nothing is known yet of that thread's stores
			continue
		}
		if !ok {
			return path, nil, s.diverged(n, "there is no thread "+g.Thread)
		}
		steps, end, err := s.segment(t, g, path)
		path = steps
		if err != nil {
			return path, nil, err
		}
		switch {
		case end == "":
		case end == ended:
			return path, s.ending(path), nil
		case !ends && s.standsBeforeEnd(sched.Segments[:n]):
			return path, nil, errEnds
		default:
			return path, nil, s.diverged(n, end)
		}
		if ends && !slices.ContainsFunc(sched.Segments[n+1:], func(o trace.Segment) bool { return o.Thread == g.Thread }) {
			if path, err = s.endThread(t, path); err != nil {
				return path, nil, err
			}
		}
	}
	if s.Guest.Rest() {
		return path, nil, por.ErrFiner
	}
	if unknown >= 0 {
		return path, nil, s.diverged(unknown, "there is no thread "+sched.Segments[unknown].Thread)
	}
	if !ends && s.standsBeforeEnd(sched.Segments) {
		return path, nil, errEnds
	}
	for _, th := range s.Guest.Threads(nil) {
		if th.Status == trace.Ready {
			if s.Guest.CatchUp() {
				return path, nil, por.ErrFiner
			}
			s.Unfinished = true
			return path, nil, nil
		}
	}
	return path, s.Guest.Stuck(false), nil
}

// standsBeforeEnd reports whether a thread that went as far as the segments say may stand before
// its end.
func (s *Session) standsBeforeEnd(segments []trace.Segment) bool {
	return slices.ContainsFunc(s.Guest.Threads(nil), func(th trace.Thread) bool {
		return beforeEnd(th) || s.countsOut(th) || s.atLast(th, segments)
	})
}

// errEnds: a schedule stops where a thread stands before its end.
var errEnds = errors.New("a thread stands before its end")

// beforeEnd: a thread is about to end, or gives something back: the end of a stack that others
// use looks so.
func beforeEnd(th trace.Thread) bool {
	return th.Status == trace.Ready && (th.Pending.Kind == trace.OpExit || th.Pending.Kind == trace.OpFree)
}

// countsOut reports whether a thread stands where glibc counts it out. Where less is known of
// the threads, that is its end.
func (s *Session) countsOut(th trace.Thread) bool {
	count, ok := s.Image.Symbol("__nptl_nthreads")
	return ok && th.Status == trace.Ready && th.Pending.Kind == trace.OpAccess && th.PendingAccess.Addr == count.Addr
}

// atLast reports whether a thread went as far as the last of the segments that has it says
// and stands at no event there. That is before its end too, where the segment's instructions
// were private and ran at its creation: no step of it was left to take.
func (s *Session) atLast(th trace.Thread, segments []trace.Segment) bool {
	for _, g := range slices.Backward(segments) {
		if g.Thread == s.Guest.Name(th.ID) {
			return th.Status == trace.Ready && th.Pending.Kind == trace.OpNone && s.Guest.Position(th.ID).Insns == g.Until
		}
	}
	return false
}

// endThread takes the steps to the thread's end, if that comes next. That is one step, two where
// the thread doesn't stand before its end yet, or all steps from where it is counted out.
func (s *Session) endThread(t trace.TID, path []por.PathStep) ([]por.PathStep, error) {
	before, n, from, out := s.Guest.Mark(), len(path), s.Guest.Position(t).Insns, false
	for {
		threads := s.Guest.Threads(nil)
		th := Find(threads, t)
		out = out || th != nil && s.countsOut(*th)
		if th == nil || th.Status != trace.Ready || !out && !beforeEnd(*th) && (th.Pending.Kind != trace.OpNone || len(path) > n) {
			break
		}
		step := por.PathStep{Thread: t, Begin: s.Guest.Position(t).Insns, Preemption: s.preempts(threads, path, t)}
		tr, err := s.Take(&step)
		if err != nil {
			return path, err
		}
		// No thread may have looked at the count yet; and the end may count as an instruction.
		private := len(tr.Accesses)+len(tr.Ops) == 0
		if !out && !private && s.Guest.Position(t).Insns != from && tr.End != trace.EndThread {
			break
		}
		step.Last = tr.Last
		path = append(path, step)
		if tr.End == trace.EndThread {
			return path, nil
		}
	}
	s.Guest.Rewind(before)
	return path[:n], nil
}

// ended, as the second result of segment: the execution is over.
const ended = "ended"

// segment runs thread t to the end of a segment and appends its steps to path.
// why is ended, or says why the guest doesn't follow, or is empty.
func (s *Session) segment(t trace.TID, g trace.Segment, path []por.PathStep) (_ []por.PathStep, why string, err error) {
	choice := g.Choice
	first := s.Guest.Position(t).Insns + s.edge/8
	// A kernel's thread that does nothing in its segment got the processor all the
	// same: ticks have passed, and left a handler's frame behind.
	arrives := s.Platform.Ticks && g.Until > 0
	for ; ; arrives = false {
		pos := s.Guest.Position(t)
		if pos.Insns > g.Until && s.Aligning && !ran(path, t) {
			return path, "", nil // it has done the private part of its beginning already
		}
		if pos.Insns > g.Until {
			return path, fmt.Sprintf("thread %s is at instruction %d already", g.Thread, pos.Insns), nil
		}
		// A half-executed instruction doesn't count yet: one more step goes
		// into it from its start, where its memory is known to be shared.
		intoHalf := pos.Insns == g.Until
		if intoHalf && pos.Part >= g.Part && !arrives {
			return path, "", nil
		}
		// Where less is known of sharing than the schedule's search knew, a spin
		// can be told a turn earlier. To run it on changes nothing.
		s.Guest.Unspin(t)
		threads := s.Guest.Threads(nil)
		th := Find(threads, t)
		if th == nil && s.IsBuffer(t) {
			return path, "", nil // the store went to memory: nothing is known yet to share that
		}
		if th != nil && th.Status == trace.Exited && g.Until-pos.Insns <= 1 {
			// Its end was a step of the schedule's search, and may count as an instruction. Here no
			// thread has looked at it yet: else it is a step, and the schedule begins again.
			return path, "", nil
		}
		if th != nil && th.Status == trace.Blocked {
			if th, err = s.expires(t); err != nil {
				return path, "", err
			}
		}
		if th == nil || th.Status != trace.Ready || uint32(choice) >= th.Outcomes {
			if s.Guest.CatchUp() {
				return path, "", por.ErrFiner
			}
			return path, fmt.Sprintf("thread %s can't run here", g.Thread), nil
		}
		before := s.Guest.Mark()
		step := por.PathStep{Thread: t, Choice: choice, Begin: pos.Insns, Preemption: s.preempts(threads, path, t)}
		if s.through && pos.Insns >= first && g.Until > pos.Insns+2*s.edge && !s.Platform.Ticks {
			step.Limit, step.Stride = g.Until-s.edge, math.MaxUint32
		}
		s.passPoints(&step)
		tr, err := s.Guest.Step(t, choice)
		s.passPoints(&por.PathStep{})
		if err != nil {
			return path, "", err
		}
		if s.Guest.Position(t).Insns > g.Until {
			// Nothing that this execution did so far shares the memory before
			// whose access the segment ends.
			s.Guest.Rewind(before)
			if intoHalf && !arrives {
				return path, "", nil // before the instruction is as good as within it
			}
			step.Limit = g.Until
			tr, err = s.Take(&step)
			if err != nil {
				return path, "", err
			}
		}
		step.Last = tr.Last
		path = append(path, step)
		choice = 0
		switch tr.End {
		case trace.EndBug, trace.EndProcess:
			return path, ended, nil
		case trace.EndThread:
			return path, "", nil
		}
	}
}

// Take runs a step of a path that was run before. News since may keep it from being
// taken. To step a thread where it can't go on would break an invariant of the scheduler,
// so that is asked first.
func (s *Session) Take(p *por.PathStep) (*trace.Transition, error) {
	if err := s.Possible(p); err != nil {
		return nil, err
	}
	s.Guest.Unspin(p.Thread) // as segment may have
	s.passPoints(p)
	defer s.passPoints(&por.PathStep{})
	return s.Guest.Step(p.Thread, p.Choice)
}

// longestEdge is how many instructions before a segment's end steps are taken one by one, at the most, where an execution
// is too long to be followed so. There threads meet. The edges of all segments together have no more than allEdges.
const longestEdge, allEdges = 2048, 1 << 17

// passPoints has the guest's next step end as a path's.
func (s *Session) passPoints(p *por.PathStep) {
	s.Guest.Limit(p.Limit)
	s.Guest.Stride(p.Stride, p.Aim)
}

// Possible says why a step of a path, which a checkpoint may have, can't be taken.
func (s *Session) Possible(p *por.PathStep) error {
	th := Find(s.Guest.Threads(nil), p.Thread)
	if th != nil && th.Status != trace.Ready {
		s.Guest.Unspin(p.Thread)
		th = Find(s.Guest.Threads(nil), p.Thread)
	}
	if th != nil && th.Status == trace.Blocked {
		var err error
		if th, err = s.expires(p.Thread); err != nil {
			return err
		}
	}
	if th != nil && th.Status == trace.Ready && uint32(p.Choice) < max(th.Outcomes, 1) {
		return nil
	}
	if s.Config.Resume != "" {
		return result.Errorf(result.BadCheckpoint, "%s: a path in it can't be followed", s.Config.Resume)
	}
	return &Invalid{Kind: result.Diverged, Reason: fmt.Sprintf("thread %s can't take the step that it took before", s.Guest.Name(p.Thread))}
}

// expires is how a thread that is blocked stands once those wait that would only poll: its wait runs
// out then, if it is timed. A search that was spared the polls saw them wait.
func (s *Session) expires(t trace.TID) (*trace.Thread, error) {
	if s.Guest.Rest() {
		return nil, por.ErrFiner
	}
	return Find(s.Guest.Threads(nil), t), nil
}

// ran reports whether a thread has taken a step.
func ran(path []por.PathStep, t trace.TID) bool {
	return slices.ContainsFunc(path, func(p por.PathStep) bool { return p.Thread == t })
}

// ending is the bug with which an execution ended that the process's end
// ended, or nil.
func (s *Session) ending(path []por.PathStep) *scheduler.Failure {
	if f := s.Guest.Failure(path[len(path)-1].Thread); f != nil {
		return f
	}
	return s.Guest.Stuck(true)
}

// preempts reports whether going on with thread t is a preemption of the one
// that ran before.
func (s *Session) preempts(threads []trace.Thread, path []por.PathStep, t trace.TID) bool {
	for len(path) > 0 && s.IsBeside(path[len(path)-1].Thread) {
		path = path[:len(path)-1]
	}
	if len(path) == 0 || path[len(path)-1].Thread == t || s.IsBeside(t) {
		return false
	}
	last := Find(threads, path[len(path)-1].Thread)
	return last != nil && last.Status == trace.Ready && last.Preempted()
}

// IsBuffer reports whether a thread of a path is a store buffer.
func (s *Session) IsBuffer(t trace.TID) bool {
	return s.Config.Buffers() && trace.IsBufferName(s.Guest.Name(t))
}

// IsBeside reports whether a thread of a path is none of the guest's: a store buffer, or signals
// on their way to a thread.
func (s *Session) IsBeside(t trace.TID) bool { return s.IsBuffer(t) || s.IsArrival(t) }

// IsArrival reports whether a thread of a path is signals on their way to one.
func (s *Session) IsArrival(t trace.TID) bool { return trace.IsArrivalName(s.Guest.Name(t)) }

// Find is a thread of a list, nil if it isn't there.
func Find(threads []trace.Thread, t trace.TID) *trace.Thread {
	for i := range threads {
		if threads[i].ID == t {
			return &threads[i]
		}
	}
	return nil
}

// diverged is a schedule that this guest doesn't follow.
func (s *Session) diverged(segment int, why string) error {
	return &Invalid{Kind: result.Diverged, Reason: fmt.Sprintf("the schedule's segment %d: %s", segment+1, why)}
}
