package session

import (
	"fmt"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/scheduler"
)

// Granularity is where the guest stops, given kinds of points and instructions.
func (p *Program) Granularity(points config.Points, race []uint64) scheduler.Granularity {
	g := scheduler.Granularity{Race: race}
	if points.Has(config.PointRace) && len(race) == 0 {
		// Those that race aren't known yet: a replay has to be able to stop at all.
		points |= config.PointMem
	}
	for _, k := range []struct {
		from config.Points
		to   scheduler.Points
	}{
		{config.PointLock, scheduler.PointLock}, {config.PointUnlock, scheduler.PointUnlock},
		{config.PointAtomic, scheduler.PointAtomic}, {config.PointSync, scheduler.PointSync}, {config.PointMem, scheduler.PointMem},
		{config.PointCLI, scheduler.PointCLI}, {config.PointSTI, scheduler.PointSTI},
	} {
		if points.Has(k.from) {
			g.Points |= k.to
		}
	}
	if g.Points&scheduler.PointMem != 0 && p.Platform.Interrupts {
		// Accesses in a section without interrupts have their point before it.
		g.Points |= scheduler.PointCLI
	}
	if g.Points&(scheduler.PointLock|scheduler.PointUnlock) != 0 && p.NoRoles() && !p.Platform.Annotated {
		// Without symbols, lock and unlock mean futex calls, which are always
		// steps of their own, and locked instructions.
		g.Points |= scheduler.PointAtomic
	}
	for _, r := range p.Config.AllRules() {
		g.Rules = append(g.Rules, scheduler.Rule{Function: r.Function, Within: !r.Without})
	}
	return g
}

// OneEvent reports whether each step is one event (por.Options).
// A kernel's section without interrupts is one step, whatever it does.
func (p *Program) OneEvent() bool { return p.Fine() && !p.Platform.Interrupts }

// Fine reports whether there is a preemption point before every access to
// shared memory.
func (p *Program) Fine() bool {
	return p.Config.PP.Has(config.PointMem) && len(p.Config.AllRules()) == 0
}

// checkRules refuses --within and --without of a function that isn't there: a
// restriction that can't match would silently restrict nothing, or everything.
func (p *Program) checkRules() error {
	for _, r := range p.Config.AllRules() {
		if _, ok := p.Image.Symbol(r.Function); !ok {
			var names []string
			for _, f := range p.Image.Functions() {
				names = append(names, f.Name)
			}
			return &Invalid{Kind: result.NoSuchFunction,
				Reason: fmt.Sprintf("--%s: the guest has no function of that name%s", r, config.DidYouMean("%q", r.Function, names))}
		}
	}
	return nil
}
