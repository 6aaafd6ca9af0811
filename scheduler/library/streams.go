package library

import (
	"maps"
	"slices"

	"landgo/internal/image/elffile"
	"landgo/internal/image/libc"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// The order in which threads write to standard output isn't looked at, only whether the process
// ends before they do, unless it is to be explored (Config.OrderedOutput). A stream whose bytes the
// program can read is another thing: one that it opened over memory (fmemopen, open_memstream,
// fopencookie), and standard output once the program gave it a buffer. So is standard output where
// the process ends without a flush, by _exit or with the descriptor closed. A print shows there if
// a flush comes after it, by any thread. The calls that work on such a stream are in order with
// each other; so are those that say where a stream is with those that take input. That is told by
// the stream's address: what is in it is the library's business.
//
// A call of stdio that calls the kernel is several steps, with the stream locked meanwhile. Another
// thread's call finds it locked then, and sleeps in the library's own code. So there is an order, once a
// thread was seen to stand in such a call (known.Facts.Streams). In it are the first step and the last
// one of all calls on that stream, and the step of a thread that has slept for the stream.

// streamOf is the address that stands for a stream. A thread stands at the entry of a
// call of stdio, which works on that stream. ok: such calls have to be in an order.
func (s *textCalls) streamOf(th *thread) (addr uint64, flags trace.AccessFlags, ok bool) {
	name := s.roles[th.Regs.RIP].Name
	_, given := libc.StreamArg(name)
	at := s.worksOn(th)
	if at == allStreams {
		at = 0
	}
	if at != 0 && s.known.Streams[at] {
		return at, trace.Write | trace.Library, true
	}
	if !given && !libc.Prints(name) {
		at = 0
	}
	ordered := s.core.Known().Lost || s.opts.OrderedOutput
	if given && at == 0 && ordered { // fflush of all streams
		at = s.stdout()
	}
	if at == 0 || s.libc == elffile.NoLibc {
		return 0, 0, false
	}
	if ordered && at == s.stdout() {
		return at, trace.Write | trace.Library, true
	}
	if !libc.Stream(s.image.Info, at) {
		return at, trace.Write | trace.Library, true
	}
	if libc.LooksAtStream(name) {
		return inputWord, trace.Library, true
	}
	return at, trace.Write | trace.Library, libc.HasOwnBuffer(s.image.Info, at, s.machine.Read64)
}

// allStreams stands for all that there are, which fflush works on.
const allStreams = 1

// worksOn is the stream that the call of stdio works on at whose entry a thread stands, 0 if it
// works on none, or that isn't known.
func (s *textCalls) worksOn(th *thread) uint64 {
	name := s.roles[th.Regs.RIP].Name
	n, given := libc.StreamArg(name)
	switch {
	case given:
		at := s.vararg(th, n)
		if at == 0 {
			return allStreams
		}
		return at
	case libc.Prints(name):
		return s.stdout()
	case libc.ReadsStdin(name):
		return s.standard(0)
	case name == "perror" || name == "psignal":
		return s.standard(2)
	}
	return 0
}

// touchHeld records that the call of stdio that a thread is in unlocks its stream, or tries to lock
// it again.
func (s *textCalls) touchHeld(th *thread, tr *trace.Transition) {
	q := &th.quiet
	for _, at := range s.heldStreams() {
		if at == q.stream || q.stream == allStreams {
			s.core.Sharing.Touch(th.ID, tr, q.ret-1, at, 8, trace.Write|trace.Library)
		}
	}
}

// heldStreams are those that a thread was seen to have locked between two steps.
func (s *textCalls) heldStreams() []uint64 { return slices.Sorted(maps.Keys(s.known.Streams)) }

// stdout is where the C library has standard output, 0 if that isn't known.
func (s *textCalls) stdout() uint64 { return s.standard(1) }

// streamPlaces are where the C library has its streams; 0 where that isn't known.
type streamPlaces struct {
	standard [3]uint64 // those with the descriptors 0 to 2
	pointers [3]uint64 // the pointers to these, where the streams have no names
	list     uint64    // the variable with the list of all, and how far on the next one is
	next     uint64
}

func (s *guest) findStreams() *streamPlaces {
	var p streamPlaces
	for fd, stream := range []string{"stdin", "stdout", "stderr"} {
		for _, name := range []string{"_IO_2_1_" + stream + "_", "__" + stream + "_FILE"} {
			if sym, ok := s.image.Symbol(name); ok && p.standard[fd] == 0 {
				p.standard[fd] = sym.Addr
			}
		}
		// musl's own file gives the stream no name, but the pointer to it.
		if sym, ok := s.image.Symbol(stream); ok && s.libc == elffile.Musl && s.image.Interpreter() != nil {
			p.pointers[fd] = sym.Addr
		}
	}
	var head string
	head, p.next = libc.StreamList(s.image.Info)
	if sym, ok := s.image.Symbol(head); ok {
		p.list = sym.Addr
	}
	return &p
}

// standard is where the C library has the stream with a descriptor from 0 to 2, 0 if that isn't
// known.
func (s *textCalls) standard(fd int) uint64 {
	p := s.streams()
	if p.standard[fd] == 0 && p.pointers[fd] != 0 {
		return s.core.Word(p.pointers[fd])
	}
	return p.standard[fd]
}

// sharesStream reports whether other threads work on the stream of a call too, or may end
// the process before it prints.
func (s *textCalls) sharesStream(th *thread) bool {
	at, _, ok := s.streamOf(th)
	shared := ok && s.core.Sharing.Shared(th.ID, at, 8)
	if s.worksOn(th) == allStreams {
		for _, at := range s.heldStreams() {
			shared = s.core.Sharing.Shared(th.ID, at, 8) || shared
		}
	}
	return s.toStdout(th) && s.core.Ends.SharesOutput(th.ID) || shared
}

// toStdout reports whether the call of stdio at whose entry a thread stands works on
// standard output.
func (s *textCalls) toStdout(th *thread) bool {
	name := s.roles[th.Regs.RIP].Name
	if n, given := libc.StreamArg(name); given {
		at := s.vararg(th, n)
		return at != 0 && at == s.stdout()
	}
	return libc.Prints(name)
}

// touchStream records that a call works on its stream.
func (s *textCalls) touchStream(th *thread, tr *trace.Transition) {
	if s.toStdout(th) {
		s.core.Ends.TouchOutput(th.ID, tr, s.callSite(th)-1)
	}
	if at, flags, ok := s.streamOf(th); ok {
		s.core.Sharing.Touch(th.ID, tr, s.callSite(th)-1, at, 8, flags)
	}
	if s.worksOn(th) == allStreams {
		for _, at := range s.heldStreams() {
			s.core.Sharing.Touch(th.ID, tr, s.callSite(th)-1, at, 8, trace.Write|trace.Library)
		}
	}
}

// descriptors is a kernel that knows where writes to a descriptor go.
type descriptors interface{ IsStdout(fd int32) bool }

// Unwritten implements scheduler.Teller.
func (s *textCalls) Unwritten(t trace.TID) (left scheduler.Unwritten) {
	at := s.stdout()
	if at == 0 {
		return left
	}
	from, to, pointer := libc.Unwritten(s.image.Info, at, s.machine.Read64)
	if from == 0 {
		return left // nothing was ever printed
	}
	var text []byte
	if from < to && to-from <= maxUnwritten {
		text = s.machine.Bytes(from, to-from)
	}
	if k, ok := s.kernel.(descriptors); ok && !k.IsStdout(libc.Descriptor(s.image.Info, at, s.machine.Read64)) {
		return scheduler.Unwritten{Lost: true} // closed, or another file's
	}
	if s.threads[t].role == profile.ProcessExit || s.lastToEnd(&s.threads[t]) {
		return scheduler.Unwritten{Text: text, At: from, Pointer: pointer}
	}
	return scheduler.Unwritten{Lost: s.exiting.Get() == 0 || len(text) > 0}
}

// writesAtEnd reports whether exit has text to write other than to standard output: to a file or a
// pipe. Other threads may read it while they are still there, and a pipe without a reader ends the
// process by a signal. A stream of fopencookie has a function of the program's write it.
func (s *textCalls) writesAtEnd() bool {
	k, ok := s.kernel.(descriptors)
	if !ok {
		return false
	}
	holds := func(at uint64) bool {
		from, to, _ := libc.Unwritten(s.image.Info, at, s.machine.Read64)
		fd := libc.Descriptor(s.image.Info, at, s.machine.Read64)
		return from != 0 && from < to && (fd > 0 || fd < 0 && s.image.MayCall("fopencookie")) && !k.IsStdout(fd) // a stream over memory has none
	}
	if at := s.stdout(); at != 0 && holds(at) {
		return true
	}
	p := s.streams()
	if p.list == 0 {
		return false
	}
	for at, n := s.core.Word(p.list), 0; at != 0 && n < mostStreams && s.readable(at, 8); n++ {
		if holds(at) {
			return true
		}
		at = s.core.Word(at + p.next)
	}
	return false
}

// mostStreams is more than a program opens.
const mostStreams = 1 << 12

// lastToEnd reports whether the process ended with a thread whose function returned, or
// that called pthread_exit: the library calls exit in the last one.
func (s *textCalls) lastToEnd(th *thread) bool {
	return !s.known.Native && th.role == profile.ThreadExit && !slices.ContainsFunc(s.threads, func(o thread) bool { return o.Live() && o.Stand != scheduler.StandTimer })
}

// maxUnwritten is more than a buffer of standard output has.
const maxUnwritten = 1 << 20
