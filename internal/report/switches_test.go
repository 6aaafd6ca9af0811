package report

import (
	"testing"

	"landgo/internal/result"
)

// TestInPassing: code without debug information has no line 0.
func TestInPassing(t *testing.T) {
	for _, c := range []struct {
		frame result.Frame
		want  string
	}{
		{result.Frame{Function: "add", File: "a.c", Line: 7}, ", line 7"},
		{result.Frame{Function: "pthread_kill"}, ", in pthread_kill"},
		{result.Frame{}, ""},
	} {
		if got := inPassing(c.frame); got != c.want {
			t.Errorf("%+v: %q, want %q", c.frame, got, c.want)
		}
	}
}
