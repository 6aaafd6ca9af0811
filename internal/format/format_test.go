package format

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"landgo/internal/explore/config"
	"landgo/internal/report"
	"landgo/internal/result"
	"landgo/internal/trace"
)

var update = flag.Bool("update", false, "write the golden files anew")

var options = Options{
	Style: report.Style{Width: 80, Dir: "/home/student/lab"},
	Now:   time.Date(2026, 11, 23, 17, 30, 5, 9, time.FixedZone("", 3600)),
}

// evil is a hostile guest's name for its files, functions and messages.
const evil = "=cmd|'/c calc'!A0\x1b]0;x\a\r\n::error::owned\n##[error]owned\n{\"scores\":{\"t\":1e9}}\n]]>&<b>\"'`](http://evil) {0} %0A, :\xff\xfe\u202e\u0085\x00"

// lostUpdate is a bug's result as a run has it.
func lostUpdate(t *testing.T) *result.Result {
	t.Helper()
	text, err := os.ReadFile("../report/testdata/lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	r := &result.Result{}
	if err := json.Unmarshal(text, r); err != nil {
		t.Fatal(err)
	}
	return r
}

func deadlock() *result.Result {
	at := func(function string, line int) []result.Frame {
		return []result.Frame{{Function: "futex_wait", Address: 0x413390}, {Function: function, File: "src/two, locks.c", Line: line, Column: 2, Address: 0x401100}}
	}
	b := &result.Bug{Kind: trace.Deadlock, Message: "threads wait for each other in a cycle", Thread: "0", Preemptions: 1, Schedule: "s1:98ba8213:0@1",
		ThreadStarts: []result.ThreadStart{{Thread: "0", Function: "main"}, {Thread: "0.1", Function: "forth"}, {Thread: "0.2", Function: "back"}}}
	result.LabelByPath(b.ThreadStarts)
	b.Waits = []result.Wait{
		{Thread: "0", For: "thread", Object: "0.1", Stack: at("main", 39)},
		{Thread: "0.1", For: "mutex", Object: "b", Owner: "0.2", Stack: at("both", 11), Acquired: &at("both", 10)[1]},
		{Thread: "0.2", For: "mutex", Object: "a", Owner: "0.1", Stack: at("both", 11)},
	}
	b.Steps = []result.Step{{To: "0", Why: "begins"}, {From: "0", To: "0.1", Why: "waits for thread 0.1 to end", Stack: at("main", 39)}, {From: "0.1", To: "0.2", Why: "preempted before it locks b", Preemption: true, Stack: at("both", 11)}}
	b.Block = &result.Block{Address: 0x5000, Size: 8, Allocated: result.Origin{Thread: "0", Stack: at("main", 3)}, Freed: &result.Origin{Thread: "0.1", Stack: at("main", 4)}}
	r := &result.Result{Verdict: result.Buggy, Guest: result.Guest{Path: "bin/two"}, Granularity: "mem", Bound: "none", Executions: 2, Seconds: 0.25, Bug: b, Bugs: []*result.Bug{b}}
	r.Finish()
	return r
}

func plain(v result.Verdict) *result.Result {
	r := &result.Result{Verdict: v, Guest: result.Guest{Path: "bin/one"}, Granularity: "mem", Bound: "preempt=2", Executions: 7, Seconds: 1.5}
	switch v {
	case result.Budget:
		r.Problem, r.Reason = result.OutOfTime, "the time of --time ran out"
	case result.Invalid:
		r.Problem, r.Reason = result.UnmodelledCall, "system call 41 (socket) is not modelled"
		r.Place = []result.Frame{{Function: "main", File: "net.c", Line: 12, Address: 0x401000}}
	}
	r.Finish()
	return r
}

// cases are results of all kinds.
func cases(t *testing.T) []Case {
	several := deadlock()
	second := *several.Bug
	second.Waits = nil
	several.Bugs = append(several.Bugs, &second)
	warned := plain(result.Verified)
	warned.Warnings = []result.Warning{{Code: result.OneThread, Text: "only one thread ever ran"}}
	return []Case{
		NewCase("lost update", 10, lostUpdate(t), nil),
		NewCase("two locks", 20, deadlock(), nil),
		NewCase("verified", 5, plain(result.Verified), nil),
		NewCase("warned", 5, warned, nil),
		NewCase("bounded", 2.5, plain(result.Bounded), nil),
		NewCase("budget", 5, plain(result.Budget), nil),
		NewCase("invalid", 5, plain(result.Invalid), nil),
		NewCase("no file", 5, nil, result.Errorf(result.NoFile, "guest.elf: no such file")),
		NewCase("fault", 5, nil, errors.New("broken invariant")),
		{Name: "hidden", Points: 3, Hidden: true, Result: several},
	}
}

// hostile are the same, and everything that comes from outside is evil.
func hostile(t *testing.T) []Case {
	all := cases(t)
	for i := range all {
		c := &all[i]
		c.Name = evil + strconv.Itoa(i)
		if c.Result == nil {
			c.Err = result.Errorf(result.NoFile, "%s: no such file", evil)
			continue
		}
		verdict, problem := c.Result.Verdict, c.Result.Problem
		poison(reflect.ValueOf(c.Result).Elem())
		c.Result.Verdict, c.Result.Problem = verdict, problem
		for _, b := range append(c.Result.Bugs, c.Result.Bug) {
			if b != nil {
				b.Kind = trace.Deadlock
			}
		}
	}
	return all
}

func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			poison(v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			poison(v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.String:
		v.SetString(evil)
	}
}

func write(t *testing.T, name string, cases []Case) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, name, cases, options); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// each tests a format with friendly and hostile cases, one and many and none.
func each(t *testing.T, name string, check func(t *testing.T, text []byte, cases []Case)) {
	for kind, all := range map[string][]Case{"friendly": cases(t), "hostile": hostile(t), "none": {}} {
		t.Run(kind, func(t *testing.T) { check(t, write(t, name, all), all) })
		for i := range all {
			t.Run(kind+strconv.Itoa(i), func(t *testing.T) { check(t, write(t, name, all[i:i+1]), all[i:i+1]) })
		}
	}
}

