package choose

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// cell is how many columns of a terminal a character takes. Those of East Asian scripts
// and most emoji take two (Unicode's annex 11). One that is put on the character before it
// takes none.
func cell(r rune) int {
	switch {
	case r < 0x300:
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	if k := width.LookupRune(r).Kind(); k == width.EastAsianWide || k == width.EastAsianFullwidth {
		return 2
	}
	return 1
}

// cells is how many columns a text takes.
func cells(text string) (n int) {
	for _, r := range text {
		n += cell(r)
	}
	return n
}

// pad fills a text up to this many columns.
func pad(text string, columns int) string {
	return text + strings.Repeat(" ", max(columns-cells(text), 0))
}

// cutTo is the beginning of a text that takes at most this many columns.
func cutTo(text string, columns int) string {
	for i, r := range text {
		if columns -= cell(r); columns < 0 {
			return text[:i]
		}
	}
	return text
}
