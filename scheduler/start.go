package scheduler

import (
	"errors"
	"slices"
	"sync"

	"landgo/emu"
	"landgo/internal/trace"
)

// A guest's start: all that its first thread does before there is another. The dynamic linker
// alone takes millions of instructions for a library of C++, and a search begins at the root
// again and again as it learns. So the results of the processor's runs, from one stop to the
// next, are recorded and played. At the stops the kernel and the library do all that they always
// do.
//
// A leg is played only where the run would begin as that of the leg did, with the same
// registers and flags. Where one doesn't fit, or the start ends before its last leg, the
// step is taken back and run. So it is where there are breakpoints by now at what the
// start executed, which weren't there.

// Opening is a start that was noted, as plain data. At its last stop the processor is as
// in CPU.
type Opening struct {
	Legs  []Leg
	Insns uint64
	CPU   emu.Processor
	// Ran are the instructions that were executed, and perhaps others, ascending: each by
	// its distance from the one before. Breaks are where breakpoints were.
	Ran, Breaks []uint64
}

// Leg is a leg of a start's, and how its run began.
type Leg struct {
	emu.Leg
	As   legBegin
	Look uint64 // Advance's at its end
}

// legBegin is how a run begins, beside memory and what the processor holds already.
type legBegin struct {
	Flags emu.RunFlags
	Skip  bool // the breakpoint where it stands
	Set   trace.RegSet
	To    emu.Regs // these registers
}

// Openings has the start of one guest with one configuration, for all Systems of it.
type Openings struct {
	mu      sync.Mutex
	start   *Opening
	refused bool // it can't be noted, or didn't fit
	keep    func(*Opening)
}

// NewOpenings has a start that was kept; nil: there is none. keep is called with one that
// was noted, at the end of its step.
func NewOpenings(kept *Opening, keep func(*Opening)) *Openings {
	return &Openings{start: kept, refused: kept != nil && !kept.whole(), keep: keep}
}

// whole: such a start can be played.
func (o *Opening) whole() bool { return len(o.Legs) > 0 }

// passes reports whether a start reaches none of these breakpoints but its own.
func (o *Opening) passes(breaks []uint64) bool {
	news := map[uint64]bool{}
	for _, a := range breaks {
		news[a] = true
	}
	for _, a := range o.Breaks {
		delete(news, a)
	}
	at := uint64(0)
	for _, d := range o.Ran {
		if at += d; news[at] {
			return false
		}
	}
	return true
}

func (s *Openings) known() (o *Opening, refused bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.start, s.refused
}

// refuse says that there is none to play, from now on.
func (s *Openings) refuse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.start, s.refused = nil, true
}

// noted puts a start that was noted where none was.
func (s *Openings) noted(start *Opening) {
	s.mu.Lock()
	first := s.start == nil && !s.refused
	if first {
		s.start = start
	}
	s.mu.Unlock()
	if first && s.keep != nil {
		s.keep(start)
	}
}

// worthNoting is the least number of instructions of a start that is noted. Each runs once, or
// nearly, so to translate them takes longer than to play what they did.
const worthNoting = 1 << 15

// A start is noted up to this many instructions, and legs: a program may loop before it has a
// second thread.
const mostNoted, mostLegs = busyAlone / 2, 1 << 12

// starting is a System's part in the step that is the start.
type starting struct {
	play  *Opening // nil: none is played
	next  int      // its leg
	note  *Opening // nil: none is noted
	begin *Leg     // the leg that is noted, nil: the next run begins one
	from  struct{ journal, clockReads, insns uint64 }
	over  bool // nothing more is noted
}

// plays: legs are still to be played. The processor isn't what it was, but for the general
// registers.
func (g *starting) plays() bool { return g.play != nil && g.next < len(g.play.Legs) }

// errOtherStart ends a step in which a start doesn't fit.
var errOtherStart = errors.New("the start is another one")

// runOrPlay is runCPU, or plays the outcome that it had before.
func (s *System) runOrPlay(th edit, tr *trace.Transition, next *nextRun) (*emu.Stop, error) {
	g := &s.starting
	skip := next.skip || next.pass
	if th.ID == 0 && g.plays() {
		return s.playLeg(th, tr, skip, &next.look)
	}
	if g.note == nil || g.over || th.ID != 0 {
		return s.runCPU(th, tr, next), nil
	}
	s.noteBegin(th.thread, skip)
	stop := s.runCPU(th, tr, next)
	s.noteEnd(th.thread, stop, next.look)
	return stop, nil
}

