package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// thread is a thread, with what the library knows of it. It goes back with the System's
// own: edit keeps a copy before each change, Rewind puts that copy back.
//
// invariant: slices in it are never changed in place.
type thread struct {
	*scheduler.Thread
	life
	call
}

// life is a thread's beginning and end.
type life struct {
	exitPC uint64 // where the start routine returns to
	begins bool   // it stands at its start routine, whose own meaning is still to be carried out
	exitSP uint64
	// The thread being created: its start routine, whether the C library maps its
	// stack, and whether it is created detached.
	entryOfChild              uint64
	childStack, childDetached bool
	childArgument             uint64
	childPlain                bool // without attributes
	detached                  bool
	wasJoined                 bool      // by the C library's own code
	waitedFor                 trace.TID // once it was joined: by which thread, if that waited
	// native: the runtime's own exit code runs (destructors, clean-up handlers).
	native bool
	// atExit: if it ends the process, code of the guest's runs first.
	atExit bool
	cache  cache // see endcache.go
	// The stack of a thread that landgo made (carried.go) ends at roomAt. claimed:
	// another thread joins it. vanished: it ended by a call of the kernel's. fellOff:
	// its function has returned.
	roomAt                     uint64
	claimed, vanished, fellOff bool
}

// edit is a thread that may be changed: its state was kept since the latest mark, here and
// in the core. What only looks at a thread has a *thread. TestStateIsKept in internal/arch
// finds what sets a field in another way.
type edit struct{ *thread }

// edit keeps a thread's state for Rewind, and lets it be changed until the next mark.
func (l *models) edit(t trace.TID) edit {
	l.core.Save(t)
	if l.savedAt[t] != l.serial {
		l.savedAt[t] = l.serial
		e := l.threadLog.Next()
		e.id, e.old = t, l.threads[t]
	}
	return edit{&l.threads[t]}
}

// threadSaved is a thread's earlier state.
type threadSaved struct {
	id  trace.TID
	old thread
}

// ensure makes room for a thread that the System has. Threads never move: the capacity
// is there from the start.
func (l *models) ensure(t trace.TID) {
	for i := len(l.threads); i <= int(t); i++ {
		l.threads = append(l.threads, thread{Thread: l.core.Thread(trace.TID(i))})
		l.savedAt = append(l.savedAt, 0)
	}
}

// Keep implements Keeper. Most changes of a thread are the core's alone: what the library knows of
// it is kept when that changes (edit).
func (l *models) Keep(t trace.TID) { l.ensure(t) }

// Mark implements Keeper.
func (l *models) Mark(k trace.Mark) {
	l.serial++
	l.marks = append(l.marks[:k], mark{l.threadLog.Len(), l.objects.Mark(), len(l.specified), len(l.history)})
}

// Rewind implements Keeper.
func (l *models) Rewind(k trace.Mark) {
	m := l.marks[k]
	l.serial++
	for i := l.threadLog.Len() - 1; i >= m.threads; i-- {
		e := l.threadLog.At(i)
		l.threads[e.id] = e.old
	}
	l.threadLog.Cut(m.threads)
	l.objects.Rewind(m.objects, l.core.ObjectChanges)
	l.specified, l.history = l.specified[:m.specified], l.history[:m.history]
	l.marks = l.marks[:k+1]
}

// HashThread implements Keeper.
func (l *models) HashThread(t trace.TID, h *trace.Hash, atOp bool) {
	th := &l.threads[t]
	h.Words(trace.Bit(th.detached), trace.Bit(th.wasJoined), uint64(th.waitedFor))
	if !th.Live() {
		return
	}
	for _, o := range th.opened {
		h.Words(o.obj, uint64(o.op), uint64(o.arg), uint64(o.at))
	}
	h.Words(trace.Bit(th.native), trace.Bit(th.atExit), trace.Bit(th.begins), th.exitPC, th.exitSP, th.entryOfChild, uint64(th.cache))
	if atOp {
		th.hashOperation(h)
	}
	th.hashCalls(h)
}

// Born implements Lives.
func (l *models) Born(child, parent trace.TID, roomAt uint64) {
	l.ensure(child)
	c, p := l.edit(child), l.edit(parent)
	*c.thread = thread{Thread: c.Thread}
	if p.quiet.on && p.quiet.role == profile.Create {
		c.Starting, c.Entry, c.Created = true, p.entryOfChild, p.quiet.ret
		c.OwnStack, c.detached = p.childStack, p.childDetached
		c.Argument, c.Plain = p.childArgument, p.childPlain
	}
	if l.cfg.Tested {
		c.detached, p.childDetached = p.childDetached, false
	}
	if c.roomAt = roomAt; roomAt != 0 {
		c.exitSP = c.Stack
	}
}

// Holds implements scheduler.Teller.
func (l *models) Holds(t trace.TID) []uint64 { return l.threads[t].holds }

// Texts implements scheduler.Teller.
func (l *models) Texts(t trace.TID) (last, ends uint64) {
	x := &l.threads[t].texts
	return x.last, x.ends
}
