package page

import (
	"slices"

	"landgo/internal/result"
)

// stack is where a thread stands: the user's frames, and all if there are others.
type stack struct {
	Thread string
	Hue    int
	Frames []result.Frame
	All    []result.Frame
}

// stacks are those of the threads that wait for ever, or that of the thread that fails.
func (s *story) stacks(b *result.Bug) (all []stack) {
	for _, w := range b.Waits {
		all = append(all, s.stack(w.Thread, w.Stack))
	}
	for _, l := range b.Loops {
		all = append(all, s.stack(l.Thread, l.Lines))
	}
	if len(all) == 0 && len(b.Stack) > 0 {
		all = append(all, s.stack(b.Thread, b.Stack))
	}
	return all
}

func (s *story) stack(thread string, frames []result.Frame) stack {
	st := stack{Thread: clean(s.called.Of(thread)), Hue: s.lane(thread) % hues}
	for _, f := range frames {
		f.Function, f.File = clean(f.Function), clean(f.File)
		st.All = append(st.All, f)
	}
	st.Frames = slices.DeleteFunc(slices.Clone(st.All), func(f result.Frame) bool { return f.File == "" || f.Library })
	if len(st.Frames) == 0 || len(st.Frames) == len(st.All) {
		st.Frames, st.All = st.All, nil
	}
	return st
}
