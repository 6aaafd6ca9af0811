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

// Fence is a place for a fence: behind a store.
type Fence struct {
	// Place is where the store is.
	Place Frame `json:"place"`
	// Variable is the store's variable, or "" where it isn't one variable.
	Variable string `json:"variable,omitempty"`
	// Stores lists what the line's stores are to, where there are several: elements of Variable, or
	// variables. The fence is after each of them.
	Stores []string `json:"stores,omitempty"`
	// Exchange: an xchg in place of the store does the same. There is none for a string
	// instruction, an addition and others that aren't a mov.
	Exchange bool `json:"exchange,omitempty"`
}

// mostStores is how many stores of a line are named.
const mostStores = 4

// store names the stores before the fence, in words.
func (f *Fence) store() string {
	switch n := len(f.Stores); {
	case n > mostStores:
		return fmt.Sprintf("each store to %s and %d more", strings.Join(f.Stores[:mostStores-1], ", "), n-mostStores+1)
	case n > 1:
		return fmt.Sprintf("each store to %s and %s", strings.Join(f.Stores[:n-1], ", "), f.Stores[n-1])
	case f.Variable != "":
		return "the store to " + f.Variable
	}
	return "the store"
}

// Text is the cure in words. source is the text of a frame's line, or "".
func (c *Cure) Text(where, source func(Frame) string) string {
	var stores []string
	exchanges := 0
	for _, f := range c.Fences {
		if f.Exchange {
			exchanges++
		}
	}
	for _, f := range c.Fences {
		text := f.store() + " at " + where(f.Place)
		if line := source(f.Place); line != "" {
			text += fmt.Sprintf(" (%s)", line)
		}
		if f.Exchange && exchanges < len(c.Fences) {
			text += ", or an xchg in its place"
		}
		stores = append(stores, text)
	}
	executions := fmt.Sprintf("(%d executions)", c.Executions)
	if c.Executions == 1 {
		executions = "(1 execution)"
	}
	instead := ""
	if exchanges == len(stores) {
		instead = map[bool]string{true: ", or an xchg in its place", false: ", or an xchg in their place"}[len(stores) == 1]
	}
	if len(stores) == 1 {
		return fmt.Sprintf("With an mfence after %s%s, this is verified %s.", stores[0], instead, executions)
	}
	return fmt.Sprintf("With an mfence after stores at %d places%s, this is verified %s: %s.", len(stores), instead, executions, strings.Join(stores, "; "))
}

// Plain is the cure in words, without lines of sources.
func (c *Cure) Plain() string {
	if c == nil {
		return ""
	}
	return c.Text(func(f Frame) string { return f.Where() }, func(Frame) string { return "" })
}
