package explore

import (
	"fmt"

	"landgo/internal/explore/session"
	"landgo/internal/explore/story"
	"landgo/internal/result"
)

// selfCheckRuns is the number of executions that --self-check runs again.
const selfCheckRuns = 50

// selfCheck runs executions of the search again from their schedules alone, and compares the
// final states. It uses a fresh machine that knows nothing of what threads share. A difference
// means that something isn't under control.
func (h *hunt) selfCheck() error {
	if !h.Config.SelfCheck || len(h.checks) == 0 {
		return nil
	}
	other, err := h.Another()
	if other != nil {
		defer other.Close()
	}
	if err != nil {
		return err
	}
	other.Following = true
	other.Plain.Opens(nil) // its start is run
	for i, path := range h.checks {
		sched, err := story.Schedule(h.Session, path)
		if err != nil {
			return h.replayDiffers(i, err.Error())
		}
		want := h.Guest.State()
		if _, _, err := other.FollowAll(sched); err != nil {
			return h.replayDiffers(i, err.Error())
		}
		if got := other.Guest.State(); got != want {
			return h.replayDiffers(i, "memory is different at its end")
		}
	}
	h.result.Certificate.SelfCheck = "passed"
	return nil
}

// replayDiffers is an execution that went another way when it was run again.
func (h *hunt) replayDiffers(i int, why string) error {
	return &session.Invalid{Kind: result.Diverged, Reason: fmt.Sprintf("execution %d went another way when it was run again: %s", i+1, why)}
}
