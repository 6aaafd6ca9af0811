package choose

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"landgo/internal/debugger"
)

var update = flag.Bool("update", false, "write the frames anew")

// two is a Chooser of two threads that each add 1 to x, in two steps, made by main, which
// waits for them.
type two struct {
	steps   []debugger.Taken
	at      int
	told    int
	past    [][]debugger.Taken
	watched bool
	before  string
	stopped bool
}

func (s *two) Interrupt() { s.stopped = true }

// state is the state after the steps that are taken.
func (s *two) state() (at [3]int, x int, held [3]int) {
	for _, step := range s.steps[:s.at] {
		t := numberOf(step.Thread)
		if at[t]++; t > 0 && at[t] == 1 {
			held[t] = x
		}
		if t > 0 && at[t] == 2 {
			x = held[t] + 1
		}
	}
	return at, x, held
}

func numberOf(thread string) int {
	return map[string]int{"0": 0, "0.1": 1, "0.2": 2}[thread]
}

func (s *two) lanes() (lanes []debugger.Lane) {
	at, _, _ := s.state()
	lanes = append(lanes, debugger.Lane{Number: 0, Thread: "0", Root: "main", Live: true, Outcomes: 1, Function: "main", File: "dir/x.c", Line: 9, About: "waits for thread 0.1 to end"})
	if at[0] == 0 || at[1] == 2 && at[2] == 2 && at[0] == 1 {
		lanes[0].Ready, lanes[0].About = true, map[bool]string{true: "", false: "joins 0.1"}[at[0] == 0]
	}
	for t, name := range map[int]string{1: "0.1", 2: "0.2"} {
		l := debugger.Lane{Number: t, Thread: name, Root: "add", Live: at[0] > 0, Outcomes: 1, Function: "add", File: "dir/x.c", Line: 4, About: "isn't there yet"}
		if l.Live && at[t] < 2 {
			l.Ready, l.About = true, []string{"reads x", "writes x"}[at[t]]
		} else if l.Live {
			l.About = "ended"
		}
		lanes = append(lanes, l)
	}
	if lanes[1].Number > lanes[2].Number {
		lanes[1], lanes[2] = lanes[2], lanes[1]
	}
	return lanes
}

// Choose implements debugger.Chooser.
func (s *two) Choose(m debugger.Move) (*debugger.View, error) {
	v := &debugger.View{}
	choice := func() { s.past = append(s.past, append([]debugger.Taken(nil), s.steps[:s.at]...)) }
	step := func(thread string) error {
		l := s.lanes()[numberOf(thread)]
		if !l.Ready {
			return fmt.Errorf("thread %s can't go on here: it %s", thread, l.About)
		}
		at, x, held := s.state()
		text := "begins, creates 0.1, creates 0.2"
		switch t := numberOf(thread); {
		case t > 0 && at[t] == 0:
			text = fmt.Sprintf("reads x: %d", x)
		case t > 0:
			text = fmt.Sprintf("writes x: %d -> %d", x, held[t]+1)
		case at[0] > 0:
			text = "fails"
		}
		preempts := s.at > 0 && s.steps[s.at-1].Thread != thread && s.lanes()[numberOf(s.steps[s.at-1].Thread)].Ready
		s.steps = append(s.steps[:s.at:s.at], debugger.Taken{Thread: thread, Function: l.Function, File: l.File, Line: l.Line, Text: text, Preempts: preempts})
		s.told = min(s.told, s.at)
		s.at++
		return nil
	}
	switch m.Verb {
	case debugger.DoLook:
		s.told = 0
	case debugger.DoStep:
		choice()
		if err := step(m.Thread); err != nil {
			return nil, err
		}
	case debugger.DoRun:
		choice()
		for s.lanes()[numberOf(m.Thread)].Ready {
			if err := step(m.Thread); err != nil {
				return nil, err
			}
		}
	case debugger.DoGo:
		s.at = m.At
	case debugger.DoUndo:
		if len(s.past) == 0 {
			return nil, errors.New("there is no choice to take back")
		}
		s.steps, s.past, s.told = s.past[len(s.past)-1], s.past[:len(s.past)-1], 0
		s.at = len(s.steps)
	case debugger.DoWhatIf:
		v.Told = []string{"5 steps later it ends with a bug: assertion: x == 2 doesn't hold, whatever is done about it, in main x.c:9 by thread 0"}
	case debugger.DoValue:
		v.Told = []string{m.Text + " = \x1b[31mred"}
	case debugger.DoWatch:
		s.watched = true
	case debugger.DoUnwatch:
		s.watched = false
	case debugger.DoSave:
		v.Saved = &debugger.Saved{Schedule: "s1:0:0@1", Kind: "assertion", Message: "x == 2"}
	default:
		return nil, fmt.Errorf("no %s", m.Verb)
	}
	_, x, _ := s.state()
	if value := fmt.Sprint(x); s.watched {
		v.Watched = []debugger.Watched{{Text: "x", Value: value, Changed: value != s.before && s.before != ""}}
		s.before = value
	}
	v.Kept, v.At, v.Lanes = s.told, s.at, s.lanes()
	v.Steps = append(v.Steps, s.steps[s.told:]...)
	s.told = len(s.steps)
	if at, _, _ := s.state(); at[0] == 2 {
		v.Over = "the process has ended"
		if x != 2 {
			v.Bug = "assertion: x == 2, in main x.c:9 by thread 0"
		}
		for i := range v.Lanes {
			v.Lanes[i].Ready = false
		}
	}
	return v, nil
}

