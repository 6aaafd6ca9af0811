package session

import (
	"errors"

	"landgo/internal/result"
	"landgo/por"
	"landgo/scheduler"
)

// Invalid is a guest that can't be controlled, found before it runs.
type Invalid struct {
	Kind   result.ErrorKind
	Reason string
}

func (e *Invalid) Error() string { return e.Reason }

// VerdictOf puts an error of a session or a search into a result, where it is
// a verdict; otherwise it returns the error.
func (s *Session) VerdictOf(err error, r *result.Result) error {
	var inv *scheduler.InvalidError
	var pre *Invalid
	var budget *scheduler.BudgetError
	var endless *por.EndlessError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &endless):
		r.Verdict, r.Problem, r.Reason = result.Budget, result.Endless, endless.Error()
	case errors.As(err, &pre):
		r.Verdict, r.Reason, r.Problem = result.Invalid, pre.Reason, pre.Kind
	case errors.As(err, &inv):
		r.Verdict, r.Reason, r.Problem = result.Invalid, inv.Reason, gapProblems[inv.Gap]
		r.Place = s.place(inv.Thread, inv.PC)
	case errors.Is(err, scheduler.ErrStopped):
		r.Verdict, r.Problem, r.Reason = result.Budget, s.Limits.Reached(), "interrupted while the kernel booted"
		if r.Problem != result.Interrupted {
			r.Reason = s.Config.LimitText(r.Problem) + ", and the kernel still boots"
		}
	case errors.As(err, &budget):
		r.Verdict, r.Problem = result.Budget, tooLong(budget)
		r.Reason = budget.Error()
		r.Place = s.place(budget.Thread, budget.PC)
	default:
		return err
	}
	return nil
}
