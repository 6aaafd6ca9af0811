package page

import (
	"fmt"
	"html/template"
	"strings"

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

// cycle draws who waits for whom: threads in a circle of arrows, each with what it waits for.
func (s *story) cycle(b *result.Bug) template.HTML {
	n := len(b.Cycle)
	if n < 2 || n > 6 {
		return ""
	}
	const width, height, gap = 150, 34, 74
	const back = 290 // where the arrow back to the first is, right of what the others wait for
	var out strings.Builder
	fmt.Fprintf(&out, `<svg class="cycle" viewBox="0 0 460 %d" role="img" aria-label="the threads wait for each other in a cycle" style="max-width:460px;min-width:0">`, n*gap-gap+height+8)
	out.WriteString(`<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0 L8 4 L0 8 z"/></marker></defs>`)
	for i, thread := range b.Cycle {
		top := 4 + i*gap
		lane := s.lane(thread)
		fmt.Fprintf(&out, `<rect class="box" x="4" y="%d" width="%d" height="%d" rx="6"/><text class="name c%d" x="14" y="%d">%s</text>`, top, width, height, lane%hues, top+21, text(s.called.Of(thread), 18))
		what := ""
		for _, w := range b.Waits {
			if w.Thread == thread {
				what = strings.TrimSpace(w.For + " " + w.Object)
			}
		}
		if i+1 < n {
			fmt.Fprintf(&out, `<path class="waitsfor" marker-end="url(#tip)" d="M40 %d V%d"/><text x="50" y="%d">waits for %s</text>`, top+height, top+gap-1, top+height+24, text(what, 32))
		} else {
			fmt.Fprintf(&out, `<path class="waitsfor" marker-end="url(#tip)" d="M%d %d H%d V21 H%d"/><text x="%d" y="%d">waits for</text><text x="%d" y="%d">%s</text>`,
				4+width, top+17, back, width+6, back+6, top+4, back+6, top+20, text(what, 20))
		}
	}
	out.WriteString("</svg>")
	return template.HTML(out.String()) // its texts are escaped
}
