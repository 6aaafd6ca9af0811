package library

import (
	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// An execution in which some functions are trusted is followed in one in which they are
// tested (explore/confirm.go). Both count the calls of these functions, so that a thread's
// place in the one is found in the other. Only outermost calls count: a trusted wait on a
// condition variable doesn't run the lock inside of it.

// counts reports whether calls of a function with a role are counted.
func (l *guest) counts(r profile.Role) bool {
	return l.opts.Counted != nil && l.opts.Counted[r]
}

// enter counts a call that a thread begins.
func (l *calls) enter(th edit, r profile.Role) {
	l.everEntered[r] = true
	if !l.counts(r) || th.outermost.on || th.entered > 0 && th.enteredAt == th.Insns {
		return
	}
	th.entered++
	th.enteredAt = th.Insns
	if l.trusts(r) {
		return // it has no code that runs
	}
	sp := th.Regs.RSP
	th.outermost = frame{on: true, ret: l.core.Word(sp), sp: sp}
	l.breakAt(th.outermost.ret, breakReturn)
}

// leave notes that a call that is counted returns.
func (l *calls) leave(th edit) {
	if f := &th.outermost; f.on && th.Regs.RIP == f.ret && th.Regs.RSP == f.sp+l.wordSize {
		th.outermost = frame{}
	}
}

// Entered is how many calls of the functions that are counted a thread has begun, and
// whether the last of them, if its own code runs, is under way.
func (l *Library) Entered(t trace.TID) (calls int, within bool) {
	l.ensure(t)
	th := &l.threads[t]
	return th.entered, th.outermost.on
}

// EverEntered reports whether a function with a role was called in any execution.
func (l *Library) EverEntered(r profile.Role) bool { return l.everEntered[r] }
