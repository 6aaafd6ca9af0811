package explore

import (
	"fmt"

	"landgo/internal/explore/saved"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
	"landgo/race"
	"landgo/scheduler"
)

// Known bugs (--ignore). An execution that ends with one counts as one without a bug,
// and the verdict says so: nothing is known of what it would have done afterwards.
//
// An error of the heap that doesn't stop the machine is let through instead, and the
// execution goes on (scheduler/letthrough.go); so it is with --keep-going.

// ignore adds executions with ignored bugs.
func (o *outputs) ignore(list ...saved.Ignored) {
	for _, n := range list {
		known := false
		for i := range o.ignored {
			if known = o.ignored[i].Rule == n.Rule; known {
				o.ignored[i].Executions += n.Executions
				break
			}
		}
		if !known {
			o.ignored = append(o.ignored, n)
		}
	}
}

// tellIgnored puts them into a result.
func (o *outputs) tellIgnored(r *result.Result) {
	for _, i := range o.ignored {
		r.Ignored = append(r.Ignored, result.Ignored{Rule: i.Rule, Executions: i.Executions, First: i.First})
	}
}

// ignores is the record of a bug that the user ignores; ok if it is one.
func (h *hunt) ignores(f *scheduler.Failure) (rule saved.Ignored, ok bool) {
	i, ok := h.Ignores(f)
	if !ok {
		return rule, false
	}
	return saved.Ignored{Rule: i.String(), Executions: 1, First: fmt.Sprintf("%s: %s", f.Kind, f.Message)}, true
}

// wanted is a bug, unless the user ignores it.
func (h *hunt) wanted(f *scheduler.Failure) *scheduler.Failure {
	if f != nil {
		if _, ignored := h.ignores(f); ignored {
			return nil
		}
	}
	return f
}

// leaveOpen takes back that pairs were found to be harmless.
func leaveOpen(pairs []result.RacePair) {
	for i := range pairs {
		if pairs[i].Class == string(race.Benign) {
			pairs[i].Class, pairs[i].VerifiedAt = string(race.Untested), ""
		}
	}
}

// letThrough notes the errors that an execution went past.
func (h *hunt) letThrough(x *por.Execution) {
	var path []por.PathStep
	rules := map[string]bool{}
	for _, f := range h.Guest.LetThrough() {
		if rule, ignored := h.ignores(f); ignored {
			if !rules[rule.Rule] { // once an execution, whether it was cut off or not
				h.outcomes.ignore(rule)
			}
			rules[rule.Rule] = true
			continue
		}
		if !h.Config.KeepGoing {
			continue
		}
		if path == nil {
			path = x.Path(nil)
		}
		to, preemptions := until(path, f)
		h.keepAt(f, to, preemptions)
	}
}

// until is a path up to the step with an error that was let through, and how many
// preemptions that has.
func until(path []por.PathStep, f *scheduler.Failure) (to []por.PathStep, preemptions int) {
	for i := range path {
		p := &path[i]
		if p.Preemption {
			preemptions++
		}
		if p.Thread == f.Thread && p.Begin <= f.At && f.At <= p.Last {
			return path[:i+1], preemptions
		}
	}
	return path, preemptions
}

// passedAs is the error that the guest's execution went past and that has a key, or nil.
func (h *hunt) passedAs(key string) *scheduler.Failure {
	for _, f := range h.Guest.LetThrough() {
		if h.key(f) == key {
			return f
		}
	}
	return nil
}

// passedOf is the error with which a bug file's execution is to end, if it went past it;
// with a bare schedule the last one.
func passedOf(s *session.Session, file *result.BugFile) (last *scheduler.Failure) {
	if !s.Config.KeepGoing {
		return nil
	}
	for _, f := range s.Guest.LetThrough() {
		if file.Kind == "" || file.Kind == f.Kind && file.Message == f.Message {
			last = f
		}
	}
	return last
}
