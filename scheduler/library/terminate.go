package library

import (
	"bytes"
	"slices"
	"strings"

	"landgo/internal/trace"
	"landgo/scheduler"
)

// The end of a C++ program by std::terminate. The runtime's handler says why on standard
// error, and calls abort.

// terminates is std::terminate's name. Where an exception leaves a function that is
// noexcept, the runtime calls what it calls: the handler, libstdc++'s of this name.
const (
	terminates = "_ZSt9terminatev"
	handles    = "_ZN9__gnu_cxx27__verbose_terminate_handlerEv"
)

// Why a handler says that it was called: libstdc++'s, and libc++abi's.
var uncaught = []struct{ before, after string }{
	{"terminate called after throwing an instance of '", "'"},
	{"terminating due to uncaught exception of type ", ":"},
	{"terminating with uncaught exception of type ", ":"},
}

// mostSaid bounds what an exception says in a headline.
const mostSaid = 200

// terminated is the bug of a thread that stands in abort because of std::terminate, nil
// if that isn't why.
func (e *endings) terminated(th *thread) *scheduler.Failure {
	stack := e.guest.core.Stack(th.ID)
	at := slices.IndexFunc(stack, func(pc uint64) bool { return e.nameAt(pc) == terminates })
	if at < 0 && (len(stack) < 2 || !e.ofRuntime(stack[1])) {
		return nil
	}
	message := uncaughtException(e.guest.kernel.Output(2))
	if message == "" {
		message = "std::terminate() was called"
		if at >= 0 && at+1 < len(stack) {
			if by := e.nameAt(stack[at+1]); strings.HasPrefix(by, "_ZNSt6threadD") || strings.HasPrefix(by, "_ZNSt6threadaS") {
				message = "a std::thread was destroyed or assigned to before it was joined or detached"
			}
		}
	}
	return &scheduler.Failure{Kind: trace.Assertion, Thread: th.ID, PC: e.guest.callSite(th), Message: message}
}

// nameAt is the function of a return address.
func (e *endings) nameAt(pc uint64) string {
	f, _ := e.guest.image.SymbolAt(pc - 1)
	return f.Name
}

// ofRuntime reports whether a call that returns to pc is one of the C++ runtime's. It is
// of its handler, or of the library that it is in, whose own functions may have no names.
func (e *endings) ofRuntime(pc uint64) bool {
	if strings.HasPrefix(e.nameAt(pc), handles) {
		return true
	}
	f, ok := e.guest.image.Symbol(terminates)
	return ok && len(e.guest.image.Parts) > 1 && e.guest.image.PartAt(f.Addr) != e.guest.image.Parts[0] && e.guest.image.PartAt(f.Addr) == e.guest.image.PartAt(pc-1)
}

// uncaughtException is the latest exception that a handler has reported on standard error.
func uncaughtException(errs []byte) string {
	for _, u := range uncaught {
		at := bytes.LastIndex(errs, []byte(u.before))
		if at < 0 {
			continue
		}
		rest := string(errs[at+len(u.before):])
		name, what, _ := strings.Cut(rest, u.after)
		_, said, ok := strings.Cut(what, "what():")
		if !ok && u.after == ":" {
			said = what
		}
		name, said = strings.TrimSpace(name), strings.Join(strings.Fields(said), " ")
		if len(said) > mostSaid {
			said = said[:mostSaid] + "..."
		}
		if said == "" {
			return "uncaught exception: " + name
		}
		return "uncaught exception: " + name + ": " + said
	}
	return ""
}
