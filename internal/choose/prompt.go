package choose

// prompt is a line in which the user types.
type prompt struct {
	ask  string // the question
	text []rune
	then func(words string) string // makes a command of it
}

// press takes a key in. done: the line is complete; gone: it was given up.
func (p *prompt) press(k Key) (done, gone bool) {
	switch k {
	case "enter":
		return true, false
	case "escape", "ctrl-c":
		return false, true
	case "backspace":
		if len(p.text) == 0 {
			return false, true
		}
		p.text = p.text[:len(p.text)-1]
	case "ctrl-u":
		p.text = nil
	default:
		if r := []rune(string(k)); len(r) == 1 {
			p.text = append(p.text, r[0])
		}
	}
	return false, false
}

// after makes a command of a name and what was typed.
func after(name string) func(string) string {
	return func(words string) string { return name + " " + words }
}
