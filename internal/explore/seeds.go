package explore

import (
	"landgo/internal/deepen"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// concludes reports whether the end of a space with less than all points can
// prove what the end of that with all would (Theorem 1, deepen.go). With --within
// and --without it can't: a point that is left out of one kind is left out of
// all. Neither does it of races as bugs, which ask for two accesses as neighbours and
// not for what they lead to.
func (h *hunt) concludes() bool {
	return len(h.Config.AllRules()) == 0 && !h.Config.FailOnRace && h.Platform.Concludes
}

// told is 1 if a kernel has an annotation.
func (h *hunt) told(name string) int {
	if _, ok := h.Image.Symbol(profile.TellPrefix + name); ok {
		return 1
	}
	return 0
}

// newPlan is the plan with the seeds for the guest (§3.2): voluntary switches alone,
// with each kind of point that the guest has, and with all of them. The last is the
// paper's maximal space, so it is the one that --sync-only answers for.
func (h *hunt) newPlan() *deepen.Plan {
	if h.Config.Naive() {
		base := deepen.Set{Kinds: h.Config.PP &^ trace.PointRace}
		return deepen.New(deepen.Options{All: trace.MemPoints, Seeds: []deepen.Set{base}, Maximal: &base, Naive: true})
	}
	seeds := []deepen.Set{{Kinds: trace.PointYield}}
	most := h.coarsePoints()
	for _, k := range []trace.Points{trace.PointLock, trace.PointUnlock, trace.PointCLI, trace.PointSTI} {
		if most&k != 0 {
			seeds = append(seeds, deepen.Set{Kinds: trace.PointYield | k})
		}
	}
	if len(seeds) > 2 {
		seeds = append(seeds, deepen.Set{Kinds: most})
	}
	o := deepen.Options{All: trace.MemPoints, Seeds: seeds}
	switch {
	case h.Config.Seeded():
		return deepen.New(o)
	case h.concludes():
		o.Maximal = &deepen.Set{Kinds: trace.SyncPoints}
	}
	o.Warm = h.pace(warmSteps)
	return deepen.New(o)
}

// coarsePoints are the kinds of points that the guest can have without those at memory.
func (h *hunt) coarsePoints() trace.Points {
	locks, unlocks := h.LockPlaces()
	if h.NoRoles() && static.AnyLocked(h.Image.File) {
		locks, unlocks = 1, 1
	}
	if h.Platform.Annotated {
		locks, unlocks = locks+h.told("locking"), unlocks+h.told("unlocked") // or a profile names functions
	}
	most := trace.PointYield
	for _, k := range []struct {
		points trace.Points
		has    bool
	}{
		{trace.PointLock, locks > 0}, {trace.PointUnlock, unlocks > 0},
		{trace.PointCLI, h.Platform.Interrupts}, {trace.PointSTI, h.Platform.Interrupts},
	} {
		if k.has {
			most |= k.points
		}
	}
	return most
}
