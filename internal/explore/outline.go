package explore

import (
	"landgo/internal/explore/story"
	"landgo/internal/result"
)

// outline names a bug's execution by its threads' instructions, and tells its story
// as it is: to find a shorter one may take long.
func (h *hunt) outline(f *finding) error {
	st, err := story.Tell(h.Session, f.path)
	if err != nil {
		return err
	}
	f.schedule = st.Schedule
	if _, keeps := h.obs.(Keeper); !keeps {
		return nil
	}
	if f.told, err = st.Bug(&f.failure, f.preemptions, result.BestFound); err != nil {
		return err
	}
	if f.config != nil {
		f.told.PP = f.config.PointList()
	}
	return nil
}
