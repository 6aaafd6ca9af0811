package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestCoverage: the lines that the interleavings run are those that the program's comments
// say, those too that one interleaving alone reaches. A line that is never reached isn't
// run, nor one that a thread only stands before. The document for editors says the same.
func TestCoverage(t *testing.T) {
	guest := guest(t, "covered.c")
	text, err := os.ReadFile("testdata/covered.c")
	if err != nil {
		t.Fatal(err)
	}
	source := strings.Split(string(text), "\n")
	for _, stuck := range []bool{false, true} {
		info := filepath.Join(t.TempDir(), "x.info")
		args := []string{"run", "--json", "--quiet", "--keep-going", "--out", "none", "--coverage", "--coverage-out", info, guest}
		if stuck {
			args = append(args, "--", "stuck")
		}
		e := run(t, args...)
		again := run(t, args...)
		c := e.decode(t).Coverage
		if c == nil || len(c.Files) != 1 {
			t.Fatalf("%+v", c)
		}
		if other := again.decode(t).Coverage; other == nil || len(other.Points) != len(c.Points) || other.Points[0] != c.Points[0] {
			t.Errorf("another run: %+v, was %+v", other, c)
		}
		run := 0
		for _, l := range c.Files[0].Lines {
			says, comment := true, ""
			if _, rest, ok := strings.Cut(source[l.Line-1], "/* "); ok {
				comment, _, _ = strings.Cut(rest, " */")
				says = !strings.HasPrefix(comment, "never")
			}
			if stuck && (l.Function == "freeze" || comment == "run, but with stuck" || strings.Contains(comment, "first") || l.Line == 19 || l.Line == 20) || !stuck && l.Function == "stuck" {
				says = false
			}
			if l.Run {
				run++
			}
			if comment != "" && l.Run != says && !(stuck && l.Function == "main") {
				t.Errorf("stuck %v: line %d (%s) was run: %v", stuck, l.Line, source[l.Line-1], l.Run)
			}
		}
		if run != c.Run || c.Lines != len(c.Files[0].Lines) {
			t.Errorf("%d of %d lines, by the list %d of %d", c.Run, c.Lines, run, len(c.Files[0].Lines))
		}
		reached, switched := uint64(0), uint64(0)
		for _, p := range c.Points {
			reached, switched = reached+p.Reached, switched+p.Switched
			if p.Switched > p.Reached {
				t.Errorf("%+v", p)
			}
		}
		if reached == 0 {
			t.Errorf("no point was reached: %+v", c.Points)
		}
		checkInfo(t, info, c)
	}
	e := run(t, "run", "--coverage", "--checkpoint", filepath.Join(t.TempDir(), "c"), guest)
	if e.status != result.ExitUsage || !strings.Contains(e.stderr, "doesn't go with --checkpoint") {
		t.Errorf("status %d, %s", e.status, e.stderr)
	}
	e = run(t, "run", "--coverage", "--out", "none", guest)
	if !strings.Contains(e.stdout, "audit  lines ") || !strings.Contains(e.stdout, "-11 (the whole function)") || !strings.Contains(e.stdout, "pay testdata/covered.c:22   reads ") {
		t.Errorf("%s", e.stdout)
	}
}

// checkInfo reads what was written for editors, and has genhtml read it where it is installed.
func checkInfo(t *testing.T, path string, c *result.Coverage) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	run, lines := 0, 0
	for _, l := range strings.Split(string(text), "\n") {
		if rest, ok := strings.CutPrefix(l, "DA:"); ok {
			_, n, _ := strings.Cut(rest, ",")
			count, err := strconv.Atoi(n)
			if err != nil {
				t.Errorf("%q: %v", l, err)
			}
			run += count
			lines++
		}
	}
	if run != c.Run || lines != c.Lines {
		t.Errorf("%s: %d of %d lines, want %d of %d", path, run, lines, c.Run, c.Lines)
	}
	genhtml, err := exec.LookPath("genhtml")
	if err != nil {
		return // of lcov, which isn't needed
	}
	out, err := exec.Command(genhtml, "--branch-coverage", "--output-directory", filepath.Join(t.TempDir(), "html"), path).CombinedOutput()
	if err != nil || !strings.Contains(string(out), strconv.Itoa(c.Run)+" of "+strconv.Itoa(c.Lines)+" lines") {
		t.Errorf("genhtml: %v\n%s", err, out)
	}
}