// TestPaged: documents for readers with the run's files name the page of its bug, and
// those for students don't.
func TestPaged(t *testing.T) {
	for name, want := range map[string]bool{"junit": true, "sarif": true, "github": true, "gradescope": false, "autolab": false, "csv": false} {
		r := lostUpdate(t)
		r.Finish()
		r.Bugs[0].Page = "out/lost.html"
		var b bytes.Buffer
		if err := Write(&b, name, []Case{NewCase("lost", 1, r, nil)}, options); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(b.String(), "out/lost.html") != want {
			t.Errorf("%s: named: %v\n%s", name, !want, b.String())
		}
	}
}

// names lists the formats.
func names() []string { return slices.Sorted(maps.Keys(writers)) }

// TestNames: the option table offers what there is.
func TestNames(t *testing.T) {
	want := slices.Sorted(slices.Values(append(names(), config.TextFormat, config.JSONFormat)))
	if got := slices.Sorted(slices.Values(config.Formats)); !slices.Equal(got, want) {
		t.Errorf("--format takes %v, there are %v", got, want)
	}
	if err := Write(&bytes.Buffer{}, "none", nil, options); err == nil {
		t.Error("no error for an unknown format")
	}
}

// TestGoldens keeps the look of each format.
func TestGoldens(t *testing.T) {
	for _, name := range names() {
		got := write(t, name, cases(t))
		path := filepath.Join("testdata", name+".golden")
		if *update {
			if err := os.WriteFile(path, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s differs (%v); got:\n%s", path, err, got)
		}
	}
}

// TestHarmless: no format lets a character through that a terminal obeys, or that isn't
// UTF-8.
func TestHarmless(t *testing.T) {
	for _, name := range names() {
		text := write(t, name, hostile(t))
		if !utf8.Valid(text) {
			t.Errorf("%s: not UTF-8", name)
		}
		if i := bytes.IndexFunc(text, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
			t.Errorf("%s: a control character in %q", name, text[max(i-40, 0):i+4])
		}
	}
}

// printable checks that the texts of a document do no harm after they were decoded.
func printable(t *testing.T, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			printable(t, v.Elem())
		}
	case reflect.Struct:
		for i := range v.NumField() {
			printable(t, v.Field(i))
		}
	case reflect.Slice:
		for i := range v.Len() {
			printable(t, v.Index(i))
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			printable(t, k)
			printable(t, v.MapIndex(k))
		}
	case reflect.String:
		if strings.ContainsFunc(v.String(), func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) || r == utf8.RuneError }) {
			t.Errorf("%q", v.String())
		}
	}
}

// schema compiles a JSON schema, whose formats count.
func schema(t *testing.T, path string) *jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	s, err := c.Compile(path)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// valid parses and validates a JSON text.
func valid(t *testing.T, s *jsonschema.Schema, text []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := s.Validate(v); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
}

