package library

import "landgo/scheduler"

// libraryOwn are functions of the C library, and of what gcc puts beside it, that
// allocate memory and keep it for themselves. They have the environment, time
// zones, the buffers of wide streams, values of many keys, exit handlers, tables of
// the unwinder. They use functions for that (tsearch) that others may call for
// themselves, so the whole stack counts. Functions that run as one piece needn't be
// here.
var libraryOwn = map[string]bool{
	"setenv": true, "__setenv": true, "putenv": true, "__putenv": true, "__add_to_environ": true,
	"tzset": true, "__tzset": true, "tzset_internal": true, "__tz_convert": true, "__tzfile_read": true,
	"setlocale": true, "bindtextdomain": true, "textdomain": true,
	"_IO_doallocbuf": true, "_IO_wdoallocbuf": true, "_IO_file_doallocate": true, "_IO_wfile_doallocate": true,
	"pthread_setspecific": true, "__pthread_setspecific": true, "tss_set": true,
	"__new_exitfn": true, "__cxa_atexit": true, "__cxa_thread_atexit_impl": true,
	"_Unwind_Find_FDE": true, "__register_frame_info": true,
}

// isLibrarys reports whether the block for which a thread calls the allocator is the
// C library's own.
func (l *heapCalls) isLibrarys(th *thread) bool {
	return th.quiet.on && !th.quiet.gives || !l.core.Entered() || l.libraryAsks(th)
}

// libraryAsks reports whether a call of the allocator comes from such a function.
// It does so with --check leak-all only, which is about all that the program itself
// asked for.
func (l *heapCalls) libraryAsks(th *thread) bool {
	if l.cfg.Leaks != scheduler.LeaksAll {
		return false
	}
	regs := th.Regs
	for i, pc := range append([]uint64{regs.RIP}, l.image.Unwind(&regs, l.core.ReadStack)...) {
		if i > 0 {
			pc--
		}
		if f, ok := l.image.SymbolAt(pc); ok && libraryOwn[f.Name] {
			return true
		}
	}
	return false
}
