package report

import (
	"fmt"
	"strings"

	"landgo/internal/result"
)

// maxOutcomes is how many outputs are shown.
const maxOutcomes = 8

// differs says on the first line that executions without a bug print different things.
func differs(r *result.Result) string {
	if len(r.Outcomes) < 2 {
		return ""
	}
	return ", but the output differs"
}

// outcomes lists the different outputs of executions without a bug, as tools for litmus
// tests do; nothing if there is one.
func (p *page) outcomes(r *result.Result) {
	if r.Replay != nil && len(r.Outcomes) > 0 {
		p.output(r.Outcomes[0].Output)
	}
	if len(r.Outcomes) < 2 {
		return
	}
	executions := r.OtherOutcomes
	for _, o := range r.Outcomes {
		executions += o.Executions
	}
	p.blank()
	head := count(uint64(len(r.Outcomes)), "outcome")
	if r.OtherOutcomes > 0 {
		head = "more than " + head
	}
	p.wrap("", fmt.Sprintf("%s, by what was written to standard output, in %s:", head, count(executions, "execution")))
	for _, o := range r.Outcomes[:min(maxOutcomes, len(r.Outcomes))] {
		p.line("  %s", p.cut(fmt.Sprintf("%-16s  %s", brief(o.Output), count(o.Executions, "execution")), 2))
		if o.Replay != "" {
			p.line("      %s", o.Replay)
		}
	}
	if n := len(r.Outcomes) - maxOutcomes; n > 0 {
		p.line("  and %s (--json has them)", count(uint64(n), "other"))
	}
}

// brief is an output on a line.
func brief(text string) string {
	if text == "" {
		return "(nothing)"
	}
	return "`" + clean(strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", " | ")) + "`"
}
