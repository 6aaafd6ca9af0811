package explore

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/trace"
)

// expectation is a line of a program's that says how it ends, built with a flag or
// with none.
var expectation = regexp.MustCompile(`(?m)^// expect(?: (-D\w+))?: (verified|bug ([\w-]+))\b`)

// TestObjects: the programs in testdata/objects, each with what a machine shows of it on
// its first lines, by reduction; what has no bug by some executions of exhaustive search
// too. They make objects again of memory that had some, wait in unusual ways, and end in
// unusual ways.
func TestObjects(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/objects/*.c*")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d programs, %v", len(files), err)
	}
	for i, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		expected := expectation.FindAllStringSubmatch(string(text), -1)
		if len(expected) == 0 {
			t.Fatalf("%s doesn't say what to expect", file)
		}
		compilers := libraries(i)
		switch {
		case filepath.Ext(file) == ".cc":
			compilers = []string{"g++"}
		case strings.Contains(string(text), "// only: gcc\n"):
			compilers = []string{"gcc"}
		}
		for _, e := range expected {
			for _, cc := range compilers {
				t.Run(filepath.Base(file)+e[1]+" by "+cc, func(t *testing.T) {
					t.Parallel()
					var flags []string
					if e[1] != "" {
						flags = []string{e[1]}
					}
					c := onProgram(compile.File(t, cc, file, flags...))
					endsAs(t, c, verdictOr(trace.BugKind(e[3])), "optimal")
					if e[3] != "" {
						return // the bug may be in a later execution
					}
					c.Search, c.MaxExecutions = "none", 200
					r, err := Run(context.Background(), c, nil)
					if err != nil {
						t.Fatal(err)
					}
					if r.Finish(); r.Bug != nil {
						t.Errorf("by search none: %s: %s", r.Bug.Kind, r.Bug.Message)
					}
				})
			}
		}
	}
}
