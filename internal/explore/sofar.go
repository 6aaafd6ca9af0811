package explore

import (
	"slices"

	"landgo/internal/result"
)

// publish hands what was found so far to a Keeper: the bugs whose story is reported, and of the
// others what is known without running them again.
func (h *hunt) publish() {
	k, ok := h.obs.(Keeper)
	if !ok {
		return
	}
	r := *h.result
	r.Notes, r.Races, r.Jobs = slices.Clone(r.Notes), slices.Clone(r.Races), slices.Clone(r.Jobs)
	r.Bugs = nil
	for _, f := range h.found {
		if f.told == nil {
			f.told = h.brief(f)
		}
		b := *f.told
		r.Bugs = append(r.Bugs, &b)
	}
	if r.Verdict == "" {
		r.Verdict = result.Budget
	}
	if len(r.Bugs) > 0 {
		r.Verdict, r.Reason, r.Problem = result.Buggy, "", ""
	}
	k.SoFar(&r)
}

// brief is a bug of the hunt's own guest as it is known without running it again.
func (h *hunt) brief(f *finding) *result.Bug {
	return &result.Bug{Kind: f.failure.Kind, Message: f.failure.Message, Thread: h.Guest.Name(f.failure.Thread),
		Preemptions: f.preemptions, Minimal: result.BestFound, Schedule: f.scheduleText()}
}

// scheduleText is the bug's schedule, "" if that isn't known yet.
func (f *finding) scheduleText() string {
	if len(f.schedule.Segments) == 0 {
		return ""
	}
	return f.schedule.String()
}
