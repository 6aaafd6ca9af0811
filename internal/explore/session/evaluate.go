package session

import (
	"strconv"
	"strings"

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

// Whole is the largest structure that begins where a variable's part does, by their names: a
// for a.value, pool[2] for pool[2].node.next.
func (s *Session) Whole(addr uint64, part string) string {
	for {
		i := strings.LastIndexByte(part, '.')
		if i < 0 {
			return part
		}
		value, err := s.Evaluate(trace.NoThread, "&"+part[:i])
		hex, _, _ := strings.Cut(value, " ") // before a name
		if at, wrong := strconv.ParseUint(hex, 0, 64); err != nil || wrong != nil || at != addr {
			return part
		}
		part = part[:i]
	}
}
