package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"landgo/internal/part"
)

// event is a line of go test's JSON (go doc test2json).
type event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// summary prints what matters of a stream of events.
type summary struct {
	out io.Writer
	// said has what each test that hasn't ended said, "" for its package.
	said    map[string]map[string][]string
	order   map[string][]string // its tests, as they began
	skipped map[string][]string // by reason
	reasons []string
	failed  bool
	// elsewhere is how many rows other parts of the tests have.
	elsewhere int
}

func newSummary(out io.Writer) *summary {
	return &summary{out, map[string]map[string][]string{}, map[string][]string{}, map[string][]string{}, nil, false, 0}
}

// line takes a line of the stream. A line that isn't an event is the
// compiler's: older versions of go test have no event for it.
func (s *summary) line(text []byte) {
	var e event
	if len(text) == 0 || text[0] != '{' || json.Unmarshal(text, &e) != nil {
		fmt.Fprintf(s.out, "%s\n", text)
		return
	}
	if e.Package == "" {
		fmt.Fprint(s.out, e.Output) // of a build
		return
	}
	said := s.said[e.Package]
	if said == nil {
		said = map[string][]string{}
		s.said[e.Package] = said
	}
	switch e.Action {
	case "output":
		if said[e.Test] == nil {
			s.order[e.Package] = append(s.order[e.Package], e.Test)
			said[e.Test] = []string{}
		}
		if !isProgress(e.Output) {
			said[e.Test] = append(said[e.Test], e.Output)
		}
	case "pass", "skip", "fail":
		if e.Test == "" {
			s.packageEnds(e)
			return
		}
		if e.Action == "skip" {
			s.skip(strings.TrimPrefix(e.Package, "landgo/")+" "+e.Test, reason(said[e.Test]))
		}
		if e.Action != "fail" {
			delete(said, e.Test)
		}
	}
}

// isProgress: a line that go test prints with -v only.
func isProgress(line string) bool {
	line = strings.TrimLeft(line, " ")
	for _, begin := range []string{"=== ", "--- PASS: ", "--- SKIP: "} {
		if strings.HasPrefix(line, begin) {
			return true
		}
	}
	return line == "PASS\n"
}

// packageEnds prints what its failed tests said, and those that were still running,
// then its line.
func (s *summary) packageEnds(e event) {
	said := s.said[e.Package]
	s.failed = s.failed || e.Action == "fail"
	for _, test := range s.order[e.Package] {
		if test != "" && e.Action == "fail" {
			s.failure(said[test])
		}
	}
	fmt.Fprint(s.out, strings.Join(said[""], ""))
	delete(s.said, e.Package)
	delete(s.order, e.Package)
}

// failure prints a test's output beneath the line that it failed, which comes last in a stream.
func (s *summary) failure(said []string) {
	isHead := func(line string) bool { return strings.HasPrefix(strings.TrimLeft(line, " "), "--- FAIL: ") }
	for _, head := range []bool{true, false} {
		for _, line := range said {
			if isHead(line) == head {
				fmt.Fprint(s.out, line)
			}
		}
	}
}

// place is where a test says something: "file_test.go:12: ".
var place = regexp.MustCompile(`^\s*[^\s:]+\.go:\d+: `)

// reason is a skipped test's last message.
func reason(said []string) string {
	for _, line := range slices.Backward(said) {
		if at := place.FindString(line); at != "" {
			return strings.TrimSpace(line[len(at):])
		}
	}
	return "no reason given"
}

func (s *summary) skip(test, reason string) {
	if reason == part.Reason {
		s.elsewhere++
		return
	}
	if s.skipped[reason] == nil {
		s.reasons = append(s.reasons, reason)
	}
	s.skipped[reason] = append(s.skipped[reason], test)
}

// end prints the skipped tests.
func (s *summary) end() {
	if s.failed {
		fmt.Fprintln(s.out, "FAIL")
	}
	if len(s.reasons) == 0 {
		fmt.Fprintln(s.out, "\nNo test was skipped.")
	} else {
		s.list()
	}
	if s.elsewhere > 0 {
		fmt.Fprintf(s.out, "\nThe next commits' tests have %d other rows. `make test PART=` runs all.\n", s.elsewhere)
	}
}

// list prints them by reason.
func (s *summary) list() {
	n := 0
	for _, tests := range s.skipped {
		n += len(tests)
	}
	fmt.Fprintf(s.out, "\nSkipped tests, %d:\n", n)
	for _, r := range s.reasons {
		fmt.Fprintf(s.out, "  %s\n", r)
		for _, test := range s.skipped[r] {
			fmt.Fprintf(s.out, "    %s\n", test)
		}
	}
}
