package page

import (
	"fmt"
	"html/template"
	"strings"
	"unicode/utf8"

	"landgo/internal/result"
)

// The parts beside the picture.

// bugFile is the file that the replay's command names, with what stands beside it, or "".
func bugFile(b *result.Bug) string {
	file, ok := strings.CutPrefix(b.Replay, "landgo replay ")
	if !ok || strings.HasPrefix(file, "--schedule ") {
		return ""
	}
	return clean(file)
}

// missed marks the lines that no interleaving ran.
func missed(files map[string]source, c *result.Coverage) {
	if c == nil {
		return
	}
	for _, f := range c.Files {
		s, ok := files[f.File]
		if !ok {
			continue
		}
		for _, l := range f.Lines {
			if !l.Run && l.Line >= s.First && l.Line < s.First+len(s.Lines) {
				s.Missed = append(s.Missed, l.Line)
			}
		}
		files[f.File] = s
	}
}

// moment is an event in a block's life. Row is where it is in the picture, from 0; -1: it
// isn't there.
type moment struct {
	What, Thread, Where string
	Row                 int
}

// life tells a block's: where it was allocated, freed, and used after that.
func (s *story) life(b *result.Bug) (all []moment) {
	if b.Block == nil {
		return nil
	}
	add := func(what, thread string, step int, stack []result.Frame) {
		f := result.Innermost(stack)
		all = append(all, moment{what, clean(s.called.Of(thread)), clean(strings.TrimSpace(f.Function + " " + f.Where())), s.at(thread, step, f)})
	}
	add("allocated", b.Block.Allocated.Thread, b.Block.Allocated.Step, b.Block.Allocated.Stack)
	if f := b.Block.Freed; f != nil {
		add("freed", f.Thread, f.Step, f.Stack)
	}
	f := result.Innermost(b.Stack)
	all = append(all, moment{"then " + string(b.Kind), clean(s.called.Of(b.Thread)), clean(strings.TrimSpace(f.Function + " " + f.Where())), len(s.rows) - 1})
	return all
}

// at is the row of a thread's step that is at a place, or else the step's last one.
func (s *story) at(thread string, step int, f result.Frame) int {
	lane, ok := s.lanes[thread]
	found := -1
	for i, r := range s.rows {
		if ok && r.Step == step && r.Thread == lane && !r.Fails {
			if found = i; r.File == f.File && r.Line == f.Line {
				break
			}
		}
	}
	return found
}

// maxCycle bounds the texts in a cycle, in characters.
const maxCycle = 44

// awaits is the object that a thread of a deadlock waits for, as the picture has it.
func (s *story) awaits(b *result.Bug, thread string) string {
	for _, w := range b.Waits {
		if w.Thread == thread {
			what := s.called.In(strings.TrimSpace(w.For + " " + w.Object))
			for _, name := range s.owned(what) {
				what = strings.ReplaceAll(what, name, shortName(name, s.names))
			}
			return what
		}
	}
	return ""
}

// cycle draws which thread waits for which: threads in a circle of arrows, each with what
// it waits for.
func (s *story) cycle(b *result.Bug) template.HTML {
	n := len(b.Cycle)
	if n < 2 || n > 6 {
		return ""
	}
	const height, gap = 34, 74
	// The object of a thread's wait stands below it, and the arrow back to the first is
	// right of all.
	width, back := 0, 0
	for _, thread := range b.Cycle {
		width = max(width, 24+int(letter*float64(utf8.RuneCountInString(text(s.called.Of(thread), maxCycle)))))
		back = max(back, 60+int(letter*float64(utf8.RuneCountInString("waits for "+s.awaits(b, thread)))))
	}
	back = max(back, width+40)
	room := back + 20
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="cycle" viewBox="0 0 %d %d" role="img" aria-label="the threads wait for each other in a cycle" style="max-width:%dpx;min-width:0">`, room, n*gap+8, room)
	out.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>`)
	for i, thread := range b.Cycle {
		top := 4 + i*gap
		lane := s.lane(thread)
		fmt.Fprintf(&out, `<rect class="box" x="4" y="%d" width="%d" height="%d" rx="6"/><text class="name c%d" x="14" y="%d">%s</text>`, top, width, height, lane%hues, top+21, text(s.called.Of(thread), maxCycle))
		fmt.Fprintf(&out, `<text x="50" y="%d">waits for %s</text>`, top+height+24, text(s.awaits(b, thread), maxCycle))
		if i+1 < n {
			fmt.Fprintf(&out, `<path class="waitsfor" marker-end="url(#tip)" d="M40 %d V%d"/>`, top+height, top+gap-1)
		} else {
			fmt.Fprintf(&out, `<path class="waitsfor" marker-end="url(#tip)" d="M40 %d V%d H%d V21 H%d"/>`, top+height, top+gap-6, back, width+6)
		}
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()) // its texts are escaped
}
