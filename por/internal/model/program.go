package model

import "fmt"

// NumRegs is the number of registers of a thread.
const NumRegs = 8

// Code is an instruction's operation.
type Code uint8

// The instructions. A, B and C are operands; R is a register.
const (
	Nop Code = iota
	// Local instructions: no event.
	Set    // R = C
	AddI   // R += C
	AddR   // R += reg[A]
	Jump   // to A
	JumpIf // to A if reg[R] == C
	JumpNe // to A if reg[R] != C
	Call   // F(regs): any pure function of the registers
	Assert // bug A unless reg[R] == C
	AssNe  // bug A unless reg[R] != C

	// Events on memory: Size bytes at A (plus reg[B-1] where B > 0).
	Load      // R = mem
	Store     // mem = C
	StoreR    // mem = reg[R] + C
	FetchAdd  // R = mem; mem += C
	AddTest   // mem += C; R = whether it is D then
	Add       // mem += C; the next four blend (trace.Blend)
	And       // mem &= C
	Or        // mem |= C
	Xor       // mem ^= C
	Exchange  // R = mem; mem = C
	Swap      // mem = C, by an exchange whose result isn't used
	CompareEx // if mem == C { mem = D; R = 1 } else { R = 0 }
	CompareXR // if mem == C { mem = reg[D]; R = 1 } else { R = 0 }
	// As processors have it: what was expected is in a register, which gets what was found.
	CasAdd // if mem == R { mem += C; reg[D] = 1 } else { R = mem; reg[D] = 0 }
	CasSet // if mem == R { mem = C; reg[D] = 1 } else { R = mem; reg[D] = 0 }

	// Events on objects number A (plus reg[B-1] where B > 0).
	Lock
	TryLock // R = 1 if it got it, else 0
	Unlock
	CondWait // on condition A with mutex C
	Signal
	Broadcast
	SemWait
	SemTry // R = 1 or 0
	SemPost
	ReadLock
	WriteLock
	RWUnlock
	Barrier
	Create // thread A
	Join   // thread A
	Yield
	Exit  // the process ends
	Fence // waits until the thread's store buffer is empty (Program.Buffers)
	// FenceAll waits for all threads' buffers: each is empty at some moment while it does.
	FenceAll

	Choose  // R = one of 0 to C-1
	Assume  // blocks for ever unless reg[R] == C
	MayFail // R = 1 if it fails, which Program.Faults of an execution do at the most, else 0
)

var codeNames = [...]string{"nop", "set", "addi", "addr", "jump", "jumpif", "jumpne", "call", "assert", "assne",
	"load", "store", "storer", "fetchadd", "addtest", "add", "and", "or", "xor", "exchange", "swap", "cas", "casr", "casadd", "casset", "lock", "trylock", "unlock", "condwait",
	"signal", "broadcast", "semwait", "semtry", "sempost", "readlock", "writelock", "rwunlock", "barrier",
	"create", "join", "yield", "exit", "fence", "fenceall", "choose", "assume", "mayfail"}

// Instr is one instruction.
type Instr struct {
	Code Code
	R    int
	A, B int
	C, D int64
	Size int // of a memory access; 0 means 8
	// Timed: a Lock, SemWait, ReadLock or WriteLock gives up when no thread can run.
	// R = 1 if it got what it waited for, else 0.
	Timed bool
	F     func(r *[NumRegs]int64)
}

func (i Instr) String() string {
	s := fmt.Sprintf("%s r%d a%d", codeNames[i.Code], i.R, i.A)
	if i.B != 0 {
		s += fmt.Sprintf("+r%d", i.B-1)
	}
	if i.C != 0 || i.D != 0 {
		s += fmt.Sprintf(" %d,%d", i.C, i.D)
	}
	if i.Size != 0 {
		s += fmt.Sprintf(" /%d", i.Size)
	}
	if i.Timed {
		s += " timed"
	}
	return s
}

