package result

import (
	"fmt"
	"sort"
	"strings"

	"landgo/internal/trace"
)

// Bug is one bug and the interleaving that leads to it.
type Bug struct {
	Kind trace.BugKind `json:"kind"`
	// PP is the set of preemption points that the schedule is for, if it isn't
	// the result's.
	PP string `json:"pp,omitempty"`
	// Model is the memory model that the schedule is for, if it isn't the configuration's.
	Model string `json:"model,omitempty"`
	// Copies is "divided" if the schedule is for system calls that copy word by word, and the
	// configuration doesn't say so.
	Copies string `json:"copies,omitempty"`
	// Message names the failure, in the guest's words if it has any.
	Message string `json:"message"`
	// Cause is one line that names the threads' steps that collided, or "".
	Cause string `json:"cause"`
	// Passing is the order of events that differs in the nearest run that passes, or "".
	Passing string `json:"passing,omitempty"`
	// Difference are the two events that Passing is about, in this run. The first comes first
	// here. The second comes first there, and is left out if it doesn't happen here.
	Difference []Moment `json:"difference,omitempty"`
	// PassingSchedule is that run, for "landgo replay --schedule".
	PassingSchedule string `json:"passing_schedule,omitempty"`
	// Mistake is the mistake that the run shows and its correction, if it is a
	// mistake of a known kind, or "".
	Mistake string `json:"mistake,omitempty"`
	// Cure is, of a bug that store buffers make, the fewest fences with which the program is
	// verified; absent if it wasn't found.
	Cure *Cure `json:"cure,omitempty"`
	// Fingerprint names the mistake: two bugs of the same mistake have the same one, in
	// any interleaving, test and build.
	Fingerprint string `json:"fingerprint"`
	// Thread is the thread that failed, by path name ("0", "0.1").
	Thread string `json:"thread"`
	// Preemptions is the number of switches away from a thread that could have
	// gone on.
	Preemptions int `json:"preemptions"`
	// Minimal: "proven" if no interleaving with fewer preemptions has the bug
	// (any bug, where only one was asked for), "best-found" if fewer weren't
	// all tried.
	Minimal Minimal `json:"minimal"`
	// BeforeThreads: it happened before a second thread existed, and so isn't
	// a concurrency bug.
	BeforeThreads bool `json:"before_threads"`
	// Schedule is the interleaving, for "landgo replay --schedule".
	Schedule string `json:"schedule"`
	// Stack is the failing thread's, innermost frame first.
	Stack []Frame `json:"stack"`
	// Block is the block of memory that a wrong access or free was about.
	Block *Block `json:"block,omitempty"`
	// Accesses are those that the cause speaks of, in the order they happened.
	Accesses []Access `json:"accesses"`
	// Waits lists the waiting threads of a deadlock, and a livelock's threads
	// that don't spin.
	Waits []Wait `json:"waits"`
	// Cycle is the waits-for cycle, by thread names, the first not repeated;
	// empty when no thread is left that could let the waiting threads go.
	Cycle []string `json:"cycle,omitempty"`
	// Calls are those of an object that isn't linearizable, in the order in which they began.
	Calls []Call `json:"calls,omitempty"`
	// Loops are a livelock's spinning loops.
	Loops []Loop `json:"loops"`
	// Steps are the switches, in order.
	Steps []Step `json:"steps"`
	// Choices are the values that landgo_choice gave, and the calls that --faults had fail,
	// in order. Faults is the number of these calls.
	Choices []Choice `json:"choices,omitempty"`
	Faults  int      `json:"faults,omitempty"`
	// Last are the last accesses, after the last switch, and LastWakings the calls there
	// that wake threads.
	Last        []Access `json:"last,omitempty"`
	LastWakings []Waking `json:"last_wakings,omitempty"`
	// ThreadStarts has the origin of each thread, in the order of path names.
	ThreadStarts []ThreadStart `json:"thread_starts,omitempty"`
	// Output is the guest's output until the bug.
	Output string `json:"output"`
	// File is the bug file, for "landgo replay", or "" if none was written.
	File string `json:"file"`
	// Replay is the exact command that replays the bug.
	Replay string `json:"replay"`
	// Page is the page with a picture of the run, "" if none was written.
	Page string `json:"page,omitempty"`
}

// Choice is a value that was chosen for the guest, or a failure of a call.
type Choice struct {
	// After is how many of the bug's switches come before it.
	After  int    `json:"after"`
	Thread string `json:"thread"`
	// Text says it: "choice(3) = 2", "malloc(24) fails".
	Text string `json:"text"`
	// Fault is the option that has the call fail, "" of a value: "--faults malloc=1".
	Fault string `json:"fault,omitempty"`
	Place Frame  `json:"place"`
}

