package result

// Longest says where the steps, or the instructions, of a run went that came to no verdict
// because its executions are long.
type Longest struct {
	// Steps is how many the longest execution has, as far as it was followed. Part of them
	// began at Place. Threads came there, in the order of their names; the one that did so
	// most often, Turns times.
	Steps   int      `json:"steps"`
	Place   Frame    `json:"place"`
	Part    int      `json:"part"`
	Threads []string `json:"threads"`
	Turns   int      `json:"turns"`
}

// Busiest is a loop within one step: a thread that runs for long without a preemption
// point.
type Busiest struct {
	Thread string `json:"thread"`
	// Instructions are those of the step, at least; one of them is at Place.
	Instructions uint64 `json:"instructions"`
	Place        Frame  `json:"place"`
	// Period is the number of instructions of a turn, 0 if none was made out.
	Period int `json:"period,omitempty"`
}
