package steer

import "landgo/internal/trace"

// The text screen scrolls by a copy of its 4,000 bytes, which a small kernel makes byte
// by byte, for each line that a thread prints. That is most of what an execution of its
// tests executes. Such a copy, from the screen to the screen and with interrupts off,
// is made at once: as one instruction, the return. It is no access of the thread's:
// what the screen shows is a device's state. The order of prints is in the place of the
// cursor, which the same section writes.

// scroll carries out a profile's function (to, from, size), at whose entry the processor
// stands, if it is such a copy.
func (a *annotations) scroll(u *turn) {
	to, n := a.proc.argument(0), a.proc.argument(2)
	dst, ok := a.in.onScreen(to, n)
	src, ok2 := a.in.onScreen(a.proc.argument(1), n)
	back, ok3 := a.in.word(a.proc.regs.RSP)
	if a.in.on.Get() || !ok || !ok2 || !ok3 {
		return
	}
	a.in.machine.Write(dst, append([]byte(nil), a.in.machine.Bytes(src, n)...))
	a.proc.regs.RAX = to
	a.proc.regs.RSP += a.in.wordSize
	a.proc.regs.RIP = back
	a.proc.set = trace.AllRegs
	a.in.machine.PutFlag(&a.in.atBreak, false)
	a.exec.did(u)
}

// onScreen is where n bytes of the screen are in memory; false for other memory.
func (k *reading) onScreen(va, n uint64) (uint64, bool) {
	r := k.board.Screen()
	if n == 0 || n > r.Hi-r.Lo {
		return 0, false
	}
	lo, ok := k.translate(va)
	hi, ok2 := k.translate(va + n - 1)
	return lo, ok && ok2 && hi-lo == n-1 && r.Lo <= lo && hi < r.Hi
}
