package travel

import (
	"errors"
	"fmt"

	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
)

// piece is a step of the path, or a part of a long one.
type piece struct {
	step     por.PathStep // as it is taken
	base     uint64       // the moment at which it begins
	ticks    uint64
	from, to scheduler.Position
	flushed  uint64 // the store that a store buffer writes to memory in it; 0: it is a thread's
}

// owner is the thread that a debugger sees take a step: a store buffer's, or a signal's arrival,
// is its thread's.
func (t *Travel) owner(tid trace.TID) trace.TID {
	if t.s.IsBeside(tid) {
		if own, ok := t.s.Guest.Lookup(trace.OwnerName(t.s.Guest.Name(tid))); ok {
			return own
		}
	}
	return tid
}

// longest is how many ticks a piece has at most: what is run again to reach a moment
// within one.
const longest = 1 << 15

// ticksBetween counts what is done between two places of a thread: the instructions, and
// the part of one in which the second is.
func ticksBetween(from, to scheduler.Position) uint64 {
	n := to.Insns - from.Insns
	if to.Part > 0 && (n > 0 || to.Part > from.Part) {
		n++
	}
	return n
}

// scan cuts the path into pieces, and keeps their trails.
func (t *Travel) scan() error {
	t.s.Guest.Rewind(t.s.Root)
	if t.s.Platform.Linux() {
		t.auxv = t.auxiliary(t.s.Plain.RegistersOf(t.path[0].Thread).RSP)
	}
	t.marks = []marked{{0, t.s.Root}}
	t.trails = trails{of: map[int]*trail{}}
	for i := range t.path {
		step := t.path[i]
		from := t.s.Guest.Position(step.Thread)
		for !t.s.IsBuffer(step.Thread) && from.Insns < step.Last && step.Last-from.Insns > longest {
			part := step
			part.Limit = from.Insns + longest
			if _, err := t.addPiece(part, from); err != nil {
				return err
			}
			from = t.s.Guest.Position(step.Thread)
			step.Choice = 0
		}
		if _, err := t.addPiece(step, from); err != nil {
			return err
		}
	}
	return nil
}

// addPiece takes a step, and makes a piece of it.
func (t *Travel) addPiece(step por.PathStep, from scheduler.Position) (*trace.Transition, error) {
	n := len(t.pieces)
	t.keepMark(n)
	t.root(step.Thread)
	defer t.root(step.Thread)
	flushed := uint64(0)
	if t.s.IsBuffer(step.Thread) {
		flushed = t.s.Guest.PC(step.Thread)
	}
	v := t.view(step.Thread, from.Insns)
	tr, err := t.take(&step)
	trail := v.end(t)
	if err != nil {
		return nil, err
	}
	to := t.s.Guest.Position(step.Thread)
	p := piece{step: step, base: t.total, ticks: ticksBetween(from, to), from: from, to: to, flushed: flushed}
	if flushed != 0 {
		p.ticks = 1 // its numbers are those of stores
	}
	t.pieces = append(t.pieces, p)
	t.total += p.ticks
	t.trails.keep(n, trail.fitted(&p))
	t.live = n + 1
	return tr, nil
}

// take takes a step. Its news of sharing makes later steps shorter, which go on to
// where they went before.
func (t *Travel) take(step *por.PathStep) (*trace.Transition, error) {
	tr, err := t.s.Take(step)
	if errors.Is(err, por.ErrFiner) {
		err = nil
	}
	return tr, err
}

// again takes a piece again, from its beginning to its end.
func (t *Travel) again(n int) error {
	p := &t.pieces[n]
	tid := p.step.Thread
	step := p.step
	for range 1 + p.ticks {
		if _, err := t.take(&step); err != nil {
			return err
		}
		if t.s.Guest.Position(tid) == p.to {
			return nil
		}
		if at := t.s.Guest.Position(tid); at.Insns > p.to.Insns {
			break
		}
		step.Choice = 0
		if p.to.Part == 0 {
			step.Limit = p.to.Insns
		}
	}
	return fmt.Errorf("thread %s went another way when its step was taken again", t.s.Guest.Name(tid))
}