func runOf(c debugger.Chooser) *Run {
	return &Run{Chooser: c, Guest: "x", File: "x.byhand.landgo",
		Save:   func(s *debugger.Saved, path string) (string, error) { return "saved: " + path + " with " + s.Kind, nil },
		Source: Lines(func(string) ([]byte, error) { return []byte("\n\n\n\tx  = x + 1;\n\n\n\n\n\tassert(x == 2);\n"), nil })}
}

// golden compares a text with a file.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil || string(want) != got {
		t.Errorf("%s: %v\n%s\nwant:\n%s", name, err, got, want)
	}
}

// TestScript: commands and their answers.
func TestScript(t *testing.T) {
	var b strings.Builder
	failed, err := runOf(&two{}).Script(context.Background(), strings.NewReader(`
# a comment
step
1
threads
watch x
T2
what-if 1
run 0.1
run 2
lanes
back 2
next
next
next
go end
step
step 9
output
print x
save
save elsewhere
undo
nonsense
watch
lanes 3
help
quit
threads
`), &b)
	if err != nil || failed != 5 {
		t.Errorf("%d failed, %v", failed, err)
	}
	golden(t, "script.txt", b.String())
}

// press sends keys to a screen, and does the work that they ask for.
func press(m *Model, keys ...Key) {
	for _, k := range keys {
		for w := m.Update(k); w != nil; {
			w = m.Update(w())
		}
	}
}

func screenOf(style Style) *Model {
	m := NewModel(runOf(&two{}), style)
	m.Update(m.Begin()())
	return m
}

