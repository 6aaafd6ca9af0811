package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHelpOfOwnFlags: a command's own flag that has the name of an option of run is
// explained as its own, in the help and in the manual.
func TestHelpOfOwnFlags(t *testing.T) {
	dir := t.TempDir()
	if err := writeMan((&app{engine: &fake{}}).rootCommand(), dir); err != nil {
		t.Fatal(err)
	}
	for command, own := range map[string][]string{
		"grade":  {"--html FOLDER", "(default require)", "leaves the searches to the workers"},
		"worker": {"(default require)", "how many searches run at a time"},
	} {
		_, help, _ := call(t, &fake{}, command, "--help")
		for _, text := range own {
			if !strings.Contains(help, text) {
				t.Errorf("%s --help hasn't %q:\n%s", command, text, help)
			}
		}
		page, err := os.ReadFile(filepath.Join(dir, "landgo-"+command+".1"))
		if err != nil {
			t.Fatal(err)
		}
		if text := "confine the process that runs the guest"; strings.Contains(help, text) || strings.Contains(string(page), text) {
			t.Errorf("%s explains run's --confine", command)
		}
	}
}

// TestCompleted: shells offer the words that a flag takes.
func TestCompleted(t *testing.T) {
	for _, c := range []struct{ command, flag, typed, want string }{
		{"run", "--format", "gi", "github\n"}, {"grade", "--format", "g", "gradescope\ngithub\n"}, {"grade", "--confine", "", "best\noff\nrequire\n"}, {"worker", "--confine", "r", "require\n"},
		{"run", "--pp", "lock,unl", "lock,unlock\n"},
	} {
		if _, got, _ := call(t, &fake{}, "__complete", c.command, c.flag, c.typed); !strings.HasPrefix(got, c.want+":") {
			t.Errorf("%s %s %s: %q, want %q", c.command, c.flag, c.typed, got, c.want)
		}
	}
}
