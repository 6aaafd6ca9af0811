package report

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"landgo/internal/result"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares a text with a file under testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs (go test -update writes it anew); got:\n%s", path, got)
	}
}

// plain is the style of the goldens. The sources that it shows are in testdata.
var plain = Style{
	Width: 80,
	Dir:   "/home/student/lab",
	Source: func(path string) ([]byte, error) {
		return os.ReadFile(filepath.Join("testdata", filepath.Base(path)))
	},
}

func TestText(t *testing.T) {
	for name, r := range samples() {
		t.Run(name, func(t *testing.T) {
			r.Finish()
			for _, width := range []int{80, 120} {
				s := plain
				s.Width = width
				var b bytes.Buffer
				Text(&b, r, s)
				file := name + ".txt"
				if width != 80 {
					file = name + "-wide.txt"
				}
				golden(t, file, b.Bytes())
				for n, l := range strings.Split(b.String(), "\n") {
					if len(l) > width && !strings.Contains(l, "landgo ") && !strings.Contains(l, "s1:") {
						t.Errorf("width %d: line %d has %d columns: %s", width, n+1, len(l), l)
					}
					if strings.TrimRight(l, " \t") != l {
						t.Errorf("line %d ends in blanks: %q", n+1, l)
					}
				}
			}
		})
	}
}

// TestTextTwice: the same value gives the same bytes.
func TestTextTwice(t *testing.T) {
	for name := range samples() {
		var first, second bytes.Buffer
		for _, b := range []*bytes.Buffer{&first, &second} {
			r := samples()[name]
			r.Finish()
			Text(b, r, plain)
			JSON(b, r)
		}
		if !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%s: two texts of one value differ", name)
		}
	}
}

func TestJSON(t *testing.T) {
	r := samples()["lost-update"]
	r.Finish()
	var b bytes.Buffer
	JSON(&b, r)
	golden(t, "lost-update.json", b.Bytes())

	var object map[string]any
	if err := json.Unmarshal(b.Bytes(), &object); err != nil {
		t.Fatal(err)
	}
	for _, field := range strings.Fields("schema verdict reason guest kernel pp search bound executions blocked pruned transitions instructions seconds threads estimate races granularity unexamined bug bugs certificate version") {
		if _, ok := object[field]; !ok {
			t.Errorf("no field %q", field)
		}
	}
	bug := object["bug"].(map[string]any)
	for _, field := range strings.Fields("kind message thread preemptions schedule steps file minimal") {
		if _, ok := bug[field]; !ok {
			t.Errorf("no field bug.%s", field)
		}
	}
	var back result.Result
	if err := json.Unmarshal(b.Bytes(), &back); err != nil {
		t.Errorf("the JSON doesn't come back: %v", err)
	}
}

// TestNoNullLists: an empty result has lists, not nulls.
func TestNoNullLists(t *testing.T) {
	r := &result.Result{Verdict: result.Buggy, Account: make([]result.Event, 1), UnexaminedFirst: make([]result.RacePair, 1),
		Bug: &result.Bug{Steps: make([]result.Step, 1), Accesses: make([]result.Access, 1), Waits: make([]result.Wait, 1), Loops: make([]result.Loop, 1)}}
	r.Finish()
	var b bytes.Buffer
	JSON(&b, r)
	if i := strings.Index(b.String(), "null"); i >= 0 {
		t.Errorf("null in the JSON: ...%s", b.String()[max(0, i-40):i+4])
	}
}

func TestColor(t *testing.T) {
	for _, on := range []bool{false, true} {
		s := plain
		s.Color = on
		r := samples()["verified"]
		r.Finish()
		var b bytes.Buffer
		Text(&b, r, s)
		if got := strings.Contains(b.String(), "\x1b"); got != on {
			t.Errorf("color %v: escapes %v", on, got)
		}
	}
}

// TestGuestCantReachTheTerminal: what a guest names and prints comes out
// without control characters.
func TestGuestCantReachTheTerminal(t *testing.T) {
	const evil = "\x1b]0;owned\a\r\u202e"
	r := samples()["lost-update"]
	b := r.Bug
	b.Message, b.Cause, b.Output = evil, evil, evil+"\n"+evil
	b.Accesses[0].Symbol, b.Accesses[0].Instruction = evil, evil
	b.Stack[0].Function, b.Stack[0].File = evil, evil
	b.Steps[1].Why = evil
	r.Reason = evil
	r.Finish()
	var out bytes.Buffer
	Text(&out, r, plain)
	if strings.ContainsAny(out.String(), "\x1b\a\r\u202e") {
		t.Errorf("control characters in:\n%q", out.String())
	}
}

