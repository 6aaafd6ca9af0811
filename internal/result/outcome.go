package result

// Outcome is an output of executions without a bug.
type Outcome struct {
	// Output is their standard output, its first 4096 bytes.
	Output string `json:"output"`
	// Executions is how many of those that were run wrote it.
	Executions uint64 `json:"executions"`
	// Schedule is an execution that wrote it, for "landgo replay --schedule", and Replay
	// the command; "" if there is one outcome only.
	Schedule string `json:"schedule,omitempty"`
	Replay   string `json:"replay,omitempty"`
}
