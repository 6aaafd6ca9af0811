package arch

import (
	"os"
	"strings"
	"testing"
)

// firstLines is how many lines of a page on how to do something end with its first result.
const firstLines = 20

// howTo are such pages.
var howTo = []string{"checking-your-own-library", "choices", "kernels", "own-threads", "profiles", "properties"}

// TestFirstResult: such a page begins with commands to copy and what they print. That they print
// it is tested elsewhere (internal/e2e, TestDocuments).
func TestFirstResult(t *testing.T) {
	for _, name := range howTo {
		text, err := os.ReadFile("../../docs/" + name + ".md")
		if err != nil {
			t.Fatal(err)
		}
		if n := firstResult(string(text)); n == 0 || n > firstLines {
			t.Errorf("docs/%s.md: the first command with its result ends at line %d of at most %d", name, n, firstLines)
		}
	}
}

// firstResult is the line at which the first block of commands with results ends, 0 if there is none.
func firstResult(text string) int {
	commands, results, code := 0, 0, false
	for i, l := range strings.Split(text, "\n") {
		switch {
		case strings.HasPrefix(l, "```"):
			if code && commands > 0 && results > 0 {
				return i + 1
			}
			commands, results, code = 0, 0, !code
		case code && strings.HasPrefix(l, "$ "):
			commands++
		case code:
			results++
		}
	}
	return 0
}

// TestFirstResultSeen is the test's own test.
func TestFirstResultSeen(t *testing.T) {
	for text, want := range map[string]int{
		"```\n$ run\nverified\n```\n":              4,
		"```c x.c\nint x;\n```\n```\n$ run\n```":   0,
		"```\n$ make\n```\n\n```\n$ run\nbug\n```": 8,
		"$ run\nbug\n": 0,
	} {
		if got := firstResult(text); got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}
