package compile

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/part"
)

// Edit is a change of a file: To in place of the first From, or all of a new file, if From
// is empty.
type Edit struct{ File, From, To string }

// Edited is Made of a copy of the folder with changes. The objects that no change
// touches, beneath .objects of the Makefile's OUT, are those of the folder itself: make
// goes by the files' times, which the copies keep.
func Edited(t testing.TB, folder, name string, edits []Edit, variables ...string) (path, said string, err error) {
	t.Helper()
	part.Row(t)
	whole, said, err := Made(folder, name, variables...)
	if err != nil {
		return whole, said, err
	}
	dir := t.TempDir()
	out := filepath.Join(dir, "out")
	if err := os.Mkdir(out, 0o755); err != nil {
		return "", "", err
	}
	free, err := alone(filepath.Dir(whole)) // a make adds to the objects
	if err != nil {
		return "", "", err
	}
	words, err := exec.Command("cp", "-a", folder+"/.", filepath.Join(filepath.Dir(whole), ".objects"), dir).CombinedOutput()
	free()
	if err == nil {
		err = os.Rename(filepath.Join(dir, ".objects"), filepath.Join(out, ".objects"))
	}
	if err != nil {
		return "", string(words), err
	}
	for _, e := range edits {
		if err := e.apply(dir); err != nil {
			return "", "", err
		}
	}
	return run(dir, out, name, variables)
}

// apply makes the change in a folder.
func (e *Edit) apply(dir string) error {
	file := filepath.Join(dir, e.File)
	text := e.To
	if e.From != "" {
		old, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if !strings.Contains(string(old), e.From) {
			return fmt.Errorf("%s hasn't %q", e.File, e.From)
		}
		text = strings.Replace(string(old), e.From, e.To, 1)
	}
	return os.WriteFile(file, []byte(text), 0o644)
}
