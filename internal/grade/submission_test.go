package grade

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"landgo/internal/course"
)

// TestSources: lines come from beneath the student's own folder, and not from the
// course's files.
func TestSources(t *testing.T) {
	dir := t.TempDir()
	own := filepath.Join(dir, "anna")
	for path, text := range map[string]string{"anna/lib.c": "mine", "anna/Makefile": "old", "anna/tests/t.c": "old", "secret.c": "secret", "ben/lib.c": "his"} {
		os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755)
		if err := os.WriteFile(filepath.Join(dir, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("../secret.c", filepath.Join(own, "link.c"))
	g := &graded{class: &Class{Course: &course.Course{Build: &course.Build{Files: []string{"Makefile", "tests"}}}, Submissions: []Submission{{Name: "anna", Dir: own}}},
		builts: []*Built{{Dir: "/tmp/landgo-grade-0/k/work"}}}
	read := g.source(0)
	for path, want := range map[string]string{
		"lib.c": "mine", "/tmp/landgo-grade-0/k/work/lib.c": "mine", "./lib.c": "mine",
		"/etc/passwd": "", "../secret.c": "", "../ben/lib.c": "", "link.c": "", "Makefile": "", "tests/t.c": "", "./tests/../tests/t.c": "",
		"/tmp/landgo-grade-0/k/work/../../../../etc/passwd": "", filepath.Join(dir, "secret.c"): "", filepath.Join(own, "lib.c"): "mine",
	} {
		text, err := read(path)
		if string(text) != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", path, text, err)
		}
	}
}

// TestSubmissions: links, pipes and what is too large aren't read.
func TestSubmissions(t *testing.T) {
	dir := t.TempDir()
	s := &Submission{Name: "anna", Dir: filepath.Join(dir, "anna")}
	secret := filepath.Join(dir, "secret")
	os.MkdirAll(filepath.Join(s.Dir, "sub"), 0o755)
	os.WriteFile(secret, []byte("secret"), 0o644)
	os.WriteFile(filepath.Join(s.Dir, "sub", "a\nb.c"), []byte("text"), 0o644)
	os.Symlink(secret, filepath.Join(s.Dir, "link"))
	os.Symlink(dir, filepath.Join(s.Dir, "folder"))
	syscall.Mkfifo(filepath.Join(s.Dir, "pipe"), 0o644)
	to := t.TempDir()
	if err := s.copyTo(to); err != nil {
		t.Fatal(err)
	}
	var names []string
	filepath.Walk(to, func(path string, info os.FileInfo, _ error) error {
		if !info.IsDir() {
			names = append(names, strings.TrimPrefix(path, to))
		}
		return nil
	})
	if fmt.Sprintf("%q", names) != `["/sub/a\nb.c"]` {
		t.Errorf("%q", names)
	}
	var much errTooMuch
	os.Truncate(filepath.Join(s.Dir, "sub", "a\nb.c"), maxFile+1)
	if _, err := s.digest(); !errors.As(err, &much) {
		t.Errorf("a huge file: %v", err)
	}
	os.Remove(filepath.Join(s.Dir, "sub", "a\nb.c"))
	for i := range 3 {
		f := filepath.Join(s.Dir, fmt.Sprint(i))
		os.WriteFile(f, nil, 0o644)
		os.Truncate(f, maxFile)
	}
	if _, err := s.digest(); !errors.As(err, &much) {
		t.Errorf("many large files: %v", err)
	}
}
