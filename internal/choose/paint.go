package choose

// The looks of a frame.

// Style is how a frame looks.
type Style struct {
	// Color: there are colours, and faint text.
	Color bool
	// Plain: only ASCII characters.
	Plain bool
}

// Of text: SGR parameters (ECMA-48).
const (
	bold, faint, inverse = "1", "2", "7"
	red, yellow          = "31", "33"
)

// laneColors are those of threads, in turn.
var laneColors = []string{"36", "33", "32", "35", "34", "31"}

// paint gives text a look.
func (s Style) paint(look, text string) string {
	if !s.Color || look == "" || text == "" {
		return text
	}
	return "\x1b[" + look + "m" + text + "\x1b[0m"
}

// marks are those of a step that is taken, of one that lies ahead, and of a lane without
// one. Beside them are the end of a line that is cut off, and the character of rules.
func (s Style) marks() (taken, ahead, none, cut, rule string) {
	if s.Plain {
		return "*", "o", "|", "~", "-"
	}
	return "●", "○", "│", "…", "─"
}

// fit cuts text to a width, or fills it up.
func (s Style) fit(text string, width int) string {
	if width <= 0 {
		return ""
	}
	if cells(text) <= width {
		return pad(text, width)
	}
	_, _, _, cut, _ := s.marks()
	return pad(cutTo(text, width-1), width-1) + cut
}
