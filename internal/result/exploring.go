package result

// ExploringSchema names the form of Exploring.
const ExploringSchema = "landgo-explore/1"

// Exploring is the line of landgo explore --json for a command: the outcome.
// The first line comes before any command. Threads have their path names ("0.1") in all texts.
type Exploring struct {
	Schema string `json:"schema"`
	// Command is the line that was carried out, and Error why it couldn't be. After an error
	// all is as it was.
	Command string `json:"command,omitempty"`
	Error   string `json:"error,omitempty"`
	// Kept is how many of the steps of the line before are the same still; Steps are those
	// behind them. The first At of all are taken, the others lie ahead.
	Kept  int             `json:"kept"`
	Steps []ExploringStep `json:"steps"`
	At    int             `json:"at"`
	// Threads are in the order of their numbers, those too that aren't there yet or any more.
	Threads []ExploringThread `json:"threads"`
	// Over says why the run can't go on from here, and Bug what is wrong then.
	Over string `json:"over,omitempty"`
	Bug  string `json:"bug,omitempty"`
	// Watched are the watched expressions.
	Watched []ExploringValue `json:"watched,omitempty"`
	// Output is the guest's output by now.
	Output string `json:"output,omitempty"`
	// Answer is the rest of the command's answer, line by line.
	Answer []string `json:"answer,omitempty"`
}

// ExploringStep is a thread's way from one preemption point to its next.
type ExploringStep struct {
	Thread string `json:"thread"`
	// Outcome is which of several things the step did.
	Outcome  uint32 `json:"outcome,omitempty"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	// Does says what it does: "writes sum: 0 -> 1".
	Does string `json:"does"`
	// Preempts: the thread that ran before could have gone on.
	Preempts bool `json:"preempts,omitempty"`
}

// ExploringThread is a thread, or with Stores the store buffer of the one with its number.
type ExploringThread struct {
	Number int    `json:"number"`
	Thread string `json:"thread"`
	// Label is its name in reports, and Runs the function that it runs.
	Label  string `json:"label,omitempty"`
	Runs   string `json:"runs,omitempty"`
	Stores bool   `json:"stores,omitempty"`
	// Live: it is there. Ready: it can take a step, with one of this many outcomes. About says
	// what that would be, or why it can't.
	Live     bool   `json:"live"`
	Ready    bool   `json:"ready"`
	Outcomes uint32 `json:"outcomes,omitempty"`
	About    string `json:"about,omitempty"`
	// Function, File and Line are where it stands.
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

// ExploringValue is a watched expression, with its value or the reason why there is none.
type ExploringValue struct {
	// Thread is the one whose own variables are meant too, if one was named.
	Thread     string `json:"thread,omitempty"`
	Expression string `json:"expression"`
	Value      string `json:"value,omitempty"`
	Error      string `json:"error,omitempty"`
	// Changed: it had another value at the line before.
	Changed bool `json:"changed,omitempty"`
}
