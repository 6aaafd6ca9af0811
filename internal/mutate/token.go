package mutate

import (
	"fmt"
	"regexp"
	"strings"
)

// A token of C, without white space, comments and preprocessor lines.
type token struct {
	text string
	at   int // offset of its first byte
}

func (t token) end() int { return t.at + len(t.text) }

var lexeme = regexp.MustCompile(`^(?:` +
	`[A-Za-z_]\w*` + // a word
	`|\.?\d[\w.]*` + // a number
	`|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'` +
	`|->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|\.\.\.` +
	`|[!-/:-~]` + // of ASCII, what is left
	`)`)

// lex splits a source into tokens.
func lex(src string) ([]token, error) {
	var all []token
	for at := 0; at < len(src); {
		rest := src[at:]
		switch {
		case strings.IndexByte(" \t\r\n\v\f", rest[0]) >= 0:
			at++
		case strings.HasPrefix(rest, "//"), rest[0] == '#' && startsLine(src, at):
			at += lineLength(rest)
		case strings.HasPrefix(rest, "/*"):
			n := strings.Index(rest, "*/")
			if n < 0 {
				return nil, fmt.Errorf("line %d: a comment without an end", lineOf(src, at))
			}
			at += n + 2
		default:
			text := lexeme.FindString(rest)
			if text == "" || text == `"` || text == "'" {
				return nil, fmt.Errorf("line %d: %q isn't C", lineOf(src, at), rest[:1])
			}
			all = append(all, token{text, at})
			at += len(text)
		}
	}
	return all, nil
}

func startsLine(src string, at int) bool {
	begin := strings.LastIndexByte(src[:at], '\n') + 1
	return strings.TrimSpace(src[begin:at]) == ""
}

// lineLength is the length of the first line with those that a backslash joins
// to it, without the last newline.
func lineLength(s string) int {
	for n := 0; n < len(s); n++ {
		if s[n] == '\n' && (n == 0 || s[n-1] != '\\') {
			return n
		}
	}
	return len(s)
}

func lineOf(src string, at int) int { return 1 + strings.Count(src[:at], "\n") }

var (
	switchLine    = regexp.MustCompile(`(?m)^#define\s+(\w+)\s+0\s*$`)
	conditionLine = regexp.MustCompile(`^\s*#\s*(if|elif|else|endif|ifdef|ifndef)\b\s*(!?)\s*(\w*)`)
)

// Switches are the names that a header defines as 0: those of the mistakes that
// a library can be built with.
func Switches(header string) map[string]bool {
	all := map[string]bool{}
	for _, m := range switchLine.FindAllStringSubmatch(header, -1) {
		all[m[1]] = true
	}
	return all
}

// Plain is a source without the parts that are compiled only with one of the
// switches on, and without the conditions around the others. Lines stay where
// they are.
func Plain(src string, switches map[string]bool) (string, error) {
	type condition struct{ ours, on, taken bool }
	var open []condition
	lines := strings.Split(src, "\n")
	for i, line := range lines {
		m := conditionLine.FindStringSubmatch(line)
		if m != nil {
			word, value, ours := m[1], m[2] == "!", switches[m[3]]
			if word != "else" && word != "endif" && word != "elif" {
				open = append(open, condition{ours: ours && word == "if", on: true})
			}
			if len(open) == 0 {
				return "", fmt.Errorf("line %d: #%s without #if", i+1, word)
			}
			c := &open[len(open)-1]
			if c.ours {
				lines[i] = ""
				switch {
				case word == "elif" && !ours:
					return "", fmt.Errorf("line %d: %s isn't a switch, as the one before it is", i+1, m[3])
				case word == "if" || word == "elif":
					c.on = value && !c.taken
				case word == "else":
					c.on = !c.taken
				}
				c.taken = c.taken || c.on
			}
			if word == "endif" {
				open = open[:len(open)-1]
			}
			continue
		}
		for _, c := range open {
			if !c.on {
				lines[i] = ""
			}
		}
	}
	if len(open) > 0 {
		return "", fmt.Errorf("an #if without #endif")
	}
	return strings.Join(lines, "\n"), nil
}
