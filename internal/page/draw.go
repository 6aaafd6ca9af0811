package page

import (
	"fmt"
	"html"
	"html/template"
	"slices"
	"strings"
	"unicode/utf8"

	"landgo/internal/result"
)

// Sizes of the picture, in its own units.
const (
	laneWidth = 220
	rowHeight = 30
	left      = 50
	top       = 44
	nameRoom  = 27  // characters of a lane's name
	letter    = 7.3 // the width of one
	lastRoom  = 44  // characters that the last lane makes room for
	hues      = 6   // colours of lanes, in page.css
)

func x(lane int) int { return left + lane*laneWidth }
func y(row int) int  { return top + row*rowHeight }

// draw is the picture of a story, complete without any script.
func (s *story) draw() template.HTML {
	var b strings.Builder
	s.width = s.wide()
	width, height := s.width, y(len(s.rows))+6
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="what each thread does, from top to bottom" style="max-width:%dpx;min-width:%dpx">`, width, height, width, min(width, len(s.names)*170))
	b.WriteString(markers)
	for i, name := range s.names {
		fmt.Fprintf(&b, `<text class="name c%d" x="%d" y="20">%s<title>%s</title></text><line class="lane c%d" x1="%d" x2="%d" y1="28" y2="%d"/>`,
			i%hues, x(i), text(name, nameRoom), text(s.introduced(i), 200), i%hues, x(i)-12, x(i)-12, height)
	}
	for i, r := range s.rows {
		for _, a := range r.After {
			if from := s.rows[a]; from.Thread != r.Thread {
				if slices.Contains(from.Woke, i) {
					continue // which is drawn as that
				}
				fmt.Fprintf(&b, `<path class="hb" d="%s"><title>%s comes after: %s</title></path>`, s.curve(a, i), text(r.Text, 80), text(from.Text, 80))
			}
		}
	}
	for i, r := range s.rows {
		for _, w := range r.Woke {
			fmt.Fprintf(&b, `<path class="woke" marker-end="url(#woken)" d="%s"><title>%s wakes %s</title></path>`, s.curve(i, w), text(r.Text, 80), text(s.names[s.rows[w].Thread], 40))
		}
	}
	for _, c := range s.races {
		why := "nothing orders these two"
		switch from := &s.rows[c[0]]; {
		case from.Block == "freed":
			why = "the block is freed, and used afterwards"
		case from.Gone:
			why = "the thread ends, and its memory is used afterwards"
		}
		fmt.Fprintf(&b, `<path class="race" d="M%d %d L%d %d"><title>%s</title></path>`,
			x(s.rows[c[0]].Thread)-12, y(c[0])-4, x(s.rows[c[1]].Thread)-12, y(c[1])-4, why)
	}
	for i := range s.rows {
		s.row(&b, i)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // its texts are escaped
}

// curve is the way from a row to a later one of another thread: it leaves to the side where
// that thread is, and comes in from there.
func (s *story) curve(from, to int) string {
	x1, x2 := x(s.rows[from].Thread)-12, x(s.rows[to].Thread)-12
	out, in := 80, -70
	if x2 < x1 {
		out, in = -30, 100
	}
	return fmt.Sprintf("M%d %d C%d %d %d %d %d %d", x1, y(from), x1+out, y(from)+20, x2+in, y(to)-24, x2, y(to)-9)
}

// markers are the arrows' tips.
const markers = `<defs><marker id="woken" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path class="woketip" d="M0 0 L8 4 L0 8 z"/></marker><marker id="turn" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" markerUnits="userSpaceOnUse" orient="auto"><path class="turntip" d="M0 0 L8 4 L0 8 z"/></marker></defs>`

// wide is the picture's width: the last lane has room for its texts, within reason. Those of
// other lanes go on over the lanes on their right, because a row is one thread's.
func (s *story) wide() int {
	longest := nameRoom
	for i := range s.rows {
		if r := &s.rows[i]; r.Thread == len(s.names)-1 {
			longest = max(longest, min(utf8.RuneCountInString(s.says(i)), lastRoom))
		}
	}
	return x(len(s.names)-1) + int(letter*float64(longest)) + 20
}

// says is the picture's text of a row.
func (s *story) says(i int) string {
	r := &s.rows[i]
	switch {
	case r.Times > 0 && r.Until > i:
		return fmt.Sprintf("%s (these %d x %d)", r.short, r.Until-i+1, r.Times)
	case r.Times > 0:
		return fmt.Sprintf("%s (x %d)", r.short, r.Times)
	}
	return r.short
}

func (s *story) row(b *strings.Builder, i int) {
	r := &s.rows[i]
	if i > 0 && s.rows[i-1].Thread != r.Thread {
		from, class, why := s.rows[i-1].Thread, "switch", r.Why
		if r.Preempt {
			class = "switch preempt"
		}
		if why == "" {
			why = "goes on here"
		}
		fmt.Fprintf(b, `<path class="%s" marker-end="url(#turn)" d="M%d %d V%d H%d V%d"><title>%s: %s</title></path>`,
			class, x(from)-12, y(i-1)+5, y(i)-16, x(r.Thread)-12, y(i)-10, text(s.names[from], 40), text(why, 200))
	}
	class := "row"
	if r.Differs > 0 {
		class += " differs"
	}
	if r.Cause {
		class += " cause"
	}
	if r.Fails {
		class += " fails"
	}
	if r.Waits {
		class += " waits"
	}
	what := text(s.says(i), int(float64(s.width-x(r.Thread)-10)/letter))
	where := r.Func
	if r.File != "" {
		where = strings.TrimSpace(fmt.Sprintf("%s %s:%d", r.Func, r.File, r.Line))
	}
	radius := 4
	if r.Cause || r.Fails {
		radius = 6
	}
	mark := ""
	if r.Differs > 0 {
		mark = fmt.Sprintf(`<path class="mark" d="M%d %d l9 9 l-9 9 l-9 -9 z"/>`, x(r.Thread)-12, y(i)-13)
		where += "\n" + difference[r.Differs]
	}
	if r.Block != "" {
		where += "\nthe block is " + r.Block + " here"
	}
	fmt.Fprintf(b, `<g class="%s" data-i="%d"><title>%s&#10;%s</title><rect x="%d" y="%d" width="%d" height="22" rx="4"/>%s<circle class="c%d" cx="%d" cy="%d" r="%d"/><text x="%d" y="%d">%s</text></g>`,
		class, i, text(r.Text, 300), lines(where, 300), x(r.Thread)-4, y(i)-15, max(laneWidth-8, int(letter*float64(utf8.RuneCountInString(what)))+8), mark, r.Thread%hues, x(r.Thread)-12, y(i)-4, radius, x(r.Thread), y(i), what)
}

// difference is a row's relation to the nearest run that passes, by Row.Differs.
var difference = [...]string{1: "this comes later in the nearest run that passes", 2: "this comes first in the nearest run that passes"}

// lines are texts in the picture, a line each.
func lines(s string, room int) string {
	var all []string
	for _, l := range strings.Split(s, "\n") {
		all = append(all, text(l, room))
	}
	return strings.Join(all, "&#10;")
}

// text is a text in the picture, with at most room characters.
func text(s string, room int) string {
	s = result.Printable(s)
	if utf8.RuneCountInString(s) > room {
		s = string([]rune(s)[:room-1]) + "…"
	}
	return html.EscapeString(s)
}
