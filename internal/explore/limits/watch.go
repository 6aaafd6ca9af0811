package limits

import (
	"context"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
	"sync/atomic"
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// Watch watches the time, the memory and the user's patience for a run, from a
// goroutine of its own. It does so whatever the rest is at, be it in the engine's C
// code. When one is used up, searches hear of it where they ask, and a guest in the
// middle of a step is stopped there. A run that still hasn't ended some time later
// is late: then the observer ends the process with what was found so far.
type Watch struct {
	cancel context.Context
	time   time.Duration
	memory uint64
	clock  Clock
	late   func(result.ErrorKind) // or nil

	reached atomic.Pointer[result.ErrorKind]
	over    chan struct{}

	mu       sync.Mutex
	machines map[Machine]bool // in the middle of a search's steps
}

// Machine runs a guest, and can be stopped in the middle of a step.
type Machine interface{ Halt(on bool) }

const (
	// grace is how long a run has to tell its result, once a limit is reached. It is longestGrace at
	// most on a busy machine, if the limit is of the processor's time.
	grace, longestGrace = 650 * time.Millisecond, 8 * grace
	// longestWait and shortestWait are between two looks at the limits.
	longestWait, shortestWait = 20 * time.Millisecond, 500 * time.Microsecond
	// touching is more bytes than a guest touches in a second.
	touching = 4 << 30
)

// Begin begins to watch. late, if not nil, is called from another goroutine
// when a limit was reached a while ago. The caller closes the watch.
func Begin(ctx context.Context, cfg *config.Config, late func(result.ErrorKind)) *Watch {
	return StartClock(cfg.ProcessorTime).Watch(ctx, cfg, late)
}

// Watch is Begin for a run that began when the clock was started.
func (c Clock) Watch(ctx context.Context, cfg *config.Config, late func(result.ErrorKind)) *Watch {
	l := &Watch{cancel: ctx, time: cfg.Time, memory: uint64(cfg.Memory), clock: c, late: late,
		over: make(chan struct{}), machines: map[Machine]bool{}}
	go l.watch()
	return l
}

// Close ends the watch.
func (l *Watch) Close() { close(l.over) }

// Reached is the limit that is reached, "" if there is none, or nothing is watched.
func (l *Watch) Reached() result.ErrorKind {
	if l == nil {
		return ""
	}
	if why := l.reached.Load(); why != nil {
		return *why
	}
	return ""
}

// Unwanted is Reached for a search that asks between steps: it needn't wait until
// the watch has seen that the user wants an end.
func (l *Watch) Unwanted() result.ErrorKind {
	why := l.Reached()
	if why == "" && l != nil && l.cancel.Err() != nil {
		why = result.Interrupted
	}
	return why
}

func (l *Watch) watch() {
	var since, used Clock // the wall's, the processor's
	told := false
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-l.over:
			return
		case <-l.cancelled():
		case <-timer.C:
		}
		wait, why, excess := l.look()
		if why != "" && l.Reached() == "" {
			since, used = StartClock(false), StartClock(true)
			l.reached.Store(&why)
		}
		if reached := l.Reached(); reached != "" {
			wait = 2 * time.Millisecond
			l.halt()
			busy := l.clock.processor && reached == result.OutOfTime
			if late := graceOver(busy, since.Elapsed(), used.Elapsed()) || excess; late && !told && l.late != nil {
				told = true
				l.late(l.Reached())
			}
		}
		timer.Reset(wait)
	}
}

// graceOver reports whether a run has had its grace, in time on the wall and of the processor. busy: the
// limit is of the processor's time, because other programs take it too. Then the run gets as much of it
// as an idle machine would have given all its threads.
func graceOver(busy bool, wall, used time.Duration) bool {
	all := grace * time.Duration(runtime.GOMAXPROCS(0))
	return wall >= grace && (!busy || used >= all) || wall >= longestGrace
}

// cancelled is ready when the user wants an end, and that wasn't noticed yet.
func (l *Watch) cancelled() <-chan struct{} {
	if l.Reached() != "" {
		return nil
	}
	return l.cancel.Done()
}

// look says which limit is reached, and how long it takes to the next look.
// excess: memory is used up so far that nothing may go on.
func (l *Watch) look() (wait time.Duration, why result.ErrorKind, excess bool) {
	wait = longestWait
	if l.time > 0 {
		left := l.time - l.clock.Elapsed()
		if left < 0 {
			why = result.OutOfTime
		}
		wait = min(wait, max(left, shortestWait))
	}
	if l.memory > 0 {
		used := residentMemory()
		switch {
		case used > l.memory:
			why, excess = result.OutOfMemory, used > l.memory+l.memory/16
		case used > l.memory/2:
			keepGoWithin(l.memory, used)
		}
		left := l.memory - min(used, l.memory)
		wait = min(wait, max(time.Duration(float64(left)/touching*float64(time.Second)), shortestWait))
	}
	select {
	case <-l.cancel.Done():
		why = result.Interrupted
	default:
	}
	return wait, why, excess
}

// keepGoWithin has the collector leave no more garbage than there is room for beside
// the guests' memory.
func keepGoWithin(limit, used uint64) {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	own := samples[0].Value.Uint64() - samples[1].Value.Uint64()
	others := used - min(own, used)
	room := limit - limit/16
	debug.SetMemoryLimit(int64(max(room-min(others, room), limit/8)))
}

// Clock is the run's clock, or a new one where nothing is watched.
func (l *Watch) Clock(processor bool) Clock {
	if l != nil {
		return l.clock
	}
	return StartClock(processor)
}

// MayHalt lets a machine be stopped in the middle of a step, or not any more.
func (l *Watch) MayHalt(m Machine, on bool) {
	if l == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if on {
		l.machines[m] = true
	} else {
		delete(l.machines, m)
		m.Halt(false)
	}
}

func (l *Watch) halt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for m := range l.machines {
		m.Halt(true)
	}
}
