package steer

import (
	"fmt"
	"slices"

	"landgo/internal/trace"
	"landgo/scheduler"
)

// The end of all threads: what each waits for.

// Stuck explains a state in which threads are left that can never run: nil if
// there are none.
func (k *Kernel) Stuck(ended bool) *scheduler.Failure {
	if ended {
		return nil
	}
	f := &scheduler.Failure{Kind: trace.Deadlock}
	for i := range k.threads {
		th := &k.threads[i]
		if !k.threads[i].Exists || !th.Live() || th.own.Idle || th.own.Ended {
			continue
		}
		if x := k.exec.untreated(th); x != nil {
			return x
		}
		f.Waits = append(f.Waits, k.waitOf(th))
	}
	i := slices.IndexFunc(f.Waits, func(w scheduler.Wait) bool { return w.Spins })
	if k.awaitsInput() {
		return nil
	}
	switch {
	case len(f.Waits) == 0:
		return nil
	case i >= 0:
		f.Kind, f.Thread, f.PC = trace.Livelock, f.Waits[i].Thread, k.PC(f.Waits[i].Thread)
		f.Message = k.StuckMessage(f)
		return f
	case len(f.Waits) == 1:
		f.Message = fmt.Sprintf("the kernel idles for ever: thread %s waits for %s", k.Name(f.Waits[0].Thread), f.Waits[0].String())
	default:
		f.Message = fmt.Sprintf("the kernel idles for ever: %d threads wait, and no thread is left to release them", len(f.Waits))
	}
	f.Thread, f.PC = f.Waits[0].Thread, k.PC(f.Waits[0].Thread)
	return f
}
