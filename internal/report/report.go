package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf16"

	"landgo/internal/result"
)

// Style says how text is to look.
type Style struct {
	// Width is the number of columns; text is made for 80 to 120 of them.
	Width int
	// Color allows terminal escapes.
	Color bool
	// Dir is the working directory: files below it are shown relative to it.
	Dir string
	// Source reads a source file; nil shows no source lines.
	Source func(path string) ([]byte, error)
	// Verbose: nothing is folded or left out for its length.
	Verbose bool
}

// JSON writes a result or an inspection as one object.
func JSON(w io.Writer, v any) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		panic(err) // plain data, and the writer is a buffer
	}
	w.Write(escapeJSON(b.Bytes()))
}

// escapeJSON escapes characters that encoding/json leaves, and that a terminal
// might obey: DEL, the control characters beyond ASCII, marks of direction.
// Such characters are in strings only.
func escapeJSON(text []byte) []byte {
	risky := func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }
	if bytes.IndexFunc(text, risky) < 0 {
		return text
	}
	var b bytes.Buffer
	for _, r := range string(text) {
		if !risky(r) {
			b.WriteRune(r)
			continue
		}
		for _, half := range utf16.AppendRune(nil, r) {
			fmt.Fprintf(&b, "\\u%04x", half)
		}
	}
	return b.Bytes()
}

// page is a text under construction.
type page struct {
	style    Style
	width    int
	files    map[string][]string // source files by path, as lines
	names    result.Names
	sections [][]row
	inRow    bool // lines go to the last row
}

func newPage(s Style) *page {
	return &page{style: s, width: min(max(s.Width, 60), 120), files: map[string][]string{}, sections: [][]row{nil}}
}

// line writes a line. Whatever is in it, a terminal has nothing of it to obey.
func (p *page) line(format string, args ...any) {
	p.add(clean(strings.TrimRight(fmt.Sprintf(format, args...), " ")))
}

// wrap writes text in lines of the page's width. The first line begins with
// head, and all others with as many spaces.
func (p *page) wrap(head, text string) {
	indent := strings.Repeat(" ", len(head))
	line := head
	for _, word := range strings.Fields(text) {
		if len(line)+1+len(word) > p.width && strings.TrimSpace(line) != strings.TrimSpace(head) {
			p.line("%s", line)
			line = indent
		}
		if line != head && line != indent {
			line += " "
		}
		line += word
	}
	p.line("%s", line)
}

// boldLine writes a line that begins with text that stands out, where the terminal
// can do that.
func (p *page) boldLine(text, rest string) {
	if !p.style.Color {
		p.line("%s%s", text, rest)
		return
	}
	p.add(fmt.Sprintf("\x1b[1m%s\x1b[0m%s", clean(text), clean(strings.TrimRight(rest, " "))))
}

// file is a file's name as the user knows it.
func (p *page) file(path string) string {
	if rel, err := filepath.Rel(p.style.Dir, path); err == nil && p.style.Dir != "" && filepath.IsAbs(path) && !strings.HasPrefix(rel, "..") {
		return clean(rel)
	}
	return clean(path)
}

// where is a frame as "function file:line", or with the address where there is
// no line.
func (p *page) where(f result.Frame) string {
	if f == (result.Frame{}) {
		return ""
	}
	place := f.Address.String()
	if f.File != "" && f.Line > 0 {
		place = fmt.Sprintf("%s:%d", p.file(f.File), f.Line)
	}
	if f.Function == "" {
		return place
	}
	if strings.HasPrefix(f.Function, "lambda at ") {
		return "lambda " + place
	}
	return clean(brieflyNamed(f.Function)) + " " + place
}

// longName is from how many characters on a function's name is shown without the arguments of templates.
const longName = 60

// operators of C++ have brackets of templates in their names, the longest first.
var operators = []string{"<<=", "<=>", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">", "-"}

// brieflyNamed is a function's name: of a long one, the arguments of templates are left out.
func brieflyNamed(name string) string {
	if len(name) <= longName {
		return name
	}
	var b strings.Builder
	depth := 0
	for i := 0; i < len(name); i++ {
		switch c := name[i]; {
		case strings.HasSuffix(name[:i], "operator") && strings.ContainsRune("<>-", rune(c)): // no bracket
			k := slices.IndexFunc(operators, func(o string) bool { return strings.HasPrefix(name[i:], o) })
			if depth == 0 {
				b.WriteString(operators[k])
			}
			i += len(operators[k]) - 1
		case c == '<' && (depth > 0 || i > 0 && name[i-1] != ':'): // Rust has others at a name's beginning
			if depth++; depth == 1 {
				b.WriteString("<...")
			}
		case c == '>' && depth > 0:
			if depth--; depth == 0 {
				b.WriteByte(c)
			}
		case depth == 0:
			b.WriteByte(c)
		}
	}
	if depth > 0 {
		return name // it isn't of C++
	}
	return b.String()
}

