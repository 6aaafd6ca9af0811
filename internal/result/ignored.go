package result

import (
	"fmt"
	"strings"
)

// Ignored is a known bug that the search went on behind.
type Ignored struct {
	// Rule is the value of --ignore: "heap@pop".
	Rule string `json:"rule"`
	// Executions is how many had such a bug.
	Executions uint64 `json:"executions"`
	// First is the kind and message of the first one met.
	First string `json:"first"`
}

// IgnoredText is "heap@pop (3 executions), deadlock (1 execution)".
func IgnoredText(list []Ignored) string {
	var parts []string
	for _, i := range list {
		noun := "executions"
		if i.Executions == 1 {
			noun = "execution"
		}
		parts = append(parts, fmt.Sprintf("%s (%d %s)", i.Rule, i.Executions, noun))
	}
	return strings.Join(parts, ", ")
}
