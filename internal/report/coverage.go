package report

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/result"
)

// maxUnused is how many files without a line that was run are named.
const maxUnused = 5

// coverage shows which lines no interleaving ran, and the preemption points.
func (p *page) coverage(c *result.Coverage) {
	if c == nil {
		return
	}
	p.blank()
	points := p.shownPoints(c.Points)
	switched := 0
	for _, s := range points {
		if s.Switched > 0 {
			switched++
		}
	}
	p.wrap("", fmt.Sprintf("Coverage of the interleavings explored: %d of %s run; threads were switched at %d of %s where one could go on:",
		c.Run, count(uint64(c.Lines), "line"), switched, count(uint64(len(points)), "point")))
	for i := range c.Files {
		p.covered(&c.Files[i])
	}
	if n := len(c.Unused); n > 0 {
		text := strings.Join(c.Unused[:min(n, maxUnused)], ", ")
		if n > maxUnused && !p.style.Verbose {
			text += fmt.Sprintf(" and %d more", n-maxUnused)
		} else {
			text = strings.Join(c.Unused, ", ")
		}
		p.wrap("  no line of  ", clean(text))
	}
	if len(c.Carried) > 0 {
		p.wrap("  not counted, because landgo carries them out: ", clean(strings.Join(c.Carried, ", ")))
	}
	p.points(points)
}

// covered shows a file's lines that weren't run.
func (p *page) covered(f *result.CoveredFile) {
	run := 0
	for _, l := range f.Lines {
		if l.Run {
			run++
		}
	}
	missed := f.Missed()
	never := ""
	if len(missed) > 0 {
		never = ". Never run:"
	}
	p.wrap("  ", fmt.Sprintf("%s: %d of %s%s", p.file(f.File), run, count(uint64(len(f.Lines)), "line"), never))
	for _, m := range missed {
		text := "lines " + spans(m.Lines, f)
		if len(m.Lines) == 1 {
			text = fmt.Sprintf("line %d", m.Lines[0])
		}
		if m.All {
			text += " (the whole function)"
		}
		p.wrap("    "+clean(m.Function)+"  ", text)
	}
}

// spans are lines as "3, 7-12": those between which the file has no other lines with code
// are in one span.
func spans(lines []int, f *result.CoveredFile) string {
	var parts []string
	for i := 0; i < len(lines); {
		k := i
		at := slices.IndexFunc(f.Lines, func(l result.CoveredLine) bool { return l.Line == lines[i] })
		for k+1 < len(lines) && at+1 < len(f.Lines) && f.Lines[at+1].Line == lines[k+1] {
			k, at = k+1, at+1
		}
		if k > i {
			parts = append(parts, fmt.Sprintf("%d-%d", lines[i], lines[k]))
		} else {
			parts = append(parts, fmt.Sprint(lines[i]))
		}
		i = k + 1
	}
	return strings.Join(parts, ", ")
}

// shownPoints are the points that a reader wants to see: those with a line, if there are any.
func (p *page) shownPoints(all []result.CoveredPoint) (shown []*result.CoveredPoint) {
	for i := range all {
		if all[i].Line > 0 || p.style.Verbose {
			shown = append(shown, &all[i])
		}
	}
	if len(shown) == 0 {
		for i := range all { // code without lines
			shown = append(shown, &all[i])
		}
	}
	return shown
}

// points is the table of preemption points.
func (p *page) points(shown []*result.CoveredPoint) {
	if len(shown) == 0 {
		return
	}
	var places []string
	width := len("point")
	for _, c := range shown {
		place := p.where(result.Frame{Function: c.Function, File: c.File, Line: c.Line})
		if c.Line == 0 {
			place = clean(c.Function)
		}
		places = append(places, place)
		width = max(width, min(len(place), p.width-40))
	}
	p.line("  %-*s  %-14s %10s  %11s", width, "point", "about to", "reached", "switched at")
	for i, c := range shown {
		switched := group(c.Switched)
		if c.Switched == 0 {
			switched = "never"
		}
		p.line("  %-*s  %-14s %10s  %11s", width, places[i], clean(c.Does), group(c.Reached), switched)
	}
}
