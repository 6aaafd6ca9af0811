package session

import (
	"landgo/internal/explore/config"
	"landgo/scheduler"
)

// Ignores is the rule by which the user ignores a bug, in whose state the guest is or
// which it went past; ok if there is one.
func (s *Session) Ignores(f *scheduler.Failure) (rule config.Ignored, ok bool) {
	if len(s.Config.Ignore) == 0 {
		return rule, false
	}
	var functions []string
	add := func(stack []uint64) {
		for i, pc := range stack {
			if i > 0 {
				pc-- // in the call
			}
			for _, x := range s.Image.Frames(pc) {
				functions = append(functions, x.Function, x.Shown())
			}
		}
	}
	switch {
	case f.Stack != nil:
		add(f.Stack)
	case len(f.Waits) > 0:
		for _, w := range f.Waits {
			add(s.Guest.Stack(w.Thread))
		}
	default:
		add(s.Guest.Stack(f.Thread))
	}
	return s.Config.Ignores(f.Kind, functions)
}
