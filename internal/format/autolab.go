package format

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"landgo/internal/result"
)

// stage is the heading of the tests in Autolab's table.
const stage = "landgo"

// noTag is a text without what HTML has a meaning for.
var noTag = strings.NewReplacer("<", "", ">", "", "&", "", `"`, "", "'", "").Replace

// autolab writes what Autolab takes from a grader's standard output: the text for the
// student, a line with the table ("semantic" feedback), and as the last line the
// autoresult. All is one line each that begins with {, and no line of the text does.
//
// A case without a verdict has no score. If no case has one, Autolab reports that
// grading failed, and gives no grade.
func autolab(w io.Writer, cases []Case, o Options) error {
	scores := map[string]float64{}
	tests := map[string]any{}
	for i := range cases {
		c := &cases[i]
		name := result.Printable(c.Name)
		if c.judged() || c.Decided {
			scores[name] = c.Score
		}
		if c.Hidden {
			continue
		}
		if c.PointsOnly {
			fmt.Fprintf(w, "  == %s\n", name)
			continue
		}
		test := map[string]any{"passed": c.passed()}
		if !c.passed() {
			// Autolab puts hints into its page: no word of the guest's, and no tag.
			test["hint"] = noTag(c.verdict()+" "+c.kind()) + ": see the text"
		}
		tests[noTag(name)] = test
		fmt.Fprintf(w, "  == %s: %s\n", name, c.verdict())
		for _, line := range strings.Split(strings.TrimSuffix(c.graded(o), "\n"), "\n") {
			fmt.Fprintf(w, "  %s\n", line)
		}
	}
	table := map[string]any{"_presentation": "semantic", "stages": []string{stage}, stage: tests}
	for _, v := range []any{table, map[string]any{"scores": scores}} {
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		w.Write(append(bytes.TrimSpace(text), '\n'))
	}
	return nil
}
