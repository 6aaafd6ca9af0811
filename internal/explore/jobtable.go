package explore

import (
	"time"

	"landgo/internal/deepen"
	"landgo/internal/result"
)

// The jobs of an iterative deepening as they are shown while it goes on.

// show tells the observer how far all jobs are, a few times a second.
func (d *deepening) show() {
	now := time.Now()
	if d.obs == nil || now.Sub(d.lastTold) < 200*time.Millisecond {
		return
	}
	d.lastTold = now
	elapsed := d.Clock.Elapsed()
	out := Progress{Phase: "searching", Bugs: len(d.found), Elapsed: elapsed}
	perStep, size := 0.0, uint64(0)
	if d.steps > 0 {
		perStep = (elapsed - d.begun).Seconds() / float64(d.steps)
	}
	for _, j := range d.plan.Jobs() {
		sp := d.spaces[j]
		if sp != nil {
			out.Executions += sp.stats.Executions
			out.Blocked += sp.stats.Blocked
			out.Transitions += sp.stats.Transitions
		}
		switch j.State {
		case deepen.Finished:
			out.Verified++
		case deepen.Pending:
			out.Waiting++
		case deepen.Running, deepen.Suspended:
			row := result.JobProgress{PP: d.name(j), Running: j.State == deepen.Running, Executions: j.Executions, Explored: j.Share}
			if eta := j.ETA(); eta < deepen.Never {
				row.Left = result.Amount(eta * perStep).Seconds()
			}
			out.Jobs = append(out.Jobs, row)
			if row.Running {
				out.Jobs[0], out.Jobs[len(out.Jobs)-1] = out.Jobs[len(out.Jobs)-1], out.Jobs[0]
			}
			if d.whole(j) {
				out.Explored, out.Left, size = row.Explored, row.Left, j.Executions
			}
		}
	}
	if w := d.ways; w != nil {
		out.Executions += w.counts.Executions
		out.Transitions += w.counts.Transitions
	}
	if len(out.Jobs) == 1 && out.Verified == 0 {
		out.Jobs = nil // one search so far
	}
	out.Estimate = result.Total(float64(size), out.Explored)
	out.BoundedAt, out.BoundedBy = d.claimed()
	d.obs.Progress(out)
}
