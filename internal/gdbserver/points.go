package gdbserver

import (
	"slices"
	"strings"

	"landgo/internal/debugger"
)

// watchpoint is one of gdb's: what it is called in a stop's reply, and what it sees.
type watchpoint struct {
	reason string
	debugger.Watch
}

// kinds are the types of watchpoints in a packet Z.
var kinds = map[byte]watchpoint{
	'2': {"watch", debugger.Watch{Write: true}},
	'3': {"rwatch", debugger.Watch{Read: true}},
	'4': {"awatch", debugger.Watch{Read: true, Write: true}},
}

// maxPoints bounds each kind.
const maxPoints = 1 << 10

// point sets a point (Z), or takes one away (z).
func (s *server) point(p string) string {
	if len(p) < 3 || p[2] != ',' {
		return refused
	}
	set := p[0] == 'Z'
	place, _, _ := strings.Cut(p[3:], ";") // conditions are gdb's to look at
	addr, size, ok := hexPair(place)
	if !ok {
		return refused
	}
	if p[1] == '0' || p[1] == '1' {
		if s.breaks = without(s.breaks, addr); set && len(s.breaks) < maxPoints {
			s.breaks = append(s.breaks, addr)
		}
		return "OK"
	}
	w, ok := kinds[p[1]]
	if !ok {
		return ""
	}
	w.Addr, w.Size = addr, size
	s.watches = slices.DeleteFunc(s.watches, func(o watchpoint) bool { return o == w })
	switch {
	case set && len(s.watches) == maxPoints:
		return refused
	case set:
		s.watches = append(s.watches, w)
	}
	return "OK"
}

func without(list []uint64, x uint64) []uint64 {
	return slices.DeleteFunc(list, func(y uint64) bool { return x == y })
}
