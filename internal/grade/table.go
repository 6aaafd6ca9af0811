package grade

import (
	"bytes"
	"fmt"
	"slices"
	"sort"
	"strings"

	"landgo/internal/course"
	"landgo/internal/report"
	"landgo/internal/result"
)

// Schema names the version of a table's JSON form.
const Schema = "landgo-grade/1"

// Table is a graded class. It has no time in it, and no path of this machine.
type Table struct {
	Schema   string    `json:"schema"`
	Version  string    `json:"version"`
	Course   string    `json:"course"`
	Tests    []Column  `json:"tests"`
	Students []Row     `json:"students"`
	Mistakes []Mistake `json:"mistakes"`
	// Undecided is the number of cells that a person has to look at.
	Undecided int `json:"undecided"`
	// Notes are about the run: what builds weren't confined by, say.
	Notes []string `json:"notes"`
}

// Column is a test.
type Column struct {
	Name   string     `json:"name"`
	Points string     `json:"points"`
	Hidden bool       `json:"hidden"`
	Sees   course.See `json:"students_see"`
}

// Row is a student.
type Row struct {
	Name string `json:"name"`
	// Problem is why nothing was checked, or "". Said is the build's output.
	Problem string `json:"problem,omitempty"`
	Said    string `json:"build_output,omitempty"`
	Cells   []Cell `json:"results"`
	// Points are the sum of those that are decided, Of the most that there are.
	Points    string `json:"points"`
	Of        string `json:"of"`
	Undecided int    `json:"undecided"`
}

// Cell is the outcome of a test of a student's.
type Cell struct {
	Test string `json:"test"`
	// Verdict is landgo's, or "none" where there is no program to check.
	Verdict string `json:"verdict"`
	// Short is the cell in a word or two: "verified", "bound 2", "deadlock".
	Short string `json:"short"`
	// Kind and Fingerprint are the bug's.
	Kind        string `json:"kind,omitempty"`
	Fingerprint string `json:"fingerprint,omitempty"`
	// Mistake is the bug in the names of the student's own functions.
	Mistake []string `json:"mistake,omitempty"`
	Reason  string   `json:"reason,omitempty"`
	// Points are "" where a person has to decide.
	Points string `json:"points"`
	Of     string `json:"of"`
	// Replay is the command by which the teacher sees the bug again, in the run's folder.
	Replay string `json:"replay,omitempty"`

	// outcome is the source of the cell's texts, when they are asked for; nil where
	// nothing was checked.
	outcome *seenOutcome
	// page is the path of the bug's page in the run's folder, "" if there is none.
	page string
}

// seenOutcome is an outcome as a student or the teacher may see it.
type seenOutcome struct {
	g *graded
	// submission is its number.
	submission int
	result     *result.Result
}

// report is landgo's, for people; "" where nothing was checked.
func (c *Cell) report() string {
	if c.outcome == nil {
		return ""
	}
	return c.outcome.g.text(c.outcome.submission, c.outcome.result)
}

// result is landgo's, without paths of this machine; nil where nothing was checked.
func (c *Cell) result() *result.Result {
	o := c.outcome
	if o == nil {
		return nil
	}
	return withoutDir(o.result, o.g.builts[o.submission].Dir, o.g.class.Submissions[o.submission].Dir)
}

// forStudents is the outcome without what only the teacher can use.
func (o *seenOutcome) forStudents() *seenOutcome {
	if o == nil {
		return nil
	}
	return &seenOutcome{o.g, o.submission, withoutReplay(o.result)}
}

// Mistake is one that students have made.
type Mistake struct {
	Fingerprint string   `json:"fingerprint"`
	Kind        string   `json:"kind"`
	What        []string `json:"what"`
	// Students have made it, Cells is in how many results.
	Students []string `json:"students"`
	Cells    int      `json:"results"`
}

// none is the verdict where there is no program.
const none = "none"

func (g *graded) table() *Table {
	c := g.class.Course
	t := &Table{Schema: Schema, Version: result.Version, Course: c.Name, Students: []Row{}, Mistakes: []Mistake{}, Notes: g.notes()}
	for i := range c.Tests {
		test := &c.Tests[i]
		t.Tests = append(t.Tests, Column{test.Name, test.Points.String(), test.Hidden, c.Sees(test)})
	}
	mistakes := map[string]*Mistake{}
	for i := range g.class.Submissions {
		row := g.row(i)
		t.Undecided += row.Undecided
		t.Students = append(t.Students, row)
		for _, cell := range row.Cells {
			mistakes[cell.Fingerprint] = mistakes[cell.Fingerprint].with(row.Name, cell)
		}
	}
	for _, m := range mistakes {
		if m != nil {
			t.Mistakes = append(t.Mistakes, *m)
		}
	}
	sort.Slice(t.Mistakes, func(i, j int) bool {
		a, b := &t.Mistakes[i], &t.Mistakes[j]
		if len(a.Students) != len(b.Students) {
			return len(a.Students) > len(b.Students)
		}
		if a.Cells != b.Cells {
			return a.Cells > b.Cells
		}
		return a.Fingerprint < b.Fingerprint
	})
	return t
}

