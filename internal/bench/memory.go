package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"landgo/explore"
)

// What a search keeps in memory is bounded by the depth of executions, not by
// their number: shown by two sizes of one program, of which the greater has
// more than ten times the transitions and hardly longer executions. (The heap
// is that of the search in this process, looked at while it runs; the peak that
// of a landgo of its own.)

// A growth is a search and two sizes of a program of guests/bench.
type growth struct {
	searcher
	program      string
	small, large string // gcc flags
}

var growths = []growth{
	{searcher{"none", ""}, "micro", "-DN=2 -DK=4", "-DN=2 -DK=6"},
	{searcher{"optimal", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"source", ""}, "nwriters", "-DN=8", "-DN=10"},
	{searcher{"trust", ""}, "nwriters", "-DN=8", "-DN=10"},
}

// wantTransitions ends the greater run: it goes on until it has so many.
const wantTransitions = 10_500_000

func growing() error {
	for _, g := range growths {
		var peak [2]int64
		var heap, transitions [2]uint64
		for i, flags := range []string{g.small, g.large} {
			path := fmt.Sprintf("bin/guests/%s-memory-%d", g.program, i)
			all := strings.Fields("-g -O2 -static -pthread " + flags + " guests/bench/" + g.program + ".c -o " + path)
			if out, err := exec.Command("musl-gcc", all...).CombinedOutput(); err != nil {
				return fmt.Errorf("musl-gcc: %w\n%s", err, out)
			}
			w := &watch{}
			ctx, stop := context.WithCancel(context.Background())
			w.enough = stop
			c := explore.DefaultConfig()
			c.Guest, c.Search, c.Out = path, g.search, explore.NoFile
			r, err := explore.Run(ctx, c, w)
			stop()
			if err != nil {
				return err
			}
			heap[i], transitions[i] = w.heap, r.Transitions
			x, err := measure("--search", g.search, "--pp", "mem", "--max-executions", fmt.Sprint(r.Executions), path)
			if err != nil {
				return err
			}
			peak[i] = x.peak
		}
		figure := fmt.Sprintf("%.1f million transitions: heap %d MiB, peak %d MiB; %.1f million: %d and %d", float64(transitions[0])/1e6, heap[0]>>20, peak[0]>>10,
			float64(transitions[1])/1e6, heap[1]>>20, peak[1]>>10)
		goal(g.String()+" on "+g.program, figure, "+32 MiB", heap[1] < heap[0]+32<<20 && peak[1] < peak[0]+32<<10 && transitions[1] > 10_000_000)
	}
	return nil
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
