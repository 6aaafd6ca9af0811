package course

import (
	"time"

	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// Course is a course.yaml.
type Course struct {
	Name string
	// Dir is the folder of the file, which other files are named from.
	Dir string
	// Build is how a submission is built; nil: the guests are handed in.
	Build    *Build
	Tests    []Test
	Worth    Worth
	Students Students
}

// Build is the command that builds a submission, and its limits.
type Build struct {
	Command string
	// Files are files and folders of the course, put over the submission's.
	Files        []string
	Time         time.Duration
	Memory, Disk config.Size
	// Output is how much the command may write; the first 16K are kept.
	Output              config.Size
	Processes, MaxFiles int
}

// Test is one program that is checked.
type Test struct {
	Name string
	// Guest is the program's path beneath the built submission.
	Guest  string
	Points Points
	Hidden bool
	// Config is the configuration of landgo run, but for the guest.
	Config config.Config
}

// Points are thousandths of a point.
type Points int64

// Percent is a verdict's share of a test's points, in thousandths of a percent.
type Percent int64

const (
	point   = 1000
	percent = 1000
)

// Of is that share of some points.
func (p Percent) Of(all Points) Points {
	return (all*Points(p) + 50*percent) / (100 * percent)
}

// Worth has the share of each verdict.
type Worth struct {
	Verified Percent
	// Bounded has the share for a search that explored all within k preemptions, by k.
	// The greatest k that isn't more than what was explored counts.
	Bounded map[int]Percent
	// Budget is for a search that ended before it had explored any bound.
	Budget Percent
	// Bug is for a bug of a kind that isn't in Kinds.
	Bug   Percent
	Kinds map[trace.BugKind]Percent
}

// Students is how much students see of visible and of hidden tests.
type Students struct{ Visible, Hidden See }

// See is how much a student sees of a test.
type See string

const (
	SeeReport  See = "report"  // the whole report of a bug
	SeeMistake See = "mistake" // the kind of bug, and the student's own functions in it
	SeeVerdict See = "verdict"
	SeePoints  See = "points"
	SeeNothing See = "nothing" // not even that there is the test
)

var sees = []string{string(SeeReport), string(SeeMistake), string(SeeVerdict), string(SeePoints), string(SeeNothing)}

// Sees is how much students see of a test.
func (c *Course) Sees(t *Test) See {
	if t.Hidden {
		return c.Students.Hidden
	}
	return c.Students.Visible
}

// Of is the share of a result. ok is false where a person has to decide.
func (w *Worth) Of(r *result.Result) (share Percent, ok bool) {
	switch r.Verdict {
	case result.Verified:
		return w.Verified, true
	case result.Buggy:
		if r.Bug != nil {
			if share, ok := w.Kinds[r.Bug.Kind]; ok {
				return share, true
			}
		}
		return w.Bug, true
	case result.Bounded, result.Budget:
		k, ok := Bound(r)
		if !ok {
			return w.Budget, true
		}
		best := -1
		for at := range w.Bounded {
			if at <= k && at > best {
				best = at
			}
		}
		if best < 0 {
			return w.Budget, true
		}
		return w.Bounded[best], true
	}
	return 0, false
}
