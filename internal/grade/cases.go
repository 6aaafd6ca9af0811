package grade

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"landgo/internal/course"
	"landgo/internal/format"
	"landgo/internal/report"
	"landgo/internal/result"
)

// caseWidth is that of the texts in documents, in columns.
const caseWidth = 80

// Format writes a class in a format of package format. Those for one student
// (gradescope, autolab) have as much as the course lets students see.
func (t *Table) Format(w io.Writer, name string, now time.Time) error {
	var cases []format.Case
	for _, row := range t.Students {
		for i, c := range row.Cells {
			k := t.caseOf(&row, c, t.Tests[i].Sees)
			if len(t.Students) > 1 {
				k.Name = row.Name + ": " + k.Name
			}
			cases = append(cases, k)
		}
	}
	return format.Write(w, name, cases, format.Options{Style: report.Style{Width: caseWidth}, Now: now})
}

func (t *Table) caseOf(row *Row, c Cell, sees course.See) format.Case {
	k := format.Case{Name: c.Test, Points: number(c.Of), Score: number(c.Points), Decided: c.Points != "", Hidden: sees == course.SeeNothing,
		PointsOnly: sees == course.SeePoints || sees == course.SeeNothing, Result: c.result()}
	if k.Result == nil {
		k.Err = result.Errorf(result.NoFile, "%s", c.Reason)
	}
	if sees == course.SeeReport && k.Result != nil {
		return k
	}
	var b strings.Builder
	if seen := c.seen(sees); seen != nil && seen.Short != "" {
		fmt.Fprintln(&b, seen.Short)
		for _, m := range seen.Mistake {
			fmt.Fprintln(&b, result.Printable(m))
		}
		if k.Result == nil {
			fmt.Fprintln(&b, result.Printable(c.Reason))
			for _, line := range strings.Split(row.Said, "\n") {
				if line != "" {
					fmt.Fprintf(&b, "  %s\n", result.Printable(line))
				}
			}
		}
	}
	text := b.String()
	k.Student = &text
	return k
}

// number is a number of points, 0 for "".
func number(points string) float64 {
	n, _ := strconv.ParseFloat(points, 64)
	return n
}

// withoutDir is a result in which paths beneath a folder are relative to it.
func withoutDir(r *result.Result, dirs ...string) *result.Result {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // it was read from JSON
	}
	for _, dir := range dirs {
		if dir != "" {
			text = bytes.ReplaceAll(text, []byte(inJSON(dir+"/")), nil)
			text = bytes.ReplaceAll(text, []byte(inJSON(dir)), []byte("."))
		}
	}
	var out result.Result
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	out.Bug = nil // of Bugs
	out.Finish()
	return &out
}

// inJSON is a text as it stands in a JSON string.
func inJSON(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string
	}
	return string(quoted[1 : len(quoted)-1])
}
