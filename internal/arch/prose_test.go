package arch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode"
)

// mostWords is how many words a sentence may have, in documents, comments and the texts that the
// programs print. Notes on the tests' guests count as well.
const mostWords = 30

// TestSentences keeps sentences short. One ends at a full stop, or with its paragraph: a list's
// item and a table's cell are paragraphs. A colon or a semicolon ends none.
func TestSentences(t *testing.T) {
	documents, comments, texts, notes := 0, 0, 0, 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
		switch {
		case err != nil:
			return err
		case d.IsDir():
			if name == "bin" || len(d.Name()) > 2 && d.Name()[0] == '.' {
				return fs.SkipDir
			}
		case strings.Contains(name, "testdata/") && !ofC.MatchString(name), strings.Contains(name, "testdata/objects/"):
			// data, and programs whose first comment is a table
		case strings.HasSuffix(name, ".md"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			documents += check(t, name, 1, paragraphs(string(text)))
		case strings.HasPrefix(name, "guests/") && strings.HasSuffix(name, ".json"):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for i, l := range strings.Split(string(text), "\n") {
				for _, note := range notesIn(l) {
					notes += check(t, name, i+1, []paragraph{{0, note}})
				}
			}
		case ofHash.MatchString(name):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			comments += check(t, name, 1, paragraphsOfHash(string(text)))
		case ofC.MatchString(name):
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, at := range commentOfC.FindAllStringIndex(string(text), -1) {
				comments += check(t, name, 1+strings.Count(string(text[:at[0]]), "\n"), paragraphs(proseOfC(string(text[at[0]:at[1]]))))
			}
		case strings.HasSuffix(name, ".go"):
			files := token.NewFileSet()
			f, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, g := range f.Comments {
				comments += check(t, name, files.Position(g.Pos()).Line, paragraphs(prose(g)))
			}
			if strings.HasSuffix(name, "_test.go") {
				return nil
			}
			ast.Inspect(f, func(n ast.Node) bool {
				if e, ok := n.(*ast.KeyValueExpr); ok {
					if k, ok := e.Key.(*ast.Ident); ok && k.Name == "Example" {
						return false // commands
					}
				}
				e, ok := n.(ast.Expr)
				if !ok {
					return true
				}
				text, ok := printed(e)
				if ok && !programs.MatchString(text) {
					texts += check(t, name, files.Position(e.Pos()).Line, paragraphs(text))
				}
				return !ok
			})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if documents < 3000 || comments < 15_000 || texts < 5000 || notes < 300 {
		t.Errorf("only %d sentences of documents, %d of comments, %d of texts and %d of notes were seen", documents, comments, texts, notes)
	}
}

// note finds what a line of JSON says of a guest.
var note = regexp.MustCompile(`"(?:about|note)": ("(?:[^"\\]|\\.)*")`)

// notesIn are the notes in a line of JSON.
func notesIn(line string) (list []string) {
	for _, m := range note.FindAllStringSubmatch(line, -1) {
		if text, err := strconv.Unquote(m[1]); err == nil {
			list = append(list, text)
		}
	}
	return list
}

// ofHash has the files whose comments are lines that begin with a hash.
var ofHash = regexp.MustCompile(`(^|[/-])Makefile$|\.(mk|sh|ya?ml)$|^docs/ci/[^.]*$`)

// paragraphsOfHash are those of such comments. In a Makefile, the text on a goal is one.
func paragraphsOfHash(text string) (all []paragraph) {
	now := -1
	for i, l := range strings.Split(text, "\n") {
		l = strings.TrimLeft(l, " \t")
		if !strings.HasPrefix(l, "#") || strings.HasPrefix(l, "#!") || strings.HasPrefix(l, "#\t") || strings.HasPrefix(l, "#  ") {
			now = -1 // a table is none
			continue
		}
		if l = strings.TrimLeft(l, "#"); now < 0 || strings.HasPrefix(l, " make ") {
			now, all = len(all), append(all, paragraph{line: i})
		}
		all[now].text += l
	}
	return all
}

// printed is the text of a string, or of a sum of strings and of values, each of which is a word.
func printed(e ast.Expr) (string, bool) {
	switch x := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(x.Value)
		return text, x.Kind == token.STRING && err == nil
	case *ast.BinaryExpr:
		a, ofA := printed(x.X)
		b, ofB := printed(x.Y)
		if x.Op == token.ADD && (ofA || ofB) {
			return a + b, true
		}
	}
	return "value", false
}

// programs finds texts in Go that are programs in C.
var programs = regexp.MustCompile(`[;{]\n`)

var (
	ofC        = regexp.MustCompile(`\.([chS]|cc|ld|c?js|css)$`)
	commentOfC = regexp.MustCompile(`(?s)/\*.*?\*/|(?m:^[ \t]*//[^\n]*\n)+`)
	edgeOfC    = regexp.MustCompile(`(?m)^[ \t]*(/?\*+|//) ?|[ \t]*\*/$`)
)

// proseOfC is the same for a comment of C.
func proseOfC(text string) string {
	return edgeOfC.ReplaceAllString(text, "")
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

// wide is a gap between the columns of a text that is a table.
var wide = regexp.MustCompile(`\S {2,}\S`)

// paragraphs are those of a text in Markdown, of which a list's items and a table's cells are
// some. Code and headings are none.
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
		mark := item.FindString(l)
		switch {
		case strings.HasPrefix(trimmed, "```"):
			end()
			code = !code
		case code:
		case trimmed == "":
			end()
			listed = false
		case strings.HasPrefix(trimmed, "|"):
			end()
			for _, cell := range strings.Split(trimmed, "|") {
				all = append(all, paragraph{i, cell})
			}
		case wide.MatchString(trimmed):
			end()
			begin, now = i, []string{trimmed}
		case mark != "":
			end()
			begin, now, listed = i, []string{l[len(mark):]}, true
		case strings.HasPrefix(l, "\t"), strings.HasPrefix(l, "    ") && !listed, strings.HasPrefix(trimmed, "#"), strings.HasPrefix(trimmed, "<"):
			end()
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
	link   = regexp.MustCompile(`\]\([^)]*\)`)
	ends   = regexp.MustCompile(`[.!?][)"'”*]*(\s|$)`)
)

// check tells of sentences that are too long, and counts all.
func check(t *testing.T, name string, line int, all []paragraph) (seen int) {
	t.Helper()
	for _, p := range all {
		for _, s := range sentences(p) {
			n := words(s)
			if n > 0 {
				seen++
			}
			if n > mostWords {
				t.Errorf("%s:%d: a sentence of %d words: %s", name, line+p.line, n, strings.TrimSpace(s))
			}
		}
	}
	return seen
}

// sentences are those of a paragraph, where each stretch of code is a word, and links go nowhere.
func sentences(p paragraph) []string {
	return ends.Split(link.ReplaceAllString(quoted.ReplaceAllString(p.text, "code"), "]"), -1)
}

// words is how many of a sentence's words have a letter or a digit.
func words(s string) (n int) {
	for _, w := range strings.Fields(s) {
		if strings.IndexFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) >= 0 {
			n++
		}
	}
	return n
}

// TestSentencesSeen is the test's own test.
func TestSentencesSeen(t *testing.T) {
	long := strings.Repeat("word ", mostWords+1)
	half := strings.Repeat("word ", mostWords/2+1)
	for text, want := range map[string]int{
		long + ".":  1,
		"# " + long: 0,
		"| " + long + " | " + half + " | " + long + " |": 2,
		"| " + half + " | " + half + " |":                0,
		"- " + long + "\n  " + long:                      1,
		"0  " + half + "\n1  " + half + "\n   " + half:   1,
		"- " + half + "\n- " + half:                      0,
		"1. " + half + "\n   " + half:                    1,
		"  - " + half + "\n    " + half:                  1,
		"```\n" + long + "\n```\n\n" + long + "\n":       1,
		"    " + long:                                0,
		half + "; " + half:                           1,
		half + ": " + half:                           1,
		half + ". " + half:                           0,
		half + "(see " + half + ".)":                 1,
		"word.\n\n" + long + "\n\n" + long:           2,
		half + "\n" + half:                           1,
		strings.Repeat("`some code` ", mostWords+1):  1,
		strings.Repeat("[x](some page) ", mostWords): 0,
	} {
		got := 0
		for _, p := range paragraphs(text) {
			for _, s := range sentences(p) {
				if words(s) > mostWords {
					got++
				}
			}
		}
		if got != want {
			t.Errorf("%q: %d long sentences, want %d", text, got, want)
		}
	}
	for text, want := range map[string]string{
		"/* one\n * two */":      "one\ntwo",
		"\t// one\n\t//   two\n": "one\n  two\n",
	} {
		if got := proseOfC(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := notesIn(`{"about": "one \"two\"", "n": 1, "note": "three"},`); len(got) != 2 || got[0] != `one "two"` || got[1] != "three" {
		t.Errorf("the notes are %q", got)
	}
	if got := paragraphsOfHash("#!/bin/sh\n# one\n# two\n\n## make it   three\n##      four\n## make that\nthat:\n\t# in a recipe\n"); len(got) != 4 || got[1].text != " make it   three      four" || got[1].line != 4 || got[3].text != " in a recipe" {
		t.Errorf("the comments of a Makefile are %q", got)
	}
	for text, want := range map[string]string{
		`"one " + "two"`:                "one two",
		`"one " + x + " two " + f("y")`: "one value two value",
	} {
		e, err := parser.ParseExpr(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := printed(e); got != want || !ok {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
