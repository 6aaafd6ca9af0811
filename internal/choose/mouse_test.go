package choose

import (
	"strconv"
	"strings"
	"testing"
)

// TestCells: columns of a terminal, not characters or bytes.
func TestCells(t *testing.T) {
	for text, want := range map[string]int{"": 0, "abc": 3, "é": 1, "e\u0301": 1, "日本": 4, "한글x": 5, "ｆ": 2, "😀": 2, "●": 1, "─…": 2} {
		if n := cells(text); n != want {
			t.Errorf("%q takes %d columns, not %d", text, n, want)
		}
	}
	for _, c := range []struct {
		text  string
		width int
		want  string
	}{{"日本語", 6, "日本語"}, {"日本語", 5, "日本…"}, {"日本語", 4, "日 …"}, {"日本", 6, "日本  "}, {"abc", 2, "a…"}, {"日", 1, "…"}, {"日", 0, ""}} {
		if got := (Style{}).fit(c.text, c.width); got != c.want || cells(got) != c.width {
			t.Errorf("%q in %d columns is %q", c.text, c.width, got)
		}
	}
	if got := strings.Join(wrapped("日本語 日本語 ab", 10), "|"); got != "日本語|  日本語|  ab" {
		t.Errorf("wrapped: %q", got)
	}
}

// TestMouse: clicks are read from a terminal's bytes, and do what the keys for their places
// do, after m only the terminal sends them.
func TestMouse(t *testing.T) {
	for bytes, want := range map[string]Key{"\x1b[<0;12;5M": "mouse 0 12 5", "\x1b[<0;12;5m": "", "\x1b[<64;1;300M": "mouse 64 1 300"} {
		if k, n := firstKey([]byte(bytes + "j")); k != want || n != len(bytes) {
			t.Errorf("%q is %q of %d bytes", bytes, k, n)
		}
	}
	m := screenOf(Style{})
	press(m, "0", "1", "2", "m")
	if !m.mouse || m.run.view.At != 3 {
		t.Fatalf("mouse %v at step %d", m.mouse, m.run.view.At)
	}
	line := func(part string) int {
		for i, l := range m.Frame() {
			if strings.Contains(l, part) {
				return i + 1
			}
		}
		t.Fatalf("no line has %q:\n%s", part, strings.Join(m.Frame(), "\n"))
		return 0
	}
	click := func(button, row int) { press(m, mouseKey("\x1b[<"+strconv.Itoa(button)+";5;"+strconv.Itoa(row)+"M")) }
	at := func(want int) {
		t.Helper()
		if m.run.view.At != want {
			t.Errorf("at step %d, not %d:\n%s", m.run.view.At, want, strings.Join(m.Frame(), "\n"))
		}
	}
	click(buttonLeft, line("the beginning"))
	at(0)
	click(wheelDown, 1)
	at(1)
	click(wheelDown, 1)
	click(wheelUp, 1)
	at(1)
	click(buttonLeft, line("* 2"))
	at(2)
	if s := m.run.steps[1]; s.Thread != "0.2" {
		t.Errorf("thread %s took the step", s.Thread)
	}
	for _, row := range []int{0, 1, 2, 14, 1000} { // what is no step's and no thread's
		click(buttonLeft, row)
	}
	click(2, line("* 1"))
	at(2)
	m.Update(Size{80, 12})
	press(m, "?")
	click(wheelDown, 1)
	if m.page == nil || m.top != 1 {
		t.Errorf("page %v from %d", m.page != nil, m.top)
	}
	press(m, "q", "m")
	if m.mouse {
		t.Error("the mouse is still taken")
	}
}
