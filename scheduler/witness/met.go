package witness

import (
	"slices"

	"landgo/internal/trace"
)

// Met has the points and events that a guest's executions reached, of all that a search was asked to
// look at. It says whether a verdict without a bug means anything: where no
// execution had a second thread, or reached a preemption point, nothing was tried.
// It only grows, and is never rewound.
type Met struct {
	// Points are the kinds of preemption points that a thread reached while another
	// was there. A point of PointSync is one of another kind of operation than locks,
	// atomic instructions, creation and the end of threads.
	Points trace.Points
	// Rules has bit i set if the function of rule i of the granularity was on the
	// stack at such a point.
	Rules uint64 `json:",omitempty"`
	// Races are the instructions of scheduler.Granularity.Race that made an access to shared
	// memory while another thread was there, in ascending order.
	Races Ascending `json:",omitempty"`
	// Copied are the system calls that copied several words of shared memory in one step,
	// in ascending order.
	Copied Ascending `json:",omitempty"`
	// Judged are those of them that wrote several words which conditions read.
	Judged Ascending `json:",omitempty"`
	// Paged are those that changed pages which several threads use (mprotect and its like): they touch
	// many bytes, and copy none.
	Paged Ascending `json:",omitempty"`
	// Ran: a thread that another created ran code of the program's.
	Ran bool
	// Shared: two threads did what conflicts, with neither created after what the
	// other did, nor joined before.
	Shared bool
	// OnTime: an execution ended in which no timed wait ran out for want of any other
	// thread that could go on. Late: one in which some did.
	OnTime, Late bool
	// Meant is how threads were left that wait for ever, taken as meant (scheduler/meant.go): of
	// several ways the first by the alphabet. Ended: an execution ended otherwise.
	Meant string `json:",omitempty"`
	Ended bool   `json:",omitempty"`
	// Long is where the steps of the longest execution went.
	Long Long
	// Busy is the longest step.
	Busy Busy
	// Wrote is the first line that an execution with one thread wrote.
	Wrote string `json:",omitempty"`
	// For a kernel: whether a tick was ever delivered, and whether one couldn't be.
	Ticks, Barred bool
	// GoneOff: a timer that sends a signal has.
	GoneOff bool `json:",omitempty"`
	// AtOnce: a signal reached another thread in the step that sent it.
	AtOnce bool `json:",omitempty"`
	// Later: a signal arrived in a step of its own.
	Later bool `json:",omitempty"`
	// Unbroken are the calls of the C library's streams that called the kernel while a signal was
	// on its way to their thread, in ascending order.
	Unbroken Ascending `json:",omitempty"`
	// Cut: timers could have gone off more often than scheduler.Config.Ticks says.
	Cut bool `json:",omitempty"`
}

// Add adds what another System of the same guest has met.
func (m *Met) Add(o *Met) {
	m.Points |= o.Points
	m.Rules |= o.Rules
	for i, list := range m.lists() {
		for _, pc := range *o.lists()[i] {
			list.Add(pc)
		}
	}
	m.Ran = m.Ran || o.Ran
	m.Shared = m.Shared || o.Shared
	m.Ended = m.Ended || o.Ended
	if o.Busy.Insns > m.Busy.Insns {
		m.Busy = o.Busy
	}
	if o.Long.Steps > m.Long.Steps {
		m.Long = o.Long
	}
	m.AddMeant(o.Meant)
	m.OnTime, m.Late = m.OnTime || o.OnTime, m.Late || o.Late
	if m.Wrote == "" {
		m.Wrote = o.Wrote
	}
	m.Ticks = m.Ticks || o.Ticks
	m.Barred = m.Barred || o.Barred
	m.GoneOff = m.GoneOff || o.GoneOff
	m.AtOnce, m.Later = m.AtOnce || o.AtOnce, m.Later || o.Later
	m.Cut = m.Cut || o.Cut
}

// AddMeant adds how threads were left that wait for ever.
func (m *Met) AddMeant(text string) {
	if m.Meant == "" || text != "" && text < m.Meant {
		m.Meant = text
	}
}

// lists are its lists of instructions.
func (m *Met) lists() []*Ascending {
	return []*Ascending{&m.Races, &m.Copied, &m.Judged, &m.Paged, &m.Unbroken}
}

// Clone is a copy that shares nothing that may change.
func (m *Met) Clone() Met {
	c := *m
	for _, list := range c.lists() {
		*list = slices.Clone(*list)
	}
	return c
}

// Touched takes in accesses to shared memory of a thread beside another. racing are the
// instructions of scheduler.Granularity.Race.
func (m *Met) Touched(as []trace.Access, racing map[uint64]bool) {
	const all = trace.PointMem | trace.PointAtomic
	if m.Points&all == all && len(racing) == 0 {
		return
	}
	for i := range as {
		a := &as[i]
		m.Points |= trace.PointMem
		if a.Flags&trace.Atomic != 0 {
			m.Points |= trace.PointAtomic
		}
		if racing[a.PC] {
			m.Races.Add(a.PC)
		}
	}
}

// Ascending is a list of numbers, each once.
type Ascending []uint64

// Add adds one.
func (l *Ascending) Add(n uint64) {
	if i, ok := slices.BinarySearch(*l, n); !ok {
		*l = slices.Insert(*l, i, n)
	}
}

// PointsOf is the kinds of points that are before an operation or after it. PointSync is one of another
// kind of operation than those that Met.Points tells of.
func PointsOf(k trace.OpKind) trace.Points { return pointsOf[k] }

var pointsOf = func() (of [trace.NumOps]trace.Points) {
	for k := range of {
		switch trace.OpKind(k) {
		case trace.OpNone, trace.OpAccess, trace.OpCreate, trace.OpExit, trace.OpJoin, trace.OpTryJoin, trace.OpTryJoinFail,
			trace.OpDetach, trace.OpName, trace.OpTurn, trace.OpStores, trace.OpStored, trace.OpDrained, trace.OpFenceAll, trace.OpPage, trace.OpYield, trace.OpSleep, trace.OpAdvance, trace.OpEnd,
			trace.OpCallBegins, trace.OpCallEnds, trace.OpJudged:
		default:
			of[k] = trace.PointSync
		}
		of[k] |= trace.OpKind(k).Points()
	}
	// Failures of the operations that try.
	of[trace.OpTryLockFail], of[trace.OpSemTryWaitFail] = of[trace.OpTryLock], of[trace.OpSemTryWait]
	of[trace.OpTryReadLockFail], of[trace.OpTryWriteLockFail] = of[trace.OpTryReadLock], of[trace.OpTryWriteLock]
	of[trace.OpReadUnlock] = of[trace.OpWriteUnlock]
	// Without roles, lock and unlock mean the calls of the kernel's.
	for _, k := range []trace.OpKind{trace.OpFutexWait, trace.OpFutexLook, trace.OpFutexWake, trace.OpFutexMiss, trace.OpFutexRequeue, trace.OpFutexLockPI, trace.OpFutexTryPI, trace.OpFutexUnlockPI} {
		of[k] |= trace.PointLock | trace.PointUnlock
	}
	return of
}()