// Program is run by a Machine. Thread 0 exists from the start; the others
// from their Create on. A thread ends with its code.
type Program struct {
	Threads  [][]Instr
	Bytes    int // of shared memory
	Init     map[int]byte
	Mutexes  int
	Conds    int
	Sems     []int // initial values
	RWLocks  int
	Barriers []int // numbers of threads
	// MainEnds: the process ends when thread 0 does, as in C.
	MainEnds bool
	// Coarse: preemption points before acquiring operations only, so that a
	// step may make many events.
	Coarse bool
	// Merge is Lipton's reduction, as package scheduler does it. A lock goes with
	// the access or unlock after it into one step, and an unlock with the access or
	// unlock before it.
	Merge bool
	// Standing: all threads are there from the start, and one that is at its end
	// is gone without a step for it. Such programs have far fewer executions of
	// as many traces.
	Standing bool
	// Recursive: a mutex may be locked again by its owner.
	Recursive bool
	// Overlay: mutex i is at the bytes [8*i, 8*i+8) of memory, as far as a
	// transition shows it.
	Overlay bool
	// Budget, if not 0, is the number of events after which a thread ends,
	// wherever it is: it bounds loops that aren't spins.
	Budget int
	// Buffers: stores go through store buffers, with Fault; Lazy: of what can run, an
	// update isn't what is run first.
	Buffers, Lazy bool
	// Faults is how many of an execution's MayFails fail at the most.
	Faults int
	Fault  BufferFault
	// Forgetful and Eager are wrong, for tests of the tests: a digest without how many
	// MayFails failed; and Coarse steps that go on past one which can't fail any more.
	Forgetful, Eager bool
	// SpinInSum is a wrong spin rule, for a test of the tests: a loop whose
	// own writes cancel out in sum counts as a spin.
	SpinInSum bool
	// Loud takes every lock for a change that other threads can observe, so that a loop with one
	// isn't a spin: what quiet locks are judged by.
	Loud bool
	// Calm: a write of what is there already lets no thread out of a spin, as in package
	// scheduler. Else two threads that test and set can wake each other for ever.
	Calm bool
	// Wrong accounts of what blends, for tests of the tests. Careless: a FetchAdd does, too. Nor is
	// a read seen of words that nothing is said to read (unread.go). Endless: no arrival completes a
	// barrier's round; Serial: the last to arrive is told so, in register 1.
	Careless, Endless, Serial bool
	// Counts: the turns of a spin that counts them are one step, for a search that is spared
	// polls. Undeclared: no thread awaits in one. CountsBadly is for tests of the tests.
	Counts, Undeclared bool
	CountsBadly        CountFault
	// Backs: tries that fail, and take back what they added, aren't possible for a search that is
	// spared polls. BacksBadly is for tests of the tests.
	Backs      bool
	BacksBadly BackFault
	// Parks: a thread may be parked (por.Parker). ParksBadly is for tests of the tests.
	Parks      bool
	ParksBadly ParkFault
	// Hints: a load and the exchange behind it are one step for a search that knows tested
	// additions and spared polls. HintsBadly is for tests of the tests.
	Hints      bool
	HintsBadly HintFault
	// Assumes: a read behind which an assumption doesn't hold isn't possible for a search that is spared
	// polls. AssumesBadly is for tests of the tests.
	Assumes      bool
	AssumesBadly AssumeFault
	// Alike, if not 0, is how many threads from number 1 on are alike: they have the same code.
	Alike int
	// Together: with a wait that runs out, others' may run out in the same step.
	Together bool
	// Hushed is a wrong spin rule, for a test of the tests: to lock and unlock is
	// no change though others try the mutex.
	Hushed bool
}

func (p *Program) String() string {
	s := fmt.Sprintf("bytes %d mutexes %d conds %d sems %v rw %d barriers %v mainends %v coarse %v merge %v standing %v recursive %v overlay %v budget %d\n",
		p.Bytes, p.Mutexes, p.Conds, p.Sems, p.RWLocks, p.Barriers, p.MainEnds, p.Coarse, p.Merge, p.Standing, p.Recursive, p.Overlay, p.Budget)
	for t, code := range p.Threads {
		s += fmt.Sprintf("thread %d:\n", t)
		for i, in := range code {
			s += fmt.Sprintf("\t%d: %v\n", i, in)
		}
	}
	return s
}
