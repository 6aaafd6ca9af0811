package explore

import (
	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/image"
)

// concludes reports whether the end of a space with less than all points can
// prove what the end of that with all would (Theorem 1, deepen.go). With --within
// and --without it can't: a point that is left out of one kind is left out of
// all. Nor does it of races as bugs, which ask for two accesses as neighbours and
// not for what they lead to.
func (h *hunt) concludes() bool {
	return len(h.Config.AllRules()) == 0 && !h.Config.FailOnRace && h.Platform.Concludes
}

// told is 1 if a kernel has an annotation.
func (h *hunt) told(name string) int {
	if _, ok := h.Image.Symbol(image.TellPrefix + name); ok {
		return 1
	}
	return 0
}

// newPlan is the plan with the seeds for the guest (§3.2).
func (h *hunt) newPlan() *deepen.Plan {
	if h.Config.Naive() {
		base := deepen.Set{Kinds: deepen.Kinds(h.Config.PP &^ config.PointRace)}
		return deepen.New(deepen.Options{All: deepen.Kinds(config.PointMem), Seeds: []deepen.Set{base}, Maximal: &base, Naive: true})
	}
	seeds := []deepen.Set{{Kinds: deepen.Kinds(config.PointYield)}}
	locks, unlocks := h.LockPlaces()
	if h.NoRoles() && h.Image.AnyLocked() {
		locks, unlocks = 1, 1
	}
	if h.Platform.Annotated {
		locks, unlocks = h.told("locking"), h.told("unlocked")
	}
	interrupts := h.Platform.Interrupts
	for _, k := range []struct {
		points config.Points
		has    bool
	}{
		{config.PointLock, locks > 0}, {config.PointUnlock, unlocks > 0}, {config.PointLock | config.PointUnlock, locks > 0 && unlocks > 0},
		{config.PointCLI, interrupts}, {config.PointSTI, interrupts}, {config.PointCLI | config.PointSTI, interrupts},
	} {
		if k.has {
			seeds = append(seeds, deepen.Set{Kinds: deepen.Kinds(config.PointYield | k.points)})
		}
	}
	o := deepen.Options{All: deepen.Kinds(config.PointMem), Seeds: seeds}
	switch {
	case h.Config.SyncOnly:
		return deepen.New(o)
	case h.concludes():
		o.Maximal = &deepen.Set{Kinds: deepen.Kinds(config.PointSync)}
	}
	o.Warm = h.pace(warmSteps)
	return deepen.New(o)
}
