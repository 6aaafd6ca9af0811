package main

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"landgo/internal/explore"
	"landgo/internal/explore/config"
	"landgo/por"
)

// A search's memory depends on the depth of executions, not on their number.
// Two sizes of one program show it: the greater runs for more than ten million
// transitions and has hardly longer executions. Two workers search, where a
// search can be divided. (Not here: stateful keeps all states, and the searches
// that sample a digest of each distinct trace.)

// A growth is a search and two sizes of a program of guests/bench.
type growth struct {
	searcher
	program      string
	small, large string // gcc flags
}

var growths = []growth{
	{searcher{"none", ""}, "micro", "-DN=2 -DK=4", "-DN=2 -DK=6"},
	{searcher{"bounded", "preempt=20"}, "micro", "-DN=2 -DK=4", "-DN=2 -DK=6"},
	{searcher{"sleep", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"dpor", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"classic", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"nidhugg", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"source", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"optimal", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"trust", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"bpor", "preempt=8"}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"nidhugg-bpor", "preempt=8"}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"source-bpor", "preempt=8"}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"lazy-bpor", "preempt=8"}, "nwriters", "-DN=8", "-DN=10"},
}

// wantTransitions ends the greater run.
const wantTransitions = 10_500_000

// growing prints for each search what it keeps: the heap as it is in use after a
// collection, at its greatest, and the peak of the process.
func growing() error {
	for _, g := range growths {
		var peak, heap, transitions [2]uint64
		for i, flags := range []string{g.small, g.large} {
			path, err := compile(g.program, flags, fmt.Sprintf("%s-memory-%d", g.program, i))
			if err != nil {
				return err
			}
			bounds, err := por.ParseBounds(g.bound)
			if err != nil {
				return err
			}
			w := &watch{}
			ctx, stop := context.WithCancel(context.Background())
			w.enough = stop
			c := config.Default()
			c.Model = config.ModelSC // one search is measured
			c.Guest, c.Search, c.Bounds, c.Out, c.Deepen, c.Jobs = path, g.search, bounds, config.NoFile, false, 2
			debug.FreeOSMemory()
			if err := forgetPeak(); err != nil {
				stop()
				return err
			}
			r, err := explore.Run(ctx, c, w)
			stop()
			if err != nil {
				return err
			}
			heap[i], transitions[i] = w.heap, r.Transitions
			if peak[i], err = peakMemory(); err != nil {
				return err
			}
		}
		figure := fmt.Sprintf("%.1f million transitions: heap %d MiB, peak %d MiB; %.1f million: %d and %d", float64(transitions[0])/1e6, heap[0]>>20, peak[0]>>10,
			float64(transitions[1])/1e6, heap[1]>>20, peak[1]>>10)
		goal(g.String()+" on "+g.program, figure, "+32 MiB", heap[1] < heap[0]+32<<20 && peak[1] < peak[0]+32<<10 && transitions[1] > 10_000_000)
	}
	return nil
}

// forgetPeak has this process's peak of memory begin anew (proc(5), clear_refs).
func forgetPeak() error { return os.WriteFile("/proc/self/clear_refs", []byte("5"), 0) }

// peakMemory is the greatest size of this process in memory since, in KiB.
func peakMemory() (peak uint64, err error) {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	_, err = fmt.Sscan(rest, &peak)
	return peak, err
}

// watch looks at the heap now and then.
type watch struct {
	heap   uint64
	last   time.Time
	enough func()
}

func (w *watch) Progress(p explore.Progress) {
	if p.Transitions >= wantTransitions {
		w.enough()
	}
	if time.Since(w.last) < time.Second {
		return
	}
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	w.heap, w.last = max(w.heap, m.HeapInuse), time.Now()
}
