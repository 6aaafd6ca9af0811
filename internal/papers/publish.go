package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"text/template"
)

// kept is the content of a file between runs of some experiments.
type kept struct {
	Tables map[string]string  // by their names on the pages
	Took   map[string]float64 // seconds of the processor, by experiment
}

// remember keeps the tables in a file.
func (l *lab) remember(path string) error {
	b, err := json.MarshalIndent(kept{l.filled, l.took}, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, b, 0o644)
}

// recall takes over what is kept, if anything is.
func (l *lab) recall(path string) error {
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	}
	var k kept
	if err == nil {
		err = json.Unmarshal(b, &k)
	}
	if err != nil {
		return fmt.Errorf("%s: %w: remove it", path, err)
	}
	for name, text := range k.Tables {
		l.filled[name] = text
	}
	for name, seconds := range k.Took {
		l.took[name] = seconds
	}
	return nil
}

// asked finds the tables that a page asks for.
var asked = regexp.MustCompile(`{{\.([a-z0-9_]+)}}`)

// missing stands on a page where a table wasn't run.
const missing = "*(not run yet: `make papers`)*"

// publish writes the summary to one folder and the other pages to another. If all experiments
// were run, a table that none made is an error.
func (l *lab) publish(docs, tables string, all bool) error {
	sum := 0.0
	for _, seconds := range l.took {
		sum += seconds
	}
	l.fill("took", fmt.Sprintf("%.0f", sum/60))
	if err := os.MkdirAll(tables, 0o755); err != nil {
		return err
	}
	templates, err := pages.ReadDir("pages")
	if err != nil {
		return err
	}
	for _, f := range templates {
		text, err := pages.ReadFile("pages/" + f.Name())
		if err != nil {
			return err
		}
		if !all {
			for _, m := range asked.FindAllStringSubmatch(string(text), -1) {
				if _, ok := l.filled[m[1]]; !ok {
					l.filled[m[1]] = missing
				}
			}
		}
		path := filepath.Join(tables, f.Name())
		if f.Name() == "papers.md" {
			path = filepath.Join(docs, f.Name())
		}
		if err := fillIn(path, string(text), l.filled); err != nil {
			return err
		}
	}
	return nil
}

// fillIn writes a page.
func fillIn(path, page string, filled map[string]string) error {
	t, err := template.New(path).Option("missingkey=error").Parse(page)
	if err != nil {
		return err
	}
	var b strings.Builder
	if err := t.Execute(&b, filled); err != nil {
		return err
	}
	return os.WriteFile(path, []byte(b.String()), 0o644)
}
