package story

import "landgo/internal/result"

// Account is the step-by-step account of an execution.
func (st *Story) Account() []result.Event {
	var out []result.Event
	for i := range st.beats {
		b := &st.beats[i]
		e := result.Event{
			Thread: st.Guest.Name(b.step.Thread), Begin: b.step.Begin, End: b.step.Last,
			Choice: uint32(b.step.Choice), Stack: st.Frames(b.stack), Output: b.out,
			Switch: b.why, Preemption: i+1 < len(st.beats) && st.beats[i+1].step.Preemption,
		}
		for _, op := range b.ops {
			text := st.Guest.OpText(op)
			if e.Does != "" && text != "" {
				e.Does += ", "
			}
			e.Does += text
		}
		for k := range b.accesses {
			e.Accesses = append(e.Accesses, st.shown(i, k))
		}
		out = append(out, e)
	}
	return out
}
