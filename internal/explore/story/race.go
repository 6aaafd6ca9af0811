package story

import (
	"fmt"
	"slices"

	"landgo/internal/explore/session"
	"landgo/internal/explore/story/record"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/race"
	"landgo/scheduler"
)

// raceText describes a race of memory with a name in words that don't depend on
// its order, so that each execution with it says the same.
func raceText(s *session.Session, x *race.Sighting, name string) string {
	a, b := &x.Earlier, &x.Later
	if a.PC > b.PC {
		a, b = b, a
	}
	verb := func(x *race.Access) string { return map[bool]string{true: "writes", false: "reads"}[x.Write] }
	does := func(x *race.Access) string {
		f := result.Innermost(s.Frames([]uint64{x.PC}))
		return fmt.Sprintf("%s (%s) %s", f.Function, f.Where(), verb(x))
	}
	if a.PC == b.PC {
		return fmt.Sprintf("data race on %s: %s it in two threads", name, does(a))
	}
	return fmt.Sprintf("data race on %s: %s it, %s it", name, does(a), does(b))
}

// RaceFailure is a race as a failure, in the state after its later access.
func RaceFailure(s *session.Session, x *race.Sighting) scheduler.Failure {
	return scheduler.Failure{Kind: trace.Race, Message: raceText(s, x, s.Guest.Describe(x.Earlier.Addr)), Thread: x.Later.Thread, PC: x.Later.PC}
}

// RaceKey tells distinct races apart, in any state.
func RaceKey(s *session.Session, x *race.Sighting) string {
	name, _ := s.Image.Variable(x.Earlier.Addr)
	return raceText(s, x, name)
}

// neighbours watches one execution for data races.
type neighbours struct {
	*session.Session
	*race.Detector
	seen []neighbour
}

// neighbour is a race and what it is as a failure.
type neighbour struct {
	race.Sighting
	Failure scheduler.Failure
}

func newNeighbours(s *session.Session) *neighbours {
	return &neighbours{s, race.New(s.RaceConfig(race.Adjacent)), nil}
}

func (n *neighbours) step(tr *trace.Transition) {
	n.Step(tr)
	for _, i := range n.Changed() {
		if c := n.Candidates()[i]; c.Kind == race.Data {
			n.seen = append(n.seen, neighbour{c.Shown, RaceFailure(n.Session, &c.Shown)})
		}
	}
}

// RaceIn is the race of a story that has a message, or the first if that is
// "". Nil: there is none.
func (st *Story) RaceIn(message string) *neighbour {
	for i := range st.adjacent {
		if message == "" || st.adjacent[i].Failure.Message == message {
			return &st.adjacent[i]
		}
	}
	return nil
}

// collide puts a race's two accesses into its bug. It leaves the guest
// somewhere on the path.
func (st *Story) collide(b *result.Bug, x *neighbour) error {
	v := View{Sighting: &x.Sighting}
	if _, err := Visit(st.Session, st.path, &v); err != nil {
		return err
	}
	b.Accesses = nil
	for _, side := range []struct {
		a     *race.Access
		stack []result.Frame
	}{{&x.Earlier, v.first}, {&x.Later, v.second}} {
		shown := RaceAccess(st.Session, side.a)
		beat := &st.Beats[side.a.Step]
		if k := slices.IndexFunc(beat.Accesses, func(a trace.Access) bool { return a.PC == side.a.PC && a.Insn == side.a.Insn }); k >= 0 {
			shown = st.Shown(record.At{Beat: int(side.a.Step), Access: k})
		}
		if len(side.stack) > 0 {
			shown.Stack = side.stack
		}
		if shown.Symbol == "" {
			shown.Symbol = v.name
		}
		b.Accesses = append(b.Accesses, shown)
	}
	b.Stack = b.Accesses[1].Stack
	b.Cause = fmt.Sprintf("nothing orders the accesses of threads %s and %s: other executions have them the other way round", b.Accesses[0].Thread, b.Accesses[1].Thread)
	return nil
}

// PreemptedAt adds the instructions before which a thread was preempted in the
// story, and those of a race that is its bug. A thread at the entry of
// the allocator counts as at the call, as in race.Access.
func (st *Story) PreemptedAt(at map[uint64]bool, f *scheduler.Failure) {
	for i := 1; i < len(st.Beats); i++ {
		if !st.Beats[i].Step.Preemption {
			continue
		}
		if stack := st.leftAt(i); len(stack) > 0 {
			at[stack[0]] = true
			if len(stack) > 1 {
				at[stack[1]-1] = true
			}
		}
	}
	if f.Kind == trace.Race {
		if x := st.RaceIn(f.Message); x != nil {
			at[x.Earlier.PC], at[x.Later.PC] = true, true
		}
	}
}
