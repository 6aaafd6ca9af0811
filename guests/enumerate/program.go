package enumerate

// NumRegs is the number of a thread's registers.
const NumRegs = 8

// Regs are a thread's private variables.
type Regs [NumRegs]int

// Value is an expression over a thread's registers: no event.
type Value func(r *Regs) int

// Cond is a condition over a thread's registers: no event.
type Cond func(r *Regs) bool

// N is a constant.
func N(n int) Value { return func(*Regs) int { return n } }

// R is a register's value.
func R(i int) Value { return func(r *Regs) int { return r[i] } }

// Plus is a+b.
func Plus(a, b Value) Value { return func(r *Regs) int { return a(r) + b(r) } }

// Eq is a == b.
func Eq(a, b Value) Cond { return func(r *Regs) bool { return a(r) == b(r) } }

// Ne is a != b.
func Ne(a, b Value) Cond { return func(r *Regs) bool { return a(r) != b(r) } }

// Lt is a < b.
func Lt(a, b Value) Cond { return func(r *Regs) bool { return a(r) < b(r) } }

// And is a && b, without an event between.
func And(a, b Cond) Cond { return func(r *Regs) bool { return a(r) && b(r) } }

// A Program is a multithreaded program with its initial state. Objects are
// named by their index in these slices; each kind has its own numbers.
type Program struct {
	Memory   []int // initial values of the shared cells
	Mutexes  int
	Conds    int
	Sems     []int // initial values
	RWLocks  int
	Barriers []int // how many threads each waits for
	Onces    int
	// Threads holds the bodies: 0 is main and runs from the start, the others
	// run once created. The return of main ends the process, any other's ends
	// that thread.
	Threads [][]Stmt
}

// A Kind names what went wrong. The names are those of landgo's reports.
type Kind string

// The kinds that the mini language can reach.
const (
	Assertion   Kind = "assertion"
	Deadlock    Kind = "deadlock"
	Livelock    Kind = "livelock"
	Segfault    Kind = "segfault"
	IllegalInsn Kind = "illegal-instruction"
	DivideError Kind = "divide-error"
	StackOver   Kind = "stack-overflow"
	LockMisuse  Kind = "lock-misuse"
)
