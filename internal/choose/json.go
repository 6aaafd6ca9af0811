package choose

import (
	"encoding/json"
	"strings"

	"landgo/internal/result"
)

// asJSON is the outcome of a command as a line of JSON.
func (r *Run) asJSON(command, answer string, failure error) (string, error) {
	v := &r.view
	x := result.Exploring{Schema: result.ExploringSchema, Command: command, Kept: r.kept, Steps: []result.ExploringStep{}, At: v.At,
		Threads: []result.ExploringThread{}, Over: v.Over, Bug: v.Bug, Output: v.Output}
	if failure != nil {
		x.Error = failure.Error()
	}
	if answer = strings.TrimSuffix(answer, "\n"); answer != "" {
		x.Answer = strings.Split(answer, "\n")
	}
	for _, s := range r.steps[r.kept:] {
		x.Steps = append(x.Steps, result.ExploringStep{Thread: s.Thread, Outcome: s.Outcome, Function: s.Function, File: s.File, Line: s.Line, Does: s.Text, Preempts: s.Preempts})
	}
	r.kept = len(r.steps)
	for _, l := range v.Lanes {
		t := result.ExploringThread{Number: l.Number, Thread: l.Thread, Runs: l.Root, Stores: l.Stores, Live: l.Live, Ready: l.Ready, About: l.About, Function: l.Function, File: l.File, Line: l.Line}
		if !l.Stores {
			t.Label = r.names.Of(l.Thread)
		}
		if l.Ready {
			t.Outcomes = l.Outcomes
		}
		x.Threads = append(x.Threads, t)
	}
	for _, w := range v.Watched {
		x.Watched = append(x.Watched, result.ExploringValue{Thread: w.Thread, Expression: w.Text, Value: w.Value, Error: w.Error, Changed: w.Changed})
	}
	line, err := json.Marshal(&x)
	return string(line) + "\n", err
}
