package course

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landgo/internal/result"
	"landgo/internal/trace"
)

const good = `
course: Threads, lab 2
build:
  command: make test
  files: [Makefile, tests]
  time: 30s
  memory: 512M
tests:
  - name: push
    guest: bin/push
    args: [-n, 2]
    points: 2.5
    time: 10s
    options: {pp: "lock,unlock", keep-going: true, env: [A=b, C=d]}
  - {name: pop, guest: pop, hidden: true}
worth:
  bounded: {0: 10%, 2: 50}
  bug: {deadlock: 25%, other: 0}
students: {visible: mistake, hidden: nothing}
`

func parse(t *testing.T, text string) *Course {
	t.Helper()
	c, err := Parse("course.yaml", "/course", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestRead(t *testing.T) {
	c := parse(t, good)
	push := c.Tests[0]
	if c.Name != "Threads, lab 2" || c.Build.Command != "make test" || c.Build.Time != 30*time.Second || c.Build.Memory != 512<<20 ||
		strings.Join(c.Build.Files, " ") != "Makefile tests" || c.Build.Processes != 64 {
		t.Errorf("%+v %+v", c, c.Build)
	}
	if push.Points.String() != "2.5" || strings.Join(push.Config.Args, " ") != "-n 2" || push.Config.PointList() != "yield,lock,unlock" ||
		!push.Config.KeepGoing || len(push.Config.Env) != 2 || push.Config.Time != 10*time.Second || !push.Config.Strict {
		t.Errorf("%+v", push)
	}
	if pop := c.Tests[1]; !pop.Hidden || pop.Points.String() != "1" || c.Sees(&pop) != SeeNothing || c.Sees(&push) != SeeMistake {
		t.Errorf("%+v", pop)
	}
}

// TestFiles: a missing file that the course names is reported with its place.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "course.yaml")
	for _, c := range []struct{ text, want string }{
		{good, "course.yaml:5:11: build.files: the course's folder has no Makefile"},
		{"tests:\n- {name: a, guest: b, stdin: in.txt}", "course.yaml:2:30: tests[0].stdin: the course's folder has no in.txt"},
		{"tests:\n- name: a\n  guest: b\n  options: {file: [course.yaml, words]}", "tests[0].options.file: the course's folder has no words"},
		{"tests:\n\t- name: a", "course.yaml:2:1: YAML has no tabs"},
	} {
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), c.want) || result.KindOf(err) != result.BadCourse {
			t.Errorf("%v\nwant %s", err, c.want)
		}
	}
	for _, name := range []string{"Makefile", "tests"} {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte(good), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(path); err != nil {
		t.Error(err)
	}
}

// TestWorth: the greatest bound that was explored counts, and a person decides what is
// invalid.
func TestWorth(t *testing.T) {
	w := parse(t, good).Worth
	at := func(k int) *int { return &k }
	for _, c := range []struct {
		r    result.Result
		want string
	}{
		{result.Result{Verdict: result.Verified}, "100%"},
		{result.Result{Verdict: result.Buggy, Bug: &result.Bug{Kind: trace.Deadlock}}, "25%"},
		{result.Result{Verdict: result.Buggy, Bug: &result.Bug{Kind: trace.Livelock}}, "0%"},
		{result.Result{Verdict: result.Bounded, Bound: "preempt=1"}, "10%"},
		{result.Result{Verdict: result.Bounded, Bound: "preempt=3,fair=5"}, "50%"},
		{result.Result{Verdict: result.Bounded, Bound: "fair=5"}, "0%"},
		{result.Result{Verdict: result.Budget, BoundedAt: at(2), BoundedBy: "preempt=2"}, "50%"},
		{result.Result{Verdict: result.Budget, BoundedAt: at(7), BoundedBy: "rounds=7"}, "0%"},
		{result.Result{Verdict: result.Budget}, "0%"},
	} {
		if share, ok := w.Of(&c.r); !ok || share.String() != c.want {
			t.Errorf("%+v: %v, want %s", c.r, share, c.want)
		}
	}
	if _, ok := w.Of(&result.Result{Verdict: result.Invalid}); ok {
		t.Error("an invalid result is worth something")
	}
	if got := (Percent(33_333)).Of(1500).String(); got != "0.5" {
		t.Errorf("a third of 1.5 points is %s", got)
	}
}

