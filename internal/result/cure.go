package result

import (
	"fmt"
	"strings"
)

// Cure is the fewest fences with which the program of a bug that store buffers make is verified.
type Cure struct {
	Fences []Fence `json:"fences"`
	// Executions is how many the search with these fences had.
	Executions uint64 `json:"executions"`
}

// Fence is a place for a fence: behind a store. An xchg in place of the store does the same.
type Fence struct {
	// Place is where the store is.
	Place Frame `json:"place"`
	// Variable is what is stored to, or "" where that isn't one variable.
	Variable string `json:"variable,omitempty"`
}

// Text is the cure in words. source is the text of a frame's line, or "".
func (c *Cure) Text(where, source func(Frame) string) string {
	var stores []string
	for _, f := range c.Fences {
		text := "at " + where(f.Place)
		if f.Variable != "" {
			text = "to " + f.Variable + " " + text
		}
		if line := source(f.Place); line != "" {
			text += fmt.Sprintf(" (%s)", line)
		}
		stores = append(stores, text)
	}
	executions := fmt.Sprintf("(%d executions)", c.Executions)
	if c.Executions == 1 {
		executions = "(1 execution)"
	}
	if len(stores) == 1 {
		return fmt.Sprintf("With an mfence after the store %s, or an xchg in its place, this is verified %s.", stores[0], executions)
	}
	return fmt.Sprintf("With an mfence after each of %d stores, or an xchg in its place, this is verified %s: %s.", len(stores), executions, strings.Join(stores, "; "))
}

// Plain is the cure in words, without lines of sources.
func (c *Cure) Plain() string {
	if c == nil {
		return ""
	}
	return c.Text(func(f Frame) string { return f.Where() }, func(Frame) string { return "" })
}
