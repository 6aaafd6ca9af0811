package main

import (
	"bytes"
	"context"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"landgo/internal/result"
	"landgo/internal/wire"
)

// printed is the schema that `landgo schema` prints.
func printed(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	status, stdout, stderr := call(t, &fake{}, "schema", name)
	if status != 0 || stderr != "" {
		t.Fatalf("status %d: %s", status, stderr)
	}
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(stdout))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile(name)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func validate(s *jsonschema.Schema, text string) error {
	v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		return err
	}
	return s.Validate(v)
}

// TestSchemas: what --json prints is valid, and something else isn't.
func TestSchemas(t *testing.T) {
	ownDir(t)
	results, errs, inspections := printed(t, "result"), printed(t, "error"), printed(t, "inspection")
	for _, v := range result.Verdicts {
		_, stdout, _ := call(t, &fake{result: withVerdict(v)}, "run", "--json", "guest.elf")
		if err := validate(results, stdout); err != nil {
			t.Errorf("%s: %v", v, err)
		}
		for _, other := range []*jsonschema.Schema{errs, inspections} {
			if validate(other, stdout) == nil {
				t.Errorf("a result is valid as something else")
			}
		}
		if wrong := strings.Replace(stdout, `"verdict": "`, `"verdict": "x`, 1); validate(results, wrong) == nil {
			t.Error("an unknown verdict is valid")
		}
		if wrong := strings.Replace(stdout, `"executions": 0`, `"executions": -1`, 1); validate(results, wrong) == nil {
			t.Error("a negative number is valid")
		}
	}
	_, stdout, _ := call(t, &fake{seen: &result.Inspection{Points: []result.PointPlaces{{Places: -1}}}}, "inspect", "--json", "guest.elf")
	if err := validate(inspections, stdout); err != nil {
		t.Error(err)
	}
}

// TestSchemaOfWholeResult: the goldens of package report have more parts.
func TestSchemaOfWholeResult(t *testing.T) {
	text, err := os.ReadFile("../../internal/report/testdata/lost-update.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := validate(printed(t, "result"), string(text)); err != nil {
		t.Error(err)
	}
	if !bytes.Contains(comments, []byte(`"Bug.Schedule": "Schedule is the interleaving`)) {
		t.Error("the fields' comments aren't there")
	}
	_, stdout, _ := call(t, &fake{}, "schema")
	if !strings.Contains(stdout, `"description": "Schedule is the interleaving`) {
		t.Error("the schema has no descriptions")
	}
}

// TestErrorObjects: each kind of end without a result is one valid object, with the same
// exit status and the line on standard error.
func TestErrorObjects(t *testing.T) {
	ownDir(t)
	s := printed(t, "error")
	ok := func() *fake { return &fake{result: withVerdict(result.Verified)} }
	for name, c := range map[string]struct {
		engine *fake
		args   string
		kind   string
		status int
	}{
		"usage before":     {ok(), "run --serch x --json guest.elf", "usage", 2},
		"usage after":      {ok(), "run --json --search x guest.elf", "usage", 2},
		"no guest":         {ok(), "run --json", "usage", 2},
		"no command":       {ok(), "rnu --format json", "usage", 2},
		"unwritable":       {ok(), "run --json --out none/x.landgo guest.elf", "unwritable", 2},
		"no folder":        {ok(), "run --json --source nowhere guest.elf", "no-file", 2},
		"engine's error":   {&fake{err: result.Errorf(result.NoFile, "\x1b: no such file")}, "run --json guest.elf", "no-file", 2},
		"engine's failure": {&fake{err: &wire.Failed{Message: "died", Stack: "stack"}}, "run --json guest.elf", "fault", 5},
		"unfit engine":     {&fake{err: result.Errorf(result.Unconfined, "without landlock")}, "run --json guest.elf", "unconfined", 5},
		"panic":            {&fake{act: func(context.Context, wire.Observer) { panic("broken invariant") }}, "run --json guest.elf", "fault", 5},
		"unexplained":      {&fake{err: errors.New("broken invariant")}, "inspect --json guest.elf", "fault", 5},
		"replay":           {ok(), "replay --json nofile", "no-file", 2},
		"schedule":         {ok(), "replay --json --schedule x guest.elf", "bad-schedule", 2},
	} {
		status, stdout, stderr := call(t, c.engine, strings.Fields(c.args)...)
		if err := validate(s, stdout); err != nil {
			t.Errorf("%s: %v\n%s", name, err, stdout)
		}
		if status != c.status || !strings.Contains(stdout, `"kind": "`+c.kind+`"`) || !strings.HasPrefix(stderr, "landgo: ") || strings.Contains(stdout, "\x1b") {
			t.Errorf("%s: status %d\n%s%s", name, status, stdout, stderr)
		}
		text := strings.NewReplacer(" --json", "", " --format json", "").Replace(c.args)
		if status, stdout, _ := call(t, c.engine, strings.Fields(text)...); status != c.status || stdout != "" {
			t.Errorf("%s without --json: status %d, %q", name, status, stdout)
		}
	}
}

// TestLateError: a command that is ended before it has a guest says so as an object.
func TestLateError(t *testing.T) {
	var stdout, stderr bytes.Buffer
	a := &app{stdout: &stdout, stderr: &stderr, asked: askedBy([]string{"run", "--json"})}
	a.watch = newWatch(a)
	if status := a.watch.end(result.Interrupted); status != result.ExitBudget {
		t.Errorf("status %d", status)
	}
	if err := validate(printed(t, "error"), stdout.String()); err != nil || !strings.Contains(stdout.String(), `"kind": "interrupted"`) || !strings.Contains(stderr.String(), "[interrupted]") {
		t.Errorf("%v: %s%s", err, stdout.String(), stderr.String())
	}
}