// TestScreen: frames of a session, none wider or higher than the screen.
func TestScreen(t *testing.T) {
	var b strings.Builder
	show := func(m *Model, what string, w, h int) {
		m.Update(Size{w, h})
		frame := m.Frame()
		if len(frame) != h {
			t.Errorf("%s: %d lines, want %d", what, len(frame), h)
		}
		fmt.Fprintf(&b, "== %s, %dx%d\n", what, w, h)
		for _, line := range frame {
			if utf8.RuneCountInString(line) > w {
				t.Errorf("%s: %q is wider than %d", what, line, w)
			}
			b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	m := screenOf(Style{})
	show(m, "the beginning", 80, 24)
	press(m, "0", "1", "w", "x", "enter", "2")
	show(m, "three choices", 80, 24)
	show(m, "the same", 44, 12)
	press(m, "f")
	show(m, "what if?", 80, 14)
	press(m, "1")
	show(m, "that", 80, 14)
	press(m, "r", "1", "c", "2")
	show(m, "thread 2 has written over it", 80, 16)
	press(m, "N", "up")
	show(m, "back", 80, 16)
	press(m, "1")
	show(m, "another one first", 80, 16)
	press(m, "2", " ", " ")
	show(m, "the end", 80, 16)
	press(m, "s", "backspace", "Z")
	show(m, "a prompt", 80, 10)
	press(m, "enter")
	show(m, "saved", 80, 10)
	press(m, "?")
	show(m, "the keys", 80, 12)
	press(m, "j", " ")
	show(m, "the keys, turned", 80, 12)
	press(m, "x", "u", "u")
	show(m, "undone", 80, 16)
	golden(t, "screen.txt", b.String())
	press(m, ":", "q", "u", "i", "t", "enter")
	if !m.Over() {
		t.Error("quit doesn't end it")
	}
}

// TestSizes: a screen of any size has as many lines as it says, none too wide.
func TestSizes(t *testing.T) {
	for _, style := range []Style{{}, {Plain: true}, {Color: true}} {
		m := screenOf(style)
		press(m, "0", "1", "2", "w", "x", "enter")
		for _, keys := range [][]Key{{}, {"?"}, {"x", "s"}, {"escape", "f", "1"}} {
			press(m, keys...)
			for w := 0; w < 100; w += 1 + w/10 {
				for h := 0; h < 30; h += 1 + h/8 {
					m.Update(Size{w, h})
					frame := m.Frame()
					if len(frame) != h {
						t.Fatalf("%dx%d after %q: %d lines", w, h, keys, len(frame))
					}
					for _, line := range frame {
						if n := utf8.RuneCountInString(line); !style.Color && n > w && n > 7+2 {
							t.Fatalf("%dx%d after %q: %q", w, h, keys, line)
						}
						if style.Plain && strings.ContainsFunc(line, func(r rune) bool { return r > '~' }) {
							t.Fatalf("%q isn't plain", line)
						}
					}
				}
			}
		}
	}
}

// TestColors: without colours there is no escape sequence on the screen, also from a guest;
// with them threads differ.
func TestColors(t *testing.T) {
	for _, color := range []bool{false, true} {
		m := screenOf(Style{Color: color})
		press(m, "0", "1", "p", "x", "enter")
		frame := strings.Join(m.Frame(), "\n")
		if strings.Contains(frame, "\x1b[31mred") || !strings.Contains(frame, `\x1b[31mred`) {
			t.Errorf("the guest's escape sequence is on the screen:\n%q", frame)
		}
		if strings.Contains(frame, "\x1b") != color {
			t.Errorf("colour %v:\n%q", color, frame)
		}
	}
	for env, want := range map[string]Style{
		"LANG=C.UTF-8": {Color: true}, "LANG=en_US.utf8 NO_COLOR=1": {}, "LANG=C": {Color: true, Plain: true}, "LC_ALL=C LANG=C.UTF-8": {Color: true, Plain: true}, "": {Color: true, Plain: true},
	} {
		values := map[string]string{}
		for _, pair := range strings.Fields(env) {
			name, value, _ := strings.Cut(pair, "=")
			values[name] = value
		}
		if got := styleOf(func(name string) string { return values[name] }); got != want {
			t.Errorf("%s: %+v, want %+v", env, got, want)
		}
	}
}

// TestKeys: bytes of a terminal are keys, however they come in.
func TestKeys(t *testing.T) {
	text := "a\x1b[Aé\r\x1bOB\x03\x1b[5~\x1b[99~\x7f1"
	want := []Key{"a", "up", "é", "enter", "down", "ctrl-c", "page-up", "backspace", "1"}
	for size := 1; size <= len(text); size++ {
		in, out, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		pressed, over := make(chan Key), make(chan bool)
		go readKeys(in, pressed, over)
		go func() {
			for rest := text; rest != ""; {
				n := min(size, len(rest))
				out.WriteString(rest[:n])
				rest = rest[n:]
			}
			out.Close()
		}()
		var got []Key
		for k := range pressed {
			got = append(got, k)
		}
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%d bytes at a time: %q, want %q", size, got, want)
		}
		close(over)
		in.Close()
	}
}

// TestBusy: while a move is under way, ctrl-c ends it, and other keys are left out.
func TestBusy(t *testing.T) {
	s := &two{}
	m := NewModel(runOf(s), Style{})
	m.Update(m.Begin()())
	work := m.Update(Key("0"))
	if m.Update(Key("q")) != nil || m.Over() || m.Update(Key("ctrl-c")) != nil || !s.stopped {
		t.Error("a key isn't left out, or ctrl-c is")
	}
	m.Update(work())
	if press(m, "q"); !m.Over() {
		t.Error("q doesn't end it")
	}
}
