package travel

import (
	"errors"
	"fmt"
	"strings"

	"landgo/internal/debugger"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// whatIfSteps bounds a run that was begun by a question, in steps.
const whatIfSteps = 20_000

// whatIf lets another thread go on at the present moment, and then each as long as it
// can. The state is taken back.
func (t *Travel) whatIf(q *debugger.Question) (string, error) {
	tid, ok := t.s.Guest.Lookup(t.pathOf(q.Words[1]))
	if !ok || !t.exists(t.owner(tid)) {
		return "", fmt.Errorf("there is no thread %q at this moment", q.Words[1])
	}
	guest := t.s.Guest
	if th := session.Find(guest.Threads(nil), tid); th == nil || th.Status != trace.Ready {
		if t.s.IsBuffer(tid) {
			return "", fmt.Errorf("the %s has no store here: monitor buffers lists those that have", t.name(tid))
		}
		return "", fmt.Errorf("thread %s can't go on here: it %s", t.name(tid), guest.StateText(tid))
	}
	k := guest.Mark()
	defer guest.Rewind(k)
	sched := t.until()
	run := tid
	for n := range whatIfSteps {
		if n > 0 {
			run = session.NextToRun(guest.Threads(nil), run)
		}
		if run == trace.NoThread {
			return t.outcome(&sched, guest.Stuck(false)), nil
		}
		tr, err := guest.Step(run, 0)
		if err != nil && !errors.Is(err, por.ErrFiner) {
			return "", err
		}
		p := guest.Position(run)
		sched.Append(trace.Segment{Thread: guest.Name(run), Until: p.Insns, Part: p.Part})
		switch {
		case tr == nil:
			return "", errors.New("the run can't be gone on with from here")
		case tr.End == trace.EndBug || tr.End == trace.EndProcess:
			f := guest.Failure(run)
			if f == nil {
				f = guest.Stuck(true)
			}
			return t.outcome(&sched, f), nil
		}
	}
	return fmt.Sprintf("it goes on for more than %d steps\n", whatIfSteps), nil
}

// pathOf is the path name of a thread that a user names as reports do: "T2", or "T2b", its store
// buffer.
func (t *Travel) pathOf(name string) string {
	if t.bug == nil {
		return name
	}
	short, buffer := strings.CutSuffix(name, trace.BufferMark)
	names := t.bug.Names()
	for path := range names {
		if names.Short(path) == short {
			if buffer {
				return path + trace.BufferMark
			}
			return path
		}
	}
	return name
}

// until is the schedule up to the present moment.
func (t *Travel) until() trace.Schedule {
	sched := trace.Schedule{Check: t.sched.Check}
	n := t.pieceAt(t.at)
	for i := range t.pieces[:n] {
		p := &t.pieces[i]
		sched.Append(trace.Segment{Thread: t.s.Guest.Name(p.step.Thread), Until: p.to.Insns, Part: p.to.Part, Choice: p.step.Choice})
	}
	if n < len(t.pieces) && t.at > t.pieces[n].base {
		p := &t.pieces[n]
		at := t.s.Guest.Position(p.step.Thread)
		sched.Append(trace.Segment{Thread: t.s.Guest.Name(p.step.Thread), Until: at.Insns, Part: at.Part, Choice: p.step.Choice})
	}
	return sched
}

// outcome says how a run has ended.
func (t *Travel) outcome(sched *trace.Schedule, f *scheduler.Failure) string {
	var b strings.Builder
	if f == nil {
		b.WriteString("it ends without a bug\n")
	} else {
		fmt.Fprintf(&b, "it ends with a bug: %s, %s", f.Kind, f.Message)
		if place := at(result.Innermost(t.s.Stack(f.Thread))); place != "" {
			fmt.Fprintf(&b, ", in %s by thread %s", place, t.name(f.Thread))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "schedule  %s\n", sched.String())
	return b.String()
}
