package e2e

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// The recipes under docs/ci are run as their services run them, with another root.

// teachers is a teacher's test, students are its submissions.
const teachers = `
#include <assert.h>
#include <pthread.h>
void add(void);
extern volatile int x;
static void *twice(void *p) { add(); return p; }
int main(void) {
	pthread_t a, b;
	pthread_create(&a, 0, twice, 0);
	pthread_create(&b, 0, twice, 0);
	pthread_join(a, 0);
	pthread_join(b, 0);
	assert(x == 2);
}
`

var students = map[string]string{
	"wrong": "volatile int x;\nvoid add(void) {\n\tx = x + 1;\n}\n",
	"right": "#include <pthread.h>\nvolatile int x;\nstatic pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nvoid add(void) {\n\tpthread_mutex_lock(&m);\n\tx = x + 1;\n\tpthread_mutex_unlock(&m);\n}\n",
	"other": "#include <sys/socket.h>\nvolatile int x;\nvoid add(void) {\n\tsocket(1, 1, 0);\n}\n",
	"text":  "This is not C.\n",
}

func recipe(name string) string { return filepath.Join(top, "docs", "ci", name) }

// files writes files below a folder.
func files(t *testing.T, dir string, texts map[string]string) {
	t.Helper()
	for name, text := range texts {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func text(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// in is a command in a folder, with this landgo first in the path.
func in(dir string, env []string, args ...string) *exec.Cmd {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	// Without what a make that runs the tests tells those that it starts.
	cmd.Env = append(os.Environ(), "MAKEFLAGS=", "MAKELEVEL=", "PATH="+filepath.Dir(landgo)+":"+os.Getenv("PATH"))
	cmd.Env = append(cmd.Env, env...)
	return cmd
}

func TestGradescopeRecipe(t *testing.T) {
	for student, want := range map[string]struct {
		score  float64
		status string
		says   string
	}{
		"wrong": {0, "failed", "switch: T1 twice"},
		"right": {10, "passed", "verified at mem"},
		"other": {0, "failed", "Not graded"},
		"text":  {0, "", "doesn't build"},
	} {
		root := t.TempDir()
		files(t, root, map[string]string{"source/test.c": teachers, "submission/add.c": students[student]})
		e := finish(t, in(root, []string{"AUTOGRADER=" + root, "POINTS=10", "TIME=1m"}, recipe("gradescope/run_autograder")))
		var got struct {
			Score  float64
			Output string
			Tests  []struct {
				Name, Status, Output string
				Score                float64
				MaxScore             float64 `json:"max_score"`
			}
		}
		if err := json.Unmarshal([]byte(text(t, filepath.Join(root, "results/results.json"))), &got); err != nil {
			t.Errorf("%s: %v", student, err)
			continue
		}
		if student == "text" {
			if !strings.Contains(got.Output, want.says) || len(got.Tests) != 0 || !strings.Contains(e.stdout, "error") {
				t.Errorf("%s: %+v\n%s", student, got, e.stdout)
			}
			continue
		}
		if len(got.Tests) != 1 || got.Tests[0].Score != want.score || got.Tests[0].MaxScore != 10 || got.Tests[0].Status != want.status ||
			got.Tests[0].Name != "interleavings" || !strings.Contains(got.Tests[0].Output, want.says) || strings.Contains(got.Tests[0].Output, "/tmp") || e.status != 0 {
			t.Errorf("%s: %+v\n%s", student, got, e.stdout)
		}
	}
}

// TestGradescopeSetup: the commands that need root and a network are others here.
func TestGradescopeSetup(t *testing.T) {
	root := t.TempDir()
	files(t, root, map[string]string{
		"bin/apt-get": "#!/bin/sh\necho apt-get $1 >>calls\n",
		"bin/make":    "#!/bin/sh\necho make \"$@\" >>calls\n[ -f $2/go.mod ]\n",
		"in/go.mod":   "module landgo\n",
		"opt/.keep":   "",
	})
	if e := finish(t, in(root, nil, "tar", "czf", "source.tar.gz", "--transform", "s/^in/landgo/", "in")); e.status != 0 {
		t.Fatal(e.stderr)
	}
	files(t, root, map[string]string{"source/landgo.tar.gz": text(t, filepath.Join(root, "source.tar.gz"))})
	e := finish(t, in(root, []string{"AUTOGRADER=" + root, "BUILD=" + root + "/opt", "PATH=" + root + "/bin:" + os.Getenv("PATH")}, recipe("gradescope/setup.sh")))
	want := "apt-get update\napt-get install\nmake -C " + root + "/opt/landgo install\n"
	if got := text(t, filepath.Join(root, "calls")); e.status != 0 || got != want {
		t.Errorf("status %d, calls\n%s%s", e.status, got, e.stderr)
	}
}

func TestAutolabRecipe(t *testing.T) {
	for student, want := range map[string]string{
		"wrong": `{"scores":{"Interleavings":0}}`,
		"right": `{"scores":{"Interleavings":10}}`,
		"other": `{"scores":{}}`,
		"text":  `{"scores": {"Interleavings": 0}}`,
	} {
		dir := t.TempDir()
		files(t, dir, map[string]string{"autograde/test.c": teachers, "autograde/driver.sh": text(t, recipe("autolab/driver.sh")), "handin.c": students[student], "Makefile": text(t, recipe("autolab/autograde-Makefile"))})
		if e := finish(t, in(dir, nil, "tar", "cf", "autograde.tar", "--remove-files", "autograde")); e.status != 0 {
			t.Fatal(e.stderr)
		}
		e := finish(t, in(dir, []string{"POINTS=10", "TIME=1m", "MAKEFLAGS="}, "make"))
		lines := strings.Split(strings.TrimSuffix(e.stdout, "\n"), "\n")
		if last := lines[len(lines)-1]; e.status != 0 || e.stderr != "" || last != want {
			t.Errorf("%s: status %d, last line %s\n%s%s", student, e.status, last, e.stdout, e.stderr)
		}
		if student != "text" && !strings.HasPrefix(lines[len(lines)-2], `{"_presentation":"semantic"`) {
			t.Errorf("%s: no table in\n%s", student, e.stdout)
		}
	}
}

func TestGitHubRecipe(t *testing.T) {
	var action struct {
		Name, Description string
		Inputs            map[string]struct {
			Description, Default string
			Required             bool
		}
		Runs struct {
			Using string
			Steps []struct {
				Shell, Run string
				Env        map[string]string
			}
		}
	}
	if err := yaml.Unmarshal([]byte(text(t, recipe("github/action.yml"))), &action); err != nil {
		t.Fatal(err)
	}
	if action.Name == "" || action.Description == "" || action.Runs.Using != "composite" || len(action.Runs.Steps) != 1 {
		t.Fatalf("%+v", action)
	}
	step := action.Runs.Steps[0]
	if step.Shell != "bash" || strings.Contains(step.Run, "${{") {
		t.Errorf("an input is a part of the script: %s", step.Run)
	}
	// run is the step with inputs, as the runner runs it.
	run := func(dir string, with map[string]string) ending {
		var env []string
		for name, value := range step.Env {
			input := strings.TrimSuffix(strings.TrimPrefix(value, "${{ inputs."), " }}")
			i, known := action.Inputs[input]
			given, ok := with[input]
			if !ok {
				given = i.Default
			}
			if !known || i.Required != (input == "guest") {
				t.Fatalf("input %q: %+v", input, i)
			}
			env = append(env, name+"="+given)
		}
		slices.Sort(env)
		return finish(t, in(dir, env, "bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run))
	}
	for student, want := range map[string]struct {
		status int
		says   string
	}{
		"wrong": {1, "::error file=add.c,line=3,"},
		"right": {0, "::notice title=landgo%3A verified::verified at mem"},
		"other": {4, "::error "},
	} {
		dir := t.TempDir()
		files(t, dir, map[string]string{"test.c": teachers, "add.c": students[student]})
		if e := finish(t, in(dir, nil, "gcc", "-static", "-pthread", "-g", "-O1", "-o", "a test;", "test.c", "add.c")); e.status != 0 {
			t.Fatal(e.stderr)
		}
		if e := run(dir, map[string]string{"guest": "a test;"}); e.status != want.status || !strings.HasPrefix(e.stdout, want.says) || strings.Count(e.stdout, "\n") != 1 {
			t.Errorf("%s: status %d\n%s%s", student, e.status, e.stdout, e.stderr)
		}
		if student != "wrong" {
			continue
		}
		e := run(dir, map[string]string{"guest": "a test;", "format": "sarif", "output": "landgo.sarif", "options": "--pp\nlock\n--out\nnone"})
		if sarif := text(t, filepath.Join(dir, "landgo.sarif")); e.status != 0 || !strings.Contains(sarif, `"version": "2.1.0"`) {
			t.Errorf("status %d\n%s%s", e.status, sarif, e.stderr)
		}
	}
}
