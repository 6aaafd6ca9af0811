package explore

import (
	"context"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"landgo/emu"
	"landgo/explore/config"
	"landgo/result"
)

// limits watches the time, the memory and the user's patience for a run, from a
// goroutine of its own: whatever the rest is at, be it in the engine's C code. When
// one is used up, searches hear of it where they ask, and a guest in the middle of a
// step is stopped there. A run that still hasn't ended some time later is late: then
// a Keeper is told, who ends the process with what was found so far.
type limits struct {
	cancel context.Context
	time   time.Duration
	memory uint64
	clock  clock
	late   func(result.ErrorKind) // nil: no Keeper

	reached atomic.Pointer[result.ErrorKind]
	over    chan struct{}

	mu       sync.Mutex
	machines map[*emu.Machine]bool // in the middle of a search's steps
}

const (
	// grace is how long a run has to tell its result, once a limit is reached.
	grace = 650 * time.Millisecond
	// longestWait and shortestWait are between two looks at the limits.
	longestWait, shortestWait = 20 * time.Millisecond, 500 * time.Microsecond
	// touching is more bytes than a guest touches in a second.
	touching = 4 << 30
)

// watchLimits begins to watch. The caller closes the limits.
func watchLimits(ctx context.Context, cfg *config.Config, obs Observer) *limits {
	l := &limits{cancel: ctx, time: cfg.Time, memory: uint64(cfg.Memory), clock: startClock(cfg.ProcessorTime),
		over: make(chan struct{}), machines: map[*emu.Machine]bool{}}
	if k, ok := obs.(Keeper); ok {
		l.late = k.Late
	}
	go l.watch()
	return l
}

func (l *limits) close() { close(l.over) }

// reason is the limit that is reached, "" if there is none, or nothing is watched.
func (l *limits) reason() result.ErrorKind {
	if l == nil {
		return ""
	}
	if why := l.reached.Load(); why != nil {
		return *why
	}
	return ""
}

// unwanted is reason for a search that asks between steps: it needn't wait until the
// one who watches has seen that the user wants an end.
func (l *limits) unwanted() result.ErrorKind {
	why := l.reason()
	if why == "" && l != nil && l.cancel.Err() != nil {
		why = result.Interrupted
	}
	return why
}

func (l *limits) watch() {
	var since time.Time
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
		if why != "" && since.IsZero() {
			since = time.Now()
			l.reached.Store(&why)
		}
		if !since.IsZero() {
			wait = 2 * time.Millisecond
			l.halt()
			if late := time.Since(since) >= grace || excess; late && !told && l.late != nil {
				told = true
				l.late(l.reason())
			}
		}
		timer.Reset(wait)
	}
}

// cancelled is ready when the user wants an end, and that wasn't noticed yet.
func (l *limits) cancelled() <-chan struct{} {
	if l.reason() != "" {
		return nil
	}
	return l.cancel.Done()
}

// look says which limit is reached, and how long it takes to the next look.
// excess: memory is used up so far that nothing may go on.
func (l *limits) look() (wait time.Duration, why result.ErrorKind, excess bool) {
	wait = longestWait
	if l.time > 0 {
		left := l.time - l.clock.elapsed()
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

// start is the run's clock, or a new one where nothing is watched.
func (l *limits) start(processor bool) clock {
	if l != nil {
		return l.clock
	}
	return startClock(processor)
}

// may lets a machine be stopped in the middle of a step, or not any more.
func (l *limits) may(m *emu.Machine, stop bool) {
	if l == nil || m == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if stop {
		l.machines[m] = true
	} else {
		delete(l.machines, m)
		m.Halt(false)
	}
}

func (l *limits) halt() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for m := range l.machines {
		m.Halt(true)
	}
}

// statm stays open: it is read many times a second.
var statm = sync.OnceValue(func() *os.File {
	f, _ := os.Open("/proc/self/statm") // a nil File can't be read either
	return f
})

// residentMemory is the size of this process in memory: Linux tells, elsewhere
// the Go part of it has to do.
func residentMemory() uint64 {
	if n, ok := residentIn(statm()); ok {
		return n + besides()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Sys
}

func residentIn(f *os.File) (uint64, bool) {
	var text [128]byte
	n, _ := f.ReadAt(text[:], 0)
	if _, rest, ok := strings.Cut(string(text[:n]), " "); ok {
		first, _, _ := strings.Cut(rest, " ")
		if pages, err := strconv.ParseUint(first, 10, 64); err == nil {
			return pages * uint64(os.Getpagesize()), true
		}
	}
	return 0, false
}

// Guarded says that the process that called this one waits for it, and is part of
// landgo: its memory counts too.
func Guarded() { guarded.Store(true) }

// IsGuarded reports whether it was said.
func IsGuarded() bool { return guarded.Load() }

var guarded atomic.Bool

var besides = sync.OnceValue(func() uint64 {
	if !guarded.Load() {
		return 0
	}
	f, err := os.Open("/proc/" + strconv.Itoa(os.Getppid()) + "/statm")
	if err != nil {
		return 0
	}
	defer f.Close()
	n, _ := residentIn(f)
	return n
})