// ThreadStart says where a thread came from.
type ThreadStart struct {
	Thread   string `json:"thread"`
	Function string `json:"function"` // its start function
	Created  *Frame `json:"created,omitempty"`
	// Defined is where the start function begins, if that is known.
	Defined *Frame `json:"defined,omitempty"`
	// Label is the thread's name in reports, "T1 add": its number in the order in which
	// the run created its threads, and the function.
	Label string `json:"label,omitempty"`
}

// Block is a block of memory that a wrong access or free was about.
type Block struct {
	Address   Addr    `json:"address"` // the allocator's result
	Size      uint64  `json:"size"`    // in bytes, as it was asked for
	Allocated Origin  `json:"allocated"`
	Freed     *Origin `json:"freed,omitempty"` // nil while it lives
}

// Origin is where something was done.
type Origin struct {
	Thread string `json:"thread"`
	// Step is the step of the schedule, from 1: see the replay's account.
	Step  int     `json:"step"`
	Stack []Frame `json:"stack"`
}

// Step is one switch from a thread to another.
type Step struct {
	// From is the thread switched away from; "" for the first.
	From string `json:"from"`
	To   string `json:"to"`
	// Why is the reason in a few words: "preempted", "waits for 0.1 to end",
	// "mutex m is held by 0.2", "ended", "yields".
	Why string `json:"why"`
	// Preemption: From could have gone on.
	Preemption bool `json:"preemption"`
	// Instruction is From's own instruction count at the switch.
	Instruction uint64 `json:"instruction"`
	// Stack is where From stands, innermost frame first.
	Stack []Frame `json:"stack"`
	// Accesses are those of From's run before the switch that matter for the
	// bug.
	Accesses []Access `json:"accesses"`
	// Wakings are From's calls in that run that wake threads.
	Wakings []Waking `json:"wakings,omitempty"`
}

// Frame is one entry of a stack, symbolised.
type Frame struct {
	Function string `json:"function"` // "" if there is no symbol
	File     string `json:"file"`     // "" if there is no line information
	Line     int    `json:"line"`
	Address  Addr   `json:"address"`
	// Inlined: the function's body is part of the next frame's code.
	Inlined bool `json:"inlined,omitempty"`
	// Library: it is of a header of the compiler's or the system's.
	Library bool `json:"library,omitempty"`
	// Column is where in the line, from 1; 0: unknown.
	Column int `json:"column,omitempty"`
}

// Access is one access to memory.
type Access struct {
	Thread string `json:"thread"`
	// Op is its action: "reads", "writes", "updates" (reads and writes in
	// one event), "fails to exchange"; of a race "frees" too, the end of the
	// block's life.
	Op      string `json:"op"`
	Address Addr   `json:"address"`
	Size    uint32 `json:"size"`
	// Symbol is the variable, with the offset in it ("table+8"), or "".
	Symbol string `json:"symbol"`
	// Old and New are the value read and the value written, or "" where there is none: a
	// number, or, of a pointer, what it points to ("&table[2]").
	Old string `json:"old,omitempty"`
	New string `json:"new,omitempty"`
	// Instruction is the text of the instruction that makes the access.
	Instruction string `json:"instruction"`
	// Stack is where, innermost frame first.
	Stack []Frame `json:"stack"`
	// Held are the locks that the thread holds.
	Held []string `json:"held,omitempty"`
	// Bookkeeping: it is a library's own, or of the state that a kernel keeps.
	Bookkeeping bool `json:"bookkeeping,omitempty"`
}

// Moment is an event of a run: an access or an operation.
type Moment struct {
	Thread string `json:"thread"`
	Does   string `json:"does"`
	// Step is the account's step, from 1, and Access the event's place among the step's
	// accesses, from 1, or 0 of an operation.
	Step   int `json:"step"`
	Access int `json:"access,omitempty"`
}

// Call is a call of an object that is to be linearizable.
type Call struct {
	Thread string `json:"thread"`
	Call   string `json:"call"` // "enqueue(1)"
	// Result is the call's result, or "" where that says nothing.
	Result string `json:"result,omitempty"`
	// Begin and End are its places among the beginnings and ends of all these calls, from
	// 1; End is 0 if it isn't over.
	Begin int   `json:"begin"`
	End   int   `json:"end"`
	Place Frame `json:"place"`
	// Unexplained: no order of the calls explains its result.
	Unexplained bool `json:"unexplained,omitempty"`
}

// Waking is a call that wakes threads, or a signal that could have. So is a signal of the system
// that a thread sends to another, or gets, and a wait that runs out.
type Waking struct {
	Thread string `json:"thread"`
	Does   string `json:"does"`             // "signals c", "sends SIGUSR1 to 0.1", "gets SIGUSR1"
	Signal bool   `json:"signal,omitempty"` // of the system
	// Timeout: its wait runs out, and with it those of Wakes.
	Timeout bool     `json:"timeout,omitempty"`
	Wakes   []string `json:"wakes"` // none: no thread waited
	Place   Frame    `json:"place"`
}

