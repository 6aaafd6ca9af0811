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
	plain := strings.NewReplacer(`\-`, "-", `\(hy`, "-", `\\`, `\`).Replace(string(text))
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
