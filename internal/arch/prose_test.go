package arch

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

// mostWords is how many words a sentence may have, in documents and in comments.
const mostWords = 30

// generated are documents that programs of this repository write: what they are made of is in
// templates and in Go.
var generated = regexp.MustCompile(`^docs/(errors|quicksand|papers/[a-z0-9]+|reference)\.md$`)

// TestSentences keeps the sentences of documents and of comments short. One ends at a full
// stop, a colon or a semicolon, or with its paragraph.
func TestSentences(t *testing.T) {
	documents, comments := 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name == "bin" || d.Name() == "testdata" || len(d.Name()) > 2 && d.Name()[0] == '.' {
				return fs.SkipDir
			}
		case strings.HasSuffix(name, ".md") && !generated.MatchString(name):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			documents += check(t, name, paragraphs(string(text)))
		case strings.HasSuffix(name, ".go"):
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, g := range f.Comments {
				comments += check(t, fmt.Sprintf("%s:%d", name, files.Position(g.Pos()).Line), paragraphs(prose(g)))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if documents < 1000 || comments < 10_000 {
		t.Errorf("only %d sentences of documents and %d of comments were seen", documents, comments)
	}
}

// prose is a comment's text as a document: what is indented is code there, too.
func prose(g *ast.CommentGroup) string {
	var lines []string
	for _, c := range g.List {
		text, line := strings.CutPrefix(c.Text, "//")
		if !line {
			return "" // between code: of C, or a value's name
		}
		lines = append(lines, strings.TrimPrefix(text, " "))
	}
	return strings.Join(lines, "\n")
}

// paragraph is a text whose sentences all end in it.
type paragraph struct {
	line int // where it begins, from 0
	text string
}

var item = regexp.MustCompile(`^\s*([-*+]|\d+[.)])\s`)

// paragraphs are those of a text in Markdown. Code, tables, headings and lists are none.
func paragraphs(text string) (all []paragraph) {
	var now []string
	begin, code, listed := 0, false, false
	end := func() {
		if len(now) > 0 {
			all = append(all, paragraph{begin, strings.Join(now, " ")})
		}
		now = nil
	}
	for i, l := range strings.Split(text, "\n") {
		trimmed := strings.TrimSpace(l)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			end()
			code = !code
		case code:
		case trimmed == "":
			end()
			listed = false
		case strings.HasPrefix(l, "\t"), strings.HasPrefix(l, "    "), strings.HasPrefix(trimmed, "|"), strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "<"):
			end()
		case item.MatchString(l):
			end()
			listed = true
		case listed:
		default:
			if len(now) == 0 {
				begin = i
			}
			now = append(now, trimmed)
		}
	}
	end()
	return all
}

var (
	quoted = regexp.MustCompile("`[^`]*`")
	ends   = regexp.MustCompile(`[.:;!?][)"'”]*(\s|$)`)
)

// check tells of sentences that are too long, and counts all.
func check(t *testing.T, where string, all []paragraph) (seen int) {
	t.Helper()
	for _, p := range all {
		for _, s := range ends.Split(quoted.ReplaceAllString(p.text, "code"), -1) {
			words := 0
			for _, w := range strings.Fields(s) {
				if strings.IndexFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
					words++
				}
			}
			if words > 0 {
				seen++
			}
			if words > mostWords {
				t.Errorf("%s, line %d of it: a sentence of %d words: %s", where, p.line+1, words, strings.TrimSpace(s))
			}
		}
	}
	return seen
}

// TestSentencesSeen is the test's own test.
func TestSentencesSeen(t *testing.T) {
	long := strings.Repeat("word ", mostWords+1)
	for text, want := range map[string]int{
		long + ".":                  1,
		"# " + long:                 0,
		"| " + long + " |":          0,
		"- " + long + "\n  " + long: 0,
		"```\n" + long + "\n```\n\n" + long + "\n": 1,
		"    " + long: 0,
		strings.Repeat("word ", mostWords) + ": more": 0,
		"word.\n\n" + long + "\n\n" + long:            2,
		strings.Repeat("`some code` ", mostWords+1):   1,
	} {
		got := 0
		for _, p := range paragraphs(text) {
			for _, s := range ends.Split(quoted.ReplaceAllString(p.text, "code"), -1) {
				if len(strings.Fields(s)) > mostWords {
					got++
				}
			}
		}
		if got != want {
			t.Errorf("%q: %d long sentences, want %d", text, got, want)
		}
	}
}
