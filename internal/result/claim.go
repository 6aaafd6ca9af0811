package result

import (
	"fmt"
	"strings"
)

// WholeCopies is the part of a bound that says: system calls copied shared memory in one step.
const WholeCopies = "copies=whole"

// Claimed is the claim of a result without a verdict, in words: "" if it
// has none.
func (r *Result) Claimed() string {
	if r.BoundedAt == nil {
		return ""
	}
	first, others, _ := strings.Cut(r.BoundedBy, ",")
	text := "no bug within " + first
	what := map[string]string{"preempt": "preemption", "ticks": "tick"}
	measure, _, _ := strings.Cut(first, "=")
	if noun := what[measure]; noun != "" {
		switch n := *r.BoundedAt; n {
		case 0:
			text = "no bug without a " + noun
		case 1:
			text = "no bug with at most 1 " + noun
		default:
			text = fmt.Sprintf("no bug with at most %d %ss", n, noun)
		}
	}
	if others != "" {
		text += " (" + others + ")"
	}
	return text
}

// Tried is the executions of a result without a verdict beyond its claim, in words: "" if
// there is none.
func (r *Result) Tried() string {
	within, sampled := "", ""
	for i := range r.Jobs {
		j := &r.Jobs[i]
		executions := fmt.Sprintf("%d executions", j.Executions)
		if j.Executions == 1 {
			executions = "1 execution"
		}
		switch {
		case j.Executions == 0:
		case j.Search == Samples:
			sampled = executions + " at random"
		case j.Bound == "preempt" && j.At != nil && *j.At == 0:
			within = executions + " without a preemption"
		case j.Bound == "preempt" && j.At != nil && *j.At == 1:
			within = executions + " with at most 1 preemption"
		case j.Bound == "preempt" && j.At != nil:
			within = fmt.Sprintf("%s with at most %d preemptions", executions, *j.At)
		}
	}
	if within != "" && sampled != "" {
		return within + ", " + sampled
	}
	return within + sampled
}
