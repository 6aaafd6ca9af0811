package scheduler

import (
	"fmt"

	"landgo/internal/trace"
	"landgo/kernel"
)

// The errors by which a step, and with it a search, ends without a verdict on the guest.

// InvalidError says why a guest can't be controlled: the verdict is invalid,
// never green.
type InvalidError struct {
	Gap    kernel.Gap
	Reason string
	PC     uint64 // where, or 0
	Thread trace.TID
}

func (e *InvalidError) Error() string { return e.Reason }

// BudgetError says that one step ran more instructions than the step budget,
// or that one execution had more steps than landgo follows.
type BudgetError struct {
	Insns  uint64 // of the step
	Steps  int    // of the execution, or 0
	PC     uint64
	Thread trace.TID
}

func (e *BudgetError) Error() string {
	if e.Steps != 0 {
		return fmt.Sprintf("an execution has %d steps and no end", e.Steps)
	}
	return fmt.Sprintf("a step ran %d instructions without reaching a preemption point", e.Insns)
}
