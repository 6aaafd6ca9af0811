package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A module with one package of each kind.
var packages = map[string]string{
	"go.mod": "module landgo\n\ngo 1.23\n",
	"good/good_test.go": `package good
import "testing"
func TestGood(t *testing.T) { t.Log("quiet") }
func TestPart(t *testing.T) {
	t.Run("one", func(t *testing.T) { t.Skip("no engine") })
	t.Run("two", func(t *testing.T) {})
}
func TestSkipped(t *testing.T) { t.Log("before"); t.Skipf("no %s", "engine") }
func TestMute(t *testing.T) { t.SkipNow() }
func TestOther(t *testing.T) { t.Skip("another part's row") }
`,
	"bad/bad_test.go": `package bad
import ("fmt"; "testing")
func TestFine(t *testing.T) { t.Log("quiet") }
func TestBad(t *testing.T) { t.Log("loud"); t.Run("part", func(t *testing.T) { t.Error("wrong") }) }
func TestPrints(t *testing.T) { fmt.Println("printed"); t.Fail() }
func TestLate(t *testing.T) { t.Skip("late") }
`,
	"dies/dies_test.go": `package dies
import "testing"
func TestDies(t *testing.T) { t.Log("last words"); var p *int; *p = 1 }
`,
	"broken/broken_test.go": "package broken\nvar x int = undefined\n",
	"empty/empty.go":        "package empty\n",
}

// goTest runs go test in dir, for its output and whether it passes.
func goTest(dir string, args ...string) (string, bool) {
	cmd := exec.Command("go", append([]string{"test"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	return string(out), err == nil
}

// times are the parts in which two runs differ.
var times = regexp.MustCompile(`\d+\.\d+s|\(cached\)|0x[0-9a-f]+|goroutine \d+|\+0x[0-9a-f]+`)

// TestLikeGoTest: but for the list at its end, the output is that of go test itself,
// also where a test fails, dies or doesn't compile.
func TestLikeGoTest(t *testing.T) {
	dir := t.TempDir()
	for name, text := range packages {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, passed := goTest(dir, "-vet=off", "-p", "1", "./...")
	stream, passedToo := goTest(dir, "-json", "-vet=off", "-p", "1", "./...")
	if passed || passedToo {
		t.Fatal("go test passes")
	}
	var out bytes.Buffer
	s := newSummary(&out)
	for _, line := range strings.Split(strings.TrimSuffix(stream, "\n"), "\n") {
		s.line([]byte(line))
	}
	s.end()
	got, list, found := strings.Cut(out.String(), "\nSkipped tests, ")
	if want, got := sorted(want), sorted(got); !found || got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	if head, said := strings.Index(got, "--- FAIL: TestBad "), strings.Index(got, "bad_test.go:4: loud"); head < 0 || said < head {
		t.Errorf("what a test says isn't beneath its failure:\n%s", got)
	}
	const skipped = `4:
  no engine
    good TestPart/one
    good TestSkipped
  no reason given
    good TestMute
  late
    bad TestLate

The next commits' tests have 1 other rows. ` + "`make test PART=` runs all.\n"
	// The packages end in any order.
	if sorted(list) != sorted(skipped) {
		t.Errorf("skipped: %s, want %s", list, skipped)
	}
}

// sorted has the lines in an order, for those of packages come as they end. Those of
// a part of a test are indented by go test itself only.
func sorted(text string) string {
	var lines []string
	for _, line := range strings.Split(times.ReplaceAllString(text, "N"), "\n") {
		if line = strings.TrimSpace(line); line != "" {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestNoneSkipped(t *testing.T) {
	var out bytes.Buffer
	s := newSummary(&out)
	s.line([]byte(`{"Action":"output","Package":"landgo/a","Output":"ok  \tlandgo/a\t0.1s\n"}`))
	s.line([]byte(`{"Action":"pass","Package":"landgo/a","Elapsed":0.1}`))
	s.end()
	if want := "ok  \tlandgo/a\t0.1s\n\nNo test was skipped.\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
