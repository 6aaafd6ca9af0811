package explore

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/image/x86"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// The cure of a bug that store buffers make: the fewest stores after which a fence makes
// the program verified. It is found by implicit hitting sets (Moreno-Centeno and Karp,
// Operations Research 2013; of fences: Abdulla, Atig, Chen, Leonardsson and Rezine, TACAS
// 2012). A run that fails has stores that were overtaken in their buffer by a later step of
// their thread. With a fence after any of these the run isn't possible, and without one
// it stays as it is. So every cure has one of each failing run's stores. A smallest set that
// has is tried by a search with these fences: it finds another failing run, or none, and
// then no smaller set is a cure.

// A cure is reported with at most mostFences fences. mostSets is how many sets are looked at for
// the smallest.
const mostFences, mostSets = 6, 200_000

// curer looks for a cure.
type curer struct {
	*hunt
	run    *counted
	places map[uint64]place
	stores map[place]map[string]bool // what is stored to there
	// overtaken has, of each failing run, the places of the stores that were overtaken.
	overtaken [][]place
	sets      int            // looked at
	failing   []por.PathStep // the run with which a search ended, nil for none
}

// place is where a fence may be put: behind a store in the source; of code without lines,
// behind an instruction.
type place struct {
	file         string
	line, column int
	pc           uint64 // of code without lines
}

func (p place) compare(o place) int {
	return cmp.Or(cmp.Compare(p.file, o.file), cmp.Compare(p.line, o.line), cmp.Compare(p.column, o.column), cmp.Compare(p.pc, o.pc))
}

// cure puts the cure of the bugs that were found into their reports, if it is found soon
// enough. It comes last: it may make steps finer than a story's.
func (h *hunt) cure() {
	bugs := h.result.Bugs
	if !h.Config.Buffers() || len(bugs) == 0 || h.result.Verdict != result.Buggy {
		return
	}
	c := &curer{hunt: h, run: h.counting(h.refiningSteps()), places: map[uint64]place{}, stores: map[place]map[string]bool{}}
	h.stopsWithin(h.Session, true)
	defer h.stopsWithin(h.Session, false)
	defer h.Guest.Rewind(h.Root)
	defer h.Plain.FenceAfter(nil)
	for _, b := range bugs {
		sched, err := trace.ParseSchedule(b.Schedule)
		if b.Kind == trace.Output || err != nil {
			return // no run shows it alone
		}
		path, _, err := h.FollowAll(sched)
		if err != nil || !c.learn(path) {
			return
		}
	}
	var told *result.Cure
	for told == nil {
		fences := c.smallest()
		if fences == nil {
			return
		}
		n, over := c.try(fences)
		switch {
		case over:
			return
		case c.failing == nil:
			told = c.told(fences, n)
		case !c.learn(c.failing):
			return
		}
	}
	for _, b := range bugs {
		b.Cure = told
	}
	h.publish()
}

// learn takes in the stores that were overtaken in a failing run. It reports whether there is
// one that can have a fence, and whether the run shows what isn't known.
func (c *curer) learn(path []por.PathStep) bool {
	c.Guest.Rewind(c.Root)
	var set []place
	for i := range path {
		for _, a := range c.Plain.Delays(path[i].Thread) {
			at, ok := c.at(a.PC)
			if !ok {
				continue
			}
			if c.stores[at] == nil {
				c.stores[at] = map[string]bool{}
			}
			c.stores[at][c.Guest.VariableName(a.Addr)] = true
			if !slices.Contains(set, at) {
				set = append(set, at)
			}
		}
		if _, err := c.Take(&path[i]); err != nil {
			return false
		}
	}
	slices.SortFunc(set, place.compare)
	if len(set) == 0 || slices.ContainsFunc(c.overtaken, func(known []place) bool { return slices.Equal(known, set) }) {
		return false
	}
	c.overtaken = append(c.overtaken, set)
	return true
}

// at is where a fence after the store at pc would be put; not ok: in code that isn't the
// user's.
func (c *curer) at(pc uint64) (place, bool) {
	at, ok := c.places[pc]
	if !ok {
		f := c.frame(pc)
		switch {
		case f.File == "" && !c.hasLines():
			at = place{pc: pc}
		case f.File != "" && !f.Library:
			at = place{file: f.File, line: f.Line, column: f.Column}
		}
		c.places[pc] = at
	}
	return at, at != place{}
}

