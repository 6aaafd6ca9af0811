package travel

import (
	"errors"
	"fmt"
	"sort"

	"landgo/internal/explore/session"
	"landgo/internal/trace"
	"landgo/scheduler"
)

// marked is a mark of the beginning of a piece.
type marked struct {
	piece int
	mark  trace.Mark
}

// keepMark keeps the present state, the beginning of a piece, if it is the turn of one.
func (t *Travel) keepMark(n int) {
	last := t.marks[len(t.marks)-1].piece
	if n-last > len(t.path)/session.MarksKept {
		t.marks = append(t.marks, marked{n, t.s.Guest.Mark()})
	}
}

// toPiece brings the machine to the beginning of a piece, or to the run's end.
func (t *Travel) toPiece(n int) error {
	if t.within || t.live > n {
		i := sort.Search(len(t.marks), func(i int) bool { return t.marks[i].piece > n }) - 1
		t.s.Guest.Rewind(t.marks[i].mark)
		t.live, t.within, t.marks = t.marks[i].piece, false, t.marks[:i+1]
	}
	for t.live < n {
		t.keepMark(t.live)
		if err := t.again(t.live); err != nil {
			t.within = true
			return err
		}
		t.live++
	}
	return nil
}

// pieceAt is the piece in which a moment's next tick is; the number of pieces for the end.
func (t *Travel) pieceAt(at uint64) int {
	return sort.Search(len(t.pieces), func(i int) bool { return t.pieces[i].base+t.pieces[i].ticks > at })
}

// bring brings the machine to a moment.
func (t *Travel) bring(at uint64) error {
	n := t.pieceAt(at)
	if err := t.toPiece(n); err != nil {
		return err
	}
	if n == len(t.pieces) || at == t.pieces[n].base {
		return nil
	}
	p := &t.pieces[n]
	if t.marks[len(t.marks)-1].piece != n {
		t.marks = append(t.marks, marked{n, t.s.Guest.Mark()})
	}
	tid, step := p.step.Thread, p.step
	t.within = true
	if t.s.Platform.Ticks {
		return t.freeze(p, p.from.Insns+at-p.base)
	}
	step.Limit = p.from.Insns + at - p.base
	for range at - p.base {
		if _, err := t.take(&step); err != nil {
			return err
		}
		switch now := t.s.Guest.Position(tid).Insns; {
		case now == step.Limit:
			return nil
		case now > step.Limit:
			return fmt.Errorf("thread %s couldn't be stopped at instruction %d", t.s.Guest.Name(tid), step.Limit)
		}
		step.Choice = 0
	}
	return fmt.Errorf("thread %s didn't reach instruction %d", t.s.Guest.Name(tid), step.Limit)
}

// freeze takes a kernel's step, and leaves it at an instruction of its thread. News of
// the step may end it sooner: then it goes on.
func (t *Travel) freeze(p *piece, insns uint64) error {
	tid, step := p.step.Thread, p.step
	t.s.Plain.FreezeAt(tid, insns)
	defer t.s.Plain.FreezeAt(tid, 0)
	var now uint64
	for range 1 + p.ticks {
		_, err := t.take(&step)
		if err != nil && !errors.Is(err, scheduler.ErrStopped) {
			return err
		}
		if now = t.s.Guest.Position(tid).Insns; now >= insns {
			break
		}
		step.Choice = 0
	}
	if now != insns {
		return fmt.Errorf("thread %s was stopped at instruction %d, not %d", t.s.Guest.Name(tid), now, insns)
	}
	return nil
}
