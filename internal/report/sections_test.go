package report

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"landgo/internal/result"
)

// rowsOf are rows of a line each, one for each letter; a blank has no key.
func rowsOf(text string) (rows []row) {
	for i, c := range text {
		key := strings.TrimSpace(string(c))
		rows = append(rows, row{key: key, lines: []string{fmt.Sprintf("%c%d", c, i)}})
	}
	return rows
}

func linesOf(rows []row) string {
	var lines []string
	for _, r := range rows {
		lines = append(lines, r.lines...)
	}
	return strings.Join(lines, "|")
}

// TestFold: turns of a loop are shown once and with their last, and all else as it is.
func TestFold(t *testing.T) {
	for _, c := range []struct{ rows, want string }{
		{"", ""},
		{"abc", "a0|b1|c2"},
		{"aaa", "a0|a1|a2"}, // too few
		{"aaaa", "a0|  x 4       the same, but for numbers; the last:|a3"},
		{"xababababy", "x0|a1|b2|  x 4       the same 2 rows, but for numbers; the last:|a7|b8|y9"},
		{"    ", " 0| 1| 2| 3"},
		{"aabaabaabaab", "a0|a1|b2|  x 4       the same 3 rows, but for numbers; the last:|a9|a10|b11"},
	} {
		if got := linesOf(fold(rowsOf(c.rows))); got != c.want {
			t.Errorf("%q: %s, want %s", c.rows, got, c.want)
		}
	}
}

// TestCutMiddle: what is left out is counted, and no row is torn.
func TestCutMiddle(t *testing.T) {
	rows := rowsOf("abcdefghij")
	rows[1].lines = []string{"b1", "b2"}
	for most, want := range map[int]string{
		11: "a0|b1|b2|c2|d3|e4|f5|g6|h7|i8|j9",
		6:  "a0|b1|b2|  ... 6 lines left out here; --verbose shows all|i8|j9",
		3:  "a0|  ... 9 lines left out here; --verbose shows all|j9",
		1:  "  ... 11 lines left out here; --verbose shows all",
	} {
		if got := linesOf(cutMiddle(rows, most)); got != want {
			t.Errorf("%d lines: %s, want %s", most, got, want)
		}
	}
}

// TestLongest: no report is longer than its limit, whatever its parts are; all of it is
// there on request.
func TestLongest(t *testing.T) {
	for _, n := range []int{10, 100, 5000} {
		r := samples()["lost-update"]
		b := r.Bug
		for i := range n {
			s := b.Steps[i%len(b.Steps)]
			s.Why = strings.Repeat("x", 1+i%7*i%11) // no turns
			b.Steps = append(b.Steps, s)
			b.Stack = append(b.Stack, result.Frame{Function: "f"})
			b.Waits = append(b.Waits, result.Wait{Thread: fmt.Sprint("0.", i), For: "mutex", Object: fmt.Sprint("m", i)})
			r.Account = append(r.Account, result.Event{Thread: "0", Does: strings.Repeat("y", 1+i%7*i%13)})
		}
		r.Finish()
		for _, verbose := range []bool{false, true} {
			s := plain
			s.Verbose = verbose
			var text strings.Builder
			Text(&text, r, s)
			lines := strings.Count(text.String(), "\n")
			if cut := strings.Contains(text.String(), "left out here"); cut == (verbose || n == 10) {
				t.Errorf("%d parts, verbose %v: cut %v", n, verbose, cut)
			}
			if !verbose && lines > maxLines || verbose && lines < 3*n {
				t.Errorf("%d parts, verbose %v: %d lines", n, verbose, lines)
			}
		}
	}
}

// TestVerbose: all of the certificate is there on request.
func TestVerbose(t *testing.T) {
	r := samples()["verified"]
	r.Finish()
	s := plain
	s.Verbose = true
	var b bytes.Buffer
	Text(&b, r, s)
	golden(t, "verified-verbose.txt", b.Bytes())
}

// TestAround: a long source line is cut around the column that matters.
func TestAround(t *testing.T) {
	text := "for (;;) { first_thing(); second_thing(); third_thing(); fourth_thing(); }"
	p := newPage(Style{})
	p.files["a.c"] = []string{"\t\t" + text}
	for column, want := range map[int]string{
		0:  "for (;;) { first_thing(); s...",
		3:  "for (;;) { first_thing(); s...",
		46: "...nd_thing(); third_thing()...",
		74: "...hird_thing(); fourth_thing(); }"[4:],
	} {
		got := p.around(result.Frame{File: "a.c", Line: 1, Column: column}, text, 30)
		if len(got) != 30 || column > 3 && column < 70 && !strings.Contains(got, "third") || column == 0 && got != want {
			t.Errorf("column %d: %q, want something like %q", column, got, want)
		}
	}
	if got := p.around(result.Frame{File: "a.c", Line: 1, Column: 9}, "short", 30); got != "short" {
		t.Errorf("%q", got)
	}
}
