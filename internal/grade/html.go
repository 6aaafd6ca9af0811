package grade

import (
	"crypto/sha256"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"os"
	"path/filepath"
	"strings"

	"landgo/internal/result"
)

//go:embed page.html
var pageText string

// pages escapes whatever students have named, by its place in the page.
var pages = template.Must(template.New("").Funcs(template.FuncMap{
	"show": func(s string) string { return result.Printable(s) },
	"lines": func(s string) string {
		var b strings.Builder
		for _, line := range strings.SplitAfter(s, "\n") {
			text, ended := strings.CutSuffix(line, "\n")
			b.WriteString(result.Printable(text))
			if ended {
				b.WriteByte('\n')
			}
		}
		return b.String()
	},
	"page":  pageName,
	"words": func(all []string) string { return result.Printable(strings.Join(all, "; ")) },
	"class": func(c Cell) string {
		switch {
		case c.Points == "":
			return "ask"
		case c.Points == c.Of:
			return "good"
		case c.Points == "0":
			return "bad"
		}
		return "part"
	},
	"count": counted,
}).Parse(pageText))

// pageName is the name of a student's page: letters, digits and a little more, and what
// tells two names apart that are the same then.
func pageName(student string) string {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' || r == '_' {
			return r
		}
		return '_'
	}, student)
	if plain != student || len(plain) > 60 || strings.EqualFold(plain, "index") {
		sum := sha256.Sum256([]byte(student))
		plain = fmt.Sprintf("%.60s-%x", plain, sum[:4])
	}
	return plain + ".html"
}

// HTML writes the pages of a class into a folder: index.html and a page for each student
// for the teacher, and beneath students/ what each student may see.
func (t *Table) HTML(dir string) error {
	if err := os.MkdirAll(filepath.Join(dir, "students"), 0o755); err != nil {
		return result.Errorf(result.Unwritable, "%s: can't be made: %w", dir, err)
	}
	write := func(path, page string, data any) error {
		return WriteFile(filepath.Join(dir, path), func(w io.Writer) error { return pages.ExecuteTemplate(w, page, data) })
	}
	err := write("index.html", "index", t)
	for i := range t.Students {
		row := &t.Students[i]
		all, seen := t.teacherView(row), t.studentView(row)
		err = errors.Join(err, write(pageName(row.Name), "teacher", all), copyPages(dir, row.Name, all.Row.Cells),
			write(filepath.Join("students", pageName(row.Name)), "student", seen), copyPages(filepath.Join(dir, "students"), row.Name, seen.Row.Cells))
	}
	return err
}

// view is the content of a page about a student.
type view struct {
	// Links are the pages of its bugs, by the cells.
	Links []string
	Table *Table
	Row   Row
	// Sum: the sum of the points is shown.
	Sum     bool
	Reports []string
}

func (v *view) add(c Cell) {
	v.Row.Cells = append(v.Row.Cells, c)
	v.Reports = append(v.Reports, c.report())
	v.Links = append(v.Links, c.bugPage(v.Row.Name, len(v.Links)))
}

// teacherView is all.
func (t *Table) teacherView(row *Row) view {
	v := view{Table: t, Row: *row, Sum: true}
	v.Row.Cells = nil
	for _, c := range row.Cells {
		v.add(c)
	}
	return v
}

// studentView is the view for a student.
func (t *Table) studentView(row *Row) view {
	v := view{Table: t, Row: Row{Name: row.Name, Problem: row.Problem, Said: row.Said, Points: row.Points, Of: row.Of}, Sum: row.shows(t)}
	for i, c := range row.Cells {
		if seen := c.seen(t.Tests[i].Sees); seen != nil {
			v.add(*seen)
		}
	}
	return v
}
