package report

import (
	"fmt"
	"io"
	"strings"
)

// A page is made of sections with a blank line between, and a section of rows: each is
// a line, or several that belong together. Rows that come again and again are folded.
// A text that is too long for a report then loses the middle of its longest sections.

// maxLines is how many lines a report has, unless all is asked for.
const maxLines = 200

// row is lines that belong together.
type row struct {
	// key is the row's text but for its numbers; "": it is like no other.
	key   string
	lines []string
}

// row begins a row with a key. Lines go to it until the next one, or the section's end.
func (p *page) row(key string) {
	last := len(p.sections) - 1
	p.sections[last] = append(p.sections[last], row{key: key})
	p.inRow = true
}

// add adds a line to the page.
func (p *page) add(line string) {
	last := len(p.sections) - 1
	s := p.sections[last]
	if !p.inRow {
		s = append(s, row{})
	}
	s[len(s)-1].lines = append(s[len(s)-1].lines, line)
	p.sections[last] = s
}

// blank begins a section.
func (p *page) blank() {
	p.sections = append(p.sections, nil)
	p.inRow = false
}

// numberless is a text with a # for each number: two turns of a loop differ in them.
func numberless(text string) string {
	var b strings.Builder
	number := false
	for _, c := range []byte(text) {
		digit := c >= '0' && c <= '9'
		switch {
		case !digit:
			b.WriteByte(c)
		case !number:
			b.WriteByte('#')
		}
		number = digit
	}
	return b.String()
}

// flush writes the page.
func (p *page) flush(w io.Writer) {
	total := len(p.sections) - 1 // blank lines
	for i, s := range p.sections {
		if !p.style.Verbose {
			p.sections[i] = fold(s)
		}
		total += size(p.sections[i])
	}
	most := total
	if !p.style.Verbose && total > maxLines {
		most = p.share(maxLines - (len(p.sections) - 1))
	}
	for i, s := range p.sections {
		if i > 0 {
			fmt.Fprintln(w)
		}
		for _, r := range cutMiddle(s, most) {
			for _, l := range r.lines {
				fmt.Fprintln(w, l)
			}
		}
	}
}

// share is how many lines each section may have for all to have at most room.
func (p *page) share(room int) int {
	fits := func(most int) bool {
		n := 0
		for _, s := range p.sections {
			n += min(size(s), most)
		}
		return n <= room
	}
	most := 1
	for most < room && fits(most+1) {
		most++
	}
	return most
}

// size is the number of lines of rows.
func size(rows []row) (n int) {
	for _, r := range rows {
		n += len(r.lines)
	}
	return n
}

// maxPeriod is how many rows a turn may have that is folded.
const maxPeriod = 24

// minTurns is from how many turns on they are folded: the first and the last are shown.
const minTurns = 4

// fold leaves out turns that say the same, but for numbers, as the ones before them.
func fold(rows []row) (out []row) {
	for i := 0; i < len(rows); {
		period, turns := turnsAt(rows[i:])
		if turns < minTurns {
			out = append(out, rows[i])
			i++
			continue
		}
		end := i + turns*period
		out = append(out, rows[i:i+period]...)
		what := "the same"
		if period > 1 {
			what = fmt.Sprintf("the same %d rows", period)
		}
		out = append(out, row{lines: []string{fmt.Sprintf("  x %-6s  %s, but for numbers; the last:", group(uint64(turns)), what)}})
		out = append(out, rows[end-period:end]...)
		i = end
	}
	return out
}

// turnsAt is how many rows make a turn that begins with the first one, and how often it
// comes: those with which the most rows are folded.
func turnsAt(rows []row) (period, turns int) {
	if rows[0].key == "" {
		return 0, 0
	}
	for n := 1; n <= maxPeriod && 2*n <= len(rows); n++ {
		same := n // rows that repeat what is n rows before them
		for same < len(rows) && rows[same].key != "" && rows[same].key == rows[same-n].key {
			same++
		}
		if t := same / n; t >= minTurns && t*n > turns*period {
			period, turns = n, t
		}
	}
	return period, turns
}

// cutMiddle leaves out the middle of rows that have more than most lines.
func cutMiddle(rows []row, most int) []row {
	left := size(rows)
	if left <= most {
		return rows
	}
	head, tail := 0, len(rows)
	room := most - 1
	// By turns a row from the front and one from the back, as long as both fit.
	for front := true; head < tail; front = !front {
		next := rows[head]
		if !front {
			next = rows[tail-1]
		}
		if len(next.lines) > room {
			break
		}
		room -= len(next.lines)
		left -= len(next.lines)
		if front {
			head++
		} else {
			tail--
		}
	}
	out := append([]row{}, rows[:head]...)
	out = append(out, row{lines: []string{fmt.Sprintf("  ... %s left out here; --verbose shows all", count(uint64(left), "line"))}})
	return append(out, rows[tail:]...)
}
