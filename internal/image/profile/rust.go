package profile

import (
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// Rust's library keeps a table of its threads' stacks for the message of a stack overflow,
// behind a lock that every thread takes as it begins and ends. These functions call nothing
// of the program's, so they run as one trusted piece, as the C library's do.

var rustPieces = []string{"14stack_overflow3imp12make_handler", "14stack_overflow3imp12drop_handler", "14stack_overflow11thread_info16set_current_info"}

// rustRoles adds them to the roles. Their names are mangled, with a hash, and local.
func rustRoles(info *debuginfo.Info, roles map[uint64]Bound) {
	for i := range info.Symbols {
		s := &info.Symbols[i]
		if s.Kind == elffile.Object || !strings.Contains(s.Name, "3std3sys") || !strings.HasPrefix(s.Name, "_R") && !strings.HasPrefix(s.Name, "_ZN") || !info.IsCode(s.Addr) {
			continue
		}
		for _, piece := range rustPieces {
			if _, taken := roles[s.Addr]; !taken && strings.Contains(s.Name, piece) {
				roles[s.Addr] = Bound{Role: Stdio, Name: s.Name}
			}
		}
	}
}
