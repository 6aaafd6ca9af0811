package debugger

// Chooser is a guest whose next thread a user chooses, step by step. A step is the part of a
// thread from one preemption point to its next.
type Chooser interface {
	// Choose carries a move out, and says what is to be seen then. After an error all is
	// as it was.
	Choose(Move) (*View, error)
	// Interrupt ends a Choose that is under way. It may be called from another goroutine.
	Interrupt()
}

// Move is a user's request. Verb says which of the other fields count.
type Move struct {
	Verb Verb
	// Thread is a path name ("0.1"), and Outcome which of several things its step does. Of an
	// expression it is the thread whose own variables are meant too; "": none's.
	Thread  string
	Outcome uint32
	// At is a number of steps.
	At int
	// Text is an expression.
	Text string
}

// Verb is a kind of move.
type Verb string

const (
	// DoLook changes nothing, and tells all steps anew.
	DoLook Verb = "look"
	// DoStep has a thread take its next step, and DoRun as many as it can.
	DoStep Verb = "step"
	DoRun  Verb = "run"
	// DoGo goes to where this many steps were taken.
	DoGo Verb = "go"
	// DoUndo takes the latest choice back, with what it put away.
	DoUndo Verb = "undo"
	// DoOpened has the run that was opened ahead again.
	DoOpened Verb = "opened"
	// DoWhatIf says how a run would end in which a thread goes on here, and the rest runs by
	// itself. DoTake has that run ahead.
	DoWhatIf Verb = "what-if"
	DoTake   Verb = "take"
	// DoValue is the value of an expression, once. DoWatch is its value at each step, DoUnwatch
	// ends that.
	DoValue   Verb = "value"
	DoWatch   Verb = "watch"
	DoUnwatch Verb = "unwatch"
	// DoSave tells the schedule of all steps, and what it ends with.
	DoSave Verb = "save"
)

// View is the state that a user sees.
type View struct {
	// Kept is how many of the steps that were told before are the same still; Steps are
	// those behind them. The first At of all are taken, the others lie ahead.
	Kept  int
	Steps []Taken
	At    int
	// Lanes are the threads in the order of their numbers, those too that aren't there yet
	// or any more.
	Lanes []Lane
	// Over says why the run can't go on from here; "": it can. Bug is the failure then.
	Over, Bug string
	// Watched are the expressions that are watched.
	Watched []Watched
	// Output is the guest's output by now.
	Output string
	// Told is the answer to the move, in lines.
	Told []string
	// Saved answers DoSave.
	Saved *Saved
}

// Taken is a step.
type Taken struct {
	Thread  string
	Outcome uint32
	// Function, File and Line are where it begins.
	Function, File string
	Line           int
	// Text says what it does: "writes sum: 0 -> 1".
	Text string
	// Preempts: the thread that ran before could have gone on.
	Preempts bool
}

// Lane is a thread.
type Lane struct {
	// Number is its own, from 0, and Thread its path name; Root the function that it runs.
	Number       int
	Thread, Root string
	// Stores: it is the store buffer of the thread with its number.
	Stores bool
	// Empties: it finds that buffer empty, for a call that empties all (membarrier). It is
	// known by its path name only.
	Empties bool
	// Live: it is there at the moment. Ready: it can take a step, with one of this many Outcomes.
	// About says what it would do, or why it can't: "waits for mutex m, which 0.2 holds".
	Live, Ready bool
	Outcomes    uint32
	About       string
	// Function, File and Line are where it stands.
	Function, File string
	Line           int
}

// Watched is an expression, with its value or the reason why there is none. Thread is as in
// the Move that asked for it.
type Watched struct {
	Thread, Text, Value, Error string
	// Changed: another value than one step before.
	Changed bool
}

// Saved is a run for a file.
type Saved struct {
	Schedule string
	// Kind and Message are the bug's with which it ends, "" if there is none.
	Kind, Message string
}

// Choose implements Chooser.
func (r *Remote) Choose(m Move) (*View, error) {
	a, err := r.ask(&Request{Choose: &m}, func(a *Answer) bool {
		return a.View != nil && a.View.Kept >= 0 && a.View.At >= 0 && a.View.At <= a.View.Kept+len(a.View.Steps) && (m.Verb != DoSave || a.View.Saved != nil)
	})
	if err != nil {
		return nil, err
	}
	return a.View, nil
}

// AskChooser carries a request for a Chooser out.
func AskChooser(c Chooser, r *Request) *Answer {
	if r.Choose == nil {
		return &Answer{Error: "nothing was asked"}
	}
	v, err := c.Choose(*r.Choose)
	if err != nil {
		return &Answer{Error: err.Error()}
	}
	return &Answer{View: v}
}