// TestComplaints: each has its place, and says what there is instead.
func TestComplaints(t *testing.T) {
	for _, c := range []struct{ change, to, want string }{
		{"points: 2.5", "pionts: 2.5", `course.yaml:12:5: tests[0] has no key "pionts", did you mean points?`},
		{"worth:", "worht:", `course.yaml:16:1: a course has no key "worht", did you mean worth?`},
		{"keep-going: true", "kep-going: true", `course.yaml:14:34: tests[0].options has no key "kep-going", did you mean keep-going?`},
		{"keep-going: true", "jobs: 4", `tests[0].options has no key "jobs": landgo grade has --jobs`},
		{"keep-going: true", "time: 4s", `course.yaml:14:34: tests[0].options has no key "time": give the test a time:`},
		{"guest: pop", "guest: ./", `course.yaml:15:24: tests[1].guest has to be a program's path`},
		{`"lock,unlock"`, `"lock,unlok"`, `course.yaml:14:19: tests[0].options: unknown preemption point "unlok"`},
		{"time: 10s", "time: soon", `course.yaml:13:11: tests[0].time: want a duration such as`},
		{"points: 2.5", "points: many", `course.yaml:12:13: tests[0].points has to be a number`},
		{"name: pop", "name: push", `two tests are called "push", the first on line 9`},
		{"guest: pop", "guest: ../pop", `course.yaml:15:24: tests[1].guest has to be a path beneath`},
		{"guest: bin/push", "guest: /bin/push", `has to be a path beneath`},
		{"2: 50", "2: 150", `course.yaml:17:24: worth.bounded has to be a share from 0% to 100%, got "150"`},
		{"2: 50", "two: 50", `worth.bounded: want a number of preemptions, got "two"`},
		{"deadlock: 25%", "deadlok: 25%", `worth.bug has no key "deadlok", did you mean deadlock?`},
		{"visible: mistake", "visible: mistakes", `students.visible: want report, mistake, verdict, points, nothing; got "mistakes", did you mean mistake?`},
		{"hidden: true", "hidden: perhaps", `tests[1].hidden: want true, false`},
		{"command: make test", "time: 1s", `course.yaml:6:3: mapping key "time" already defined`},
		{"  command: make test\n", "", `course.yaml:4:3: build has no command`},
		{"files: [Makefile, tests]", "files: {a: b}", `build.files has to be a list`},
		{"files: [Makefile, tests]", "files: [Makefile, ../x]", `course.yaml:5:21: build.files has to be a path beneath`},
		{"memory: 512M", "memory: lots", `build.memory: want a number of bytes`},
		{"course: Threads, lab 2", "course: [", `course.yaml:`},
		{"course: Threads, lab 2", "course: &a Threads", `plain YAML, without anchor`},
		{"course: Threads, lab 2", "", ""},
	} {
		text := strings.Replace(good, c.change, c.to, 1)
		_, err := Parse("course.yaml", "/course", []byte(text))
		if c.want == "" {
			if err != nil {
				t.Errorf("%q: %v", c.to, err)
			}
			continue
		}
		if err == nil || !strings.Contains(err.Error(), c.want) || result.KindOf(err) != result.BadCourse {
			t.Errorf("%q: %v\nwant %s", c.to, err, c.want)
		}
	}
	for text, want := range map[string]string{"": "has to be a mapping", "tests: []": "tests has to be a list with a test in it", "course: x": "there are no tests", "- a": "has to be a mapping"} {
		if _, err := Parse("course.yaml", "/course", []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestSchema: the schema has the keys that the reader takes, and no others.
func TestSchema(t *testing.T) {
	var schema struct {
		Properties map[string]any
		Required   []string
	}
	if err := json.Unmarshal(Schema(), &schema); err != nil {
		t.Fatal(err)
	}
	keysAt := func(path ...string) map[string]any {
		var at any = map[string]any{"properties": schema.Properties}
		for _, p := range append(path, "properties") {
			at = at.(map[string]any)[p]
		}
		return at.(map[string]any)
	}
	for _, c := range []struct {
		begin string
		keys  map[string]any
	}{
		{"", keysAt()},
		{"build: {", keysAt("properties", "build")},
		{"tests: [{", keysAt("properties", "tests", "items")},
		{"tests: [{name: a, guest: b, options: {", keysAt("properties", "tests", "items", "properties", "options")},
		{"worth: {", keysAt("properties", "worth")},
		{"students: {", keysAt("properties", "students")},
	} {
		_, err := Parse("x", "/", []byte(c.begin+"nosuchkey: 1"+strings.Repeat("}", strings.Count(c.begin, "{"))+strings.Repeat("]", strings.Count(c.begin, "["))))
		if c.begin == "tests: [{name: a, guest: b, options: {" {
			_, err = Parse("x", "/", []byte("tests: [{name: a, guest: b, options: {nosuchkey: 1}}]"))
		} else if c.begin == "tests: [{" {
			_, err = Parse("x", "/", []byte("tests: [{nosuchkey: 1}]"))
		}
		if err == nil {
			t.Fatalf("%s: no complaint", c.begin)
		}
		_, known, _ := strings.Cut(err.Error(), "(it has ")
		names := strings.Split(strings.TrimSuffix(known, ")"), ", ")
		if len(names) != len(c.keys) {
			t.Errorf("%s: the reader has %q, the schema %d keys", c.begin, names, len(c.keys))
		}
		for _, n := range names {
			if _, ok := c.keys[n]; !ok {
				t.Errorf("%s: the schema has no %q", c.begin, n)
			}
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(good))
	f.Fuzz(func(t *testing.T, text []byte) {
		if _, err := Parse("x", "/course", text); err != nil && result.KindOf(err) != result.BadCourse && result.KindOf(err) != result.Usage {
			t.Errorf("%v", err)
		}
	})
}
