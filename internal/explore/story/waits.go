package story

import (
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// waits describes a deadlock's or livelock's threads.
func (st *Story) waits(b *result.Bug, f *scheduler.Failure) {
	for _, w := range f.Waits {
		stack := st.Stack(w.Thread)
		if w.Spins {
			loop := result.Loop{Thread: st.Guest.Name(w.Thread), Lines: toUser(stack)}
			for i := range w.Reads {
				loop.Waits = append(loop.Waits, st.Access(w.Thread, &w.Reads[i]))
			}
			b.Loops = append(b.Loops, loop)
			continue
		}
		out := result.Wait{Thread: st.Guest.Name(w.Thread), For: w.For, Object: w.Name, Address: result.Addr(w.Obj), Stack: stack, Held: st.Guest.Held(w.Thread)}
		if w.Owner != trace.NoThread {
			out.Owner = st.Guest.Name(w.Owner)
			out.Acquired = st.acquired(w.Owner, w.Obj)
		}
		b.Waits = append(b.Waits, out)
	}
	b.Cycle = st.cycle(f)
}

// toUser is a stack up to its innermost frame of the user's, or its first frame.
func toUser(stack []result.Frame) []result.Frame {
	for i, f := range stack {
		if f.File != "" && !f.Library {
			return stack[:i+1]
		}
	}
	return stack[:min(1, len(stack))]
}

// cycle is the waits-for cycle, by names, beginning with its first thread.
func (st *Story) cycle(f *scheduler.Failure) []string {
	for i := range f.Waits {
		if !f.Waits[i].Cycle {
			continue
		}
		var names []string
		for t := f.Waits[i].Thread; len(names) <= len(f.Waits); {
			names = append(names, st.Guest.Name(t))
			for _, w := range f.Waits {
				if w.Thread == t {
					t = w.Owner
					break
				}
			}
			if t == f.Waits[i].Thread {
				return names
			}
		}
	}
	return nil
}
