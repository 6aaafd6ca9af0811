package choose

import (
	"strings"

	"landgo/internal/result"
)

// Lines gives lines of sources, which read reads once each.
func Lines(read func(file string) ([]byte, error)) func(file string, line int) string {
	files := map[string][]string{}
	return func(file string, line int) string {
		lines, known := files[file]
		if !known {
			if text, err := read(file); err == nil {
				lines = strings.Split(string(text), "\n")
			}
			files[file] = lines
		}
		if line < 1 || line > len(lines) {
			return ""
		}
		return result.Printable(strings.Join(strings.Fields(lines[line-1]), " "))
	}
}
