package session

import (
	"fmt"
	"slices"
	"strings"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// NewResult is a result with what is known before the search.
func (s *Session) NewResult() *result.Result {
	g := s.Config.Granularity()
	basis, trusted := s.Platform.trusted(&s.Program)
	faults := ""
	if f := s.Config.Failures(); f.Any() {
		faults = f.Text()
	}
	return &result.Result{
		Faults: faults,
		Guest:  s.guestFiles(),
		Kernel: s.Image.Kernel.String(), PP: s.Config.PointList(), Granularity: g,
		Search: s.Config.Search, Bound: s.Config.Bounds.String(), Notes: s.Notes,
		Certificate: result.Certificate{
			Image: s.Image.SHA256, Granularity: g, Bound: s.Config.Bounds.String(), Search: s.Config.Search,
			Memory: s.memoryModel(), Timeouts: s.timeoutModel(), Faults: faults, Trusted: trusted, Basis: basis, Profile: s.profileName(), SelfCheck: "not run",
		},
	}
}

// guestFiles are the guest's file, and those that it was linked with.
func (p *Program) guestFiles() result.Guest {
	g := result.Guest{Path: p.Config.Guest, SHA256: p.Image.SHA256, Asked: p.Config.Libraries}
	if d := p.Image.Separate; d != nil && len(p.Image.Parts) == 0 {
		g.Libraries = append(g.Libraries, result.Library{Path: d.Path, SHA256: d.SHA256})
	}
	for i, part := range p.Image.Parts {
		if i > 0 { // the first is the guest's own
			g.Libraries = append(g.Libraries, result.Library{Path: part.Path, SHA256: part.SHA256})
		}
		if d := part.Separate; d != nil {
			g.Libraries = append(g.Libraries, result.Library{Path: d.Path, SHA256: d.SHA256})
		}
	}
	return g
}

// timedLast ends a certificate's basis where a timed wait was met.
const timedLast = ", timed waits run out last"

// Finish puts in what is known after everything.
func (s *Session) Finish(r *result.Result) {
	r.Seconds = s.Clock.Elapsed().Seconds()
	if s.Machine == nil {
		return
	}
	r.Certificate.Engine = s.Machine.Version()
	if s.Guest != nil {
		r.Instructions = s.Guest.Seen().Instructions
		r.Certificate.Calls = s.Guest.Seen().Calls()
		if s.Guest.Timed() && s.Config.Timeouts != config.TimeoutsAny && !strings.Contains(r.Certificate.Basis, timedLast) {
			r.Certificate.Basis += timedLast // it may be finished more than once
		}
	}
	r.Certificate.Assumptions = s.assumptions()
}

// Robust is a certificate's claim about memory when the whole space was searched under
// sequential consistency and no execution has a triangular race.
const Robust = "x86-TSO (no triangular race)"

// memoryModel is that of a search.
func (p *Program) memoryModel() string {
	if p.Config.Buffers() {
		return "x86-TSO (store buffers explored)"
	}
	if p.uniprocessor() {
		return "sequentially consistent (one processor)"
	}
	return "sequentially consistent (several processors)"
}

func (p *Program) timeoutModel() string {
	if text := p.Platform.sleeps; text != "" {
		return text
	}
	if p.Config.Timeouts == config.TimeoutsAny {
		return "a timed wait may run out at any point"
	}
	return "a timed wait runs out only when no other thread can run, or beside sleeps that are as long"
}

// profileName says by which profiles functions have their meanings.
func (p *Program) profileName() string {
	name := p.profile.Name
	if p.builtIn != "" {
		name += ", " + p.builtIn
	}
	if p.Config.Profile != nil {
		name += ", " + p.Config.Profile.Name()
	}
	return name
}

// timers are the calls that set one which may send a signal.
var timers = []string{"alarm", "setitimer", "timer_settime"}

// calls reports whether the guest has called one of these.
func (s *Session) calls(names []string) bool {
	return s.Guest != nil && slices.ContainsFunc(s.Guest.Seen().Calls(), func(call string) bool { return slices.Contains(names, call) })
}

func (s *Session) assumptions() []string {
	out := s.Platform.assumptions(s)
	if s.Machine.ClockReads() != 0 && !s.Platform.Ticks {
		out = append(out, "the processor's counter (rdtsc) counts each thread's own instructions")
	}
	if s.Config.Buffers() {
		out = append(out, "system calls that take a lock in the kernel, and the C library's streams, empty a thread's store buffer")
	}
	if s.Config.Copies == config.CopiesDivided {
		out = append(out, "system calls copy memory that threads share word by word, by ascending address")
	}
	if s.Guest != nil && s.Guest.Seen().Met.AtOnce {
		out = append(out, "a signal reaches a running thread in the step that sends it, not after the sender's next steps (where timers send signals, and in searches that can't delay them)")
	}
	if s.calls(timers) {
		out = append(out, fmt.Sprintf("while something else can run, at most %d ticks of timers that send signals. Timers of 5 s or more don't tick then, nor those of 1 s or more whose signal ends the process", s.Config.MostTicks()))
	}
	if s.Judged() && s.Platform.Buffered {
		out = append(out, "conditions see what is in memory, and nothing that is in a store buffer")
	}
	if s.Plain != nil {
		out = append(out, s.Plain.Spared()...)
	}
	if !s.Config.ObserveStdout {
		out = append(out, "the order of output between threads doesn't matter")
	}
	return out
}
