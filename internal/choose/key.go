package choose

import "unicode/utf8"

// Key is a key that was pressed: a character, or a name ("up", "enter", "ctrl-c").
type Key string

// keys are those that a terminal sends as several bytes, and the control characters.
var keys = map[string]Key{
	"\x1b[A": "up", "\x1b[B": "down", "\x1b[C": "right", "\x1b[D": "left",
	"\x1bOA": "up", "\x1bOB": "down", "\x1bOC": "right", "\x1bOD": "left",
	"\x1b[H": "home", "\x1b[F": "end", "\x1b[1~": "home", "\x1b[4~": "end", "\x1b[7~": "home", "\x1b[8~": "end",
	"\x1b[5~": "page-up", "\x1b[6~": "page-down", "\x1b[3~": "delete",
	"\r": "enter", "\n": "enter", "\t": "tab", "\x7f": "backspace", "\b": "backspace", "\x03": "ctrl-c", "\x0c": "ctrl-l", "\x15": "ctrl-u",
	"\x04": "ctrl-d",
}

// firstKey is the key that bytes from a terminal begin with, and how many are its. An
// escape sequence that isn't known is no key.
func firstKey(b []byte) (k Key, n int) {
	if b[0] != 0x1b {
		if k, ok := keys[string(b[:1])]; ok {
			return k, 1
		}
		r, n := utf8.DecodeRune(b)
		if r == utf8.RuneError || r < ' ' {
			return "", n
		}
		return Key(b[:n]), n
	}
	if len(b) == 1 || b[1] != '[' && b[1] != 'O' {
		return "escape", 1
	}
	for n = 2; n < len(b); n++ {
		if b[n] >= 0x40 && b[n] <= 0x7e { // a sequence's last byte
			n++
			break
		}
	}
	if len(b) > 2 && b[2] == '<' {
		return mouseKey(string(b[:n])), n
	}
	return keys[string(b[:n])], n
}
