package session

import (
	"fmt"

	"landgo/internal/explore/config"
	"landgo/internal/image/profile"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// Granularity is where the guest stops, given kinds of points and instructions.
func (p *Program) Granularity(points trace.Points, race []uint64) scheduler.Granularity {
	if points.Has(trace.PointRace) && len(race) == 0 {
		// Those that race aren't known yet: a replay has to be able to stop at all.
		points |= trace.MemPoints
	}
	g := scheduler.Granularity{Race: race, Points: points &^ (trace.PointYield | trace.PointRace)}
	if g.Points&trace.PointMem != 0 && p.Platform.Interrupts {
		// Accesses in a section without interrupts have their point before it.
		g.Points |= trace.PointCLI
	}
	if g.Points&(trace.PointLock|trace.PointUnlock) != 0 && p.NoRoles() && !p.Platform.Annotated {
		// Without symbols, lock and unlock mean futex calls, which are always
		// steps of their own, and locked instructions.
		g.Points |= trace.PointAtomic
	}
	for _, r := range p.Config.AllRules() {
		g.Rules = append(g.Rules, scheduler.Rule{Function: r.Function, Within: !r.Without, Piece: r.Piece})
	}
	return g
}

// OneEvent reports whether each step is one event (por.Options).
// A kernel's section without interrupts is one step, whatever it does. Where a guest says
// what is to hold, a step may have a call's beginning and end beside its event
// (scheduler/library/property.go).
func (p *Program) OneEvent() bool { return p.Fine() && !p.Platform.Interrupts && !p.Judged() }

// Judged reports whether the guest says what is to hold, with landgo's header.
func (p *Program) Judged() bool { return p.judged }

// Blind reports whether the guest includes landgo's header, and has lost the names of its functions.
func (p *Program) Blind() bool {
	for _, b := range p.roles {
		if b.Role >= profile.Always && b.Role <= profile.CallEnds {
			return false
		}
	}
	return p.Image.Sections != nil && p.Image.Sections.Section(".landgo") != nil
}

// judges is Judged, found out. The header's functions are in each program that includes it.
func (p *Program) judges() bool {
	for addr, b := range p.roles {
		if b.Role >= profile.Always && b.Role <= profile.CallEnds && (p.Image.Refers(b.Name) || p.Image.Mentions(addr)) {
			return true
		}
	}
	return false
}

// Fine reports whether there is a preemption point before every access to
// shared memory.
func (p *Program) Fine() bool {
	return p.Config.PP.Has(trace.MemPoints) && len(p.Config.AllRules()) == 0
}

// checkRules refuses --within and --without of a function that isn't there: a
// restriction that can't match would silently restrict nothing, or everything.
func (p *Program) checkRules() error {
	for _, r := range p.Config.AllRules() {
		if _, ok := p.Image.Symbol(r.Function); !ok {
			var names []string
			for _, f := range p.Image.Functions {
				names = append(names, f.Name)
			}
			return &Invalid{Kind: result.NoSuchFunction,
				Reason: fmt.Sprintf("--%s: the guest has no function of that name%s", r, config.DidYouMean("%q", r.Function, names))}
		}
	}
	return nil
}
