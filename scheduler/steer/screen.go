package steer

import "landgo/emu"

// The text screen scrolls by a copy of its 4,000 bytes, which a small kernel makes byte
// by byte, for each line that a thread prints: most of what an execution of its tests
// executes. Such a copy, from the screen to the screen and
// with interrupts off, is made at once: as one instruction, the return. It is no
// access of the thread's: what the screen shows is a device's state. The order
// of prints is in the place of the cursor, which the same section writes.

// scroll carries out a profile's function (to, from, size), at whose entry the processor
// stands, if it is such a copy.
func (s *Kernel) scroll(u *turn) {
	to, n := s.proc.argument(0), s.proc.argument(2)
	dst, ok := s.onScreen(to, n)
	src, ok2 := s.onScreen(s.proc.argument(1), n)
	back, ok3 := s.word(s.proc.regs.RSP)
	if s.on.Get() || !ok || !ok2 || !ok3 {
		return
	}
	s.machine.Write(dst, append([]byte(nil), s.machine.Bytes(src, n)...))
	s.proc.regs.RAX = to
	s.proc.regs.RSP += s.wordSize
	s.proc.regs.RIP = back
	s.proc.set = emu.SetAll
	s.machine.PutFlag(&s.atBreak, false)
	s.did(u)
}

// onScreen is where n bytes of the screen are in memory; false for other memory.
func (s *reading) onScreen(va, n uint64) (uint64, bool) {
	r := s.board.Screen()
	if n == 0 || n > r.Hi-r.Lo {
		return 0, false
	}
	lo, ok := s.translate(va)
	hi, ok2 := s.translate(va + n - 1)
	return lo, ok && ok2 && hi-lo == n-1 && r.Lo <= lo && hi < r.Hi
}
