package mutate

import (
	"fmt"
	"sort"
	"strings"
)

// A Vocabulary says what a library's functions mean.
type Vocabulary struct {
	Locks []Lock
	// Wakes are functions that let another thread go on.
	Wakes []string
	// Frees are beginnings of statements that give memory away, as C:
	// "remove_pages(", "unused = t".
	Frees []string
}

// A Lock is a pair of functions whose argument is the address of a lock. Zero
// is an initialised one.
type Lock struct{ Lock, Unlock, Type string }

// A Mutant is a source with one mistake.
type Mutant struct {
	Operator string // its name in Operators
	File     string // as given to Mutants
	Function string
	Line     int
	Detail   string // its difference from others of its operator at its line, or ""
	Text     string // the whole source
}

// Name is unique among a library's mutants: "cond.c-71-wake_dropped".
func (m Mutant) Name() string {
	name := fmt.Sprintf("%s-%d-%s", m.File, m.Line, m.Operator)
	if m.Detail != "" {
		name += "-" + m.Detail
	}
	return name
}

// Mutants are all of a source, by operator in the order of Operators and then
// by place. The source is one that Plain gave, or has no conditions.
func Mutants(file, src string, v Vocabulary) ([]Mutant, error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	p := parser{src: src, tokens: tokens}
	functions, err := p.functions()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var all []Mutant
	names := map[string]int{}
	texts := map[string]bool{src: true}
	for _, o := range Operators {
		for _, f := range functions {
			a := &author{parser: &p, words: v, function: f}
			o.apply(a)
			for _, c := range a.changes {
				m := Mutant{Operator: o.Name, File: file, Function: f.name, Line: lineOf(src, tokens[c.at].at), Detail: c.detail, Text: edited(src, c.edits)}
				if texts[m.Text] {
					continue // two operators may do the same at a place
				}
				texts[m.Text] = true
				if n := names[m.Name()]; n > 0 {
					names[m.Name()]++
					m.Detail = strings.TrimPrefix(fmt.Sprintf("%s.%d", m.Detail, n+1), ".")
				} else {
					names[m.Name()] = 1
				}
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// Calls are the words that each function of a source has before a bracket, the
// functions that it calls among them.
func Calls(src string) (map[string][]string, error) {
	tokens, err := lex(src)
	if err != nil {
		return nil, err
	}
	p := parser{src: src, tokens: tokens}
	functions, err := p.functions()
	if err != nil {
		return nil, err
	}
	calls := map[string][]string{}
	for _, f := range functions {
		for i := f.body.first; i < f.body.last; i++ {
			if isWord(p.text(i)) && p.text(i+1) == "(" {
				calls[f.name] = append(calls[f.name], p.text(i))
			}
		}
	}
	return calls, nil
}

// An author makes one operator's changes to one function.
type author struct {
	*parser
	words    Vocabulary
	function function
	changes  []change
}

type change struct {
	at     int // the token where it is
	detail string
	edits  []edit
}

type edit struct {
	from, to int // of the source, in bytes
	text     string
}

func (a *author) change(at int, detail string, edits ...edit) {
	a.changes = append(a.changes, change{at, detail, edits})
}

func edited(src string, edits []edit) string {
	sort.SliceStable(edits, func(i, j int) bool { return edits[i].from < edits[j].from })
	var b strings.Builder
	at := 0
	for _, e := range edits {
		b.WriteString(src[at:e.from] + e.text)
		at = e.to
	}
	b.WriteString(src[at:])
	return b.String()
}

// replace puts other text in the place of tokens [first, last]; their lines
// stay.
func (a *author) replace(first, last int, text string) edit {
	from, to := a.tokens[first].at, a.tokens[last].end()
	return edit{from, to, text + strings.Repeat("\n", strings.Count(a.src[from:to], "\n"))}
}

// cut takes a statement out. An empty one stays in its place.
func (a *author) cut(s *statement) edit { return a.replace(s.first, s.last, ";") }

// flat is tokens [first, last] on one line.
func (a *author) flat(first, last int) string {
	var words []string
	for i := first; i <= last; i++ {
		words = append(words, a.text(i))
	}
	return strings.Join(words, " ")
}

// moveBefore and moveAfter put a statement before or behind another.
func (a *author) moveBefore(s, other *statement) []edit {
	at := a.tokens[other.first].at
	return []edit{{at, at, a.flat(s.first, s.last) + " "}, a.cut(s)}
}

func (a *author) moveAfter(s, other *statement) []edit {
	at := a.tokens[other.last].end()
	return []edit{a.cut(s), {at, at, " " + a.flat(s.first, s.last)}}
}

// called is the function that a statement consists of a call of, and the
// arguments; "" if it is something else.
func (a *author) called(s *statement) (name, args string) {
	if s.kind == "simple" && isWord(a.text(s.first)) && a.text(s.first+1) == "(" && a.closing(s.first+1) == s.last-1 {
		return a.text(s.first), a.flat(s.first+2, s.last-2)
	}
	return "", ""
}

// declares reports whether a statement is a declaration.
func (a *author) declares(s *statement) bool {
	if s.kind != "simple" || !isWord(a.text(s.first)) {
		return false
	}
	i := s.first + 1
	for a.text(i) == "*" {
		i++
	}
	return isWord(a.text(i)) // "int n", "mutex_t *m"; an expression has an operator or a bracket there
}

// assigns reports whether a statement, or one inside of it, changes a variable.
func (a *author) assigns(s *statement) bool {
	found := false
	s.each(func(s *statement) {
		if s.kind != "simple" || a.declares(s) {
			return
		}
		for i := s.first; i < s.last; i++ {
			switch t := a.text(i); t {
			case "(", "[", "{":
				i = a.closing(i)
			case "=", "++", "--", "+=", "-=", "|=", "&=":
				found = true
			}
		}
	})
	return found
}