func TestGradescope(t *testing.T) {
	s := schema(t, "testdata/gradescope.schema.json")
	each(t, "gradescope", func(t *testing.T, text []byte, cases []Case) {
		valid(t, s, text)
		var got gradescopeResults
		if err := json.Unmarshal(text, &got); err != nil || len(got.Tests) != len(cases) {
			t.Fatalf("%d tests, %v", len(got.Tests), err)
		}
		printable(t, reflect.ValueOf(got))
		for i, test := range got.Tests {
			c := &cases[i]
			if passes := c.verdict() == "verified" || c.verdict() == "bounded"; (test.Status == "passed") != passes || passes && test.Score != c.Points || !passes && test.Score != 0 || test.MaxScore != c.Points {
				t.Errorf("%s: %+v", c.verdict(), test)
			}
			if (test.Visibility == "hidden") != c.Hidden || strings.Contains(test.Output, "Not graded") == c.judged() || strings.Count(test.Output, "\n") > report.BriefLines+1 {
				t.Errorf("%+v", test)
			}
		}
	})
}

func TestAutolab(t *testing.T) {
	s := schema(t, "testdata/autolab.schema.json")
	each(t, "autolab", func(t *testing.T, text []byte, cases []Case) {
		lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
		last := lines[len(lines)-2:]
		valid(t, s, []byte("["+strings.Join(last, ",")+"]"))
		for _, l := range lines[:len(lines)-2] {
			if strings.HasPrefix(l, "{") {
				t.Errorf("a line that looks like an autoresult: %s", l)
			}
		}
		var result struct{ Scores map[string]float64 }
		if err := json.Unmarshal([]byte(last[1]), &result); err != nil {
			t.Fatal(err)
		}
		printable(t, reflect.ValueOf(result))
		if strings.Contains(last[0], "<") || strings.Contains(last[0], "u003c") {
			t.Errorf("a tag in %s", last[0])
		}
		judged, sum := 0, 0.0
		for i := range cases {
			if cases[i].judged() {
				judged++
				sum += cases[i].Score
			}
			if cases[i].Hidden && strings.Contains(strings.Join(lines[:len(lines)-1], "\n"), cases[i].Name) {
				t.Errorf("a hidden case is shown")
			}
		}
		for _, n := range result.Scores {
			sum -= n
		}
		if len(result.Scores) != judged || sum != 0 {
			t.Errorf("scores %v", result.Scores)
		}
	})
}

func TestSARIF(t *testing.T) {
	schemas := []*jsonschema.Schema{schema(t, "testdata/sarif.schema.json")}
	if path := os.Getenv("LANDGO_SARIF_SCHEMA"); path != "" { // that of OASIS, whose licence doesn't let it be here
		schemas = append(schemas, schema(t, path))
	}
	each(t, "sarif", func(t *testing.T, text []byte, cases []Case) {
		for _, s := range schemas {
			valid(t, s, text)
		}
		var log sarifLog
		if err := json.Unmarshal(text, &log); err != nil {
			t.Fatal(err)
		}
		printable(t, reflect.ValueOf(log))
		run, bugs, unjudged := log.Runs[0], 0, 0
		for i := range cases {
			bugs += len(cases[i].bugs())
			if !cases[i].judged() {
				unjudged++
			}
		}
		if notes := run.Invocations[0]; len(run.Results) != bugs || len(notes.Notifications) != unjudged || notes.Successful != (unjudged == 0) {
			t.Errorf("%d results, want %d; %d notifications, want %d", len(run.Results), bugs, len(notes.Notifications), unjudged)
		}
		for _, r := range run.Results {
			if rules := run.Tool.Driver.Rules; r.RuleIndex >= len(rules) || rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("rule %d isn't %s", r.RuleIndex, r.RuleID)
			}
			if len(r.Fingerprints) != 1 || len(r.Locations) != 1 {
				t.Errorf("%+v", r)
			}
			// The moments of all threads are in one order, without a gap.
			var order []int
			for _, f := range r.CodeFlows[0].Threads {
				for _, l := range f.Locations {
					order = append(order, l.Order)
				}
			}
			slices.Sort(order)
			for i, n := range order {
				if n != i+1 {
					t.Errorf("order %v", order)
					break
				}
			}
			if strings.Contains(r.Message.Text, "](") || strings.Contains(strings.NewReplacer("{{", "", "}}", "").Replace(r.Message.Text), "{") {
				t.Errorf("a link or a placeholder in %q", r.Message.Text)
			}
		}
	})
}

