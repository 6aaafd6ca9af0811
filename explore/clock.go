package explore

import (
	"syscall"
	"time"
)

// A clock says how long a session has been at work. A busy machine stretches
// time on the wall; what is compared at equal effort counts the processor's
// time instead, of all of this process's threads.
type clock struct {
	processor bool
	began     time.Time
	used      time.Duration // by the process, when the clock was started
}

func startClock(processor bool) clock {
	c := clock{processor: processor, began: time.Now()}
	if processor {
		c.used = processorTime()
	}
	return c
}

func (c clock) elapsed() time.Duration {
	if c.processor {
		return processorTime() - c.used
	}
	return time.Since(c.began)
}

// processorTime is what this process has had of the processor so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no error for this argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
