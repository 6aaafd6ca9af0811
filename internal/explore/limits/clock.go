package limits

import (
	"syscall"
	"time"
)

// A clock says how long a session has been at work. A busy machine stretches
// time on the wall; what is compared at equal effort counts the processor's
// time instead, of all of this process's threads.
type Clock struct {
	processor bool
	began     time.Time
	used      time.Duration // by the process, when the clock was started
}

func StartClock(processor bool) Clock {
	c := Clock{processor: processor, began: time.Now()}
	if processor {
		c.used = ProcessorTime()
	}
	return c
}

func (c Clock) Elapsed() time.Duration {
	if c.processor {
		return ProcessorTime() - c.used
	}
	return time.Since(c.began)
}

// ProcessorTime is this process's time on the processor so far.
func ProcessorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err) // it has no error for this argument
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
