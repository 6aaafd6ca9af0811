package format

import (
	"io"
	"math"

	"landgo/internal/report"
	"landgo/internal/result"
)

// gradescopeResults is Gradescope's results.json, as its page "Autograder
// Specifications" describes it. Each test has its score, so there is none for all.
type gradescopeResults struct {
	Seconds          int64            `json:"execution_time"`
	OutputFormat     string           `json:"output_format"`
	TestOutputFormat string           `json:"test_output_format"`
	TestNameFormat   string           `json:"test_name_format"`
	StdoutVisibility string           `json:"stdout_visibility"`
	Tests            []gradescopeTest `json:"tests"`
}

type gradescopeTest struct {
	Score      float64        `json:"score"`
	MaxScore   float64        `json:"max_score"`
	Status     string         `json:"status,omitempty"`
	Name       string         `json:"name"`
	Output     string         `json:"output"`
	Visibility string         `json:"visibility"`
	Extra      map[string]any `json:"extra_data"`
}

// gradescope writes results.json. Its texts are shown as they are: format "text" is
// neither HTML nor Markdown. A test without a verdict fails with no points, for
// Gradescope takes no test without a score; its text says so.
func gradescope(w io.Writer, cases []Case, o Options) error {
	all := gradescopeResults{OutputFormat: "text", TestOutputFormat: "text", TestNameFormat: "text", StdoutVisibility: "hidden", Tests: []gradescopeTest{}}
	var seconds float64
	for i := range cases {
		c := &cases[i]
		seconds += c.seconds()
		t := gradescopeTest{
			Score: c.Score, MaxScore: c.Points, Status: "failed", Visibility: "visible",
			Name: result.Printable(c.Name), Output: c.graded(o),
			Extra: map[string]any{"verdict": c.verdict(), "kind": result.Printable(c.kind())},
		}
		switch {
		case c.PointsOnly:
			t.Status, t.Extra = "", map[string]any{}
		case c.passed():
			t.Status = "passed"
		}
		if c.Hidden {
			t.Visibility = "hidden"
		}
		if bugs := c.bugs(); len(bugs) > 0 && c.Student == nil {
			t.Extra["fingerprint"] = bugs[0].FingerprintOf(nil)
		}
		all.Tests = append(all.Tests, t)
	}
	all.Seconds = int64(math.Ceil(seconds))
	report.JSON(w, &all)
	return nil
}