// with is a mistake with one more cell that shows it; nil has none.
func (m *Mistake) with(student string, c Cell) *Mistake {
	if c.Fingerprint == "" {
		return m
	}
	if m == nil {
		m = &Mistake{Fingerprint: c.Fingerprint, Kind: c.Kind, What: c.Mistake}
	}
	m.Cells++
	if n := len(m.Students); n == 0 || m.Students[n-1] != student {
		m.Students = append(m.Students, student)
	}
	return m
}

// notes are the messages that all builds have in common.
func (g *graded) notes() []string {
	notes := []string{}
	seen := map[string]bool{}
	for _, b := range g.builts {
		for _, m := range b.Missing {
			if !seen[m.String()] {
				seen[m.String()] = true
				notes = append(notes, "builds weren't confined by "+m.String())
			}
		}
	}
	sort.Strings(notes)
	return notes
}

func (g *graded) row(i int) Row {
	c, b := g.class.Course, g.builts[i]
	row := Row{Name: g.class.Submissions[i].Name, Problem: b.Problem}
	if b.Problem != "" {
		row.Said = b.Said
	}
	var sum, of course.Points
	for t := range c.Tests {
		cell, points, decided := g.cell(i, t)
		of += c.Tests[t].Points
		sum += points
		if !decided {
			row.Undecided++
		}
		row.Cells = append(row.Cells, cell)
	}
	row.Points, row.Of = sum.String(), of.String()
	return row
}

// cell is the outcome of a test, and its points if they are decided.
func (g *graded) cell(i, t int) (cell Cell, points course.Points, decided bool) {
	c := g.class.Course
	test := &c.Tests[t]
	cell = Cell{Test: test.Name, Of: test.Points.String()}
	key := g.keys[i][t]
	if key == "" {
		cell.Verdict, cell.Short, cell.Points = none, "no program", "0"
		cell.Reason = g.builts[i].Problem
		if cell.Reason != "" {
			cell.Short = "no build"
		} else {
			cell.Reason = fmt.Sprintf("there is no %s, or it isn't a plain file of at most %d MiB", test.Guest, maxFile>>20)
		}
		return cell, 0, true
	}
	r := g.desk.outcome(key).Result
	cell.Verdict, cell.Reason = string(r.Verdict), r.Reason
	cell.Short = short(r)
	if r.Verdict == result.Buggy && r.Bug != nil {
		own := g.own(i)
		cell.Kind, cell.Fingerprint, cell.Mistake = string(r.Bug.Kind), r.Bug.FingerprintOf(own), r.Bug.Mistakes(own)[1:]
		cell.Replay = r.Bug.Replay
	}
	cell.outcome = &seenOutcome{g, i, r}
	if share, ok := c.Worth.Of(r); ok {
		points = share.Of(test.Points)
		cell.Points = points.String()
		return cell, points, true
	}
	return cell, 0, false
}

// short is a result in a word or two.
func short(r *result.Result) string {
	switch r.Verdict {
	case result.Buggy:
		if r.Bug != nil {
			return string(r.Bug.Kind)
		}
	case result.Bounded, result.Budget:
		if k, ok := course.Bound(r); ok {
			return fmt.Sprintf("bound %d", k)
		}
	}
	return string(r.Verdict)
}

// withoutReplay is a result without the schedules and the files by which bugs are run
// again.
func withoutReplay(r *result.Result) *result.Result {
	plain := *r
	plain.Bug, plain.Bugs = nil, nil
	for _, b := range r.Bugs {
		own := *b
		own.Schedule, own.Replay, own.File = "", "", ""
		plain.Bugs = append(plain.Bugs, &own)
	}
	plain.Finish() // the bug is one of them
	return &plain
}

// withoutTime leaves out the line that says how long a search took.
func withoutTime(text string) string {
	lines := strings.SplitAfter(text, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, "time  ") }), "")
}

// reportWidth is that of the reports in pages, in columns.
const reportWidth = 100

// text is the report about a result, with lines of the student's own sources only.
func (g *graded) text(i int, r *result.Result) string {
	var b bytes.Buffer
	report.Text(&b, r, report.Style{Width: reportWidth, Dir: g.builts[i].Dir, Source: g.source(i)})
	text := withoutTime(b.String())
	if dir := g.builts[i].Dir; dir != "" {
		text = strings.ReplaceAll(strings.ReplaceAll(text, dir+"/", ""), dir, ".")
	}
	return strings.ReplaceAll(text, g.class.Submissions[i].Dir+"/", "")
}
