package page

import (
	"bytes"
	"cmp"
	_ "embed"
	"html/template"
	"io"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"landgo/internal/result"
)

// Version names the form of the data in a page.
const Version = "landgo-page/1"

//go:embed page.html
var layout string

//go:embed page.css
var style string

//go:embed page.js
var script string

// tmpl is the layout, once it is wanted: most calls of landgo write no page.
var tmpl = sync.OnceValue(func() *template.Template { return template.Must(template.New("page").Parse(layout)) })

// data is the input of page.js.
type data struct {
	Version string            `json:"version"`
	Threads []string          `json:"threads"`
	Rows    []Row             `json:"rows"`
	Files   map[string]source `json:"files"`
	File    string            `json:"file,omitempty"` // the bug file
}

// source is the part of a file that the story is in.
type source struct {
	First int      `json:"first"` // number of the first line
	Lines []string `json:"lines"`
	// Missed are the numbers of lines that no interleaving ran, where that is known.
	Missed []int `json:"missed,omitempty"`
}

// Write writes the page for a replay's result. sources reads a source file by its name
// in the line information; an error is no file.
func Write(w io.Writer, r *result.Result, sources func(string) ([]byte, error)) error {
	b := r.Bug
	if b == nil {
		return result.Errorf(result.Usage, "there is no bug to show")
	}
	s := tell(r, b)
	d := data{Version: Version, Threads: s.names, Rows: s.rows, Files: s.quote(sources)}
	d.File = bugFile(b)
	missed(d.Files, r.Coverage)
	unread := s.unread(d.Files)
	var out bytes.Buffer
	err := tmpl().Execute(&out, map[string]any{
		"Guest": clean(cmp.Or(r.Guest.Source, r.Guest.Path)), "Bug": b, "Title": title(b), "Cause": clean(s.called.In(b.Cause)), "Passing": clean(s.called.In(b.Passing)), "Mistake": clean(s.called.In(b.Mistake)), "Cure": clean(s.called.In(b.Cure.Plain())), "Threads": s.legend(),
		"Style": template.CSS(style), "Script": template.JS(script), "Data": d, "Lanes": s.draw(), "Rows": s.table(), "Cut": s.cut,
		"Block": b.Block, "Names": s.called, "Stacks": s.stacks(b), "Output": clean(b.Output), "Granularity": r.Certificate.Granularity, "Memory": r.Certificate.Memory, "Replay": clean(b.Replay), "Life": s.life(b), "Cycle": s.cycle(b), "Wide": len(s.names) >= 5, "Coverage": r.Coverage, "Differs": len(b.Difference) > 0, "Unread": unread, "Version": r.Version,
	})
	if err != nil {
		return err
	}
	_, err = w.Write(out.Bytes())
	return err
}

// clean makes a guest's text UTF-8, without a terminal's or a parser's control
// characters; the template escapes it.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' {
			return '\uFFFD'
		}
		return r
	}, strings.ToValidUTF8(s, "\uFFFD"))
}

// line is a row of the table, for readers without a script.
type line struct {
	N                   int
	Thread, Text, Where string
	Row                 Row
}

func (s *story) table() (lines []line) {
	for i, r := range s.rows {
		l := line{N: i + 1, Thread: s.names[r.Thread], Text: r.Text, Row: r, Where: r.Func}
		if r.File != "" {
			l.Where = strings.TrimSpace(r.Func + " " + (&result.Frame{File: r.File, Line: r.Line}).Where())
		}
		lines = append(lines, l)
	}
	return lines
}

// unread are the files that couldn't be read of what the story is about.
func (s *story) unread(files map[string]source) (names []string) {
	for _, r := range s.rows {
		if _, ok := files[r.File]; (r.Cause || r.Fails || len(files) == 0) && r.File != "" && !r.foreign && !ok && !slices.Contains(names, r.File) && len(names) < 3 {
			names = append(names, clean(r.File))
		}
	}
	return names
}

const (
	around  = 6     // lines before and after those of the story
	maxText = 60000 // bytes of sources in a page
	maxLine = 300
)

// quote has, for each file of the story, the lines from the first that it reaches, to
// the last.
func (s *story) quote(read func(string) ([]byte, error)) map[string]source {
	ends := map[string][2]int{}
	for _, r := range s.rows {
		if r.File == "" {
			continue
		}
		e, ok := ends[r.File]
		if !ok {
			e = [2]int{r.Line, r.Line}
		}
		ends[r.File] = [2]int{min(e[0], r.Line), max(e[1], r.Line)}
	}
	files, room := map[string]source{}, maxText
	for _, r := range s.rows { // in the order in which they are met
		e, ok := ends[r.File]
		if !ok {
			continue
		}
		delete(ends, r.File)
		text, err := read(r.File)
		if err != nil {
			continue
		}
		lines := strings.Split(strings.TrimSuffix(clean(string(text)), "\n"), "\n")
		from, to := max(e[0]-around, 1), min(e[1]+around, len(lines))
		if from > to {
			continue
		}
		var part []string
		for _, l := range lines[from-1 : to] {
			if l = strings.TrimSuffix(l, "\r"); utf8.RuneCountInString(l) > maxLine {
				l = string([]rune(l)[:maxLine]) + "…"
			}
			if room -= len(l) + 1; room < 0 {
				break
			}
			part = append(part, l)
		}
		files[r.File] = source{First: from, Lines: part}
	}
	return files
}
