package mutate

import "fmt"

// A statement of C, as far as it matters where statements begin and end. A
// declaration inside a function is one too.
type statement struct {
	kind        string // "block", "if", "while", "for", "do", "switch", "jump", "label" or "simple"
	first, last int    // its tokens
	inner       []*statement
	parent      *statement
	index       int // among parent.inner
}

// A function's body, with its name.
type function struct {
	name string
	body *statement
}

// parser finds the functions of a source and their statements.
type parser struct {
	src    string
	tokens []token
}

func (p *parser) text(i int) string {
	if i < 0 || i >= len(p.tokens) {
		return ""
	}
	return p.tokens[i].text
}

// functions lists those that the source defines, in its order.
func (p *parser) functions() ([]function, error) {
	var all []function
	begin := 0 // of the declaration at hand
	for i := 0; i < len(p.tokens); i++ {
		switch p.text(i) {
		case "(", "[":
			i = p.closing(i)
		case ";":
			begin = i + 1
		case "{":
			if p.text(i-1) != ")" { // of a struct, an enum, an initialiser
				i = p.closing(i)
				break
			}
			body, err := p.statement(i)
			if err != nil {
				return nil, err
			}
			all = append(all, function{p.declared(begin, i), body})
			i = body.last
			begin = i + 1
		}
		if i < 0 {
			return nil, fmt.Errorf("a bracket isn't closed")
		}
	}
	return all, nil
}

// declared is the name of the function that is declared by tokens [from, to).
func (p *parser) declared(from, to int) string {
	for i := from; i+1 < to; i++ {
		if p.text(i+1) == "(" && isWord(p.text(i)) && p.text(i) != "__attribute__" {
			return p.text(i)
		}
	}
	return ""
}

func isWord(s string) bool {
	return s != "" && (s[0] == '_' || s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z')
}

// closing is the token that closes the bracket at i, or -1.
func (p *parser) closing(i int) int {
	depth := 0
	for ; i < len(p.tokens); i++ {
		switch p.text(i) {
		case "(", "[", "{":
			depth++
		case ")", "]", "}":
			if depth--; depth == 0 {
				return i
			}
		}
	}
	return -1
}

// statement parses the one that begins at token i.
func (p *parser) statement(i int) (*statement, error) {
	s := &statement{kind: "simple", first: i}
	at := i // the next token
	// body parses a statement inside of s.
	body := func() error {
		b, err := p.statement(at)
		if err != nil {
			return err
		}
		b.parent, b.index = s, len(s.inner)
		s.inner = append(s.inner, b)
		at = b.last + 1
		return nil
	}
	fail := func() (*statement, error) {
		return nil, fmt.Errorf("line %d: a statement without an end", lineOf(p.src, p.tokens[min(i, len(p.tokens)-1)].at))
	}
	switch p.text(i) {
	case "":
		return fail()
	case "{":
		s.kind, at = "block", i+1
		for p.text(at) != "}" {
			if err := body(); err != nil {
				return nil, err
			}
		}
		s.last = at
		return s, nil
	case "if", "while", "for", "switch":
		s.kind = p.text(i)
		close := p.closing(i + 1)
		if p.text(i+1) != "(" || close < 0 {
			return fail()
		}
		at = close + 1
		if err := body(); err != nil {
			return nil, err
		}
		if s.kind == "if" && p.text(at) == "else" {
			at++
			if err := body(); err != nil {
				return nil, err
			}
		}
		s.last = at - 1
		return s, nil
	case "do":
		s.kind, at = "do", i+1
		if err := body(); err != nil {
			return nil, err
		}
	case "return", "break", "continue", "goto":
		s.kind = "jump"
	case "case", "default":
		s.kind = "label"
	}
	for ; at < len(p.tokens); at++ {
		switch t := p.text(at); {
		case t == "(" || t == "[" || t == "{":
			if at = p.closing(at); at < 0 {
				return fail()
			}
		case t == "}":
			return fail()
		case t == ";", t == ":" && s.kind == "label":
			s.last = at
			return s, nil
		}
	}
	return fail()
}

// each visits a statement and those inside of it, in the order of the text.
func (s *statement) each(visit func(*statement)) {
	visit(s)
	for _, in := range s.inner {
		in.each(visit)
	}
}

// listed is the innermost statement around s (or s) that stands in a block.
func (s *statement) listed() *statement {
	for s.parent != nil && s.parent.kind != "block" {
		s = s.parent
	}
	return s
}

// before and after are a listed statement's neighbours, nil at the ends.
func (s *statement) before() *statement { return s.neighbour(-1) }
func (s *statement) after() *statement  { return s.neighbour(+1) }

func (s *statement) neighbour(step int) *statement {
	if s.parent == nil || s.parent.kind != "block" {
		return nil
	}
	if i := s.index + step; i >= 0 && i < len(s.parent.inner) {
		return s.parent.inner[i]
	}
	return nil
}
