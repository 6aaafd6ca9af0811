package outside

import (
	"strings"
	"testing"
)

// made is many programs of a language.
func made(seed uint64, language Language, n int) (all []*Program) {
	for i := range n {
		all = append(all, New(seed, i, language))
	}
	return all
}

func TestSourceIsAFunctionOfItsSeed(t *testing.T) {
	for _, language := range []Language{C, CXX} {
		a, b, c := Source(made(1, language, 20), true), Source(made(1, language, 20), true), Source(made(2, language, 20), true)
		if a != b {
			t.Error("the same seed gives two sources")
		}
		if a == c {
			t.Error("two seeds give one source")
		}
	}
}

// TestEveryStatementOccurs: and none leaves a placeholder behind.
func TestEveryStatementOccurs(t *testing.T) {
	for language, all := range map[Language][]theme{C: themes, CXX: themesCXX} {
		source := Source(made(3, language, 4000), false)
		for _, left := range []string{"{x}", "{y}", "{n}", "{S}", "{o}", "{P}", "{body}", "{0|", "{lock|"} {
			if strings.Contains(source, left) {
				t.Errorf("%s is left in the source", left)
			}
		}
		for _, theme := range all {
			for _, s := range theme.statements {
				literal := ""
				for _, part := range strings.FieldsFunc(s.text, func(r rune) bool { return strings.ContainsRune("{|}", r) }) {
					if len(part) > len(literal) {
						literal = part
					}
				}
				if !strings.Contains(source, literal) {
					t.Errorf("no %q in 4000 programs", literal)
				}
			}
		}
	}
}

// TestWithout: leaving statements out one by one ends with none.
func TestWithout(t *testing.T) {
	for _, p := range made(4, C, 200) {
		for n := p.Statements(); n > 0; n-- {
			text := p.Text(0)
			q := p.Without(n/2, true)
			if p.Text(0) != text {
				t.Fatal("leaving a statement out changed the program that it was left out of")
			}
			if got := q.Statements(); got != n-1 {
				t.Fatalf("%d statements without one of %d", got, n)
			}
			p = q
		}
	}
	p := &Program{bodies: [][]*node{nil, {{text: "{body}", body: []*node{{text: "a"}, {text: "b"}}}, {text: "c"}}}}
	if all, outer := p.Without(0, false).Statements(), p.Without(0, true).Statements(); all != 1 || outer != 3 {
		t.Errorf("%d statements without the first and what is in it, %d without the first: want 1 and 3", all, outer)
	}
}
