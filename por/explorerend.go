package por

import (
	"errors"
	"slices"

	"landgo/internal/trace"
)

// How executions end.

// endProcess ends the execution at an end of the process: there is a node for
// the state after it, without threads.
func (x *explorer) endProcess(t *trace.Transition) {
	n := x.extend()
	prev := &x.nodes[n.depth-1]
	n.running, n.preemptions = t.Thread, prev.preemptions
	if prev.preempting(t.Thread) { // no update ends a process
		n.preemptions++
	}
	x.at = -1
	clear(x.readySet(n))
	if t.End == trace.EndBug {
		x.end(EndedBug)
	} else {
		x.end(EndedProcess)
	}
}

// end counts and reports an end of an execution.
func (x *explorer) end(e Ending) {
	n := &x.nodes[len(x.nodes)-1]
	n.ended = true
	if x.next.foresees() {
		x.finer = true // the execution's steps aren't as they were
		return
	}
	if !x.counts.hold(x.order, &x.opts) || x.overwriter != nil && x.overwriter.Overwritten() {
		x.finer = true // a bug, if this was one, is found again
		return
	}
	shown := e
	if x.needs.beyond != nil && e <= EndedStuck && x.needs.beyond() {
		x.stats.Pruned++
		shown = EndedPruned
	}
	if e <= EndedStuck && e != EndedBug && x.parked() {
		shown = EndedBlocked
	}
	if !x.needs.retaken && (x.meter == nil || !x.meter.stale(int(n.depth))) {
		switch shown {
		case EndedBlocked:
			x.stats.Blocked++
		case EndedPruned: // counted with the branches cut
		default:
			x.stats.ended(shown, x.threads)
			x.stats.Longest = max(x.stats.Longest, uint64(n.depth))
		}
		x.ended.Ending, x.ended.Preemptions, x.ended.Threads = shown, n.preemptions, x.threads
		if x.observers != nil {
			x.ended.Preemptions = x.observers.now().preemptions
		}
		if !x.obs.Ended(&x.ended) || x.opts.enough(&x.stats) {
			x.stopped = true
		}
	}
	x.strat.end(e)
}

// parked reports whether a thread is parked, so that the execution doesn't stand for itself.
func (x *explorer) parked() bool {
	return slices.ContainsFunc(x.threads, func(t trace.Thread) bool { return t.Parked })
}

// maxRunOut is how far an execution is followed after points became finer. Facts
// that aren't learned now are learned later.
const maxRunOut = 4096

// runOut lets the execution in which points became finer run on by the default
// order, so that more is learned for the new start. A thread that yields lets
// another go on: it may wait, in a loop, for what that one does.
func (x *explorer) runOut(t *trace.Transition) (err error) {
	x.stopped, err = runOut(x.sys, x.interrupted, t)
	return err
}

func runOut(sys System, stop func() bool, t *trace.Transition) (stopped bool, err error) {
	var threads []trace.Thread
	running := t.Thread
	for steps := 0; steps < maxRunOut && t.End != trace.EndProcess && t.End != trace.EndBug; steps++ {
		if steps&0xff == 0xff && stop() {
			return true, nil
		}
		threads = sys.Threads(threads[:0])
		next := Afterwards(threads, running)
		if next == trace.NoThread {
			return false, nil
		}
		if t, err = sys.Step(next, 0); err != nil && (!errors.Is(err, ErrFiner) || t == nil) {
			return false, err
		}
		running = next
	}
	return false, nil
}

// Afterwards is the thread to go on after running: itself if it can and doesn't
// yield, else the next one that can, in a circle.
func Afterwards(threads []trace.Thread, running trace.TID) trace.TID {
	first, later, self := trace.NoThread, trace.NoThread, trace.NoThread
	for k := range threads {
		th := &threads[k]
		switch {
		case th.Status != trace.Ready:
		case th.ID == running:
			if !th.Yielding {
				return running
			}
			self = running
		case th.ID > running && later == trace.NoThread:
			later = th.ID
		case first == trace.NoThread:
			first = th.ID
		}
	}
	for _, t := range []trace.TID{later, first} {
		if t != trace.NoThread {
			return t
		}
	}
	return self
}
