package report

import (
	"fmt"
	"strings"

	"landgo/internal/result"

	"github.com/ianlancetaylor/demangle"
)

// maxJobs is how many sets of preemption points are shown that were run.
const maxJobs = 12

// jobs lists the sets of preemption points that a run explored which chose them
// itself; nothing if one was enough.
func (p *page) jobs(r *result.Result) {
	var run []*result.Job
	waiting, spared := 0, 0
	for i := range r.Jobs {
		j := &r.Jobs[i]
		switch {
		case j.Transitions > 0:
			run = append(run, j)
		case j.State == "pending":
			waiting++
		default:
			spared++
		}
	}
	if len(run) < 2 {
		return
	}
	p.blank()
	p.line("Explored, by where threads are switched:")
	for _, j := range run[:min(maxJobs, len(run))] {
		p.wrap(fmt.Sprintf("  %-9s  ", j.State), fmt.Sprintf("%s: %s", clean(points(j)), jobText(j)))
	}
	if n := len(run) - maxJobs; n > 0 {
		verified := 0
		for _, j := range run[maxJobs:] {
			if j.State == "verified" {
				verified++
			}
		}
		p.line("  and %s, %d of them verified (--json names them)", count(uint64(n), "other set"), verified)
	}
	if waiting > 0 {
		p.line("  %s not begun", count(uint64(waiting), "set"))
	}
	if spared > 0 {
		p.line("  %s not run, for others include what they would show", count(uint64(spared), "set"))
	}
}

// maxPlaces is how many instructions of a set are named.
const maxPlaces = 2

// points is a job's space.
func points(j *result.Job) string {
	text := jobName(j.PP)
	switch {
	case j.Bound == "preempt":
		text += ", by ascending number of preemptions"
	case j.Bound != "":
		text += ", by ascending number of delays"
	case j.Search == result.Samples:
		text += ", at random"
	case strings.Contains(j.Search, ":"): // a search with options
		text += ", by " + j.Search
	case j.Search != "":
		text += ", state by state"
	}
	return text
}

// jobName is a set of points, as far as a line holds it, with people's names of functions;
// JSON has all, as --pp takes it.
func jobName(pp string) string {
	kinds, list, _ := strings.Cut(pp, "=")
	text := kinds
	if list != "" {
		places := strings.Split(list, "+")
		// A place is an address, or a function and a distance.
		n, end := 0, len(places)
		for i := range places {
			if strings.HasPrefix(places[i], "_") {
				places[i] = demangle.Filter(places[i], demangle.NoParams, demangle.NoClones, demangle.MaxLength(9))
			}
			if i+1 < len(places) && !strings.HasPrefix(places[i], "0x") {
				continue
			}
			if n++; n == maxPlaces {
				end = i + 1
			}
		}
		text += "=" + strings.Join(places[:end], "+")
		if n > maxPlaces {
			text += fmt.Sprintf(" and %d more", n-maxPlaces)
		}
	}
	return text
}

func jobText(j *result.Job) string {
	text := count(j.Executions, "execution")
	if j.State == "suspended" && j.Explored > 0 {
		text += ", " + percent(float64(j.Explored)) + " explored"
	}
	return text
}
