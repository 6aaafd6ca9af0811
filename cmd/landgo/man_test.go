package main

import (
	"strings"
	"testing"

	"landgo/internal/explore/config"
)

// TestManPage: the page of run explains each option that its help lists, and
// no text of ours is taken for a roff request.
func TestManPage(t *testing.T) {
	a := &app{engine: &fake{}}
	root := a.rootCommand()
	page := manPage(root.named("run"))
	for i := range config.Options {
		o := &config.Options[i]
		if got := strings.Contains(page, ".BI "+roff(o.Flag())+" "); got == o.Hidden {
			t.Errorf("--%s: hidden %v, in the page %v", o.Name, o.Hidden, got)
		}
	}
	for n, l := range strings.Split(page, "\n") {
		if request, _, _ := strings.Cut(l, " "); strings.HasPrefix(l, ".") && !strings.Contains(".TH .SH .TP .BI .B .BR .PP .nf .fi", request) {
			t.Errorf("line %d: %s", n+1, l)
		}
	}
}

func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"a-b":       `a\-b`,
		`a\b`:       `a\eb`,
		".x\n'y\nz": "\\&.x\n\\&'y\nz",
	} {
		if got := roff(text); got != want {
			t.Errorf("roff(%q) = %q, want %q", text, got, want)
		}
	}
}
