package scheduler

import (
	"landgo/internal/image"
	"landgo/internal/trace"
)

// The order in which threads write to standard output isn't looked at. A stream whose
// bytes the program can read is another thing: one that it opened over memory
// (fmemopen, open_memstream, fopencookie), and standard output once the program gave
// it a buffer. The calls that work on such a stream are in order with each other; so
// are those that say where a stream is with those that take input. That is told by
// the stream's address: what is in it is the library's business.

// streamOf is the address that stands for the stream on which the call of stdio works
// at whose entry a thread stands, if there is an order in which such calls have to be.
func (s *library) streamOf(th *thread) (addr uint64, flags trace.AccessFlags, ok bool) {
	name := s.roles[th.Regs.RIP].Name
	n, given := image.StreamArg(name)
	var at uint64
	switch {
	case given:
		at = s.vararg(th, n)
	case image.Prints(name):
		at = s.stdout()
	}
	if at == 0 || s.libc == image.NoLibc {
		return 0, 0, false
	}
	if !s.image.Stream(at) {
		return at, trace.Write | trace.Library, true
	}
	if image.LooksAtStream(name) {
		return inputWord, trace.Library, true
	}
	return at, trace.Write | trace.Library, s.image.HasOwnBuffer(at, s.machine.Read64)
}

// stdout is where the C library has standard output, 0 if that isn't known.
func (s *library) stdout() uint64 {
	for _, name := range []string{"_IO_2_1_stdout_", "__stdout_FILE"} {
		if sym, ok := s.image.Symbol(name); ok {
			return sym.Addr
		}
	}
	return 0
}

// sharesStream reports whether other threads work on the stream of a call too.
func (s *library) sharesStream(th *thread) bool {
	at, _, ok := s.streamOf(th)
	if !ok {
		return false
	}
	shared, learned := s.machine.Touch(th.ID, at, 8)
	s.finer = s.finer || learned
	return shared
}

// touchStream records that a call works on its stream.
func (s *library) touchStream(th *thread, tr *trace.Transition) {
	if at, flags, ok := s.streamOf(th); ok {
		s.touch(th, tr, s.callSite(th)-1, at, 8, flags)
	}
}

// Unwritten is what is left in the C library's buffer of standard output where thread t
// has ended the process by exit, which would write it. It is valid until the next step.
func (s *System) Unwritten(t trace.TID) []byte { return s.lib.unwritten(&s.threads[t]) }

func (s *library) unwritten(th *thread) []byte {
	at := s.stdout()
	if th.role != image.ProcessExit || at == 0 {
		return nil
	}
	from, to := s.image.Unwritten(at, s.machine.Read64)
	if from == 0 || from >= to || to-from > maxUnwritten {
		return nil
	}
	return s.machine.Bytes(from, to-from)
}

// maxUnwritten is more than a buffer of standard output has.
const maxUnwritten = 1 << 20
