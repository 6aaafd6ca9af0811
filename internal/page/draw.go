package page

import (
	"fmt"
	"html"
	"html/template"
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
	textRoom  = 27 // characters in a lane
	hues      = 6  // colours of lanes, in page.css
)

func x(lane int) int { return left + lane*laneWidth }
func y(row int) int  { return top + row*rowHeight }

// draw is the picture of a story, complete without any script.
func (s *story) draw() template.HTML {
	var b strings.Builder
	width, height := x(len(s.names))+10, y(len(s.rows))+6
	fmt.Fprintf(&b, `<svg viewBox="0 0 %d %d" role="img" aria-label="what each thread does, from top to bottom" style="max-width:%dpx">`, width, height, width)
	for i, name := range s.names {
		fmt.Fprintf(&b, `<text class="name c%d" x="%d" y="20">%s<title>%s</title></text><line class="lane c%d" x1="%d" x2="%d" y1="28" y2="%d"/>`,
			i%hues, x(i), text(name, textRoom), text(s.introduced(i), 200), i%hues, x(i)-12, x(i)-12, height)
	}
	for i, r := range s.rows {
		for _, a := range r.After {
			if from := s.rows[a]; from.Thread != r.Thread {
				fmt.Fprintf(&b, `<path class="hb" d="M%d %d C%d %d %d %d %d %d"><title>%s comes after: %s</title></path>`,
					x(from.Thread)-12, y(a), x(from.Thread)+70, y(a)+20, x(r.Thread)-80, y(i)-24, x(r.Thread)-12, y(i)-6, text(r.Text, 80), text(from.Text, 80))
			}
		}
	}
	for _, c := range s.races {
		fmt.Fprintf(&b, `<path class="race" d="M%d %d L%d %d"><title>nothing orders these two</title></path>`,
			x(s.rows[c[0]].Thread)-12, y(c[0])-4, x(s.rows[c[1]].Thread)-12, y(c[1])-4)
	}
	for i := range s.rows {
		s.row(&b, i)
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // its texts are escaped
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
		fmt.Fprintf(b, `<path class="%s" d="M%d %d V%d H%d V%d"><title>%s: %s</title></path>`,
			class, x(from)-12, y(i-1)+5, y(i)-16, x(r.Thread)-12, y(i)-10, text(s.names[from], 40), text(why, 200))
	}
	class := "row"
	if r.Cause {
		class += " cause"
	}
	if r.Fails {
		class += " fails"
	}
	if r.Waits {
		class += " waits"
	}
	what := r.Text
	if r.Times > 0 {
		what = fmt.Sprintf("%s (x %d)", what, r.Times)
		if r.Until > i {
			what = fmt.Sprintf("%s (these %d x %d)", r.Text, r.Until-i+1, r.Times)
		}
	}
	where := r.Func
	if r.File != "" {
		where = strings.TrimSpace(fmt.Sprintf("%s %s:%d", r.Func, r.File, r.Line))
	}
	radius := 4
	if r.Cause || r.Fails {
		radius = 6
	}
	fmt.Fprintf(b, `<g class="%s" data-i="%d"><title>%s&#10;%s</title><rect x="%d" y="%d" width="%d" height="22" rx="4"/><circle class="c%d" cx="%d" cy="%d" r="%d"/><text x="%d" y="%d">%s</text></g>`,
		class, i, text(what, 300), text(where, 200), x(r.Thread)-4, y(i)-15, laneWidth-8, r.Thread%hues, x(r.Thread)-12, y(i)-4, radius, x(r.Thread), y(i), text(what, textRoom))
}

// text is a text in the picture, with at most room characters.
func text(s string, room int) string {
	s = result.Printable(s)
	if utf8.RuneCountInString(s) > room {
		s = string([]rune(s)[:room-1]) + "…"
	}
	return html.EscapeString(s)
}
