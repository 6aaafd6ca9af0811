package story

import (
	"slices"

	"landgo/internal/explore/story/record"
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
				a := st.Access(w.Thread, &w.Reads[i])
				if a.Symbol == "" {
					a.Symbol = st.of(st.Session, w.Reads[i].Addr)
				}
				if !slices.ContainsFunc(loop.Waits, func(o result.Access) bool { return o.Address == a.Address && o.Size == a.Size }) {
					loop.Waits = append(loop.Waits, a)
				}
			}
			b.Loops = append(b.Loops, loop)
			continue
		}
		out := result.Wait{Thread: st.Guest.Name(w.Thread), For: w.For, Object: w.Name, Address: result.Addr(w.Obj), Stack: stack, Held: st.Guest.Held(w.Thread)}
		if w.Owner != trace.NoThread {
			out.Owner = st.Guest.Name(w.Owner)
			out.Acquired = st.Acquired(w.Owner, w.Obj)
		} else if owner, at, ok := st.taker(w.Obj); ok && w.For == "mutex" {
			out.Owner, out.Acquired = st.Guest.Name(owner), at
		}
		b.Waits = append(b.Waits, out)
	}
	if b.Cycle = st.cycle(f); b.Cycle == nil {
		b.Cycle = waitCycle(b.Waits)
	}
}

// waitCycle is a cycle of threads that wait for each other, by names, or nil.
func waitCycle(waits []result.Wait) []string {
	next := map[string]string{}
	for i := range waits {
		next[waits[i].Thread] = waits[i].Owner
	}
	for i := range waits {
		names := []string{waits[i].Thread}
		for t := next[names[0]]; t != "" && len(names) <= len(waits); t = next[t] {
			if t == names[0] {
				return names
			}
			names = append(names, t)
		}
	}
	return nil
}

// taker is the thread that holds the mutex with a word, and where it took it, as the run's
// accesses to the word say. It is for a mutex that the guest's own code takes. Nothing is in
// the word of one that is free.
func (st *Story) taker(word uint64) (t trace.TID, where *result.Frame, ok bool) {
	free := true
	for i := range st.Beats {
		b := &st.Beats[i]
		for k := range b.Accesses {
			if a := &b.Accesses[k]; a.Addr != word || !a.IsWrite() {
				continue
			}
			switch v := b.Values[k].Raw; {
			case v == 0:
				free, ok = true, false
			case free:
				f := result.Innermost(st.Shown(record.At{Beat: i, Access: k}).Stack)
				free, t, where, ok = false, b.MadeBy(k), &f, b.Accesses[k].Flags&trace.RMW != 0
			}
		}
	}
	return t, where, ok
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
