package profile

import (
	"fmt"

	"landgo/internal/yaml"
)

// Error is a fault of a profile's text, and its place.
type Error struct {
	File string
	Line int // from 1; 0: the file as a whole
	Text string
	// Word isn't one of Known: a reader may propose the nearest.
	Word  string
	Known []string
}

func (e *Error) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}

// maxProfile is how many bytes a profile has at most.
const maxProfile = 256 << 10

// field is a key of a profile, and its value.
type field yaml.Field

// readYAML reads a text. An error names its line.
func readYAML(text []byte) (yaml.Node, error) {
	n, err := yaml.Read(text, "a profile", maxProfile)
	if err != nil {
		e := err.(*yaml.Error)
		return n, &Error{Line: e.Line, Text: e.Text}
	}
	return n, nil
}
