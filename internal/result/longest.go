package result

// Longest says where the steps of a run went that reached no verdict because its
// executions are long.
type Longest struct {
	// Steps is how many the longest execution has, as far as it was followed.
	Steps int `json:"steps"`
	// Place is where most of them began, or most of those in a known source.
	Place Frame `json:"place"`
	// Part is how many of the steps began at Place.
	Part int `json:"part"`
	// Threads are those that came there, in the order of their names.
	Threads []string `json:"threads"`
	// Turns is how often the thread came there that did so most often.
	Turns int `json:"turns"`
	// Schedule leads to the loop in which the execution stays, and some turns in it. Replay is the
	// command that shows it. Both are missing where landgo can't go that way again.
	Schedule string `json:"schedule,omitempty"`
	Replay   string `json:"replay,omitempty"`
	// Buffered is how many stores that thread's buffer has had at once, where a search with store
	// buffers has no end for that.
	Buffered int `json:"buffered,omitempty"`
}

// Busiest is a loop within one step: a thread that runs for long without a preemption
// point.
type Busiest struct {
	Thread string `json:"thread"`
	// Instructions are those of the step, at least.
	Instructions uint64 `json:"instructions"`
	// Place is that of one of them.
	Place Frame `json:"place"`
	// Period is the number of instructions of a turn, 0 if none was made out.
	Period int `json:"period,omitempty"`
}
