package random

import (
	"strings"
	"testing"
)

func TestSourceIsAFunctionOfItsSeed(t *testing.T) {
	a, b, c := Source(1, 20), Source(1, 20), Source(2, 20)
	if a != b {
		t.Error("the same seed gives two sources")
	}
	if a == c {
		t.Error("two seeds give one source")
	}
}

// TestEveryStatementOccurs: and none leaves a placeholder behind.
func TestEveryStatementOccurs(t *testing.T) {
	source := Source(3, 500)
	for _, left := range []string{"{x}", "{t}", "{m}", "{n}", "{y}", "{body}", "|SEE", "{|"} {
		if strings.Contains(source, left) {
			t.Errorf("%s is left in the source", left)
		}
	}
	for _, s := range statements {
		literal := ""
		for _, part := range strings.FieldsFunc(s.text, func(r rune) bool { return strings.ContainsRune("{|}", r) }) {
			if len(part) > len(literal) {
				literal = part
			}
		}
		if !strings.Contains(source, literal) {
			t.Errorf("no %s in 500 programs", s.name)
		}
	}
}
