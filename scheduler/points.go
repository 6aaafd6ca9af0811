package scheduler

import (
	"slices"

	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// PointsAt is the kinds of points that there are before a call of a function with a role, or after it,
// of those that are for locks.
func PointsAt(r profile.Role) trace.Points { return r.Op().Points() }

// Rule restricts points by the call stack: where a function with the name is
// on the stack, points are allowed (Within) or not. The last matching rule
// wins; without a match points are allowed unless there is a Within rule
// (Landslide's within_function and without_function).
//
// A Piece is a function that locks or unlocks: the points lock and unlock, at which
// its own work begins or is over, aren't restricted by it. Such rules are the last.
type Rule struct {
	Function string
	Within   bool
	Piece    bool
}

// allowed reports whether rules allow a point where the stack has these
// functions.
func allowed(rules []Rule, stack []string) bool {
	ok := true
	for _, r := range rules {
		if r.Within {
			ok = false
			break
		}
	}
	for _, r := range rules {
		for _, f := range stack {
			if f == r.Function {
				ok = r.Within
				break
			}
		}
	}
	return ok
}

// Points says whether there is a preemption point where a thread stands.
type Points struct {
	in      *present
	seen    *seen
	attempt *attempt
	frames  []string // scratch
}

// Allowed applies --within and --without to a point at pc. A stride has none on its way.
func (d *Points) Allowed(t trace.TID, pc uint64) bool {
	return !d.in.strides(t, pc, d.attempt) && (len(d.in.cfg.Rules) == 0 || d.passesRules(t, d.in.cfg.Rules))
}

// AllowedForLock is the same for a point lock or unlock.
func (d *Points) AllowedForLock(t trace.TID) bool {
	rules := d.in.cfg.Rules
	if n := slices.IndexFunc(rules, func(r Rule) bool { return r.Piece }); n >= 0 {
		rules = rules[:n]
	}
	return len(rules) == 0 || d.passesRules(t, rules)
}

func (d *Points) passesRules(t trace.TID, rules []Rule) bool {
	stack := d.StackNames(t)
	if d.in.steered() || !d.in.Alone(t) {
		for i, r := range rules[:min(64, len(rules))] {
			if slices.Contains(stack, r.Function) {
				d.seen.record.Met.Rules |= 1 << i
			}
		}
	}
	return allowed(rules, stack)
}

// StackNames are the names of the functions on a thread's stack, inlined ones
// too, for the rules of --within and --without.
func (d *Points) StackNames(t trace.TID) []string {
	d.frames = d.frames[:0]
	for i, pc := range d.in.Stack(t) {
		if i > 0 {
			pc--
		}
		for _, f := range d.in.image.Frames(pc) {
			d.frames = append(d.frames, f.Function)
		}
	}
	return d.frames
}
