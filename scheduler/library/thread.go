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
	exitSP uint64
	// Of the thread being created: its start routine, whether the C library maps its
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
	// Of a thread that landgo made (carried.go), the stack ends at roomAt. claimed:
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
func (s *models) edit(t trace.TID) edit {
	s.core.Save(t)
	if s.savedAt[t] != s.serial {
		s.savedAt[t] = s.serial
		e := s.threadLog.Next()
		e.id, e.old = t, s.threads[t]
	}
	return edit{&s.threads[t]}
}

// threadSaved is a thread's earlier state.
type threadSaved struct {
	id  trace.TID
	old thread
}

// ensure makes room for a thread that the System has. Threads never move: the capacity
// is there from the start.
func (s *models) ensure(t trace.TID) {
	for i := len(s.threads); i <= int(t); i++ {
		s.threads = append(s.threads, thread{Thread: s.core.Thread(trace.TID(i))})
		s.savedAt = append(s.savedAt, 0)
	}
}

// Keep implements Keeper. Most changes of a thread are the core's alone: what the library knows of
// it is kept when that changes (edit).
func (s *models) Keep(t trace.TID) { s.ensure(t) }

// Mark implements Keeper.
func (s *models) Mark(k trace.Mark) {
	s.serial++
	s.marks = append(s.marks[:k], mark{s.threadLog.Len(), len(s.saved), len(s.specified), len(s.history)})
}

// Rewind implements Keeper.
func (s *models) Rewind(k trace.Mark) {
	m := s.marks[k]
	s.serial++
	for i := s.threadLog.Len() - 1; i >= m.threads; i-- {
		e := s.threadLog.At(i)
		s.threads[e.id] = e.old
	}
	s.threadLog.Cut(m.threads)
	s.rewindObjects(m.objects)
	s.specified, s.history = s.specified[:m.specified], s.history[:m.history]
	s.marks = s.marks[:k+1]
}

// HashThread implements Keeper.
func (s *models) HashThread(t trace.TID, h *trace.Hash, atOp bool) {
	th := &s.threads[t]
	h.Words(trace.Bit(th.detached), trace.Bit(th.wasJoined), uint64(th.waitedFor))
	if !th.Live() {
		return
	}
	for _, o := range th.opened {
		h.Words(o.obj, uint64(o.op), uint64(o.arg), uint64(o.at))
	}
	h.Words(trace.Bit(th.native), trace.Bit(th.atExit), th.exitPC, th.exitSP, th.entryOfChild, uint64(th.cache))
	if atOp {
		th.hashOperation(h)
	}
	th.hashCalls(h)
}

// Born implements Lives.
func (s *models) Born(child, parent trace.TID, roomAt uint64) {
	s.ensure(child)
	c, p := s.edit(child), s.edit(parent)
	*c.thread = thread{Thread: c.Thread}
	if p.quiet.on && p.quiet.role == profile.Create {
		c.Starting, c.Entry, c.Created = true, p.entryOfChild, p.quiet.ret
		c.OwnStack, c.detached = p.childStack, p.childDetached
		c.Argument, c.Plain = p.childArgument, p.childPlain
	}
	if s.cfg.Tested {
		c.detached, p.childDetached = p.childDetached, false
	}
	if c.roomAt = roomAt; roomAt != 0 {
		c.exitSP = c.Stack
	}
}

// Holds implements scheduler.Teller.
func (s *models) Holds(t trace.TID) []uint64 { return s.threads[t].holds }

// Texts implements scheduler.Teller.
func (s *models) Texts(t trace.TID) (last, ends uint64) {
	x := &s.threads[t].texts
	return x.last, x.ends
}
