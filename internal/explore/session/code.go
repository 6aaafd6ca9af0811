package session

import "landgo/internal/image/static"

// A guest's code, as a story asks about it.

// Decides reports whether what code reads decides that it uses something else.
func (p *Program) Decides(read, use uint64) bool { return static.Decides(p.Image.File, read, use) }

// Again says whether a function can come back to a call that has returned to pc: without
// another call on the way, or only with such.
func (p *Program) Again(pc uint64) (plain, calling bool) { return static.Again(p.Image.File, pc) }
