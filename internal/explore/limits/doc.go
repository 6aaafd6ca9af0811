// Package limits ends a run in time: it watches the clock, the memory and the user's
// patience. Invariant: it reads times and sizes, and nothing that it reads reaches a
// decision of a search but the one to stop.
package limits
