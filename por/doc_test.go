package por

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestMap: the map of files in doc.go has each file of the package, and the files that
// doc.go names are there.
func TestMap(t *testing.T) {
	text, err := os.ReadFile("doc.go")
	if err != nil {
		t.Fatal(err)
	}
	_, files, found := strings.Cut(string(text), "# The files")
	if !found {
		t.Fatal("doc.go has no map of files")
	}
	named := map[string]bool{}
	for _, w := range regexp.MustCompile(`[a-z0-9]+`).FindAllString(files, -1) {
		named[w] = true
	}
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		name, isGo := strings.CutSuffix(e.Name(), ".go")
		if isGo && name != "doc" && !strings.HasSuffix(name, "_test") && !named[name] {
			t.Errorf("%s.go is missing from the map", name)
		}
	}
	for _, w := range regexp.MustCompile(`\b[a-z]+\.go\b`).FindAllString(string(text), -1) {
		if _, err := os.Stat(w); err != nil {
			t.Errorf("doc.go names %s: %v", w, err)
		}
	}
}
