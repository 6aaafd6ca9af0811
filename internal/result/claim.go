package result

import (
	"fmt"
	"strings"
)

// Claimed is what a result without a verdict says all the same, in words: "" if it
// says nothing.
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