// TestFlow: the interleaving has each thread's steps, with the preemption essential.
func TestFlow(t *testing.T) {
	c := NewCase("x", 1, deadlock(), nil)
	flows := sarifThreads(&c, c.Result.Bug, options)
	if len(flows) != 2 || flows[0].ID != "thread 0" || flows[1].ID != "thread 0.1" || len(flows[0].Locations) != 2 || len(flows[1].Locations) != 1 {
		t.Fatalf("%+v", flows)
	}
	if l := flows[1].Locations[0]; l.Order != 3 || l.Importance != "essential" || l.Location.Physical.Region.Line != 11 || l.Location.Physical.Artifact.URI != "src/two,%20locks.c" || l.Location.Message.Text != "T1 forth preempted before it locks b; then T2 back runs" {
		t.Errorf("%+v", l)
	}
	long := *c.Result.Bug
	for range 2 * maxFlow {
		long.Steps = append(long.Steps, long.Steps[2])
	}
	if n := len(moments(&long)); n != maxFlow {
		t.Errorf("%d moments", n)
	}
}

// TestGitHub decodes the commands as the runner does.
func TestGitHub(t *testing.T) {
	each(t, "github", func(t *testing.T, text []byte, cases []Case) {
		want := 0
		for i := range cases {
			want += max(1, len(cases[i].bugs()))
		}
		lines := strings.Split(string(text), "\n")
		if lines = lines[:len(lines)-1]; len(lines) != want {
			t.Fatalf("%d commands, want %d\n%s", len(lines), want, text)
		}
		for _, l := range lines {
			head, message, ok := strings.Cut(strings.TrimPrefix(l, "::"), "::")
			kind, properties, _ := strings.Cut(head, " ")
			if !ok || !strings.HasPrefix(l, "::") || !slices.Contains([]string{"error", "warning", "notice"}, kind) || message == "" {
				t.Fatalf("no command: %q", l)
			}
			seen := map[string]bool{}
			for _, p := range strings.Split(properties, ",") {
				name, value, ok := strings.Cut(p, "=")
				if !ok || seen[name] || !slices.Contains([]string{"file", "line", "col", "title"}, name) || value == "" || strings.Contains(value, ":") {
					t.Errorf("property %q of %q", p, l)
				}
				if _, err := strconv.Atoi(value); err != nil && (name == "line" || name == "col") {
					t.Errorf("%q: %v", p, err)
				}
				seen[name] = true
			}
			if !seen["title"] || seen["line"] != seen["file"] {
				t.Errorf("properties %v", seen)
			}
		}
	})
	if got := githubData("50%0A\r\n"); got != "50%250A%0D%0A" {
		t.Errorf("%q", got)
	}
	want := "::error file=src/two%2C locks.c,line=11,col=2,title=landgo%3A bug%3A deadlock::bug: deadlock: threads wait"
	if got := write(t, "github", cases(t)[1:2]); !bytes.HasPrefix(got, []byte(want)) {
		t.Errorf("%s", got)
	}
	if got := write(t, "github", cases(t)[:1]); !bytes.HasPrefix(got, []byte("::error file=lost.c,line=8,title=")) {
		t.Errorf("a file below the folder isn't relative: %s", got)
	}
}

func TestCSV(t *testing.T) {
	each(t, "csv", func(t *testing.T, text []byte, cases []Case) {
		rows, err := csv.NewReader(bytes.NewReader(text)).ReadAll()
		if err != nil || len(rows) != 1+len(cases) || bytes.Count(text, []byte("\n")) != 1+len(cases) {
			t.Fatalf("%d rows, %v\n%s", len(rows), err, text)
		}
		for _, r := range rows {
			for _, cell := range r {
				if cell != "" && strings.ContainsAny(cell[:1], "=+-@\t\r|%") {
					t.Errorf("a formula: %q", cell)
				}
			}
		}
	})
	for in, want := range map[string]string{"=1+1": "'=1+1", "+1": "'+1", "-1": "'-1", "@SUM(A1)": "'@SUM(A1)", " =1": "' =1", "＝1": "'＝1", "a=1": "a=1", "": "", "\t=1": `\x09=1`} {
		if got := cell(in); got != want {
			t.Errorf("cell(%q) = %q, want %q", in, got, want)
		}
	}
}

// TestKinds: each kind of bug has its sentence.
func TestKinds(t *testing.T) {
	f, err := parser.ParseFile(token.NewFileSet(), "../trace/bug.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	ast.Inspect(f, func(node ast.Node) bool {
		if l, ok := node.(*ast.BasicLit); ok {
			n++
			if kind, err := strconv.Unquote(l.Value); err != nil || kinds[trace.BugKind(kind)] == "" {
				t.Errorf("no sentence on %s", l.Value)
			}
		}
		return true
	})
	if n < 10 || n != len(kinds) {
		t.Errorf("%d kinds, %d sentences", n, len(kinds))
	}
}
