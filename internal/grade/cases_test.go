package grade

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"landgo/internal/course"
)

// formatted is a table in a format.
func formatted(t *testing.T, table *Table, format string) string {
	t.Helper()
	var b bytes.Buffer
	if err := table.Format(&b, format, time.Unix(0, 0)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFormat: graders get the course's points, also for results that say little, and no
// more of a test than students may see; CI gets all.
func TestFormat(t *testing.T) {
	one := map[string][2]string{"anna": {"budget", "bug"}}
	c := class(t, t.TempDir(), one)
	c.Course.Worth.Budget = 20000
	c.Course.Students.Hidden = course.SeePoints
	table, _ := tables(t, c)
	var g struct {
		Tests []struct {
			Score      float64           `json:"score"`
			Max        float64           `json:"max_score"`
			Name       string            `json:"name"`
			Status     string            `json:"status"`
			Output     string            `json:"output"`
			Visibility string            `json:"visibility"`
			Extra      map[string]string `json:"extra_data"`
		} `json:"tests"`
	}
	if err := json.Unmarshal([]byte(formatted(t, table, "gradescope")), &g); err != nil || len(g.Tests) != 2 {
		t.Fatalf("%+v, %v", g, err)
	}
	if a := g.Tests[0]; a.Score != 0.4 || a.Max != 2 || strings.Contains(a.Output, "Not graded") || a.Visibility != "visible" {
		t.Errorf("%+v", a)
	}
	if b := g.Tests[1]; b.Score != 1.5 || b.Max != 3 || b.Output != "" || b.Status != "" || len(b.Extra) > 0 {
		t.Errorf("%+v", b)
	}
	text := formatted(t, table, "autolab")
	if !strings.HasSuffix(text, `{"scores":{"one":0.4,"two":1.5}}`+"\n") || strings.Contains(text, "deadlock") || strings.Contains(text, `"two":{`) {
		t.Errorf("%s", text)
	}
	for see, want := range map[course.See]string{course.SeeMistake: "deadlock\npush waits for mutex m\n", course.SeeVerdict: "deadlock\n", course.SeeNothing: ""} {
		for i := range table.Tests {
			table.Tests[i].Sees = see
		}
		if err := json.Unmarshal([]byte(formatted(t, table, "gradescope")), &g); err != nil {
			t.Fatal(err)
		}
		if b := g.Tests[1]; b.Output != want || (b.Visibility == "hidden") != (see == course.SeeNothing) {
			t.Errorf("%s: %+v", see, b)
		}
	}
	junit := formatted(t, table, "junit")
	if !strings.Contains(junit, `<failure type="deadlock"`) {
		t.Errorf("%s", junit)
	}
	table, _ = tables(t, class(t, t.TempDir(), students))
	junit = formatted(t, table, "junit")
	if !strings.Contains(junit, `name="ben: one"`) || !strings.Contains(junit, `tests="10" failures="3" errors="4"`) {
		t.Errorf("%s", junit)
	}
}

// TestPages: a bug has a page, which the teacher's page links to, and the student's if the
// student may see the report; it is drawn once.
func TestPages(t *testing.T) {
	run := t.TempDir()
	for round := range 2 {
		c := class(t, run, map[string][2]string{"anna": {"bug", "bug"}, "ben": {"verified", "bug\n"}})
		c.Pages = true
		e := &fake{replays: true}
		c.Engine = e
		table, err := c.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if want := 3 * (1 - round); e.replayed != want {
			t.Errorf("round %d: %d replays, want %d", round, e.replayed, want)
		}
		dir := t.TempDir()
		if err := table.HTML(dir); err != nil {
			t.Fatal(err)
		}
		for page, links := range map[string][]int{"anna.html": {1, 2}, "ben.html": {2}, "students/anna.html": {1}, "students/ben.html": nil} {
			text, err := os.ReadFile(filepath.Join(dir, page))
			if err != nil {
				t.Fatal(err)
			}
			if n := strings.Count(string(text), "step by step"); n != len(links) {
				t.Errorf("%s has %d links", page, n)
			}
			for _, i := range links {
				name := fmt.Sprintf("bugs/%s-%d.html", strings.TrimSuffix(filepath.Base(page), ".html"), i)
				own, err := os.ReadFile(filepath.Join(dir, filepath.Dir(page), name))
				if !strings.Contains(string(text), `href="`+name+`"`) || err != nil || !bytes.Contains(own, []byte("landgo-page/")) || bytes.Contains(own, []byte(run)) {
					t.Errorf("%s: %s: %v", page, name, err)
				}
			}
		}
		c.Store.Close()
	}
}
