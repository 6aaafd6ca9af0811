package session

import (
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
	"landgo/scheduler/witness"
)

// Guest is a guest under control: one whose threads landgo schedules, or a kernel that
// schedules its own. Its interfaces are cut by caller: what only searches (a detector
// that looks on, a count of steps) asks for a Runner, and can be tested with a few steps.
type Guest struct {
	Runner
	Gatherer
	Replayed
	Told
}

// Runner is the guest as searches use it. An onlooker at the steps takes the place of the System.
type Runner struct {
	por.System
	Sparing
}

// Sparing is the guest's help to a search, to make fewer steps.
type Sparing struct {
	por.Census
	por.Hasher
	por.Awaiter
	por.Blender
	por.Counter
	por.Tester
	por.Parker
	por.Overwriter
	por.Symmetric
	Stopper
	Sparer
}

// Gatherer is the account of many executions together.
type Gatherer struct {
	Learner
	Recorder
}

// Replayed is the guest as replays use it.
type Replayed struct {
	Follower
	Doubter
}

// Told is the guest as reports use it.
type Told struct {
	Roster
	Namer
	Explainer
}

// Stopper has steps ask whether to end with scheduler.ErrStopped.
type Stopper interface{ StopIf(func() bool) }

// Sparer tells detectors of races what a search was spared (scheduler/polled.go).
type Sparer interface {
	Polled(f func(*trace.Polls))
}

// Learner is the knowledge of threads and the memory that they share, and where
// steps end by that. It outlasts executions.
type Learner interface {
	SetGranularity(scheduler.Granularity)
	Learned() uint64
	Knowledge() *scheduler.Knowledge
	Learn(*scheduler.Knowledge) (news bool, err error)
	Seal(on bool)
}

// Recorder is the record of executions, for certificates and warnings.
type Recorder interface {
	// Seen is what was seen so far.
	Seen() *witness.Record
	// Timed: a trusted function was called with a time at which it gives up.
	Timed() bool
	// End notes that an execution has ended, which wrote a line.
	End(wrote string, stuck bool)
}

// Follower is the guest as a replay with a schedule uses it.
type Follower interface {
	Lookup(name string) (trace.TID, bool)
	Position(trace.TID) scheduler.Position
	Limit(insns uint64)
	Stride(events uint32, aim uint64)
	LimitStarts(insns map[string]uint64)
	Unspin(trace.TID)
	// State is a digest of memory, to compare two runs by.
	State() uint64
}

// Doubter is the guest of a replay whose schedule can't be followed, or has ended: its run
// may have known more.
type Doubter interface {
	// Rest has threads wait that would only poll, at a schedule's end. True: as CatchUp.
	Rest() bool
	Distrust() bool
	// CatchUp finds out whether the threads that seem ready can run. True: it has
	// learned that they can't, and the execution is to begin again.
	CatchUp() bool
}

// Roster has the facts of threads for reports.
type Roster interface {
	Name(trace.TID) string
	PC(trace.TID) uint64
	Stack(trace.TID) []uint64
	Starts() []scheduler.Start
}

// Namer names memory for reports.
type Namer interface {
	Variable(addr uint64) (string, bool)
	VariableName(addr uint64) string
	Describe(addr uint64) string
	Whereabouts(addr uint64) scheduler.Whereabouts
	Controlled(addr uint64) trace.TID
	IsReturn(place uint64) bool
	Pointee(addr uint64) (Pointee, bool)
	PointeeOf(t trace.TID, value, size uint64) (Pointee, bool)
}

// Explainer explains a state for reports: what is wrong in it, and what each
// thread is about.
type Explainer interface {
	Failure(trace.TID) *scheduler.Failure
	Stuck(ended bool) *scheduler.Failure
	// LetThrough lists the errors that the execution went past.
	LetThrough() []*scheduler.Failure
	Held(trace.TID) []string
	NextText(trace.TID) string
	StateText(trace.TID) string
	OpText(trace.Op) string
	// Observe has an observer hear of blocks, nil for none.
	Observe(scheduler.Observer)
}

// Console is where a guest's output is.
type Console interface {
	// Output is the guest's output so far in this execution, by descriptor.
	Output(fd int) []byte
}
