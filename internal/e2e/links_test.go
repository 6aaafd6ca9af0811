package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ (.+)$`)
	fence   = regexp.MustCompile("(?ms)^```.*?^```")
	mention = regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.(md|svg)\b`)
	// A line that tests or runs packages, and the folders that it names.
	goes   = regexp.MustCompile(`(?m)^.*\bgo"?,? "?(?:test|run)\b.*$`)
	folder = regexp.MustCompile(`[\s"]\./([a-z][a-z0-9/]*)`)
)

// anchor is the name that a heading has in links to it.
func anchor(heading string) string {
	var b strings.Builder
	for _, c := range strings.ToLower(strings.NewReplacer("`", "", "*", "").Replace(heading)) {
		switch {
		case c == ' ':
			b.WriteByte('-')
		case c == '-' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z':
			b.WriteRune(c)
		}
	}
	return b.String()
}

// anchors are those of a document.
func anchors(t *testing.T, path string) map[string]bool {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
		all[anchor(m[1])] = true
	}
	return all
}

// TestLinks: each link between documents leads to a file, and to a heading that it
// has. Each document that a source names by its path is there, and so is each
// package that a command of theirs tests or runs.
func TestLinks(t *testing.T) {
	out, err := exec.Command("git", "-C", top, "ls-files", "-co", "--exclude-standard", "-z").Output()
	if err != nil {
		t.Skip("not a working copy of the repository")
	}
	checked, commands := 0, 0
	for _, name := range strings.Split(strings.Trim(string(out), "\x00"), "\x00") {
		path := filepath.Join(top, name)
		switch filepath.Ext(name) {
		case ".md", ".go", ".c", ".h", ".S", ".yaml", "":
		default:
			continue
		}
		text, err := os.ReadFile(path)
		if err != nil {
			continue // removed, and not yet in the index
		}
		for _, m := range mention.FindAllString(string(text), -1) {
			if _, err := os.Stat(filepath.Join(top, m)); err != nil {
				t.Errorf("%s names %s, which isn't there", name, m)
			}
		}
		for _, line := range goes.FindAllString(string(text), -1) {
			for _, m := range folder.FindAllStringSubmatch(line, -1) {
				commands++
				if _, err := os.Stat(filepath.Join(top, m[1])); err != nil {
					t.Errorf("%s has a command for the package %s, which isn't there: %s", name, m[1], strings.TrimSpace(line))
				}
			}
		}
		if filepath.Ext(name) != ".md" {
			continue
		}
		dir := filepath.Dir(path)
		if name == "internal/papers/pages/papers.md" || name == "internal/study/page.md" {
			dir = filepath.Join(top, "docs") // the templates of pages there
		} else if strings.HasPrefix(name, "internal/papers/pages/") {
			dir = filepath.Join(top, "internal/papers/tables")
		}
		if strings.HasSuffix(name, "/tables.md") {
			dir = filepath.Join(top, "bin") // of pages that make writes
		}
		for _, m := range link.FindAllStringSubmatch(fence.ReplaceAllString(string(text), ""), -1) {
			file, at, _ := strings.Cut(m[1], "#")
			if strings.Contains(file, "://") {
				continue
			}
			to := path
			if file != "" {
				to = filepath.Join(dir, file)
			}
			checked++
			if _, err := os.Stat(to); err != nil {
				if !strings.HasPrefix(to, filepath.Join(top, "bin")+"/") {
					t.Errorf("%s links to %s, which isn't there", name, m[1])
				}
				continue
			}
			if at != "" && !anchors(t, to)[at] {
				t.Errorf("%s links to %s, and there is no such heading", name, m[1])
			}
		}
	}
	if checked < 50 {
		t.Errorf("only %d links", checked)
	}
	if commands < 20 {
		t.Errorf("only %d packages in commands", commands)
	}
}
