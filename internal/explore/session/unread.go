package session

import (
	"fmt"

	"landgo/internal/image"
)

// unread says what landgo lacks of a program's debug information, and what to do.
func unread(img *image.Image) (notes []string) {
	id := img.BuildID()
	switch {
	case img.NoDebug != "":
		notes = append(notes, fmt.Sprintf("%s, which has the program's debug information, isn't beside it, nor in .debug there or in /usr/lib/debug", img.NoDebug))
	case img.Stripped && img.Separate == nil && len(id) >= 4:
		notes = append(notes, fmt.Sprintf("the program is stripped: keep its symbols (no -s, no strip), or put its debug information at /usr/lib/debug/.build-id/%s/%s.debug", id[:2], id[2:]))
	}
	if sections, _ := img.DebugSections(); sections != nil && sections.Section(".gnu_debugaltlink") != nil {
		notes = append(notes, "a part of the debug information is in another file, which isn't read: names and lines may be missing; leave dwz out when you build the program")
	}
	return notes
}
