package por

import (
	"runtime"
	"time"
)

// timeSlice is a walk's turn on a processor, for Go's scheduler.
type timeSlice struct{ since time.Time }

// giveWay ends a turn of 6 ms; it is called more often than that. A walk spends its
// time in short calls of C: where it goes on for 10 ms, the runtime's monitor (sysmon)
// interrupts it each time that it looks, thousands of times a second, and two workers
// on two processors lose a twentieth of their time to that. To give way more often
// costs as much, for a walk that does may go on elsewhere, with cold caches.
func (p *timeSlice) giveWay() {
	if now := time.Now(); now.Sub(p.since) > 6*time.Millisecond {
		p.since = now
		runtime.Gosched()
	}
}
