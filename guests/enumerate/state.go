package enumerate

import "slices"

// life is a thread's stage.
type life uint8

const (
	unborn life = iota
	running
	exited
)

// thread is one thread's part of a state. Between events it stands at the
// instruction of its next event.
type thread struct {
	life life
	pc   int
	regs Regs
	// done counts its events: with the thread's number it tells the event.
	done int
	// woken: its wait on a condition variable is over, or its barrier opened.
	woken bool
	// released: its last event let go of something (a point of --pp unlock).
	released bool
	// visits and spin are the business of spin.go.
	visits []visit
	spin   []use
}

// lock is a mutex; holder is -1 where it is free.
type lock struct {
	holder    int
	destroyed bool
}

// rw is a reader-writer lock: its writer or -1, and its readers.
type rw struct {
	writer  int
	readers uint64 // a bit a thread
}

// state is a program's state between two events.
type state struct {
	code     [][]instr
	memory   []int
	mutexes  []lock
	queues   [][]int // of the condition variables
	sems     []int
	rws      []rw
	arrived  [][]int // at the barriers, in this round
	barriers []int   // their sizes
	onces    []int   // 0 untouched, -1 done, else 1 + the thread that runs it
	threads  []thread
	ended    bool
	bug      Kind
	message  string
}

func newState(p *Program) *state {
	s := &state{
		code: compile(p), memory: slices.Clone(p.Memory), sems: slices.Clone(p.Sems),
		barriers: p.Barriers, mutexes: make([]lock, p.Mutexes), queues: make([][]int, p.Conds),
		rws: make([]rw, p.RWLocks), arrived: make([][]int, len(p.Barriers)),
		onces: make([]int, p.Onces), threads: make([]thread, len(p.Threads)),
	}
	for i := range s.mutexes {
		s.mutexes[i].holder = -1
	}
	for i := range s.rws {
		s.rws[i].writer = -1
	}
	s.threads[0].life = running
	s.settle(0)
	return s
}

// clone copies what an event may change. Queues and visits are never changed
// in place, so their headers are enough.
func (s *state) clone() *state {
	c := *s
	c.memory = slices.Clone(s.memory)
	c.mutexes = slices.Clone(s.mutexes)
	c.queues = slices.Clone(s.queues)
	c.sems = slices.Clone(s.sems)
	c.rws = slices.Clone(s.rws)
	c.arrived = slices.Clone(s.arrived)
	c.onces = slices.Clone(s.onces)
	c.threads = slices.Clone(s.threads)
	return &c
}

// next is the instruction of a thread's next event.
func (s *state) next(t int) *instr { return &s.code[t][s.threads[t].pc] }

// settle runs a thread's private statements up to its next event.
func (s *state) settle(t int) {
	th := &s.threads[t]
	for {
		i := s.next(t)
		switch i.kind {
		case opSet:
			th.regs[i.dst] = i.a(&th.regs)
			th.pc++
		case opJump:
			th.pc = i.to
		case opUnless:
			if i.cond(&th.regs) {
				th.pc++
			} else {
				th.pc = i.to
			}
		case opLoopHead:
			s.visitLoop(t)
			th.pc++
		default:
			return
		}
	}
}

// ready reports whether a thread's next event is possible now.
func (s *state) ready(t int) bool {
	th := &s.threads[t]
	if th.life != running || th.spin != nil {
		return false
	}
	i := s.next(t)
	switch i.kind {
	case opLock:
		// Locking what one holds oneself, or what is destroyed, is possible
		// at once: it is a bug.
		m := s.mutexes[i.a(&th.regs)]
		return m.holder < 0 || m.holder == t || m.destroyed
	case opReacquire:
		return th.woken && s.mutexes[i.a(&th.regs)].holder < 0
	case opDown:
		return s.sems[i.a(&th.regs)] > 0
	case opReadLock:
		return s.rws[i.a(&th.regs)].writer < 0
	case opWriteLock:
		l := s.rws[i.a(&th.regs)]
		return l.writer < 0 && l.readers == 0
	case opLeave:
		return th.woken
	case opOnceBegin:
		return s.onces[i.a(&th.regs)] <= 0
	case opJoin:
		return s.threads[i.a(&th.regs)].life == exited
	}
	return true
}

// outcomes is the number of outcomes of a ready thread's next event: which
// waiter a signal wakes.
func (s *state) outcomes(t int) int {
	if i := s.next(t); i.kind == opSignal {
		return max(1, len(s.queues[i.a(&s.threads[t].regs)]))
	}
	return 1
}

// free reports whether switching away from a ready thread is no preemption: it
// stands at a yield or at its end, be it the process's too.
func (s *state) free(t int) bool {
	k := s.next(t).kind
	return k == opYield || k == opExit || k == opEnd
}

// stuck names why no thread can run: nothing where all threads have exited,
// a livelock where some thread spins, else a deadlock.
func (s *state) stuck() Kind {
	kind := Kind("")
	for t := range s.threads {
		th := &s.threads[t]
		switch {
		case th.life != running:
		case th.spin != nil:
			return Livelock
		default:
			kind = Deadlock
		}
	}
	return kind
}

// fail ends the process with a bug.
func (s *state) fail(k Kind, message string) {
	s.ended, s.bug, s.message = true, k, message
}
