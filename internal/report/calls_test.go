package report

import (
	"bytes"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestCalls: each call has its lane, one that isn't over goes on, and the last is marked.
func TestCalls(t *testing.T) {
	var out bytes.Buffer
	p := newPage(Style{})
	p.calls([]result.Call{
		{Thread: "0.1", Call: "enqueue(1)", Begin: 1, End: 4},
		{Thread: "0.2", Call: "push(7)", Begin: 2},
		{Thread: "0.3", Call: "dequeue()", Result: "2", Begin: 3, End: 5, Unexplained: true},
	})
	p.flush(&out)
	for _, want := range []string{"enqueue(1)          o--o\n", "push(7) isn't over   o--->\n", "dequeue() gives 2     o-o  <- no order explains it\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q isn't in\n%s", want, out.String())
		}
	}
}
