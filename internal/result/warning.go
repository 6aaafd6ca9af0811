package result

import "slices"

// Warning says why a verdict without a bug means less than it seems to: the
// search had nothing to try.
type Warning struct {
	// Code names the kind of warning, for scripts: see the table in docs/verdicts.md.
	Code WarningCode `json:"code"`
	// Text says it, as the end of a sentence that begins with "verified, but".
	Text string `json:"text"`
}

// WarningCode is a kind of warning. A code keeps its meaning.
type WarningCode string

const (
	OneThread     WarningCode = "one-thread"     // no execution had a second thread
	IdleThreads   WarningCode = "idle-threads"   // threads were created, and none ran
	NothingShared WarningCode = "nothing-shared" // no two threads made conflicting accesses
	NoPoint       WarningCode = "no-point"       // points were asked for that no run reached
	NoRule        WarningCode = "no-rule"        // --within or --without matched nowhere
	NoRacePoint   WarningCode = "no-race-point"  // an instruction of --pp race= wasn't reached
	NoTick        WarningCode = "no-tick"        // a kernel's timer never interrupted
	NeverEnds     WarningCode = "never-ends"     // the program doesn't end, and is taken to be meant so
	IgnoredBugs   WarningCode = "ignored-bugs"   // executions had bugs that --ignore names
	// SequentialOnly: an execution has a triangular race, so processors with store buffers may
	// do more than was searched.
	SequentialOnly WarningCode = "sc-only"
	// AtOnce: a system call copied bytes in one step that another thread used meanwhile.
	AtOnce WarningCode = "at-once"
	// LateSignal: a signal to a thread within a call of the C library's streams came after the call.
	LateSignal   WarningCode = "late-signal"
	Unseen       WarningCode = "unseen"        // the program has no symbols, so its conditions aren't known
	AssumedAway  WarningCode = "assumed-away"  // in every execution an assumption of the guest's didn't hold
	OnlyTimeouts WarningCode = "only-timeouts" // a timed wait had to run out in every execution
)

// Warn makes a result invalid because of its first warning, where --strict asks for
// that and it would pass otherwise. One about the memory model doesn't: the search had
// something to try.
func (r *Result) Warn(strict bool) {
	first := slices.IndexFunc(r.Warnings, func(w Warning) bool { return w.Code != SequentialOnly })
	if !strict || first < 0 || r.Verdict != Verified && r.Verdict != Bounded {
		return
	}
	r.Reason = "--strict: " + string(r.Verdict) + ", but " + r.Warnings[first].Text
	r.Verdict, r.Problem = Invalid, EmptyPass
}
