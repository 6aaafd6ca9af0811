package scheduler

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
	// Races are the instructions of Granularity.Race that made an access to shared
	// memory while another thread was there, in ascending order.
	Races []uint64 `json:",omitempty"`
	// Copied are the system calls that copied several words of shared memory in one step,
	// in ascending order.
	Copied []uint64 `json:",omitempty"`
	// Judged are those of them that wrote several words which conditions read.
	Judged []uint64 `json:",omitempty"`
	// Paged are those that changed pages which several threads use (mprotect and its like): they touch
	// many bytes, and copy none.
	Paged []uint64 `json:",omitempty"`
	// Ran: a thread that another created ran code of the program's.
	Ran bool
	// Shared: two threads did what conflicts, with neither created after what the
	// other did, nor joined before.
	Shared bool
	// OnTime: an execution ended in which no timed wait ran out for want of any other
	// thread that could go on. Late: one in which some did.
	OnTime, Late bool
	// Meant is how threads were left that wait for ever, taken as meant (meant.go): of
	// several ways the first by the alphabet. Ended: an execution ended otherwise.
	Meant string `json:",omitempty"`
	Ended bool   `json:",omitempty"`
	// Long is where the steps of the longest execution went.
	Long Long
	// Busy is the longest step.
	Busy Busy
	// Wrote is the first line that an execution with one thread wrote.
	Wrote string `json:",omitempty"`
	// Of a kernel: whether a tick was ever delivered, and whether one couldn't be.
	Ticks, Barred bool
	// GoneOff: a timer that sends a signal has.
	GoneOff bool `json:",omitempty"`
	// AtOnce: a signal reached another thread in the step that sent it.
	AtOnce bool `json:",omitempty"`
	// Later: a signal arrived in a step of its own.
	Later bool `json:",omitempty"`
	// Unbroken are the calls of the C library's streams that called the kernel while a signal was
	// on its way to their thread, in ascending order.
	Unbroken []uint64 `json:",omitempty"`
	// Cut: timers could have gone off more often than Config.Ticks says.
	Cut bool `json:",omitempty"`
}

func (m *Met) add(o Met) {
	m.Points |= o.Points
	m.Rules |= o.Rules
	for _, pc := range o.Races {
		m.addRace(pc)
	}
	for _, pc := range o.Copied {
		m.addCopied(pc)
	}
	for _, pc := range o.Judged {
		m.addJudged(pc)
	}
	for _, pc := range o.Paged {
		m.addPaged(pc)
	}
	for _, pc := range o.Unbroken {
		m.addUnbroken(pc)
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
	m.addMeant(o.Meant)
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

func (m *Met) addMeant(text string) {
	if m.Meant == "" || text != "" && text < m.Meant {
		m.Meant = text
	}
}

func (m *Met) addRace(pc uint64)   { m.Races = with(m.Races, pc) }
func (m *Met) addCopied(pc uint64) { m.Copied = with(m.Copied, pc) }
func (m *Met) addJudged(pc uint64) { m.Judged = with(m.Judged, pc) }
func (m *Met) addPaged(pc uint64)  { m.Paged = with(m.Paged, pc) }

func (m *Met) addUnbroken(pc uint64) { m.Unbroken = with(m.Unbroken, pc) }

// with is an ascending list that has n too.
func with(list []uint64, n uint64) []uint64 {
	if i, ok := slices.BinarySearch(list, n); !ok {
		return slices.Insert(list, i, n)
	}
	return list
}

// Met returns a copy of the record so far.
func (s *seen) Met() Met {
	m := s.met
	for _, list := range []*[]uint64{&m.Races, &m.Copied, &m.Judged, &m.Paged, &m.Unbroken} {
		*list = slices.Clone(*list)
	}
	return m
}

// Meet adds what another System of the same guest has met.
func (s *seen) Meet(m Met) { s.met.add(m) }

// End notes that an execution has ended, which wrote a line. stuck: threads are left that
// can never go on.
func (s *System) End(wrote string, stuck bool) {
	s.met.Ended = s.met.Ended || !stuck
	if !s.ranOut.Get() {
		s.met.OnTime = true
	} else {
		s.met.Late = true
	}
	if s.met.Wrote == "" {
		s.met.Wrote = wrote
	}
}

// meetStep takes in what a step did, before which the thread was alone or not.
func (m *uses) meetStep(th *thread, tr *trace.Transition, alone bool) {
	if th.Parent != trace.NoThread && th.Insns > tr.Begin && !th.Starting {
		m.seen.met.Ran = true
	}
	for i := range tr.Ops {
		switch k := tr.Ops[i].Kind; {
		case k == trace.OpCreate:
			alone = false
		case k == trace.OpAdvance && !m.in.ranOut.Get():
			m.in.machine.PutFlag(&m.in.ranOut, true)
		case k == trace.OpJoin:
			alone = m.in.Alone(th.ID)
		case !alone:
			m.seen.met.Points |= pointsOfOps[k]
		}
	}
	if m.seen.met.Points&(trace.PointMem|trace.PointAtomic) != trace.PointMem|trace.PointAtomic || len(m.in.racing) > 0 {
		for i := range tr.Accesses {
			a := &tr.Accesses[i]
			m.seen.met.Points |= trace.PointMem
			if a.Flags&trace.Atomic != 0 {
				m.seen.met.Points |= trace.PointAtomic
			}
			if m.in.racing[a.PC] {
				m.seen.met.addRace(a.PC)
			}
		}
	}
	if !m.seen.met.Shared {
		if m.seen.met.Shared = m.shares(th, tr); m.seen.met.Shared {
			m.uses = nil
		}
	}
}

// pointsOfOps has the kinds of points that are before an operation or after it.
var pointsOfOps = func() (of [trace.NumOps]trace.Points) {
	for k := range of {
		switch trace.OpKind(k) {
		case trace.OpNone, trace.OpAccess, trace.OpCreate, trace.OpExit, trace.OpJoin, trace.OpTryJoin, trace.OpTryJoinFail,
			trace.OpDetach, trace.OpName, trace.OpTurn, trace.OpStores, trace.OpStored, trace.OpDrained, trace.OpFenceAll, trace.OpPage, trace.OpYield, trace.OpSleep, trace.OpAdvance, trace.OpEnd,
			trace.OpCallBegins, trace.OpCallEnds, trace.OpJudged:
		default:
			of[k] = trace.PointSync
		}
		of[k] |= PointsOf(trace.OpKind(k))
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

// MeetPoints notes that a thread has reached points of these kinds while another was there.
func (s *seen) MeetPoints(p trace.Points) { s.met.Points |= p }
