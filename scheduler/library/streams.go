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
func (l *textCalls) streamOf(th *thread) (addr uint64, flags trace.AccessFlags, ok bool) {
	name := l.roles[th.Regs.RIP].Name
	_, given := libc.StreamArg(name)
	at := l.worksOn(th)
	if at == allStreams {
		at = 0
	}
	if at != 0 && l.known.Streams[at] {
		return at, trace.Write | trace.Library, true
	}
	if !given && !libc.Prints(name) {
		at = 0
	}
	ordered := l.core.Known().Lost || l.opts.OrderedOutput
	if given && at == 0 && ordered { // fflush of all streams
		at = l.stdout()
	}
	if at == 0 || l.libc == elffile.NoLibc {
		return 0, 0, false
	}
	if ordered && at == l.stdout() {
		return at, trace.Write | trace.Library, true
	}
	if !libc.Stream(l.image.Info, at) {
		return at, trace.Write | trace.Library, true
	}
	if libc.LooksAtStream(name) {
		return inputWord, trace.Library, true
	}
	return at, trace.Write | trace.Library, libc.HasOwnBuffer(l.image.Info, at, l.machine.Read64)
}

// allStreams stands for all that there are, which fflush works on.
const allStreams = 1

// worksOn is the stream that the call of stdio works on at whose entry a thread stands, 0 if it
// works on none, or that isn't known.
func (l *textCalls) worksOn(th *thread) uint64 {
	name := l.roles[th.Regs.RIP].Name
	n, given := libc.StreamArg(name)
	switch {
	case given:
		at := l.vararg(th, n)
		if at == 0 {
			return allStreams
		}
		return at
	case libc.Prints(name):
		return l.stdout()
	case libc.ReadsStdin(name):
		return l.standard(0)
	case name == "perror" || name == "psignal":
		return l.standard(2)
	}
	return 0
}

// touchHeld records that the call of stdio that a thread is in unlocks its stream, or tries to lock
// it again.
func (l *textCalls) touchHeld(th *thread, tr *trace.Transition) {
	q := &th.quiet
	for _, at := range l.heldStreams() {
		if at == q.stream || q.stream == allStreams {
			l.core.Sharing.Touch(th.ID, tr, q.ret-1, at, 8, trace.Write|trace.Library)
		}
	}
}

// heldStreams are those that a thread was seen to have locked between two steps.
func (l *textCalls) heldStreams() []uint64 { return slices.Sorted(maps.Keys(l.known.Streams)) }

// stdout is where the C library has standard output, 0 if that isn't known.
func (l *textCalls) stdout() uint64 { return l.standard(1) }

// streamPlaces are where the C library has its streams; 0 where that isn't known.
type streamPlaces struct {
	standard [3]uint64 // those with the descriptors 0 to 2
	pointers [3]uint64 // the pointers to these, where the streams have no names
	list     uint64    // the variable with the list of all, and how far on the next one is
	next     uint64
}

func (l *guest) findStreams() *streamPlaces {
	var p streamPlaces
	for fd, stream := range []string{"stdin", "stdout", "stderr"} {
		for _, name := range []string{"_IO_2_1_" + stream + "_", "__" + stream + "_FILE"} {
			if sym, ok := l.image.Symbol(name); ok && p.standard[fd] == 0 {
				p.standard[fd] = sym.Addr
			}
		}
		// musl's own file gives the stream no name, but the pointer to it.
		if sym, ok := l.image.Symbol(stream); ok && l.libc == elffile.Musl && l.image.Interpreter() != nil {
			p.pointers[fd] = sym.Addr
		}
	}
	var head string
	head, p.next = libc.StreamList(l.image.Info)
	if sym, ok := l.image.Symbol(head); ok {
		p.list = sym.Addr
	}
	return &p
}

// standard is where the C library has the stream with a descriptor from 0 to 2, 0 if that isn't
// known.
func (l *textCalls) standard(fd int) uint64 {
	p := l.streams()
	if p.standard[fd] == 0 && p.pointers[fd] != 0 {
		return l.core.Word(p.pointers[fd])
	}
	return p.standard[fd]
}

