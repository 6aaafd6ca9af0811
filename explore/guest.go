package explore

import (
	"landgo/por"
	"landgo/scheduler"
	"landgo/trace"
)

// guest is a guest under control: scheduler.System, whose threads landgo
// schedules, or steer.Kernel, a kernel that does so itself. Beside what a search
// needs, it answers what replays and reports ask.
type guest interface {
	por.System
	// Digest is for searches that store states.
	Digest() (trace.Digest, error)

	// Names and places.
	Name(trace.TID) string
	Lookup(name string) (trace.TID, bool)
	PC(trace.TID) uint64
	Stack(trace.TID) []uint64
	Position(trace.TID) scheduler.Position
	Starts() []scheduler.Start
	Variable(addr uint64) (string, bool)
	VariableName(addr uint64) string
	Describe(addr uint64) string
	Whereabouts(addr uint64) scheduler.Whereabouts

	// What is the matter in a state.
	Failure(trace.TID) *scheduler.Failure
	Stuck(ended bool) *scheduler.Failure
	Held(trace.TID) []string
	NextText(trace.TID) string
	StateText(trace.TID) string
	OpText(trace.Op) string
	State() uint64

	// StopIf has steps ask whether to end with scheduler.ErrStopped.
	StopIf(func() bool)

	// Following a schedule.
	Limit(insns uint64)
	LimitStarts(insns map[string]uint64)
	Unspin(trace.TID)
	Distrust() bool
	// Settle finds out whether who can run is as it seems. True: it has learned
	// that it isn't, and the execution is to begin again.
	Settle() bool
	Observe(scheduler.Observer)

	// What is learned and seen.
	SetGranularity(scheduler.Granularity)
	Learned() uint64
	Knowledge() *scheduler.Knowledge
	Learn(*scheduler.Knowledge) (news bool, err error)
	Seal(on bool)
	Look(*scheduler.Sights) *scheduler.Sights
	Unexamined() []scheduler.Pair
	Witness(*scheduler.Witnessed)
	Witnessed() *scheduler.Witnessed
	TakeWitnessed() *scheduler.Witnessed
	// Met is which of what a search asks for was met; End notes that an execution has
	// ended, which wrote a line.
	Met() scheduler.Met
	Meet(scheduler.Met)
	End(wrote string)
	Instructions() uint64
	Calls() []string
}

// console is where a guest's output is.
type console interface {
	// Output is what the guest wrote so far in this execution, by descriptor.
	Output(fd int) []byte
}
