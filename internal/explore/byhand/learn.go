package byhand

import (
	"errors"
	"math/rand"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/por"
)

// Open is a run that stands at the guest's beginning, or, if there is a schedule, at its
// own, with the schedule's steps ahead. kind and message are those of the bug with which
// it ends, if it does. The session is the Chooser's from then on.
func Open(s *session.Session, sched trace.Schedule, kind trace.BugKind, message string) (*Chooser, error) {
	c := &Chooser{s: s, opened: sched, kind: string(kind), message: message, roots: map[trace.TID]string{}}
	c.begin()
	nothing := trace.Schedule{Check: s.Check}
	if len(sched.Segments) == 0 {
		if err := c.learn(); err != nil {
			return nil, err
		}
		return c, c.lay(nothing, nothing)
	}
	s.Following = true
	err := c.lay(nothing, sched)
	s.Following = false // the result of choices isn't the file's
	return c, err
}

// learnRuns and learnSteps bound the work before the first choice, by which landgo learns
// what threads share. Rows that are known from the beginning needn't be made anew under the
// user's eyes.
const learnRuns, learnSteps = 48, 20_000

// learn has threads take turns at random. Only what asks for a library that isn't loaded
// is an error: what else goes wrong the user will see when it reaches it.
func (c *Chooser) learn() error {
	g := c.s.Guest
	random := rand.New(rand.NewSource(1))
	left := learnSteps / int(c.s.Platform.StepCost)
	for n := 0; n < learnRuns && left > 0; n++ {
		g.Rewind(c.s.Root)
		for run := trace.NoThread; left > 0; left-- {
			threads := g.Threads(nil)
			if n == 0 || random.Intn(8) < n%8 { // the first as the threads come, others in long turns or short ones
				run = session.NextToRun(threads, run)
			} else {
				run = anyReady(threads, random)
			}
			if run == trace.NoThread {
				break
			}
			tr, err := g.Step(run, 0)
			if err != nil && !errors.Is(err, por.ErrFiner) {
				if session.AsksForLibrary(err) {
					return err
				}
				break
			}
			if err != nil || tr.End == trace.EndBug || tr.End == trace.EndProcess {
				break
			}
		}
	}
	g.Rewind(c.s.Root)
	return nil
}

func anyReady(threads []trace.Thread, random *rand.Rand) trace.TID {
	var ready []trace.TID
	for i := range threads {
		if threads[i].Status == trace.Ready {
			ready = append(ready, threads[i].ID)
		}
	}
	if len(ready) == 0 {
		return trace.NoThread
	}
	return ready[random.Intn(len(ready))]
}