// sharesStream reports whether other threads work on the stream of a call too, or may end
// the process before it prints.
func (l *textCalls) sharesStream(th *thread) bool {
	at, _, ok := l.streamOf(th)
	shared := ok && l.core.Sharing.Shared(th.ID, at, 8)
	if l.worksOn(th) == allStreams {
		for _, at := range l.heldStreams() {
			shared = l.core.Sharing.Shared(th.ID, at, 8) || shared
		}
	}
	return l.toStdout(th) && l.core.Ends.SharesOutput(th.ID) || shared
}

// toStdout reports whether the call of stdio at whose entry a thread stands works on
// standard output.
func (l *textCalls) toStdout(th *thread) bool {
	name := l.roles[th.Regs.RIP].Name
	if n, given := libc.StreamArg(name); given {
		at := l.vararg(th, n)
		return at != 0 && at == l.stdout()
	}
	return libc.Prints(name)
}

// touchStream records that a call works on its stream.
func (l *textCalls) touchStream(th *thread, tr *trace.Transition) {
	if l.toStdout(th) {
		l.core.Ends.TouchOutput(th.ID, tr, l.callSite(th)-1)
	}
	if at, flags, ok := l.streamOf(th); ok {
		l.core.Sharing.Touch(th.ID, tr, l.callSite(th)-1, at, 8, flags)
	}
	if l.worksOn(th) == allStreams {
		for _, at := range l.heldStreams() {
			l.core.Sharing.Touch(th.ID, tr, l.callSite(th)-1, at, 8, trace.Write|trace.Library)
		}
	}
}

// descriptors is a kernel that knows where writes to a descriptor go.
type descriptors interface{ IsStdout(fd int32) bool }

// Unwritten implements scheduler.Teller.
func (l *textCalls) Unwritten(t trace.TID) (left scheduler.Unwritten) {
	at := l.stdout()
	if at == 0 {
		return left
	}
	from, to, pointer := libc.Unwritten(l.image.Info, at, l.machine.Read64)
	if from == 0 {
		return left // nothing was ever printed
	}
	var text []byte
	if from < to && to-from <= maxUnwritten {
		text = l.machine.Bytes(from, to-from)
	}
	if k, ok := l.kernel.(descriptors); ok && !k.IsStdout(libc.Descriptor(l.image.Info, at, l.machine.Read64)) {
		return scheduler.Unwritten{Lost: true} // closed, or another file's
	}
	if l.threads[t].role == profile.ProcessExit || l.lastToEnd(&l.threads[t]) {
		return scheduler.Unwritten{Text: text, At: from, Pointer: pointer}
	}
	return scheduler.Unwritten{Lost: !l.exiting.Get() || len(text) > 0}
}

// writesAtEnd reports whether exit has text to write other than to standard output: to a file or a
// pipe. Other threads may read it while they are still there, and a pipe without a reader ends the
// process by a signal. A stream of fopencookie has a function of the program's write it.
func (l *textCalls) writesAtEnd() bool {
	k, ok := l.kernel.(descriptors)
	if !ok {
		return false
	}
	holds := func(at uint64) bool {
		from, to, _ := libc.Unwritten(l.image.Info, at, l.machine.Read64)
		fd := libc.Descriptor(l.image.Info, at, l.machine.Read64)
		return from != 0 && from < to && (fd > 0 || fd < 0 && l.image.MayCall("fopencookie")) && !k.IsStdout(fd) // a stream over memory has none
	}
	if at := l.stdout(); at != 0 && holds(at) {
		return true
	}
	p := l.streams()
	if p.list == 0 {
		return false
	}
	for at, n := l.core.Word(p.list), 0; at != 0 && n < mostStreams && l.readable(at, 8); n++ {
		if holds(at) {
			return true
		}
		at = l.core.Word(at + p.next)
	}
	return false
}

// mostStreams is more than a program opens.
const mostStreams = 1 << 12

// lastToEnd reports whether the process ended with a thread whose function returned, or
// that called pthread_exit: the library calls exit in the last one.
func (l *textCalls) lastToEnd(th *thread) bool {
	return !l.known.Native && th.role == profile.ThreadExit && !slices.ContainsFunc(l.threads, func(o thread) bool { return o.Live() && o.Stand != scheduler.StandTimer })
}

// maxUnwritten is more than a buffer of standard output has.
const maxUnwritten = 1 << 20
