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
	if strings.HasPrefix(first, "preempt=") {
		switch n := *r.BoundedAt; n {
		case 0:
			text = "no bug without a preemption"
		case 1:
			text = "no bug with at most 1 preemption"
		default:
			text = fmt.Sprintf("no bug with at most %d preemptions", n)
		}
	}
	if others != "" {
		text += " (" + others + ")"
	}
	return text
}
