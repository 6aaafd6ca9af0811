package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"landgo/internal/confine"
	"landgo/internal/course"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// fake is an engine that says of a program what its text says.
type fake struct {
	mu   sync.Mutex
	runs int
	// dies is how often it dies first, for each program.
	dies int
	died map[string]int
	// replays: a bug comes back, and replayed says how often one did.
	replays  bool
	replayed int
	// stop, if there is one, is called before each run.
	stop func(run int)
}

func (f *fake) Run(ctx context.Context, c config.Config, _ wire.Observer) (*result.Result, error) {
	text, err := os.ReadFile(c.Guest)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	f.runs++
	run := f.runs
	if f.died == nil {
		f.died = map[string]int{}
	}
	dead := f.died[c.Guest] < f.dies
	f.died[c.Guest]++
	f.mu.Unlock()
	if f.stop != nil {
		f.stop(run)
	}
	if ctx.Err() != nil {
		return &result.Result{Verdict: result.Budget, Problem: result.Interrupted}, nil
	}
	if dead {
		return nil, &wire.Failed{Message: "died"}
	}
	r := &result.Result{Verdict: result.Verdict(strings.TrimSpace(string(text))), Guest: result.Guest{Path: c.Guest, SHA256: strings.Repeat("0", 64)}, Seconds: 7, Reason: "a reason about " + c.Guest}
	switch r.Verdict {
	case result.Buggy:
		frame := result.Frame{Function: "push", File: "lib.c", Line: 3}
		r.Bugs = []*result.Bug{{Kind: "deadlock", Message: "<b>stuck</b>", Schedule: "s1:7f03a9c2:0@10412,0.1@35", Stack: []result.Frame{frame}, Waits: []result.Wait{{For: "mutex", Object: "m", Stack: []result.Frame{frame}}}}}
	case "broken":
		return nil, result.Errorf(result.BrokenELF, "%s: the ELF file is truncated", c.Guest)
	case "unconfined":
		return nil, result.Errorf(result.Unconfined, "no landlock")
	}
	return r, nil
}

func (f *fake) Replay(ctx context.Context, c config.Config, _ *result.BugFile, o wire.Observer) (*result.Result, error) {
	if !f.replays {
		return nil, errors.New("not asked for")
	}
	r, err := f.Run(ctx, c, o)
	f.mu.Lock()
	defer f.mu.Unlock()
	f.replayed++
	return r, err
}

func (f *fake) Debug(ctx context.Context, c config.Config, file *result.BugFile, o wire.Observer, _ func(debugger.Target) error) (*result.Result, error) {
	return f.Replay(ctx, c, file, o)
}

func (f *fake) Explore(ctx context.Context, c config.Config, file *result.BugFile, o wire.Observer, _ func(debugger.Chooser) error) (*result.Result, error) {
	return f.Replay(ctx, c, file, o)
}

func (f *fake) Inspect(context.Context, config.Config, wire.Observer) (*result.Inspection, error) {
	return nil, errors.New("not asked for")
}

const handedIn = `
tests:
  - {name: one, guest: a, points: 2}
  - {name: two, guest: b, points: 3, hidden: true}
worth: {bug: {deadlock: 50%}}
`

