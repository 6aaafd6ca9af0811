package format

import (
	"encoding/xml"
	"fmt"
	"io"

	"landgo/internal/result"
)

// The JUnit form has no standard. This one fits the two schemas in use: that of Ant's
// tasks, which tells the order of the elements and wants all attributes, and that of
// Jenkins.

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name       string          `xml:"name,attr"`
	Package    string          `xml:"package,attr"`
	ID         int             `xml:"id,attr"`
	Hostname   string          `xml:"hostname,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Time       string          `xml:"time,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
	Out        string          `xml:"system-out"`
	Err        string          `xml:"system-err"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string        `xml:"name,attr"`
	Classname string        `xml:"classname,attr"`
	Time      string        `xml:"time,attr"`
	Failure   *junitProblem `xml:"failure"`
	Error     *junitProblem `xml:"error"`
}

type junitProblem struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// junit writes one suite. A bug is a failure; what leaves no verdict is an error.
func junit(w io.Writer, cases []Case, o Options) error {
	s := junitSuite{
		Name: "landgo", Package: "landgo", Hostname: "localhost", Timestamp: o.Now.UTC().Format("2006-01-02T15:04:05"),
		Tests: len(cases), Properties: []junitProperty{{"landgo.version", result.Version}},
	}
	var seconds float64
	for i := range cases {
		c := &cases[i]
		seconds += c.seconds()
		j := junitCase{Name: xmlToken(c.Name), Classname: "landgo", Time: xmlTime(c.seconds())}
		problem := &junitProblem{Type: xmlToken(c.kind()), Message: result.Printable(c.message()), Text: c.paged(o)}
		switch {
		case c.passed():
			s.Out += fmt.Sprintf("%s: %s: %s\n", j.Name, c.verdict(), c.message())
		case c.judged():
			j.Failure = problem
			s.Failures++
		default:
			j.Error = problem
			s.Errors++
		}
		s.Cases = append(s.Cases, j)
	}
	s.Time = xmlTime(seconds)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(&junitSuites{Suites: []junitSuite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// xmlToken is a name that isn't empty.
func xmlToken(s string) string {
	if s = result.Printable(s); s == "" {
		return "unnamed"
	}
	return s
}

func xmlTime(seconds float64) string { return fmt.Sprintf("%.3f", seconds) }
