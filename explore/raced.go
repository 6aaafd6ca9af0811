package explore

import (
	"fmt"
	"slices"

	"landgo/explore/session"
	"landgo/por"
	"landgo/race"
	"landgo/result"
	"landgo/scheduler"
	"landgo/trace"
)

// With --fail-on race, a data race is a bug when both orders were run, each
// with the two accesses as neighbours (race.Adjacent). Happens-before isn't
// enough for that: a program may well order its accesses by flags, turns or a
// lock of its own, which happens-before doesn't know, and a false alarm is
// worse than a race that another execution has to show.
//
// The bug's execution ends with the step of the later access. A replay runs
// that one order and looks whether the two are neighbours in it; then whoever
// came second could have gone first, for it stood before its access.

// failureRace is the kind of such a failure.
const failureRace = scheduler.Kind(result.Race)

// confirmed reports whether a data race came in both orders.
func (l *lookout) confirmed() bool {
	return l != nil && slices.ContainsFunc(l.Candidates(), isBug)
}

func isBug(c *race.Candidate) bool { return c.Kind == race.Data && c.BothOrders() }

// raced reports whether the search under way has met a race that is a bug.
func (h *hunt) raced() bool { return h.watched != nil && h.watched.raced }

// takeRaces makes findings of the races that the search under way has seen and
// that are bugs by what all searches have seen.
func (h *hunt) takeRaces(all *race.Detector) error {
	bug := map[race.Pair]bool{}
	for _, c := range all.Candidates() {
		bug[c.Pair] = isBug(c)
	}
	for i, c := range h.watched.adjacent.Candidates() {
		if c.Kind != race.Data || !bug[c.Pair] {
			continue
		}
		f := &finding{key: raceKey(h.Session, &c.Shown), fresh: true, path: slices.Clone(h.watched.adjacent.shown[i])}
		if err := countPreemptions(h.Session, f); err != nil {
			return err
		}
		f.failure = raceFailure(h.Session, &c.Shown)
		if err := complete(h.Session, f); err != nil {
			return err
		}
		old := h.seen[f.key]
		switch {
		case old == nil:
			h.seen[f.key] = f
			h.found = append(h.found, f)
		case f.preemptions < old.preemptions:
			*old = *f
		}
	}
	h.watched.raced = false // it has stopped the search, and is to stop no other
	return nil
}

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

// raceFailure is a race as a failure, in the state after its later access.
func raceFailure(s *session.Session, x *race.Sighting) scheduler.Failure {
	return scheduler.Failure{Kind: failureRace, Message: raceText(s, x, s.Guest.Describe(x.Earlier.Addr)), Thread: x.Later.Thread, PC: x.Later.PC}
}

// raceKey tells distinct races apart, in any state.
func raceKey(s *session.Session, x *race.Sighting) string {
	name, _ := s.Image.Variable(x.Earlier.Addr)
	return raceText(s, x, name)
}

// countPreemptions puts into a path which of its steps are preemptions, and
// leaves the guest at its end.
func countPreemptions(s *session.Session, f *finding) error {
	s.Guest.Rewind(s.Root)
	f.preemptions = 0
	var threads []trace.Thread
	for i := range f.path {
		p := &f.path[i]
		threads = s.Guest.Threads(threads[:0])
		if p.Preemption = s.Preempts(threads, f.path[:i], p.Thread); p.Preemption {
			f.preemptions++
		}
		if _, err := s.Take(p); err != nil {
			return fmt.Errorf("an execution couldn't be run again: %w", err)
		}
	}
	return nil
}

// complete takes a race's path to the end of the instruction that its last step
// is within: a replay, in which the memory isn't known to be shared before that
// instruction, couldn't stop there.
func complete(s *session.Session, f *finding) error {
	t := f.path[len(f.path)-1].Thread
	for s.Guest.Position(t).Part != 0 {
		tr, err := s.Guest.Step(t, 0)
		if err != nil {
			return fmt.Errorf("an execution couldn't be run again: %w", err)
		}
		f.path = append(f.path, por.PathStep{Thread: t, Begin: tr.Begin, Last: tr.Last})
	}
	return nil
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
	failure scheduler.Failure
}

func newNeighbours(s *session.Session) *neighbours {
	return &neighbours{s, race.New(s.RaceConfig(race.Adjacent)), nil}
}

func (n *neighbours) step(tr *trace.Transition) {
	n.Step(tr)
	for _, i := range n.Changed() {
		if c := n.Candidates()[i]; c.Kind == race.Data {
			n.seen = append(n.seen, neighbour{c.Shown, raceFailure(n.Session, &c.Shown)})
		}
	}
}

// raceIn is the race of a story that has a message, or the first if that is
// "". Nil: there is none.
func (st *story) raceIn(message string) *neighbour {
	for i := range st.adjacent {
		if message == "" || st.adjacent[i].failure.Message == message {
			return &st.adjacent[i]
		}
	}
	return nil
}

// collide puts a race's two accesses into its bug. It leaves the guest
// somewhere on the path.
func (st *story) collide(b *result.Bug, x *neighbour) error {
	v := view{Sighting: &x.Sighting}
	if err := visit(st.Session, st.path, &v); err != nil {
		return err
	}
	b.Accesses = nil
	for _, side := range []struct {
		a     *race.Access
		stack []result.Frame
	}{{&x.Earlier, v.first}, {&x.Later, v.second}} {
		shown := raceAccess(st.Session, side.a)
		beat := &st.beats[side.a.Step]
		if k := slices.IndexFunc(beat.accesses, func(a trace.Access) bool { return a.PC == side.a.PC && a.Insn == side.a.Insn }); k >= 0 {
			shown = st.shown(int(side.a.Step), k)
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

// minimiseRace looks for the execution with the fewest preemptions in which the
// finding's accesses are neighbours, whichever comes first.
func (h *hunt) minimiseRace(f *finding, run *counted, opts por.Options) error {
	engine, err := por.New("bpor", opts)
	if err != nil {
		return err
	}
	h.Guest.Rewind(h.Root)
	w := &watched{Runner: run, adjacent: newLookout(h.RaceConfig(race.Adjacent))}
	m := &raceMinimiser{minimiser: minimiser{hunt: h, want: f}, w: w}
	h.stopsWithin(h.Session, true)
	stats, err := engine.Run(w, m)
	h.stopsWithin(h.Session, false)
	h.finer = h.finer || stats.Restarts > 0
	if err != nil {
		return nil // as in minimise
	}
	if m.got || stats.Complete {
		f.minimal = result.Proven
	}
	if !m.got {
		return nil
	}
	if err := countPreemptions(h.Session, f); err != nil {
		return err
	}
	f.failure = raceFailure(h.Session, &m.shown)
	if err := complete(h.Session, f); err != nil {
		return err
	}
	return h.outline(f)
}

type raceMinimiser struct {
	minimiser
	w     *watched
	shown race.Sighting // on the path found
}

// Ended implements por.Observer.
func (m *raceMinimiser) Ended(*por.Execution) bool {
	for i, c := range m.w.adjacent.Candidates() {
		if c.Kind == race.Data && raceKey(m.Session, &c.Shown) == m.want.key {
			m.want.path, m.shown = slices.Clone(m.w.adjacent.shown[i]), c.Shown
			m.got = true
			return false
		}
	}
	return true
}

// Restarted implements por.Observer.
func (m *raceMinimiser) Restarted() { m.w.restart() }
