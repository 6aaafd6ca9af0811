package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/explore/config"
)

// TestManPages: there is a page for each command, and that of run explains each option
// that its help lists.
func TestManPages(t *testing.T) {
	a := &app{engine: &fake{}}
	root := a.rootCommand()
	dir := t.TempDir()
	if err := writeMan(root, dir); err != nil {
		t.Fatal(err)
	}
	for _, c := range root.Commands() {
		if _, err := os.Stat(filepath.Join(dir, "landgo-"+c.Name()+".1")); hasPage(c) && err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, "landgo-run.1"))
	if err != nil {
		t.Fatal(err)
	}
	plain := strings.NewReplacer(`\-`, "-", `\e`, `\`).Replace(string(text))
	for i := range config.Options {
		o := &config.Options[i]
		if got := strings.Contains(plain, "--"+o.Name+`\fP`); got == o.Hidden {
			t.Errorf("--%s: hidden %v, in the page %v", o.Name, o.Hidden, got)
		}
		if first, _, _ := strings.Cut(o.Doc, " "); !o.Hidden && !strings.Contains(plain, first) {
			t.Errorf("--%s isn't explained", o.Name)
		}
	}
	if !strings.Contains(plain, "EXIT STATUS") {
		t.Error("no exit statuses")
	}
}

// TestRoff: man reads a text as it is, whatever its lines begin with.
func TestRoff(t *testing.T) {
	for text, want := range map[string]string{
		"a-b":           `a\-b`,
		".so\n'x":       "\\&.so\n\\&'x",
		`\fB`:           `\efB`,
		"in.\nthe file": "in.\nthe file",
	} {
		if got := roff(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	var b strings.Builder
	paragraphs(&b, "one\ntwo\n\n  as it is\n\nthree")
	if want := "one\ntwo\n.PP\n.EX\n  as it is\n.EE\n.PP\nthree\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
