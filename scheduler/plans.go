package scheduler

import (
	"landgo/internal/trace"
	"landgo/kernel"
)

// The plan of the trap at which a thread stands is asked for several times: when the thread is
// described, for what it waits for, and when its step begins. The kernel makes it anew each time,
// which takes longer than to describe a thread. So a plan is kept for an instant.

// instant is the state of a guest, for as long as it stays the same. Two that are equal are of the same
// state, unless a thread under way was changed between by its own edit.
type instant struct {
	edits           uint64 // how often a thread's state was opened for changes, or all went back
	journal, logged uint64 // of the machine: guest memory, and the kernel's state
	insns           uint64 // of the thread: it is another trap after each
}

// stood is the plan that a thread had at an instant.
type stood struct {
	at   instant
	plan kernel.Plan
}

func (s *present) instant(th *thread) instant {
	return instant{s.listing.edits, s.machine.Journal(), uint64(s.machine.Logged()), th.Insns}
}

// planned is the plan of the trap at which a thread stands, made now.
func (s *present) planned(th *thread) kernel.Plan {
	p := s.kernel.Plan(th.ID, th.trap)
	if p.Fences && s.cfg.Buffers && !s.Alone(th.ID) {
		p.Effect, p.Op = kernel.Event, trace.Op{Kind: trace.OpFenceAll}
	}
	return p
}

// plan is the same for StandTrap, as it was made at this instant. It isn't to be changed.
func (s *present) plan(th *thread) *kernel.Plan {
	l := &s.listing
	for int(th.ID) >= len(l.plans) {
		l.plans = append(l.plans, stood{})
	}
	k := &l.plans[th.ID]
	if now := s.instant(th); k.at != now {
		k.at, k.plan = now, s.planned(th)
	}
	return &k.plan
}

// planHolds reports whether a thread's plan is of this instant. keepPlan has it hold on, where
// nothing has changed since but that the thread was opened for changes.
func (s *present) planHolds(th *thread) bool {
	l := &s.listing
	return th.Stand == StandTrap && int(th.ID) < len(l.plans) && l.plans[th.ID].at == s.instant(th)
}

func (s *present) keepPlan(th *thread) { s.listing.plans[th.ID].at = s.instant(th) }
