package result

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"landgo/internal/corrupt"
	"landgo/internal/trace"
)

var corruptBound = corrupt.Bound{Time: 5 * time.Second, Fixed: 64 << 20, Factor: 1024}

// TestCorruptBugFile: a bug file with wrong values is refused in a line, or has a
// schedule.
func TestCorruptBugFile(t *testing.T) {
	file := sampleFile("s1:7f03a9c2:0@10412,0.1@35+2/1,0@10420")
	file.Config = json.RawMessage(`{"pp":"mem","args":["-n","3"],"rules":[{"function":"f"}],"files":[{"guest":"/in","content":"AAAA"}],"profile":{"name":"p","text":"name: x"}}`)
	good, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	cases := corrupt.Count(t, 1500, 10)
	corrupt.Run(t, "bug file", corrupt.JSON, good, cases, corruptBound, func(data []byte) error {
		f, err := parseBugFile("x.landgo", data)
		switch {
		case err != nil && (KindOf(err) == Fault || strings.ContainsFunc(Line(err), func(r rune) bool { return r < ' ' })):
			t.Errorf("no line with a kind: %q", Line(err))
		case err == nil && CheckSchedule(f.Schedule) != nil:
			t.Errorf("accepted the schedule %q", f.Schedule)
		}
		return nil
	})
	corrupt.Run(t, "schedule", corrupt.Schedule, []byte(file.Schedule), cases, corruptBound, func(data []byte) error {
		s, err := trace.ParseSchedule(string(data))
		if err != nil {
			return nil
		}
		if _, err := trace.ParseSchedule(s.String()); err != nil {
			t.Errorf("%q, written as %q: %v", data, s, err)
		}
		return nil
	})
}