// class is one whose students have handed programs in.
func class(t *testing.T, run string, students map[string][2]string) *Class {
	t.Helper()
	dir := t.TempDir()
	c, err := course.Parse("course.yaml", dir, []byte(handedIn))
	if err != nil {
		t.Fatal(err)
	}
	for name, programs := range students {
		for i, text := range programs {
			if err := os.MkdirAll(filepath.Join(dir, name), 0o755); err != nil {
				t.Fatal(err)
			}
			if text == "" {
				continue
			}
			if err := os.WriteFile(filepath.Join(dir, name, []string{"a", "b"}[i]), []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
		}
	}
	all, err := Submissions(dir)
	if err != nil {
		t.Fatal(err)
	}
	store, err := OpenStore(run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return &Class{Course: c, Submissions: all, Store: store, Engine: &fake{}, Level: confine.Require, Jobs: 3}
}

func tables(t *testing.T, c *Class) (*Table, string) {
	t.Helper()
	table, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	table.Text(&b)
	if err := table.CSV(&b); err != nil {
		t.Fatal(err)
	}
	json.NewEncoder(&b).Encode(table)
	return table, b.String()
}

var students = map[string][2]string{
	"anna": {"verified", "verified"}, "ben": {"bug", "verified"}, "carl": {"bug", "bug\n"}, "dora": {"invalid", ""}, "emil": {"broken", "budget"},
}

// TestTable: points, verdicts and mistakes are where they belong.
func TestTable(t *testing.T) {
	table, text := tables(t, class(t, t.TempDir(), students))
	for _, want := range []string{
		"anna     verified  verified    5/5\n", "ben      deadlock  verified    4/5\n", "carl     deadlock  deadlock    2.5/5\n",
		"dora     invalid   no program  0/5 ?\n", "emil     invalid   budget      0/5 ?\n",
		"1 different mistake:\n  deadlock-", "  2 students\n    push waits for mutex m\n    ben, carl\n",
		"  emil, one: a: the ELF file is truncated\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if table.Undecided != 2 || len(table.Mistakes) != 1 || table.Mistakes[0].Cells != 3 {
		t.Errorf("%+v", table)
	}
}

// TestKept: what was done isn't done again, and the same program isn't checked twice.
func TestKept(t *testing.T) {
	run := t.TempDir()
	c := class(t, run, students)
	_, first := tables(t, c)
	// verified as a and as b, bug as a, bug as b, invalid, broken, budget.
	if n := c.Engine.(*fake).runs; n != 7 {
		t.Errorf("%d runs", n)
	}
	c.Store.Close()
	c = class(t, run, students)
	_, again := tables(t, c)
	if n := c.Engine.(*fake).runs; n != 0 || again != first {
		t.Errorf("%d runs again; %s\n%s", n, first, again)
	}
	c.Store.Close()
	c = class(t, run, students)
	c.Course.Tests[0].Config.MaxThreads = 5 // another test
	tables(t, c)
	if n := c.Engine.(*fake).runs; n != 4 {
		t.Errorf("%d runs of a test that changed", n)
	}
}

// TestDamaged: a file of the run's folder that is cut is as good as none.
func TestDamaged(t *testing.T) {
	run := t.TempDir()
	c := class(t, run, students)
	_, first := tables(t, c)
	c.Store.Close()
	files, _ := filepath.Glob(filepath.Join(run, "*", "*.json"))
	for _, f := range files {
		if err := os.Truncate(f, 5); err != nil {
			t.Fatal(err)
		}
	}
	guests, _ := filepath.Glob(filepath.Join(run, "guests", "*"))
	os.Remove(guests[0])
	if _, again := tables(t, class(t, run, students)); again != first || len(files) < 10 {
		t.Errorf("%d files; %s\n%s", len(files), first, again)
	}
}

// TestLost: a job whose engine dies is tried again three times; then a person decides, and
// the next run tries again.
func TestLost(t *testing.T) {
	run := t.TempDir()
	c := class(t, run, students)
	c.Engine = &fake{dies: 3}
	_, text := tables(t, c)
	c.Store.Close()
	if _, want := tables(t, class(t, t.TempDir(), students)); text != want {
		t.Errorf("with engines that die: %s\nwithout: %s", text, want)
	}
	c = class(t, t.TempDir(), map[string][2]string{"anna": {"verified", "bug"}})
	c.Engine = &fake{dies: 4}
	table, text := tables(t, c)
	if !strings.Contains(text, "anna     invalid  invalid  0/5 ?") || table.Students[0].Cells[0].Reason != "worker lost" {
		t.Errorf("%s", text)
	}
	c.Engine = &fake{}
	if _, text := tables(t, c); !strings.Contains(text, "anna     verified  deadlock  3.5/5") {
		t.Errorf("the next run: %s", text)
	}
}

// TestInterrupted: a run that is ended keeps what was done, and the next one does the rest.
func TestInterrupted(t *testing.T) {
	_, want := tables(t, class(t, t.TempDir(), students))
	run := t.TempDir()
	total := 0
	for range 10 {
		c := class(t, run, students)
		c.Jobs = 1
		ctx, cancel := context.WithCancel(context.Background())
		e := &fake{stop: func(run int) {
			if run == 3 {
				cancel()
			}
		}}
		c.Engine = e
		table, err := c.Run(ctx)
		total += e.runs
		c.Store.Close()
		if err == nil {
			var b bytes.Buffer
			table.Text(&b)
			if !strings.HasPrefix(want, b.String()) || total > 7+3 {
				t.Errorf("%d runs; %s", total, b.String())
			}
			return
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
	}
	t.Error("it doesn't end")
}

// TestUnconfined: without confinement nothing is graded.
func TestUnconfined(t *testing.T) {
	c := class(t, t.TempDir(), map[string][2]string{"anna": {"unconfined", "verified"}})
	if _, err := c.Run(context.Background()); result.KindOf(err) != result.Unconfined {
		t.Errorf("%v", err)
	}
}

// TestOneAtATime: two landgos don't share a run's folder.
func TestOneAtATime(t *testing.T) {
	run := t.TempDir()
	class(t, run, students)
	if _, err := OpenStore(run); err == nil || !strings.Contains(err.Error(), "another landgo grade") {
		t.Errorf("%v", err)
	}
}

// hostile are names of students.
var hostile = []string{"new\nline", "<script>alert(1)<!--", "=HYPERLINK(\"x\")", "..%2f..", "\x1b[31mred", "a&b\"c'd", "bad\xffutf", strings.Repeat("x", 200), "index", "-rf", "Index", "a b", "a:b"}

// TestHostileNames: names reach neither a terminal, nor a page's markup, nor a
// spreadsheet's formulas, and each has a page of its own in the folder.
func TestHostileNames(t *testing.T) {
	all := map[string][2]string{}
	for _, name := range hostile {
		all[name] = [2]string{"bug", "verified"}
	}
	table, text := tables(t, class(t, t.TempDir(), all))
	var csv bytes.Buffer
	table.CSV(&csv)
	if strings.Contains(text, "\x1b") || strings.Contains(csv.String(), "\n=") || strings.Contains(csv.String(), "\n-") || !utf8Valid(text) {
		t.Errorf("%.2000q", text)
	}
	dir := t.TempDir()
	if err := table.HTML(dir); err != nil {
		t.Fatal(err)
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.html"))
	own, _ := filepath.Glob(filepath.Join(dir, "students", "*.html"))
	if len(files) != len(hostile)+1 || len(own) != len(hostile) {
		t.Errorf("%q %q", files, own)
	}
	for _, f := range append(files, own...) {
		page, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, bad := range []string{"<script", "<b>", "\x1b", "http", "src=", "alert(1)<"} {
			if strings.Contains(strings.ReplaceAll(string(page), `http-equiv="Content`, ""), bad) {
				t.Errorf("%s has %q", filepath.Base(f), bad)
			}
		}
		for _, part := range strings.Split(string(page), `href="`)[1:] {
			name, _, _ := strings.Cut(part, `"`)
			if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
				t.Errorf("%s links to %q", filepath.Base(f), name)
			}
		}
	}
}

func utf8Valid(s string) bool { return strings.ToValidUTF8(s, "?") == s }

// TestStudentsSee: a student's page has no more of a test than the course says.
func TestStudentsSee(t *testing.T) {
	for see, c := range map[course.See]struct{ has, not []string }{
		course.SeeReport:  {[]string{"two", "deadlock", "push waits", "stuck"}, nil},
		course.SeeMistake: {[]string{"two", "deadlock", "push waits"}, []string{"stuck"}},
		course.SeeVerdict: {[]string{"two", "deadlock"}, []string{"push waits", "stuck"}},
		course.SeePoints:  {[]string{"two", "1.5"}, []string{"deadlock", "push"}},
		course.SeeNothing: {nil, []string{"two", "deadlock", "push", "1.5", "3.5"}},
	} {
		class := class(t, t.TempDir(), map[string][2]string{"anna": {"verified", "bug"}})
		class.Course.Students.Hidden = see
		table, _ := tables(t, class)
		dir := t.TempDir()
		if err := table.HTML(dir); err != nil {
			t.Fatal(err)
		}
		if page, err := os.ReadFile(filepath.Join(dir, "anna.html")); err != nil || !strings.Contains(string(page), "landgo replay bugs/") {
			t.Errorf("the teacher's page: %s", page)
		}
		page, err := os.ReadFile(filepath.Join(dir, "students", "anna.html"))
		if err != nil {
			t.Fatal(err)
		}
		var one bytes.Buffer
		table.One(&one)
		for where, text := range map[string]string{"the page": string(page[bytes.Index(page, []byte("<h1>")):]), "--one": one.String()} {
			for _, has := range c.has {
				if !strings.Contains(text, has) {
					t.Errorf("%s: %s hasn't %q: %s", see, where, has, text)
				}
			}
			for _, not := range append(c.not, "bugs/", "deadlock-") {
				if strings.Contains(text, not) {
					t.Errorf("%s: %s has %q: %s", see, where, not, text)
				}
			}
		}
	}
}

// TestLine: the live line has an estimate once something is done.
func TestLine(t *testing.T) {
	for _, c := range []struct {
		p    Progress
		want string
	}{
		{Progress{"checking", 10, 40, 5}, "landgo: checking: 10 of 40 (5 known), about 1m0s left"},
		{Progress{"building", 0, 40, 0}, "landgo: building: 0 of 40"},
		{Progress{"checking", 40, 40, 0}, "landgo: checking: 40 of 40"},
	} {
		if got := line(c.p, 10e9); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
