package page

import (
	"fmt"

	"landgo/internal/result"
)

// introduced says of a lane's thread what a report says at its top.
func (s *story) introduced(lane int) string {
	for path, n := range s.lanes {
		if n == lane {
			return s.origin[path]
		}
	}
	return ""
}

// introduce notes a thread: its path name, its function, and where it was created.
func (s *story) introduce(t *result.ThreadStart) {
	text := "thread " + t.Thread
	if t.Function != "" {
		text += " runs " + t.Function
	}
	if d := t.Defined; d != nil {
		text += " (" + d.Where() + ")"
	}
	if c := t.Created; c != nil {
		text += fmt.Sprintf(", created in %s %s", c.Function, c.Where())
	}
	s.origin[t.Thread] = clean(text)
}

// thread is a line of the legend.
type thread struct {
	Name, Origin string
	Hue          int
}

// legend introduces the threads of all lanes.
func (s *story) legend() (all []thread) {
	for i, name := range s.names {
		if text := s.introduced(i); text != "" {
			all = append(all, thread{name, text, i % hues})
		}
	}
	return all
}
