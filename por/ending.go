package por

import (
	"errors"

	"landgo/trace"
)

// How executions end.

// endProcess ends the execution at an end of the process: there is a node for
// the state after it, in which nobody is.
func (x *explorer) endProcess(t *trace.Transition) {
	i := len(x.nodes)
	if i < cap(x.nodes) {
		x.nodes = x.nodes[:i+1]
	} else {
		x.nodes = append(x.nodes, node{})
	}
	prev := &x.nodes[i-1]
	p := prev.preemptions
	if prev.preempting(t.Thread) {
		p++
	}
	x.nodes[i] = node{depth: int32(i), running: t.Thread, preemptions: p, sleeps: int32(len(x.sleep)), slept: int32(len(x.sleep)),
		choices: int32(len(x.choices)), spins: int32(len(x.spins)), seen: int32(len(x.waits))}
	x.at = -1
	for len(x.ready) < (i+1)*x.words {
		x.ready = append(x.ready, 0)
	}
	clear(x.ready[i*x.words : (i+1)*x.words])
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
	switch e {
	case EndedBlocked:
		x.stats.Blocked++
	case EndedPruned: // counted with the branches cut
	default:
		x.stats.Executions++
	}
	x.ended.Ending, x.ended.Preemptions, x.ended.Threads = e, n.preemptions, x.threads
	if !x.obs.Ended(&x.ended) || x.opts.MaxExecutions > 0 && x.stats.Executions >= x.opts.MaxExecutions {
		x.stopped = true
	}
	x.strat.end(e)
}

// runOut lets the execution in which points became finer run to its end by the
// default order, so that more is learned for the new start.
func (x *explorer) runOut(t *trace.Transition) error {
	running := t.Thread
	for steps := 0; t.End != trace.EndProcess && t.End != trace.EndBug; steps++ {
		if steps&0xff == 0xff && x.stopNow() {
			x.stopped = true
			return nil
		}
		x.threads = x.sys.Threads(x.threads[:0])
		next := trace.NoThread
		for k := range x.threads {
			th := &x.threads[k]
			if th.Status == trace.Ready && (next == trace.NoThread || th.ID == running) {
				next = th.ID
			}
		}
		if next == trace.NoThread {
			return nil
		}
		var err error
		if t, err = x.sys.Step(next, 0); err != nil && (!errors.Is(err, ErrFiner) || t == nil) {
			return err
		}
		running = next
	}
	return nil
}
