package scheduler

import (
	"bytes"
	"errors"
	"slices"

	"landgo/heap"
	"landgo/internal/image"
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Reads of memory that was never written (--check uninit).
//
// A guest runs beside twins: the same program, with the same schedule. Their new blocks, and the
// frames that functions begin with (emu.Machine.FillFrames), are filled with other bytes. All that a run depends on is the same but those bytes. One may go
// another way: another instruction comes next, or an access has another address, or a
// system call does something else. That depends on a byte that the program never wrote. No
// shadow state can be wrong about that: it is shown by two runs. So there is no false
// alarm. Where all fills agree, nothing is seen: a comparison for equality with a value
// that no fill has. So there are twins with the numbers that the program's own code
// compares with, as far as a few twins go. It doesn't see equality with a number beyond
// those, with one that isn't in the code, or of what was computed from such bytes. Copying
// such bytes, or computing with them, is no error.
//
// Trusted functions on strings are left out, for they look at bytes beyond
// those that they were given (image.ReadsAhead). Their results aren't left out, nor
// the ends of the texts that they are given. How many instructions they take may
// depend on those bytes too, so a thread's instruction numbers may differ between a
// System and its twins. Only the path outside of them counts. In a step in which
// they differ, the place that is found for a difference can be such a function.
//
// Invariant: a twin has the same marks as its System, and has learned the same.

// Fill has the bytes that blocks are filled with: the byte at an address is the one at its
// last three bits.
type Fill [8]byte

// numberFills is how many twins have numbers of the program's, at the most. Each
// takes as long as the program itself.
const numberFills = 6

// Fills are the fills for a guest: the System's own, then its twins'. As numbers
// the first three are 0, -1, and large positive ones. Then come those that the
// guest compares with, in their own size, and as single bytes where they are small.
func Fills(im *image.Image) []Fill {
	list := []Fill{of(0, 1), of(0xff, 1), of(0x5a, 1)}
	add := func(value uint64, size int) {
		if f := of(value, size); len(list) < 3+numberFills && !slices.Contains(list, f) {
			list = append(list, f)
		}
	}
	numbers := static.Compared(im.Info)
	for _, n := range numbers {
		add(n.Value, n.Size)
	}
	for _, n := range numbers {
		if n.Value < 256 { // a byte, compared as the larger number that it was made
			add(n.Value, 1)
		}
	}
	return list
}

// of is a number again and again.
func of(value uint64, size int) (f Fill) {
	for i := range f {
		f[i] = byte(value >> (8 * (i % size)))
	}
	return f
}

// twin is a System beside another.
type twin struct {
	*System
	lost lost
}

// lost: it has gone another way, and stands still until that is taken back.
type lost struct {
	at int // 1 + the number of steps before that one; 0: it hasn't
}

// goBack is called when so many steps are left.
func (l *lost) goBack(steps int) {
	if steps < l.at {
		l.at = 0
	}
}

// Beside has t run beside s. Both stand at their roots, without a mark.
func (s *System) Beside(t *System) { s.twins.beside = append(s.twins.beside, &twin{System: t}) }

// twins run beside a System, by its steps and theirs.
type twins struct {
	of     *System
	beside []*twin
}

// stepBeside is Step with twins. Where one goes another way, the step ends before
// the instruction that depends on the fill, and the thread's failure is next.
func (x *twins) stepBeside(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	k, begin := x.of.Mark(), x.of.threads[t].Insns
	tr, err := x.of.stepAlone(t, c)
	finer := errors.Is(err, trace.ErrFiner)
	if err != nil && !finer {
		return tr, err
	}
	var other *twin
	for _, w := range x.beside {
		if w.lost.at > 0 {
			continue
		}
		w.limit, w.starts = x.of.limit, x.of.starts
		if x.of.limit > 0 {
			w.limit += w.threads[t].Insns - begin
		}
		their, err := w.stepAlone(t, c)
		if x.of.limit > 0 && (err != nil || !x.same(w, t, tr, their)) {
			w.rewindAlone(k)
			w.limit = 0 // to the step's own end: a string function took other steps in it
			their, err = w.stepAlone(t, c)
		}
		finer = finer || errors.Is(err, trace.ErrFiner)
		if err != nil && !errors.Is(err, trace.ErrFiner) || !x.same(w, t, tr, their) {
			other = w
			break
		}
		if x.spinsAlone(w, t) {
			w.lost.at = len(x.of.steps)
		}
	}
	if finer {
		if other != nil { // the execution goes on to its end, without them
			x.lose()
		}
		return tr, x.shareKnowledge()
	}
	if other == nil {
		return tr, nil
	}
	return x.partAt(k, other, t, c)
}

// shareKnowledge makes a System and its twins know the same. The search begins
// again.
func (x *twins) shareKnowledge() error {
	for _, w := range x.beside {
		if _, err := x.of.learn(w.Knowledge()); err != nil {
			return err
		}
	}
	for _, w := range x.beside {
		if _, err := w.learn(x.of.Knowledge()); err != nil {
			return err
		}
	}
	x.of.learned++
	return trace.ErrFiner
}

// same reports whether a step of thread t was the same in a twin.
func (x *twins) same(w *twin, t trace.TID, mine, their *trace.Transition) bool {
	a, b := &x.of.threads[t], &w.threads[t]
	if x.of.machine.Path() != w.machine.Path() || !x.sameTexts(w, t) || a.Stand != b.Stand && !x.spinsAlone(w, t) || mine.End != their.End ||
		len(mine.Ops) != len(their.Ops) || len(mine.Accesses) != len(their.Accesses) {
		return false
	}
	if a.Stand == StandFailure && a.Failure.Message != b.Failure.Message {
		return false
	}
	for i := range mine.Ops {
		if mine.Ops[i] != their.Ops[i] {
			return false
		}
	}
	for i := range mine.Accesses {
		p, q := mine.Accesses[i], their.Accesses[i]
		if p.Addr != q.Addr || p.Size != q.Size || p.PC != q.PC || (p.Flags^q.Flags)&^trace.Silent != 0 {
			return false
		}
	}
	return x.sameOutput(w)
}

// spinsAlone reports whether a loop of thread t's counts as waiting in one of the two. A turn that
// changes nothing shows that. The first turn changes memory that was never written if the fill
// isn't what it stores, so the number of turns says nothing of the program.
func (x *twins) spinsAlone(w *twin, t trace.TID) bool {
	return (x.of.threads[t].Stand == StandSpin) != (w.threads[t].Stand == StandSpin)
}

// sameTexts reports whether the texts that a thread has read end in the same places.
func (x *twins) sameTexts(w *twin, t trace.TID) bool {
	last, ends := x.of.lib.Texts(t)
	theirs, end := w.lib.Texts(t)
	return last == theirs && ends == end
}

func (x *twins) sameOutput(w *twin) bool {
	return bytes.Equal(x.of.kernel.Output(1), w.kernel.Output(1)) && bytes.Equal(x.of.kernel.Output(2), w.kernel.Output(2))
}

// partAt finds the instruction from which on a twin goes another way in a step
// from mark k, takes the step up to there, and has the thread fail.
func (x *twins) partAt(k trace.Mark, w *twin, t trace.TID, c trace.Choice) (*trace.Transition, error) {
	last := x.of.threads[t].Insns
	x.of.Rewind(k)
	begin := x.of.threads[t].Insns
	// Up to lo both go the same way; up to hi they don't, or hi is too far.
	lo, hi := begin, last+1
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if x.sameUntil(k, w, t, c, mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	f := &Failure{Kind: trace.UninitialisedRead, Thread: t}
	what, stack := "an address depends on", false
	x.sameUntil(k, w, t, c, lo+1)
	text := !x.sameTexts(w, t)
	at, _ := x.of.lib.Texts(t)
	path, output := x.of.machine.Path() == w.machine.Path(), x.sameOutput(w)
	x.sameUntil(k, w, t, c, lo)
	switch {
	case text:
		what = "where a text ends depends on"
	case path && !output:
		what = "the output depends on"
	case path:
		what = "a system call depends on"
	case x.of.machine.PC(x.of.threads[t].Ctx) != w.machine.PC(w.threads[t].Ctx):
		what = "a branch depends on"
		if lo > begin+1 {
			lo-- // the branch itself
		}
	}
	if b := x.of.heap.Around(at); text && b != nil {
		f.Block = *b
	} else if text {
		stack = true
	} else {
		f.Block, stack = x.unwritten(k, w, t, c, lo)
	}
	f.Message = what + " memory that was never written"
	switch {
	case f.Block.Size > 0:
		f.Message = what + " memory of the heap that was never written"
	case stack:
		f.Message = what + " memory of the stack that was never written"
	}
	x.lose()
	tr, err := x.limited(k, t, c, lo)
	if err != nil {
		return nil, err
	}
	th := x.of.edit(t)
	f.PC = x.of.machine.PC(th.Ctx)
	if !th.Live() { // at its first instruction: the step is taken whole
		th.Failure, tr.End = f, trace.EndBug
		return tr, nil
	}
	return tr, x.of.Fail(th.ID, f)
}

// lose has the twins stand still, because the latest step was another one in one of them.
func (x *twins) lose() {
	for _, w := range x.beside {
		w.lost.at = len(x.of.steps) // with that step: 1 + the number before it
	}
}

// limited takes a step from mark k up to an instruction number.
func (x *twins) limited(k trace.Mark, t trace.TID, c trace.Choice, until uint64) (*trace.Transition, error) {
	x.of.rewindAlone(k)
	was, exact := x.of.limit, x.of.exact
	x.of.limit, x.of.exact = until, until > x.of.threads[t].Insns
	if !x.of.exact {
		x.of.limit = was
	}
	tr, err := x.of.stepAlone(t, c)
	x.of.limit, x.of.exact = was, exact
	return tr, err
}

// sameUntil reports whether a step from mark k goes the same way up to an
// instruction number.
func (x *twins) sameUntil(k trace.Mark, w *twin, t trace.TID, c trace.Choice, until uint64) bool {
	mine, err := x.limited(k, t, c, until)
	if err != nil {
		return false
	}
	their, err := w.twins.limited(k, t, c, until)
	return err == nil && x.of.threads[t].Insns == until && x.same(w, t, mine, their)
}

// unwritten is the block with the last byte that a step reads, up to an instruction
// number, and that isn't the same in a twin. It is the zero Block if it was read
// before the step, or is on a stack.
func (x *twins) unwritten(k trace.Mark, w *twin, t trace.TID, c trace.Choice, until uint64) (b heap.Block, stack bool) {
	if _, err := w.twins.limited(k, t, c, until); err != nil {
		return b, false
	}
	x.of.cfg.KeepAll = true
	tr, err := x.limited(k, t, c, until)
	x.of.cfg.KeepAll = false
	if err != nil {
		return b, false
	}
	for i := len(tr.Accesses) - 1; i >= 0; i-- {
		a := &tr.Accesses[i]
		if !bytes.Equal(x.of.machine.Bytes(a.Addr, uint64(a.Size)), w.machine.Bytes(a.Addr, uint64(a.Size))) {
			if p := x.of.heap.Around(a.Addr); p != nil {
				return *p, false
			}
			return b, true
		}
	}
	return b, false
}

// Mark implements por.System.
func (s *System) Mark() trace.Mark {
	for _, w := range s.twins.beside {
		w.markAlone()
	}
	return s.markAlone()
}

// Rewind implements por.System.
func (s *System) Rewind(k trace.Mark) {
	s.rewindAlone(k)
	for _, w := range s.twins.beside {
		w.rewindAlone(k)
		w.lost.goBack(len(s.steps))
	}
}
