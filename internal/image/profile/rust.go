package profile

import (
	"strings"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
)

// rustFunctions are functions of Rust's library, by parts of their mangled names.
//
// It keeps a table of its threads' stacks for the message of a stack overflow, behind a lock
// that every thread takes as it begins and ends. A thread looks up its own entry only, so the
// order of these calls makes no difference to a program.
var rustFunctions = []struct {
	crate, path string
	role        Role
}{
	{"3std3sys", "14stack_overflow3imp12make_handler", Bookkeeping},
	{"3std3sys", "14stack_overflow3imp12drop_handler", Bookkeeping},
	{"3std3sys", "14stack_overflow11thread_info16set_current_info", Bookkeeping},
	{"7___rustc", "10rust_panic", Unwinds},
}

// rustRoles adds them to the roles. Their names are mangled, with a hash, and local.
func rustRoles(info *debuginfo.Info, roles map[uint64]Bound) {
	for i := range info.Symbols {
		s := &info.Symbols[i]
		if s.Kind == elffile.Object || !strings.HasPrefix(s.Name, "_R") && !strings.HasPrefix(s.Name, "_ZN") || !info.IsCode(s.Addr) {
			continue
		}
		for _, f := range rustFunctions {
			if _, taken := roles[s.Addr]; !taken && strings.Contains(s.Name, f.crate) && strings.Contains(s.Name, f.path) {
				roles[s.Addr] = Bound{Role: f.role, Name: s.Name}
			}
		}
	}
}
