package explore

import (
	"slices"

	"landgo/internal/deepen"
)

// A kernel of a course has tens of thousands of accesses to shared memory in an execution, most of
// them to its console and its allocator. With a point before each, the searches end no execution in
// a minute. Before the operations of synchronisation, and where interrupts go off and on, there are
// some hundred points, and a bug of one preemption is mostly at one of these. So a kernel's ladder
// begins with a rung at these points alone. The kernel on it is the one that is tested: what it finds
// is a bug of the run. What it doesn't find says nothing of other points.

// It has coarseFirst steps at once, and coarseTimes as many as the jobs from then on: theirs are shorter.
const coarseFirst, coarseTimes = 500_000, 4

// letCoarse lets it have them.
func (d *deepening) letCoarse() {
	if len(d.ladder) == 0 || !d.ladder[0].coarse() {
		return
	}
	for r := d.ladder[0]; r.open() && !d.settled() && !d.stop() && r.steps < d.pace(coarseFirst)+coarseTimes*d.steps; {
		if r.run(d.pace(boundedSlice)) {
			r.take(d)
		}
	}
}

// coarseRung is that of a kernel that schedules its own threads.
func (d *deepening) coarseRung() ladder {
	if !d.Platform.Ticks {
		return nil
	}
	return ladder{{points: d.coarsePoints()}}
}

// asIs makes such a rung's finding the run's. It may come at its points only, as that of the job
// that has the same ones.
func (d *deepening) asIs(r *rung, f *finding) *finding {
	f.fresh = false // its path is of the rung's guest
	own, err := scheduled(r.hunt, f)
	if err != nil {
		return nil
	}
	jobs := d.plan.Jobs()
	if i := slices.IndexFunc(jobs, func(j *deepen.Job) bool { return j.Set.Kinds == r.points && len(j.Set.At) == 0 }); i >= 0 {
		own.job = jobs[i]
	}
	return own
}
