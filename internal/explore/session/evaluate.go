package session

import (
	"landgo/internal/image/debuginfo"
	"landgo/internal/trace"
)

// Evaluate is the value of an expression in the present state. The variables of a thread's
// own are known if one is given.
func (s *Session) Evaluate(t trace.TID, text string) (string, error) {
	if t == trace.NoThread {
		return s.Image.Evaluate(text, s.Memory, nil)
	}
	regs := s.Plain.RegistersOf(t)
	return s.Image.Evaluate(text, s.Memory, &debuginfo.Own{Frames: s.Image.FramesOn(&regs, s.Plain.ReadStack), Pointer: regs.FSBase})
}
