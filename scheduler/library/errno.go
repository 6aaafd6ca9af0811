package library

import (
	"landgo/internal/image"
	"landgo/internal/trace"
)

// setErrno sets a thread's errno. musl keeps it in the thread control block;
// glibc in thread-local storage, whose end is the FS base.
func (s *Library) setErrno(th *thread, tr *trace.Transition, v uint32) {
	switch s.libc {
	case image.Musl:
		s.door(th, tr).write32(th.Regs.FSBase+muslErrnoOffset, v)
	case image.Glibc:
		if t := s.image.TLS; t != nil && t.HasErrno {
			align := max(t.Align, 1)
			size := (t.MemSize + align - 1) &^ (align - 1)
			s.door(th, tr).write32(th.Regs.FSBase-size+t.Errno, v)
		}
	}
}

// muslErrnoOffset is where struct pthread of musl 1.2 holds errno_val.
const muslErrnoOffset = 0x34
