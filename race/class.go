package race

// Class classifies a candidate after a search: Blum and Gibson's terms (OOPSLA
// 2016, §2.3), with their open cases settled here. It is about the program
// as it was run, with its input, and at the points that were explored.
type Class uint8

const (
	// Untested: not all interleavings of the two accesses were run. The search
	// was cut short (by time, a bound, a bug), or is no proof (samples). Or one
	// of the two had no preemption point right before it (Bare).
	Untested Class = iota
	// FalsePositive: they can't be reordered. All interleavings were run with
	// points before both, and one always came first: something that isn't
	// synchronisation orders them (Fig. 3b). Or the memory was recycled between
	// them (§5.2).
	FalsePositive
	// Benign: each came first in some execution, all interleavings were run with
	// points before both, and none failed.
	Benign
	// Buggy: preempting during the accesses led to a failure. In the shown
	// execution of some bug (the found one with the fewest preemptions), a
	// thread was preempted right before one of the two instructions. The
	// failure needn't be theirs alone.
	Buggy
)

func (c Class) String() string {
	return [...]string{"untested", "false positive", "benign", "bug"}[c]
}

// Class is a candidate's class after a search. complete: the search ran all
// interleavings there are at its points, without a bound. failed: in a bug's
// execution, a thread was preempted right before one of its instructions. The
// candidate has to be from a detector that watched that search alone, for Bare
// depends on the points. If several searches give classes, the last in the order
// above holds.
func (c *Candidate) Class(complete, failed bool) Class {
	switch {
	case failed:
		return Buggy
	case !complete || c.Bare:
		return Untested
	case c.Kind != Recycled && c.BothOrders():
		return Benign
	}
	return FalsePositive
}
