package explore

import (
	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// A bug that was found is reported as it is, and then in a shorter way if there is one. How long
// landgo looks for that is counted in steps and instructions, not measured: so the same story is
// told on every machine, however busy it is. Only the user's --time ends it before.
const (
	// refiningShare: refining takes at the most one part in this many of what the search took,
	// for all bugs together,
	refiningShare = 5
	// but this many steps of a program's at the most, about half a minute.
	mostMinimiseSteps = 15_000_000
)

// stepInsns is how many instructions count as one step more: a sample runs all of an
// execution again, and jobs only its end. So a guest with long steps (exceptions,
// whose tables a static program sorts first) has fewer samples.
const stepInsns = 1024

// minimiseSteps are granted to each bug in any case, about a second.
var minimiseSteps uint64 = 500_000

// refining is the hunt's guest, for one of the ways in which a bug is refined. All have one purse: what earlier
// ones have cost is missing from a later one's, but for a part that each has in any case.
func (h *hunt) refining(f *finding) *counted {
	most, own := h.refiningSteps(), h.pace(minimiseSteps/ownShare)
	for _, run := range f.refined {
		most -= min(most, run.Cost())
	}
	run := h.counting(max(most, own))
	f.refined = append(f.refined, run)
	return run
}

// ownShare: each way has one part in this many of what a bug has in any case.
const ownShare = 4

// refiningSteps limits the steps for refining a bug.
func (h *hunt) refiningSteps() uint64 {
	all := min((h.result.Transitions+h.result.Replayed)/refiningShare, h.pace(mostMinimiseSteps))
	return max(h.ofEach(all), h.pace(minimiseSteps))
}

// unreadableSteps limits the steps for shortening a story that is too long to be read.
func (h *hunt) unreadableSteps() uint64 {
	return max(h.ofEach(h.pace(mostMinimiseSteps)), h.pace(minimiseSteps))
}

// ofEach is each bug's part of what all may cost. A step among a hundred threads takes
// the time of several.
func (h *hunt) ofEach(all uint64) uint64 {
	return all / uint64(max(len(h.found), 1)) / uint64(1+h.result.Threads/dearThreads)
}

// dearThreads is with how many threads more a step takes twice, three times the time.
const dearThreads = 20

// counted is a guest whose steps are counted.
type counted struct {
	session.Runner
	follower     session.Follower
	steps, insns uint64
	per          uint64 // so many instructions cost as much as a step
	most         uint64 // that all may cost
}

// counting is the hunt's guest, for work that costs this much at the most.
func (h *hunt) counting(most uint64) *counted {
	return &counted{Runner: h.Guest.Runner, follower: h.Guest, per: stepInsns * h.Platform.StepCost, most: most}
}

// Step implements por.System.
func (c *counted) Step(t trace.TID, choice trace.Choice) (*trace.Transition, error) {
	tr, err := c.Runner.Step(t, choice)
	c.count(tr)
	return tr, err
}

// Take implements shorter.Budget.
func (c *counted) Take(p *por.PathStep) (*trace.Transition, error) {
	if p.Limit == 0 && p.Stride == 0 {
		return c.Step(p.Thread, p.Choice)
	}
	c.follower.Limit(p.Limit)
	c.follower.Stride(p.Stride, p.Aim)
	defer c.follower.Limit(0)
	defer c.follower.Stride(0, 0)
	return c.Step(p.Thread, p.Choice)
}

// count counts a step. A step of a store buffer runs no instructions.
func (c *counted) count(tr *trace.Transition) {
	c.steps++
	if tr != nil && !tr.Updates {
		c.insns += tr.Last - tr.Begin
	}
}

// Count implements shorter.Budget.
func (c *counted) Count() { c.steps++ }

// Halve implements shorter.Budget.
func (c *counted) Halve() (all func()) {
	most := c.most
	c.most -= (most - min(c.Cost(), most)) / 2
	return func() { c.most = most }
}

// Cost is its cost so far, in steps.
func (c *counted) Cost() uint64 { return c.steps + c.insns/c.per }

// Spent reports whether it has cost all that it may.
func (c *counted) Spent() bool { return c.Cost() >= c.most }

// goes reports whether there is some left for a path, and counts it.
func (c *counted) goes(path []por.PathStep) bool {
	if c.Spent() {
		return false
	}
	c.steps += uint64(len(path))
	for i := range path {
		c.insns += path[i].Last - path[i].Begin
	}
	return true
}

// runner is the guest, counted.
func (c *counted) runner() session.Runner {
	r := c.Runner
	r.System = c
	return r
}

// pace is a number of a program's steps in the guest's: 0 only for 0.
func (h *hunt) pace(programs uint64) uint64 {
	return (programs + h.Platform.StepCost - 1) / h.Platform.StepCost
}

// steps is how long a search has taken, by no clock. It counts transitions, and
// where races are looked for, as many more for each execution as its end takes the
// time of. Where reversing races takes longer than that (a hundred threads that all race),
// it counts the events that were looked at for it.
func steps(s por.Stats) uint64 {
	const end, weighed = 8, 512
	return max(s.Transitions+s.Replayed+end*(s.Executions+s.Blocked), s.Weighed/weighed)
}
