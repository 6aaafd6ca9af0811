package steer

import (
	"landgo/emu"
	"landgo/internal/trace"
)

// Loops without interrupts. The processor's acts with interrupts off follow from its
// registers and the memory, unless it asks a device or a clock. If all of that is as it was
// before, it goes round for ever, and no interrupt can end it. It is a thread that spins
// with interrupts off, or waits there for others. Or it is a handler that waits for the
// thread that it interrupted, or threads that yield to each other with interrupts off.

const (
	// offFrom is how many instructions a stretch has before that is looked for.
	offFrom = 200_000
	// offRun is how many instructions are run at a time with interrupts off: a
	// multiple of all small numbers, so that most loops have come round after it.
	offRun = 720_720
	// offLooks is how many times the state is compared with the same one before.
	offLooks = 64
)

// offLoop is a state in a stretch without interrupts that may come again.
type offLoop struct {
	looks   int
	journal uint64
	cpu     trace.Digest
	asked   uint64
}

// endless reports whether the stretch under way, in which this many instructions were run, has
// reach a state in which it was before.
func (ex *execution) endless(l *offLoop, ran uint64) (bool, error) {
	if ex.in.on.Get() || !ex.in.booted.Get() || ran < offFrom || ex.in.gap.Get() != gapNone {
		return false, nil
	}
	if err := ex.proc.flush(); err != nil {
		return false, err
	}
	now := offLoop{journal: ex.in.machine.Journal(), cpu: ex.in.machine.CPUDigest(emu.Ctx(ex.in.cpu.Get())), asked: ex.in.asked + ex.in.machine.ClockReads()}
	if l.looks > 0 && now.asked == l.asked && now.cpu == l.cpu && ex.in.machine.Unchanged([]emu.Stretch{{From: l.journal, To: now.journal}}, func(uint64) bool { return false }) {
		return true, nil
	}
	if l.looks++; l.looks == 1 || l.looks > offLooks {
		now.looks = 1
		*l = now
	}
	return false, nil
}

// offText describes such a loop in a report.
const offText = "interrupts are off, and the processor goes round in a loop for ever"

// offRounds: with the step under way the processor is where it was before, and
// interrupts were off all the time.
func (o *rounds) offRounds() bool { return o.step.due && o.in.steps[len(o.in.steps)-1].off }
