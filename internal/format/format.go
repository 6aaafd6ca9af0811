package format

import (
	"fmt"
	"io"
	"strings"
	"time"

	"landgo/internal/report"
	"landgo/internal/result"
)

// Case is one test of one guest.
type Case struct {
	// Name is the test's.
	Name string
	// Points is a pass's worth, Score this result's share of it.
	Points, Score float64
	// Decided: the points are the course's to give, and it has given them, whatever the
	// verdict.
	Decided bool
	// Student is the text for the student in place of the result, and PointsOnly says that
	// there is no verdict for the student either. It holds in documents for students.
	Student    *string
	PointsOnly bool
	// Hidden: the student whose guest it is may not see the case.
	Hidden bool
	// Result is nil where Err came instead of it.
	Result *result.Result
	Err    error
}

// NewCase is a case whose points a pass has got, and any other result hasn't.
func NewCase(name string, points float64, r *result.Result, err error) Case {
	c := Case{Name: name, Points: points, Result: r, Err: err}
	if c.passed() {
		c.Score = points
	}
	return c
}

// Options say what a document depends on beside its cases.
type Options struct {
	// Style is that of the texts for students. Paths below Style.Dir are relative to it.
	Style report.Style
	// Now is the time of the document, for formats that have one.
	Now time.Time
}

// writers are the formats.
var writers = map[string]func(io.Writer, []Case, Options) error{
	"gradescope": gradescope,
	"autolab":    autolab,
	"junit":      junit,
	"sarif":      sarif,
	"github":     github,
	"csv":        csvTable,
}

// Write writes cases in a format of writers.
func Write(w io.Writer, name string, cases []Case, o Options) error {
	write := writers[name]
	if write == nil {
		return fmt.Errorf("no format is called %q", name)
	}
	return write(w, cases, o)
}

// passed reports whether the guest has no bug, as far as was asked for.
func (c *Case) passed() bool {
	return c.Result != nil && (c.Result.Verdict == result.Verified || c.Result.Verdict == result.Bounded)
}

// judged reports whether the result says anything about the guest. Otherwise it
// has no grade.
func (c *Case) judged() bool {
	return c.passed() || c.Result != nil && c.Result.Verdict == result.Buggy && c.Result.Bug != nil
}

// verdict is the case's in one word.
func (c *Case) verdict() string {
	if c.Result == nil {
		return "error"
	}
	return string(c.Result.Verdict)
}

// kind is the bug's, or the name under which "landgo help errors" explains why there is
// no verdict.
func (c *Case) kind() string {
	switch {
	case c.Result == nil:
		return string(result.KindOf(c.Err))
	case c.judged() && !c.passed():
		return string(c.Result.Bug.Kind)
	}
	return string(c.Result.Problem)
}

// message is a line that says what came out.
func (c *Case) message() string {
	r := c.Result
	switch {
	case r == nil:
		f := result.NewFailure(c.Err).Error
		return f.Message + "; " + f.Cure + " [" + string(f.Kind) + "]"
	case r.Verdict == result.Verified:
		return "no bug at " + result.Printable(r.Granularity) + r.Certificate.Under() + butWarned(r)
	case r.Verdict == result.Bounded:
		return "no bug within " + result.Printable(r.Bound) + " at " + result.Printable(r.Granularity) + r.Certificate.Under() + butWarned(r)
	case c.judged():
		return result.Printable(r.Bug.Says())
	}
	return result.Printable(r.Reason)
}

// butWarned is the warning that weakens a verdict without a bug.
func butWarned(r *result.Result) string {
	if len(r.Warnings) == 0 {
		return ""
	}
	return ", but " + result.Printable(r.Warnings[0].Text)
}

// text is the case told to the student, in lines.
func (c *Case) text(o Options) string {
	var b strings.Builder
	if c.Result == nil {
		b.WriteString(c.message() + "\n")
	} else {
		report.Brief(&b, c.Result, o.Style)
	}
	return b.String()
}

// paged is the text, with the place of the bug's page: for readers with the run's files.
func (c *Case) paged(o Options) string {
	if bugs := c.bugs(); len(bugs) > 0 && bugs[0].Page != "" {
		return c.text(o) + "Page: " + result.Printable(bugs[0].Page) + "\n"
	}
	return c.text(o)
}

// graded is the text of a grader, which says so where there is no grade.
func (c *Case) graded(o Options) string {
	text := ""
	if c.Student != nil {
		text = *c.Student
	} else {
		text = c.text(o)
	}
	if c.judged() || c.Decided {
		return text
	}
	return text + "Not graded: this is no verdict on the program. A person has to look at it.\n"
}

// bugs are those that a case shows.
func (c *Case) bugs() []*result.Bug {
	if c.passed() || !c.judged() {
		return nil
	}
	if len(c.Result.Bugs) > 0 {
		return c.Result.Bugs
	}
	return []*result.Bug{c.Result.Bug}
}

// seconds is how long the case took.
func (c *Case) seconds() float64 {
	if c.Result == nil {
		return 0
	}
	return c.Result.Seconds
}

// mainPlace is the place that a bug is shown at: of the accesses or waits that collided, else
// of the failure. It has no file if nothing is known.
func mainPlace(b *result.Bug) (place result.Frame) {
	var stacks [][]result.Frame
	for i := range b.Accesses {
		stacks = append(stacks, b.Accesses[i].Stack)
	}
	for i := range b.Waits {
		if b.Waits[i].For != "thread" || len(b.Waits) == 1 {
			stacks = append(stacks, b.Waits[i].Stack)
		}
	}
	for i := range b.Loops {
		stacks = append(stacks, b.Loops[i].Lines)
	}
	for _, s := range append(stacks, b.Stack) {
		if f := result.Innermost(s); known(f) && (!known(place) || place.Library && !f.Library) {
			place = f
		}
	}
	return place
}

// known reports whether a frame has a line of a source.
func known(f result.Frame) bool { return f.File != "" && f.Line > 0 }