func TestInspection(t *testing.T) {
	i := inspection()
	i.Finish()
	var b bytes.Buffer
	Inspection(&b, i, plain)
	golden(t, "inspection.txt", b.Bytes())
}

// TestTerminal: no text of a guest or a file reaches a terminal as a command,
// whichever field it is in: not in text, not in JSON, not in progress.
func TestTerminal(t *testing.T) {
	for _, evil := range []string{"\x1b[31mred", "a\x9bb", "\u009b2J", "\u202egnp", "x\ry", "bell\a", "\x7f", "\xff\xfe", "\U000e0001"} {
		for name := range samples() {
			r := samples()[name]
			poison(reflect.ValueOf(r), evil)
			r.Verdict = samples()[name].Verdict
			if r.Bug != nil {
				r.Bug.Kind = samples()[name].Bug.Kind
			}
			r.Finish()
			var text, object bytes.Buffer
			s := plain
			s.Color = true
			s.Source = func(string) ([]byte, error) { return []byte(strings.Repeat(evil+"\n", 50)), nil }
			Text(&text, r, s)
			JSON(&object, r)
			for what, got := range map[string]string{"text": strings.NewReplacer("\x1b[1m", "", "\x1b[0m", "").Replace(text.String()), "JSON": object.String()} {
				if i := strings.IndexFunc(got, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 || !utf8.ValidString(got) {
					t.Errorf("%s, %q as %s: %q", name, evil, what, got[max(i-40, 0):min(max(i, 0)+40, len(got))])
				}
			}
			var again result.Result
			if err := json.Unmarshal(object.Bytes(), &again); err != nil {
				t.Errorf("%s, %q: %v", name, evil, err)
			} else if want := strings.ToValidUTF8(evil, "\ufffd"); again.Guest.Path != want && utf8.ValidString(evil) {
				t.Errorf("%s: JSON has %q for %q", name, again.Guest.Path, want)
			}
		}
		var b bytes.Buffer
		p := NewProgress(&b, ProgressStyle{})
		p.Progress(result.Progress{Phase: "searching", Elapsed: time.Minute, Jobs: []result.JobProgress{{PP: evil}}})
		p.Close()
		if got := strings.TrimSuffix(b.String(), "\n"); strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) || !utf8.ValidString(got) {
			t.Errorf("progress: %q", got)
		}
	}
}

// poison puts a text into all texts of a value.
func poison(v reflect.Value, text string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem(), text)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i), text)
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i), text)
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(text)
		}
	}
}

// TestStatement: of a line with several statements the one at the column is quoted.
func TestStatement(t *testing.T) {
	p := &page{files: map[string][]string{}}
	p.style.Source = func(string) ([]byte, error) {
		return []byte("\tx = 1; y = z + 2; if (q) { r = 3; }\n\tno end\n"), nil
	}
	for column, want := range map[int]string{0: "x = 1; y = z + 2; if (q) { r = 3; }", 4: "x = 1", 11: "y = z + 2", 31: "r = 3"} {
		if got := p.statement(result.Frame{File: "f.c", Line: 1, Column: column}); got != want {
			t.Errorf("column %d: %q, want %q", column, got, want)
		}
	}
	if got := p.statement(result.Frame{File: "f.c", Line: 2, Column: 2}); got != "no end" {
		t.Errorf("%q", got)
	}
}

// TestMissedFile: of a program that finds no file the report says how to give it one.
func TestMissedFile(t *testing.T) {
	for output, hint := range map[string]bool{"input: No such file or directory\n": true, "input: Permission denied\n": false} {
		var text bytes.Buffer
		Found(&text, &result.Result{Bug: &result.Bug{Message: "exit status 1", BeforeThreads: true, Output: output}}, Style{})
		if got := strings.Contains(text.String(), "--file"); got != hint {
			t.Errorf("%q: the hint %v, want %v:\n%s", output, got, hint, text.String())
		}
	}
}

// TestBrieflyNamed: a long name of C++ loses the arguments of templates. A short one, and operators, are shown as
// they are.
func TestBrieflyNamed(t *testing.T) {
	long := strings.Repeat("x", longName)
	for name, want := range map[string]string{
		"Queue<int>::pop": "Queue<int>::pop",
		"mpmc::Queue<int, std::allocator<mpmc::Slot<int> > >::emplace<int const&>::" + long: "mpmc::Queue<...>::emplace<...>::" + long,
		long + "::operator<<<char>":    long + "::operator<<<...>",
		long + "::operator->":          long + "::operator->",
		long + "<unfinished":           long + "<unfinished",
		"<Vec<T> as Drop<U>>::" + long: "<Vec<...> as Drop<...>>::" + long,
	} {
		if got := brieflyNamed(name); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