// spot is where, without a function's name where there is a line.
func (p *page) spot(f result.Frame) string {
	if f.File != "" && f.Line > 0 {
		f.Function = ""
	}
	return p.where(f)
}

// fit is where, shortened to fit after a number of columns: the
// directories go first.
func (p *page) fit(f result.Frame, used int) string {
	text := p.where(f)
	if used+len(text) > p.width && f.File != "" {
		f.File = ".../" + filepath.Base(f.File)
		text = p.where(f)
	}
	return p.cut(text, used)
}

// source is the text of a frame's line, or "" if it can't be read.
func (p *page) source(f result.Frame) string {
	if p.style.Source == nil || f.File == "" || f.Line <= 0 {
		return ""
	}
	lines, ok := p.files[f.File]
	if !ok {
		if text, err := p.style.Source(f.File); err == nil {
			lines = strings.Split(string(text), "\n")
		}
		p.files[f.File] = lines
	}
	if f.Line > len(lines) {
		return ""
	}
	return clean(strings.TrimSpace(strings.ReplaceAll(lines[f.Line-1], "\t", " ")))
}

// longStatement is how long a statement may be that is quoted within a sentence.
const longStatement = 60

// statement is the statement of a frame's line that it is of, or "" if it can't be read or is
// long.
func (p *page) statement(f result.Frame) string {
	text := p.source(f)
	if lines := p.files[f.File]; text != "" && f.Column > 0 {
		line := lines[f.Line-1]
		at := min(f.Column-1, len(line))
		from := strings.LastIndexAny(line[:at], ";{}") + 1
		to := len(line)
		if n := strings.Index(line[at:], ";"); n >= 0 {
			to = at + n + 1
		}
		text = clean(strings.TrimSuffix(strings.TrimSpace(strings.ReplaceAll(line[from:to], "\t", " ")), ";"))
	}
	if len(text) > longStatement {
		return ""
	}
	return text
}

// around shortens a source line to this many columns around the one that matters, if that is
// known.
func (p *page) around(f result.Frame, text string, room int) string {
	if len(text) <= room || room < 20 {
		return text
	}
	lead := 0
	if lines := p.files[f.File]; f.Line <= len(lines) {
		lead = len(lines[f.Line-1]) - len(strings.TrimLeft(lines[f.Line-1], " \t"))
	}
	at := min(max(f.Column-1-lead, 0), len(text)-1)
	from := min(max(at-room/2, 0), len(text)-room)
	if from < 4 || f.Column == 0 {
		return text[:room-3] + "..."
	}
	cut := text[from : from+room]
	if from+room < len(text) {
		cut = cut[:room-3] + "..."
	}
	return "..." + cut[3:]
}

// quote writes a frame's source line, and the instruction beside it where one
// is meant. Nothing is written where nothing is known.
func (p *page) quote(indent string, f result.Frame, instruction string) {
	text := p.source(f)
	if text == "" && instruction == "" {
		return
	}
	if text == "" {
		p.line("%s%s", indent, p.cut(clean(instruction), len(indent)))
		return
	}
	head := fmt.Sprintf("%s%d | ", indent, f.Line)
	if instruction == "" {
		p.line("%s%s", head, p.around(f, text, p.width-len(head)))
		return
	}
	asm := "; " + clean(instruction)
	if room := p.width - len(head) - len(asm) - 2; len(text) <= room {
		p.line("%s%-*s  %s", head, min(room, 36), text, asm)
		return
	}
	p.line("%s%s", head, p.around(f, text, p.width-len(head)))
	p.line("%*s| %s", len(head)-2, "", p.cut(asm, len(head)))
}

// cut shortens text to fit after a number of columns.
func (p *page) cut(text string, used int) string {
	if room := p.width - used; len(text) > room && room > 3 {
		return text[:room-3] + "..."
	}
	return text
}

// clean makes text that comes from a guest harmless: control characters, which
// a terminal might obey, are shown as Go escapes.
func clean(s string) string { return result.Printable(s) }

// count is a number with its noun: "1 pair", "2 pairs".
func count(n uint64, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(n) + " " + noun + "s"
}

// group is a number with commas between groups of three digits.
func group(n uint64) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
