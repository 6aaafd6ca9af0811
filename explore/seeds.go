package explore

import "landgo/deepen"

// newPlan is the plan with the seeds for the guest (§3.2).
func (h *hunt) newPlan() *deepen.Plan {
	if h.cfg.naive() {
		base := deepen.Set{Kinds: deepen.Kinds(h.cfg.PP &^ PointRace)}
		return deepen.New(deepen.Options{All: deepen.Kinds(PointMem), Seeds: []deepen.Set{base}, Maximal: &base, Naive: true})
	}
	seeds := []deepen.Set{{Kinds: deepen.Kinds(PointYield)}}
	locks, unlocks := h.lockPlaces()
	if h.noRoles() && h.img.AnyLocked() {
		locks, unlocks = 1, 1
	}
	for _, k := range []struct {
		points Points
		has    bool
	}{{PointLock, locks > 0}, {PointUnlock, unlocks > 0}, {PointLock | PointUnlock, locks > 0 && unlocks > 0}} {
		if k.has {
			seeds = append(seeds, deepen.Set{Kinds: deepen.Kinds(PointYield | k.points)})
		}
	}
	if h.cfg.SyncOnly {
		return deepen.New(deepen.Options{All: deepen.Kinds(PointMem), Seeds: seeds})
	}
	return deepen.New(deepen.Options{All: deepen.Kinds(PointMem), Seeds: seeds, Maximal: &deepen.Set{Kinds: deepen.Kinds(PointSync)}, Warm: warmSteps})
}
