package library

import "landgo/internal/trace"

// The search for a function's tables in a static program. libgcc's first one there sorts all tables of
// the program: a million instructions, at each execution's first exception, cancellation or
// thread's end by pthread_exit. What the search finds follows from the file alone, so landgo answers
// from there. Nothing that the program can read tells whether the tables were sorted.

// findsTables carries out _Unwind_Find_FDE where it knows the answer: it returns the frame's
// description, and writes two bases, which x86-64 hasn't got, and the function's address. exit takes
// the tables away (registers), and then the program's own code looks.
func (l *Library) findsTables(th edit, tr *trace.Transition) bool {
	if l.image.Interpreter() != nil || l.wordSize != 8 || l.exiting.Get() {
		return false
	}
	if _, sorts := l.image.Symbol("__register_frame_info"); !sorts {
		return false
	}
	at, lo, ok := l.image.DescriptionOf(th.arg(0))
	if !ok {
		return false
	}
	bases := th.arg(1)
	l.core.Sharing.Touch(th.ID, tr, l.callSite(th.thread)-1, bases, 24, trace.Write|trace.Library)
	for i, v := range []uint64{0, 0, lo} {
		l.machine.Write64(bases+8*uint64(i), v)
	}
	l.ret(th, at)
	return true
}
