package story

import (
	"fmt"
	"strings"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// choices lists the values that landgo_choice gave and the calls that --faults had fail.
func (st *Story) choices(b *result.Bug) {
	switches, last := 0, 0
	for i := range st.Beats {
		bt := &st.Beats[i]
		if !st.IsBuffer(bt.Step.Thread) {
			if i > 0 && bt.Step.Thread != st.Beats[last].Step.Thread {
				switches++
			}
			last = i
		}
		for k := range bt.Ops {
			o := &bt.Ops[k]
			c := result.Choice{After: switches, Thread: st.Guest.Name(bt.Step.Thread)}
			switch o.Kind {
			case trace.OpChoose:
				c.Text = fmt.Sprintf("choice(%d) = %d", o.Obj, o.Arg)
				c.Place = place(st.Frames([]uint64{o.PC}))
			case trace.OpFault:
				stack := st.Frames(bt.Stack)
				c.Text, c.Place = failure(trace.FaultKind(o.Obj), o.Arg, stack), place(stack)
				c.Fault = fmt.Sprintf("--faults %v=%d", trace.FaultKind(o.Obj), max(1, st.Config.Failures()[o.Obj]))
				b.Faults++
			default:
				continue
			}
			b.Choices = append(b.Choices, c)
		}
	}
}

// place is the innermost frame of the user's, not of landgo's header.
func place(stack []result.Frame) result.Frame {
	for len(stack) > 1 && strings.HasPrefix(stack[0].Function, "landgo_") {
		stack = stack[1:]
	}
	return result.Innermost(stack)
}

// failure says which call failed how.
func failure(k trace.FaultKind, asked uint64, stack []result.Frame) string {
	name := "a call"
	if k != trace.FaultEINTR && len(stack) > 0 && stack[0].Function != "" {
		name, stack = strings.TrimPrefix(stack[0].Function, "__"), nil // it stands at the function's entry
	}
	for i, f := range stack {
		if f.File != "" && !f.Library { // the user's own: the one before was called
			break
		}
		if f.Function != "" && (i == 0 || !strings.HasPrefix(f.Function, "__")) {
			name = strings.TrimPrefix(f.Function, "__libc_")
		}
	}
	switch k {
	case trace.FaultMalloc:
		if asked > 0 {
			return fmt.Sprintf("%s(%d) fails here", name, asked)
		}
		return name + " fails here"
	case trace.FaultSpurious:
		return name + " returns for nothing here"
	case trace.FaultEINTR:
		return name + " is interrupted here (EINTR)"
	case trace.FaultCreate:
		return name + " fails here (EAGAIN)"
	}
	return name + " fails here though the mutex is free"
}
