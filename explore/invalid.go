package explore

import (
	"errors"

	"landgo/por"
	"landgo/result"
	"landgo/scheduler"
)

// invalid is a guest that can't be controlled, found before it runs.
type invalid struct {
	kind   result.ErrorKind
	reason string
}

func (e *invalid) Error() string { return e.reason }

// verdictOf puts an error of a session or a search into a result, where it is
// a verdict; otherwise it returns the error.
func (s *Session) verdictOf(err error, r *result.Result) error {
	var inv *scheduler.InvalidError
	var pre *invalid
	var budget *scheduler.BudgetError
	var endless *por.EndlessError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &endless):
		r.Verdict, r.Problem, r.Reason = result.Budget, result.Endless, endless.Error()
	case errors.As(err, &pre):
		r.Verdict, r.Reason, r.Problem = result.Invalid, pre.reason, pre.kind
	case errors.As(err, &inv):
		r.Verdict, r.Reason, r.Problem = result.Invalid, inv.Reason, gapProblems[inv.Gap]
		r.Place = s.place(inv.Thread, inv.PC)
	case errors.Is(err, scheduler.ErrStopped):
		r.Verdict, r.Problem, r.Reason = result.Budget, s.limits.Reached(), "interrupted while the kernel booted"
		if r.Problem != result.Interrupted {
			r.Reason = s.cfg.LimitText(r.Problem) + ", and the kernel still boots"
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
