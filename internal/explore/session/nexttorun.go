package session

import "landgo/internal/trace"

// NextToRun is the thread that ran, if it can go on, or the next that can; NoThread if
// none can.
func NextToRun(threads []trace.Thread, ran trace.TID) trace.TID {
	first := trace.NoThread
	for i := range threads {
		switch th := &threads[i]; {
		case th.Status != trace.Ready:
		case th.ID == ran && !th.Yielding:
			return ran
		case first == trace.NoThread || first <= ran && th.ID > ran:
			first = th.ID
		}
	}
	return first
}