// Wait is a thread's wait.
type Wait struct {
	Thread string `json:"thread"`
	// For is the kind of thing that it waits for: "mutex", "thread", "condition
	// variable", "semaphore", "barrier", "a wake-up at futex", "a signal", "read-write lock".
	For     string `json:"for"`
	Object  string `json:"object"` // its name, or its address, or the thread's
	Address Addr   `json:"address"`
	// Owner is the thread that holds it, or "" if none does.
	Owner string `json:"owner"`
	// Stack is where the thread waits.
	Stack []Frame `json:"stack"`
	// Acquired is where the owner got it, or nil.
	Acquired *Frame `json:"acquired,omitempty"`
	// Held lists the thread's own locks.
	Held []string `json:"held,omitempty"`
}

// Loop is a loop that a thread spins in.
type Loop struct {
	Thread string `json:"thread"`
	// Lines are the loop's lines, in the order of the code.
	Lines []Frame `json:"lines"`
	// Waits are the reads whose values another thread would have to change.
	Waits []Access `json:"waits"`
}

// Event is one step of a replay's account.
type Event struct {
	Thread string `json:"thread"`
	// Begin and End are the thread's own instruction counts.
	Begin uint64 `json:"begin"`
	End   uint64 `json:"end"`
	// Choice is the outcome taken, of a step that has several, and its meaning.
	Choice     uint32 `json:"choice"`
	ChoiceText string `json:"choice_text,omitempty"`
	// Does is the operation in words, with its object ("locks m"), or "" where
	// the step only accesses memory.
	Does string `json:"does"`
	// Accesses are the step's, in order. Of a step with more than 4,096 they are the last ones.
	Accesses []Access `json:"accesses"`
	Stack    []Frame  `json:"stack"`
	// After is the step, from 1, that created the thread, of its first step, or sent it a
	// signal, of its next one.
	After int `json:"after,omitempty"`
	// Operations are those of Does, one by one.
	Operations []Operation `json:"operations,omitempty"`
	// Held are the locks that the thread holds after the step.
	Held []string `json:"held,omitempty"`
	// Wakes are the threads that the step wakes.
	Wakes []string `json:"wakes,omitempty"`
	// Output is the step's writes to standard output and error.
	Output string `json:"output,omitempty"`
	// Switch says why the next event is another thread's, or "".
	Switch     string `json:"switch,omitempty"`
	Preemption bool   `json:"preemption,omitempty"`
}

// Operation is one operation of a step: of synchronisation, or on a thread.
type Operation struct {
	// Does is the operation in words, with its object.
	Does string `json:"does"`
	// Before is how many of the step's accesses come before it.
	Before int `json:"before,omitempty"`
	// Place is where it was called from, if that is known.
	Place *Frame `json:"place,omitempty"`
	// After are the steps of other threads, from 1, that it comes after by their
	// operations on the same object: a lock after its unlock, a join after the end.
	After []int `json:"after,omitempty"`
	// Held are the locks that the thread holds after it.
	Held []string `json:"held,omitempty"`
}

// Addr is a guest address; JSON has it as "0x401136".
type Addr uint64

func (a Addr) String() string { return fmt.Sprintf("%#x", uint64(a)) }

// MarshalText implements encoding.TextMarshaler.
func (a Addr) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *Addr) UnmarshalText(p []byte) error {
	if _, err := fmt.Sscanf(string(p), "0x%x", (*uint64)(a)); err != nil {
		return fmt.Errorf("%q isn't an address such as 0x401136", p)
	}
	return nil
}

// Name is a person's name for the accessed object.
func (a *Access) Name() string {
	if a.Symbol != "" {
		return a.Symbol
	}
	return a.Address.String()
}

// Where is a frame in one word or two: "file.c:12", else the address.
func (f *Frame) Where() string {
	if f.File != "" && f.Line > 0 {
		return fmt.Sprintf("%s:%d", f.File, f.Line)
	}
	return f.Address.String()
}

// Innermost is the frame of a stack that a person wants to see. It is the first with a
// source line of the user's, or with a source line, or the first one, or an empty one.
func Innermost(stack []Frame) Frame {
	for _, f := range stack {
		if f.File != "" && !f.Library {
			return f
		}
	}
	for _, f := range stack {
		if f.File != "" {
			return f
		}
	}
	if len(stack) > 0 {
		return stack[0]
	}
	return Frame{}
}

// Key tells distinct bugs apart: two interleavings with the same key show the
// same bug. It depends on neither schedule nor addresses where there are
// symbols.
func (b *Bug) Key() string {
	var places []string
	for _, w := range b.Waits {
		places = append(places, w.For+" "+placeKey(w.Stack))
	}
	for _, l := range b.Loops {
		places = append(places, "loop "+placeKey(l.Lines))
	}
	sort.Strings(places)
	return strings.Join(append([]string{string(b.Kind), b.Message, placeKey(b.Stack)}, places...), "\n")
}

func placeKey(stack []Frame) string {
	f := Innermost(stack)
	return f.Function + " " + f.Where()
}
