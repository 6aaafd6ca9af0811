package report

import (
	"fmt"
	"strings"

	"landgo/internal/result"
)

// fewerTurns is the advice for loops.
const fewerTurns = "as a rule, two or three turns of a loop show what a million do: pass a smaller number, or give the loop an end"

// longest says where the steps went of a run whose executions are long.
func (p *page) longest(l *result.Longest) {
	turns := group(uint64(l.Turns)) + " times"
	switch n := len(l.Threads); {
	case n == 1:
		turns = clean(p.names.Noun(l.Threads[0])) + " has been there " + turns
	case n <= 4:
		turns = clean(p.names.In("threads "+strings.Join(l.Threads[:n-1], ", ")+" and "+l.Threads[n-1])) + " have been there, up to " + turns + " each"
	default:
		turns = fmt.Sprintf("%d threads have been there, up to %s each", n, turns)
	}
	p.wrap("  loop: ", fmt.Sprintf("the longest execution has %s so far, and %s of them begin in %s: %s",
		count(uint64(l.Steps), "step"), group(uint64(l.Part)), p.where(l.Place), turns))
	switch {
	case l.Replay == "":
	case len(l.Replay) <= longCommand:
		p.line("        a run that leads there: %s", l.Replay)
	default:
		p.line("        --json has a schedule that leads there")
	}
	if l.Buffered > 0 {
		p.wrap("        ", fmt.Sprintf("each turn stores, and nothing there has the thread wait until that is in memory: its store buffer has had %s at once. "+
			"No length is the longest, so this search has no end; with a fence in the loop it may have one", count(uint64(l.Buffered), "store")))
	}
}

// longCommand is up to how many characters a command is shown.
const longCommand = 1000

// busiest says where the instructions went of a run with long steps.
func (p *page) busiest(b *result.Busiest) {
	text := fmt.Sprintf("%s runs %s instructions and more without a preemption point, in %s", clean(p.names.Noun(b.Thread)), group(b.Instructions), p.where(b.Place))
	if b.Period > 0 {
		text += fmt.Sprintf(", the last of them in a loop of %s: %s turns, if it was there all along", count(uint64(b.Period), "instruction"), group(b.Instructions/uint64(b.Period)))
	}
	label := "  loop: "
	if b.Period == 0 {
		label = "  long: "
	}
	p.wrap(label, text)
}

// effort says where the work of a run without a verdict went.
func (p *page) effort(r *result.Result) {
	if r.Longest != nil {
		p.longest(r.Longest)
	}
	if r.Busiest != nil {
		p.busiest(r.Busiest)
	}
	if r.Longest != nil && r.Longest.Buffered == 0 || r.Busiest != nil && r.Busiest.Period > 0 {
		p.wrap("        ", fewerTurns)
	}
}