func (c *curer) frame(pc uint64) result.Frame { return result.Innermost(c.Frames([]uint64{pc})) }

// hasLines reports whether the guest's own code says which line it is of.
func (c *curer) hasLines() bool {
	main, ok := c.Image.Symbol("main")
	return ok && c.frame(main.Addr).File != ""
}

// smallest is the first of the smallest sets of places that have one of each failing run's;
// nil if they are all too large.
func (c *curer) smallest() []place {
	c.sets = 0
	for size := 1; size <= mostFences && c.sets < mostSets; size++ {
		if s := c.hits(nil, size); s != nil {
			slices.SortFunc(s, place.compare)
			return s
		}
	}
	return nil
}

// hits is a set that has one of each failing run's places: those of chosen, and at most
// more others.
func (c *curer) hits(chosen []place, more int) []place {
	for _, set := range c.overtaken {
		if slices.ContainsFunc(set, func(p place) bool { return slices.Contains(chosen, p) }) {
			continue
		}
		if c.sets++; more == 0 || c.sets >= mostSets {
			return nil
		}
		for _, p := range set {
			if s := c.hits(append(slices.Clip(chosen), p), more-1); s != nil {
				return s
			}
		}
		return nil
	}
	return chosen
}

// try searches the program with fences. over: there was no time for all of it, or it
// can't be told.
func (c *curer) try(fences []place) (executions uint64, over bool) {
	c.failing = nil
	c.Guest.Rewind(c.Root)
	c.Plain.FenceAfter(func(a *trace.Access) bool {
		at, ok := c.at(a.PC)
		if ok = ok && slices.Contains(fences, at); ok {
			c.stores[at][c.Guest.VariableName(a.Addr)] = true
		}
		return ok
	})
	search := "optimal"
	if c.Config.Search == config.Stateful { // threads that back out and try again have executions without an end
		search = config.Stateful
	}
	engine, err := por.New(search, por.Options{OneEvent: c.OneEvent(), Unmerged: c.Config.Unmerged(), Variable: c.Image.Extent,
		Stop: func() bool { return c.run.Spent() || c.stop() }})
	if err != nil {
		panic(err) // it is a constant
	}
	stats, err := engine.Run(c.run, c)
	return stats.Executions, err != nil || c.failing == nil && !stats.Complete
}

// Ended implements por.Observer.
func (c *curer) Ended(x *por.Execution) bool {
	f := c.wanted(c.failureAt(x))
	for _, passed := range c.Guest.LetThrough() {
		if f == nil {
			f = c.wanted(passed)
		}
	}
	if f == nil {
		return true
	}
	c.failing = x.Path(nil)
	return false
}

// Progress implements por.Observer.
func (c *curer) Progress(p por.Progress) {
	if c.obs != nil {
		c.obs.Progress(Progress{Phase: "looking for a cure", Executions: p.Stats.Executions, Bugs: len(c.found)})
	}
}

// Restarted implements por.Observer. The knowledge of failing runs stays: a fence is after
// an instruction, however fine the steps are.
func (c *curer) Restarted() {}

// told is a cure for reports.
func (c *curer) told(fences []place, executions uint64) *result.Cure {
	cure := &result.Cure{Executions: executions}
	for _, at := range fences {
		f := result.Fence{Place: result.Frame{File: at.file, Line: at.line, Column: at.column, Address: result.Addr(at.pc)}, Exchange: true}
		for pc, p := range c.places {
			if p != at {
				continue
			}
			if f.Place.Address == 0 || pc < uint64(f.Place.Address) {
				f.Place.Address = result.Addr(pc)
			}
			f.Exchange = f.Exchange && x86.Moves(c.Image.Bytes(pc, x86.MaxInst), c.Image.Machine)
		}
		f.Place.Function = c.frame(uint64(f.Place.Address)).Function
		if f.Variable = common(c.stores[at]); len(c.stores[at]) > 1 {
			f.Stores = slices.Sorted(maps.Keys(c.stores[at]))
		}
		cure.Fences = append(cure.Fences, f)
	}
	return cure
}

// common is the variable that names are of: "flag" for flag[0] and flag[1]; "" if they are of
// several.
func common(names map[string]bool) string {
	out := ""
	for n := range names {
		if len(names) > 1 {
			if i := strings.IndexAny(n, "[.+"); i >= 0 {
				n = n[:i]
			}
		}
		if out != "" && out != n {
			return ""
		}
		out = n
	}
	return out
}
