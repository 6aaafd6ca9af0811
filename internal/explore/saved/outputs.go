package saved

import (
	"landgo/internal/trace"
	"landgo/por"
)

// Outputs are the outputs of a search's executions.
type Outputs struct {
	List   []Output `json:"list,omitempty"`
	Others uint64   `json:"others,omitempty"`
	// Ignored are the bugs that were ignored.
	Ignored []Ignored `json:"ignored,omitempty"`
}

// Ignored is a rule, in how many executions it ignored a bug, and what the first was.
type Ignored struct {
	Rule       string `json:"rule"`
	Executions uint64 `json:"executions"`
	First      string `json:"first"`
}

// Output is one of them. Both texts are bytes of the guest's: not all are UTF-8.
type Output struct {
	Text       []byte         `json:"text"`
	Key        []byte         `json:"key"`
	Executions uint64         `json:"executions"`
	Path       []por.PathStep `json:"path,omitempty"`
}

// Shown is an execution that shows an output.
type Shown struct {
	Key      []byte         `json:"key"`
	Schedule trace.Schedule `json:"schedule"`
}
