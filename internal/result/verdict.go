package result

// Verdict is the outcome of a run.
type Verdict string

const (
	// Verified: the whole space at the stated granularity, and no bug. Never
	// said without the granularity.
	Verified Verdict = "verified"
	// Bounded: the whole space within the stated bound, and no bug.
	Bounded Verdict = "bounded"
	// Buggy: a bug, with the interleaving that leads to it.
	Buggy Verdict = "bug"
	// Budget: time, memory or executions ran out, or the user interrupted;
	// no bug so far.
	Budget Verdict = "budget"
	// Invalid: the guest couldn't be controlled or does something that isn't
	// modelled.
	Invalid Verdict = "invalid"
)

// Verdicts lists them all.
var Verdicts = []Verdict{Verified, Bounded, Buggy, Budget, Invalid}

// Minimal says how sure it is that a bug's interleaving has the fewest
// preemptions.
type Minimal string

const (
	Proven    Minimal = "proven"     // no interleaving with fewer has the bug
	BestFound Minimal = "best-found" // fewer weren't all tried
)

// The exit statuses, for scripts and graders.
const (
	ExitOK      = 0 // verified or bounded
	ExitBug     = 1 // a bug; of a replay: the same bug came back
	ExitUsage   = 2 // usage, unreadable input, a bug file that doesn't fit
	ExitBudget  = 3 // budget or interrupt, or a replay without its bug
	ExitInvalid = 4 // the guest can't be controlled or isn't modelled
	ExitFault   = 5 // a fault of landgo's own: never a verdict
)

// ExitStatus is the process's exit status for a result.
func (r *Result) ExitStatus() int {
	switch {
	case r.Verdict == Invalid:
		return ExitInvalid
	case r.Replay != nil && r.Replay.Same:
		return ExitBug
	case r.Replay != nil:
		return ExitBudget
	}
	switch r.Verdict {
	case Verified, Bounded:
		return ExitOK
	case Buggy:
		return ExitBug
	case Budget:
		return ExitBudget
	}
	return ExitFault
}