// legBegin is how the thread's next run begins.
func (s *System) legBegin(th *thread, skip bool) legBegin {
	b := legBegin{Flags: s.flags(th, s.lib.Running(th.ID)), Skip: skip, Set: th.Set}
	if b.Set != 0 {
		b.To = th.Regs
	}
	return b
}

// plainRun: nothing is recorded of such a run, and no other thread can join in it.
func plainRun(f emu.RunFlags) bool {
	return f&(emu.Solo|emu.Quiet) != 0 && f&^(emu.Solo|emu.Quiet|emu.Check|emu.Unchecked|emu.Faults) == 0
}

func (s *System) noteBegin(th *thread, skip bool) {
	g := &s.starting
	if g.begin != nil {
		return
	}
	b := s.legBegin(th, skip)
	if !plainRun(b.Flags) || !s.Alone(th.ID) || th.Interrupted != 0 || s.pinned >= 0 || th.Insns >= mostNoted || len(g.note.Legs) == mostLegs {
		g.over = true
		return
	}
	g.begin = &Leg{As: b}
	g.from.journal, g.from.clockReads, g.from.insns = s.machine.Journal(), s.machine.ClockReads(), th.Insns
}

// noteEnd takes in a run that is over, and with it the leg if the guest is asked at the stop.
func (s *System) noteEnd(th *thread, stop *emu.Stop, look uint64) {
	g := &s.starting
	if g.begin == nil {
		return
	}
	if len(stop.Accesses) > 0 || stop.Half || stop.Learned || th.Insns >= mostNoted {
		g.over, g.begin = true, nil
		return
	}
	g.begin.Fences = append(g.begin.Fences, stop.Fences...)
	switch stop.Why {
	case emu.StopBudget:
		return
	case emu.StopBreak, emu.StopTrap:
	default:
		g.over, g.begin = true, nil
		return
	}
	if s.machine.FreezeCPU(stop.Ctx, &g.note.CPU) != nil {
		g.over, g.begin = true, nil
		return
	}
	l := g.begin
	fences := l.Fences
	l.Leg = *s.machine.LegFrom(g.from.journal, g.from.clockReads, stop)
	l.Insns, l.Fences, l.Look = th.Insns-g.from.insns, fences, look
	g.note.Legs, g.note.Insns, g.begin = append(g.note.Legs, *l), th.Insns, nil
}

// endNote is at the end of a step in which a start was noted.
func (s *System) endNote() {
	n := s.starting.note
	s.starting = starting{}
	if n.Insns < worthNoting || !n.whole() || s.machine.Movable(&n.CPU) != nil {
		s.openings.refuse()
		return
	}
	n.Breaks = s.machine.Broken()
	slices.Sort(n.Breaks)
	last := uint64(0)
	s.machine.EachRan(func(addr uint64) {
		n.Ran, last = append(n.Ran, addr-last), addr
	})
	s.openings.noted(n)
}

// playLeg gives a thread the noted outcome of its next run, without running it.
func (s *System) playLeg(th edit, tr *trace.Transition, skip bool, look *uint64) (*emu.Stop, error) {
	g := &s.starting
	l := &g.play.Legs[g.next]
	b := s.legBegin(th.thread, skip)
	if b != l.As || l.Why == emu.StopBreak && !s.machine.Breaks(l.PC) || !s.Alone(th.ID) || th.Interrupted != 0 || s.pinned >= 0 {
		return nil, errOtherStart
	}
	g.next++
	*look = l.Look
	var cpu *emu.Processor
	if g.next == len(g.play.Legs) {
		cpu = &g.play.CPU
	}
	stop, err := s.machine.Play(&l.Leg, th.Ctx, s.run.Reuse, cpu)
	if err != nil {
		return nil, errOtherStart
	}
	th.Ctx, th.Half, th.Set = stop.Ctx, 0, 0
	th.Insns += stop.Insns
	s.record.Instructions += stop.Insns
	for _, f := range stop.Fences {
		tr.Fenced(int(f))
	}
	s.passedOver = false
	return stop, nil
}
