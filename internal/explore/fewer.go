package explore

import (
	"fmt"
	"strings"
)

// Beside its jobs, an iterative deepening has a search that is spared more orders than theirs: threads
// that nothing tells apart begin in one order (scheduler/alike.go). That can make n! executions one.
// It isn't the jobs' own search, for two reasons. Several workers can't share it. And threads that are
// alike take loops that wait turn by turn, which may cost more than the symmetry saves. So the two go
// on side by side, and the first to end is the proof. Stores that nothing reads keep their orders
// (unread=1 would spare some): the option is new, and what reads such bytes has been overlooked before.
//
// It has a guest of its own. It begins after fewerAfter steps, has fewerSoon at once, and then one in
// fewerShare. If it turns out in the first that it is spared nothing, it ends.
const (
	fewerSearch           = "optimal:symmetry=1"
	fewerAfter            = 10_000
	fewerSoon, fewerShare = 1 << 14, 4
)

// sparable reports whether the guest can be searched so.
func (d *deepening) sparable() bool {
	return d.stateable() && d.accompanied() && !d.Config.KeepGoing && !d.Judged() && d.Config.Search == "optimal"
}

// lookForFewer begins that search when it is due.
func (d *deepening) lookForFewer() {
	if d.fewer != nil || d.fewerless || d.steps < d.pace(fewerAfter) || d.settled() {
		return
	}
	if d.sparable() {
		d.fewer, _ = d.hire(fewerSearch, nil) // without room there is none
	}
	if d.fewerless = d.fewer == nil; !d.fewerless && d.fewer.run(d.pace(fewerSoon)) {
		d.takeBounded(d.fewer)
	}
}

// sparedText says what such a search was spared.
func (b *bounded) sparedText() string {
	return fmt.Sprintf("explored by search %s: %s", b.search, strings.Join(b.Plain.Spared(), "; "))
}
