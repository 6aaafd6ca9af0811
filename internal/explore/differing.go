package explore

import (
	"fmt"
	"strings"

	"landgo/internal/explore/shorter"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// With --fail-on output, an execution that prints something else than another one is a
// bug. No execution shows that alone: its story is that of the second outcome, and its
// message names both.

// quoted is how much of an output a message has.
const quoted = 80

// outputText begins the message of a bug of this kind. A replay compares it.
func outputText(text []byte) string {
	return fmt.Sprintf("standard output is %q, ", text[:min(len(text), quoted)])
}

// differing is the bug of outputs that differ, nil if there is none, or it isn't asked
// for. schedules has executions that show them; without them the outcome's path does.
func (h *hunt) differing(o *outputs, schedules map[string]trace.Schedule) *finding {
	const key = "output"
	if !h.Config.FailOnOutput || len(o.list) < 2 || h.seen[key] != nil {
		return nil
	}
	second, first := o.list[1], o.list[0]
	if second.text == "" {
		second, first = first, second
	}
	f := &finding{key: key, schedule: schedules[second.key], failure: scheduler.Failure{Kind: trace.Output,
		Message: outputText([]byte(second.text)) + fmt.Sprintf("and %q in another execution", first.text[:min(len(first.text), quoted)])}}
	if len(f.schedule.Segments) == 0 {
		if f.path = second.path; f.path == nil {
			return nil
		}
	}
	f.attribute()
	h.seen[key] = f
	h.found = append(h.found, f)
	return f
}

// attribute makes the thread of the last step the one that the report names, and
// counts the preemptions.
func (f *finding) attribute() {
	if len(f.path) == 0 {
		return
	}
	f.failure.Thread, f.preemptions = shorter.LastOf(f.path), 0
	for i := range f.path {
		if f.path[i].Preemption {
			f.preemptions++
		}
	}
}

// prints reports whether a bug file is about outputs, and an execution with this one is
// the one that it is about.
func prints(message string, out []byte) bool { return strings.HasPrefix(message, outputText(out)) }

// takeDiffering makes a bug of outputs that differ, in whatever of the jobs and ways.
func (d *deepening) takeDiffering() {
	if !d.Config.FailOnOutput {
		return
	}
	all := &outputs{}
	for _, j := range d.plan.Jobs() {
		if sp := d.spaces[j]; sp != nil {
			all.merge(&sp.outcomes)
		}
	}
	if d.ways != nil && d.ways.hunt != nil {
		d.ways.outcomes.schedules(d.ways.hunt, d.shown)
		all.merge(&d.ways.outcomes)
	}
	if f := d.differing(all, d.shown); f != nil {
		f.told = d.brief(f)
		d.publish()
	}
}
