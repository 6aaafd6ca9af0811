package e2e

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
)

var update = flag.Bool("update", false, "write the real output into the documents")

// A block is a fenced block of a document: lines[begin:end] without the fences.
type block struct {
	info       string // the text after the opening fence
	begin, end int
}

func blocks(lines []string) (all []block) {
	open := -1
	for i, line := range lines {
		if !strings.HasPrefix(line, "```") {
			continue
		}
		if open < 0 {
			open = i
			continue
		}
		all = append(all, block{strings.TrimPrefix(lines[open], "```"), open + 1, i})
		open = -1
	}
	return all
}

// A transcript is one command of a block and its output.
type transcript struct {
	command string
	output  []string
}

func transcripts(lines []string) (all []transcript) {
	for _, line := range lines {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			all = append(all, transcript{command: command})
			continue
		}
		last := &all[len(all)-1]
		last.output = append(last.output, line)
	}
	return all
}

// varies matches what depends on the compiler's version and on the folder that
// a guest was built in: addresses, digests, instruction counts.
var varies = regexp.MustCompile(`0x[0-9a-f]{4,}|sha256 [0-9a-f]+|s1:[0-9a-f]{8}|@[0-9]+|instruction [0-9,]+|[0-9,]+ instructions|unicorn [0-9.]+|moments? [0-9]+( (to|of) [0-9]+)?`)

func stable(line string) string { return varies.ReplaceAllString(withoutTimes(line), "VARIES") }

// matches compares an output with a document's, in which a line "..." stands
// for any lines.
func matches(want, got []string) bool {
	for i, w := range want {
		if w == "..." {
			for skip := range len(got) - i + 1 {
				if matches(want[i+1:], got[i+skip:]) {
					return true
				}
			}
			return false
		}
		if i >= len(got) || stable(w) != stable(got[i]) {
			return false
		}
	}
	return len(got) == len(want)
}

func TestMatches(t *testing.T) {
	for _, c := range []struct {
		want, got string
		same      bool
	}{
		{"a\nb", "a\nb", true},
		{"a\nb", "a", false},
		{"a", "a\nb", false},
		{"a\n...", "a\nb\nc", true},
		{"...\nc", "a\nb\nc", true},
		{"a\n...\nd", "a\nb\nc", false},
		{"a 1.2 s", "a 33 ms", true},
		{"a 1.2", "a 1.3", false},
		{"s1:076d905b:0@5643,0.1@103", "s1:58180a1f:0@5640,0.1@102", true},
		{"s1:076d905b:0@5643,0.1@103", "s1:58180a1f:0@5640,0.2@102", false},
	} {
		if got := matches(strings.Split(c.want, "\n"), strings.Split(c.got, "\n")); got != c.same {
			t.Errorf("matches(%q, %q) = %v", c.want, c.got, got)
		}
	}
}

// TestDocuments: the documents show what happens. A block that begins
// with "$ " is run, line by line, and its output compared, except times. One
// that opens with a language and a file's name ("```c counter.c") is that file.
func TestDocuments(t *testing.T) {
	docs, err := filepath.Glob(filepath.Join(top, "docs/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	studies, err := filepath.Glob(filepath.Join(top, "docs/case-studies/*.md"))
	if err != nil {
		t.Fatal(err)
	}
	docs = append(docs, studies...)
	shown := 0
	for _, path := range append(docs, filepath.Join(top, "README.md")) {
		name, _ := filepath.Rel(top, path)
		t.Run(name, func(t *testing.T) {
			if name == "docs/grading.md" {
				needsLandlock(t)
			}
			if name == "docs/debugging.md" {
				needsGDB(t)
			}
			shown += checkDocument(t, path)
		})
	}
	if shown < 5 {
		t.Errorf("the documents show only %d commands", shown)
	}
}

// shownGuest is a guest in a document's command.
var shownGuest = regexp.MustCompile(`bin/guests/([\w-]+/[\w-]+)`)

// checkDocument runs a document's commands in a folder that looks like the top
// of a built tree. It returns how many there were.
func checkDocument(t *testing.T, path string) (shown int) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	for to, from := range map[string]string{
		"bin/landgo": landgo,
		"bin/guests": filepath.Join(top, "bin/guests"),
		"guests":     filepath.Join(top, "guests"),
	} {
		if err := os.Symlink(from, filepath.Join(dir, to)); err != nil {
			t.Fatal(err)
		}
	}
	lines := strings.Split(string(text), "\n")
	var renewed []string
	copied := 0 // lines of the document that renewed has, or has anew
	stale := false
	for _, b := range blocks(lines) {
		body := lines[b.begin:b.end]
		if _, file, ok := strings.Cut(b.info, " "); ok {
			if err := os.WriteFile(filepath.Join(dir, file), []byte(strings.Join(body, "\n")+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if len(body) == 0 || !strings.HasPrefix(body[0], "$ ") {
			continue
		}
		renewed = append(renewed, lines[copied:b.begin]...)
		for _, tr := range transcripts(body) {
			shown++
			for _, name := range shownGuest.FindAllStringSubmatch(tr.command, -1) {
				if _, err := compile.MakeGuest(name[1]); err != nil {
					t.Fatal(err)
				}
			}
			cmd := exec.Command("sh", "-c", tr.command)
			cmd.Dir = dir
			out, _ := cmd.Output() // its exit status may be the point
			got := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
			if len(out) == 0 {
				got = nil
			}
			if !matches(tr.output, got) {
				if !*update {
					t.Errorf("$ %s\nsays:\n%s\nthe document says:\n%s", tr.command, strings.Join(got, "\n"), strings.Join(tr.output, "\n"))
				}
				stale = true
			}
			// Where one is renewed, all are: a run and its replay show the same
			// digests.
			if !slices.Contains(tr.output, "...") || !matches(tr.output, got) {
				tr.output = got
			}
			renewed = append(append(renewed, "$ "+tr.command), tr.output...)
		}
		copied = b.end
	}
	if *update && stale {
		renewed = append(renewed, lines[copied:]...)
		if err := os.WriteFile(path, []byte(strings.Join(renewed, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return shown
}
