package grade

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"landgo/internal/course"
	"landgo/internal/result"
)

// Text writes the matrix and the mistakes for people.
func (t *Table) Text(w io.Writer) {
	if t.Course != "" {
		fmt.Fprintf(w, "%s: ", result.Printable(t.Course))
	}
	fmt.Fprintf(w, "%s, %s\n\n", counted(len(t.Students), "student"), counted(len(t.Tests), "test"))
	t.matrix(w)
	t.mistakes(w)
	if t.Undecided > 0 {
		fmt.Fprintf(w, "\n%s for a person to decide:\n", counted(t.Undecided, "result"))
		for _, row := range t.Students {
			for _, c := range row.Cells {
				if c.Points == "" {
					fmt.Fprintf(w, "  %s, %s: %s\n", result.Printable(row.Name), result.Printable(c.Test), result.Printable(c.Reason))
				}
			}
		}
	}
	for _, n := range t.Notes {
		fmt.Fprintf(w, "\nnote: %s\n", result.Printable(n))
	}
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// maxColumn is how wide a column of the matrix gets.
const maxColumn = 24

func (t *Table) matrix(w io.Writer) {
	rows := [][]string{{"student"}}
	for _, c := range t.Tests {
		rows[0] = append(rows[0], c.Name)
	}
	rows[0] = append(rows[0], "points")
	for _, r := range t.Students {
		line := []string{r.Name}
		for _, c := range r.Cells {
			line = append(line, c.Short)
		}
		points := r.Points + "/" + r.Of
		if r.Undecided > 0 {
			points += " ?"
		}
		rows = append(rows, append(line, points))
	}
	width := make([]int, len(rows[0]))
	for _, line := range rows {
		for i := range line {
			line[i] = cut(result.Printable(line[i]))
			width[i] = max(width[i], utf8.RuneCountInString(line[i]))
		}
	}
	for _, line := range rows {
		var b strings.Builder
		for i, text := range line {
			b.WriteString(text)
			if i+1 < len(line) {
				b.WriteString(strings.Repeat(" ", width[i]-utf8.RuneCountInString(text)+2))
			}
		}
		fmt.Fprintln(w, b.String())
	}
}

// cut shortens what is too long for a column.
func cut(s string) string {
	if utf8.RuneCountInString(s) <= maxColumn {
		return s
	}
	return string([]rune(s)[:maxColumn-3]) + "..."
}

func (t *Table) mistakes(w io.Writer) {
	if len(t.Mistakes) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s:\n", counted(len(t.Mistakes), "different mistake"))
	for _, m := range t.Mistakes {
		var names []string
		for _, s := range m.Students {
			names = append(names, result.Printable(s))
		}
		fmt.Fprintf(w, "  %s  %s\n    %s\n    %s\n", m.Fingerprint, counted(len(m.Students), "student"), result.Printable(strings.Join(m.What, "; ")), strings.Join(few(names), ", "))
	}
}

// few shortens a long list.
func few(names []string) []string {
	const most = 12
	if len(names) <= most {
		return names
	}
	return append(append([]string{}, names[:most]...), fmt.Sprintf("and %d others", len(names)-most))
}

// CSV writes the matrix for a spreadsheet: for each test its verdict and its points.
func (t *Table) CSV(w io.Writer) error {
	out := csv.NewWriter(w)
	head := []string{"student"}
	for _, c := range t.Tests {
		head = append(head, field(c.Name), field(c.Name+" points"))
	}
	out.Write(append(head, "points", "of", "undecided", "problem"))
	for _, r := range t.Students {
		line := []string{field(r.Name)}
		for _, c := range r.Cells {
			line = append(line, c.Short, c.Points)
		}
		out.Write(append(line, r.Points, r.Of, fmt.Sprint(r.Undecided), field(r.Problem)))
	}
	out.Flush()
	return out.Error()
}

// field is a text that a spreadsheet takes for a text, and not for a formula.
func field(s string) string {
	s = result.Printable(s)
	if s != "" && strings.ContainsRune("=+-@", rune(s[0])) {
		return "'" + s
	}
	return s
}

// One writes what the one student of a table may see.
func (t *Table) One(w io.Writer) {
	for _, row := range t.Students {
		t.forStudent(w, &row)
	}
}

func (t *Table) forStudent(w io.Writer, row *Row) {
	if row.Problem != "" {
		fmt.Fprintf(w, "%s\n", result.Printable(row.Problem))
		for _, line := range strings.Split(strings.TrimRight(row.Said, "\n"), "\n") {
			fmt.Fprintf(w, "  %s\n", result.Printable(line))
		}
	}
	for i := range row.Cells {
		c := row.Cells[i].seen(t.Tests[i].Sees)
		if c == nil {
			continue
		}
		points := c.Points
		if points == "" {
			points = "?"
		}
		fmt.Fprintf(w, "%s: %s of %s points", result.Printable(c.Test), points, c.Of)
		if c.Short != "" {
			fmt.Fprintf(w, ": %s", c.Short)
		}
		fmt.Fprintln(w)
		for _, m := range c.Mistake {
			fmt.Fprintf(w, "  %s\n", result.Printable(m))
		}
		if report := c.report(); report != "" {
			fmt.Fprintf(w, "\n%s\n", report)
		}
	}
	if row.shows(t) {
		fmt.Fprintf(w, "%s of %s points\n", row.Points, row.Of)
	}
}

// shows reports whether a student sees all tests, so that the sum tells nothing of the
// others.
func (r *Row) shows(t *Table) bool {
	for _, c := range t.Tests {
		if c.Sees == course.SeeNothing {
			return false
		}
	}
	return true
}

// seen is a cell as a student sees it; nil: not at all.
func (c Cell) seen(s course.See) *Cell {
	c.Replay, c.Fingerprint, c.outcome = "", "", c.outcome.forStudents()
	switch s {
	case course.SeeReport:
		return &c
	case course.SeeMistake:
		return &Cell{Test: c.Test, Verdict: c.Verdict, Short: c.Short, Kind: c.Kind, Mistake: c.Mistake, Points: c.Points, Of: c.Of}
	case course.SeeVerdict:
		return &Cell{Test: c.Test, Verdict: c.Verdict, Short: c.Short, Kind: c.Kind, Points: c.Points, Of: c.Of}
	case course.SeePoints:
		return &Cell{Test: c.Test, Points: c.Points, Of: c.Of}
	}
	return nil
}
