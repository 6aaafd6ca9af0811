package library

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// muslErrnoOffset is where struct pthread of musl 1.2 holds errno_val.
const muslErrnoOffset = 0x34

// setErrno sets a thread's errno. musl keeps it in the thread control block;
// glibc in thread-local storage, whose end is the FS base.
func (l *calls) setErrno(th *thread, tr *trace.Transition, v uint32) {
	switch l.libc {
	case elffile.Musl:
		l.door(th, tr).write32(th.Regs.FSBase+muslErrnoOffset, v)
	case elffile.Glibc:
		if slot, ok := l.image.ErrnoSlot(); ok { // the dynamic linker has said where
			l.door(th, tr).write32(th.Regs.FSBase+l.core.Word(slot), v)
		} else if t := l.image.TLS; t != nil && t.HasErrno {
			align := max(t.Align, 1)
			size := (t.MemSize + align - 1) &^ (align - 1)
			l.door(th, tr).write32(th.Regs.FSBase-size+t.Errno, v)
		}
	}
}

// refuse ends a try that fails with errno, or a timed operation that was given no
// time: it reads that now.
func (l *calls) refuse(th edit, tr *trace.Transition, errno uint64) (scheduler.Verdict, error) {
	if th.badTime {
		at := th.arg(int(acts[l.roles[th.Regs.RIP].Role].deadline))
		if !l.readable(at, abi.TimespecSize) {
			return scheduler.Stay, l.meetFault(th.thread, emu.Fault{Kind: emu.FaultRead, Addr: at, Size: 8}, "reads when to give up")
		}
		errno = abi.EINVAL
		if th.deadline != badTime {
			errno = abi.ETIMEDOUT // it was before all else
		}
	}
	if acts[th.role].kind == kindSem {
		l.setErrno(th.thread, tr, uint32(errno))
		errno = ^uint64(0)
	}
	l.ret(th, errno)
	return scheduler.Pass, nil
}
