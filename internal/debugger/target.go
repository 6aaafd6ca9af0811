package debugger

import "landgo/internal/trace"

// Target is a recorded run that stands at a moment.
type Target interface {
	// Describe says what doesn't change.
	Describe() (*Description, error)
	// Threads are those that live at the moment. Also the thread of the latest or the next tick,
	// which was reported at the latest stop.
	Threads() (*Threads, error)
	// Registers are a thread's.
	Registers(thread int) (*Registers, error)
	// Memory is the bytes at an address: fewer than asked for if no more are there.
	Memory(addr, size uint64) ([]byte, error)
	// Go goes to another moment.
	Go(Order) (*Stop, error)
	// Tell answers a question in words.
	Tell(Question) (string, error)
	// Interrupt ends a Go that is under way. It may be called from another goroutine.
	Interrupt()
}

// Description is of a run.
type Description struct {
	// Guest is the program's path, as the front knows it.
	Guest string
	// Wide: registers have 64 bits, not 32.
	Wide bool
	// Linux: it is a program for Linux.
	Linux bool
	// Bias is by how much the program was moved from where its file says.
	Bias uint64
	// Auxv is a Linux program's auxiliary vector: where its parts were loaded.
	Auxv []byte
	// Signal is that by which the run's end is reported, and Bug says what is wrong there;
	// "": nothing is.
	Signal int
	Bug    string
	// Schedule is the interleaving.
	Schedule string
	// ThreadLocal is the size of the block of thread-local variables below a thread's
	// FSBase (GSBase), or 0.
	ThreadLocal uint64
}

// Threads are those of a moment.
type Threads struct {
	// Current is the number of the one that is looked at.
	Current int
	// Ended: the moment is the run's end.
	Ended bool
	All   []Thread
}

// Thread is one of them.
type Thread struct {
	// Number is its own in the whole run, from 1.
	Number int
	// Name has its path and what it runs: "0.1 worker".
	Name string
	// About says what it is about: "waits for m, which 0.2 holds".
	About string
}

// Registers are a thread's. Those that the machine hasn't got are 0.
type Registers struct {
	trace.Regs
	// X87 has 10 bytes for each of eight, and XMM 16 for each.
	X87, XMM                     []byte
	Control, Status, Tags, MXCSR uint64
}

// Order says where to go.
type Order struct {
	// To: go to the moment At, whatever is on the way.
	To bool
	At uint64
	// Back: towards the beginning.
	Back bool
	// Step, if not 0, is a thread: stop when it has made a tick, or several, as long as it
	// is within [Low, High).
	Step      int
	Low, High uint64
	// Breaks are instructions before which to stop, Watches accesses.
	Breaks  []uint64
	Watches []Watch
}

// Watch is memory whose accesses are to be seen.
type Watch struct {
	Addr, Size  uint64
	Read, Write bool
}

// Why says why there was a stop.
type Why string

const (
	// AtStep: what was asked for is done.
	AtStep Why = "step"
	// AtBreak: before an instruction of Order.Breaks.
	AtBreak Why = "break"
	// AtWatch: behind an access of Order.Watches, or before it if the way was back.
	AtWatch Why = "watch"
	// AtBegin, AtEnd: of the run.
	AtBegin Why = "begin"
	AtEnd   Why = "end"
	// Interrupted: Interrupt was called.
	Interrupted Why = "interrupted"
)

// Stop is where a Go ended.
type Stop struct {
	Why Why
	// Thread is the one that is looked at from now on.
	Thread int
	// Watch is the index in Order.Watches.
	Watch int
	// Moved: the moment is another than before.
	Moved bool
}

// Question is asked in a user's words: a command, and what is behind it.
type Question struct {
	Words []string
}
