package por

// fault is a rule of a search that is left out. The differential tests must
// find each: that is a test of the tests.
type fault uint8

const (
	sound           fault = iota
	dropBacktrack         // every third backtrack point is dropped
	keepAsleep            // a sleeping thread isn't woken by what depends on it
	noPending             // operations pending at an execution's end don't race
	noProcessEnd          // the process's end races with nothing
	paperSleep            // dpor adds sleep sets "exactly as in [10]", see dpor.go
	noConservative        // conservative backtrack points are skipped
	slideSleep            // bpor's sleep sets are those of the thesis's Algorithms 12 and 13
	slideWake             // the same, and nothing sleeps below a conservative branch
	anyInitial            // source-bpor adds any initial, also one that is independent of the race
	keepPromise           // a broken promise of dpor:static isn't heeded
	noWakers              // static persistent sets have no heed of what lets a thread go on
	asSeen                // a step that failed promises nothing about elsewhere
	deadToTheWorld        // a static persistent set may sleep as a whole
	noFresh               // no new persistent set is begun where dpor:mark=1 needs one
	calmSleep             // branches that others are exploring sleep like explored ones
	notMaximal            // trust revisits whatever the graph was made of
	staysBuffered         // a sleeping load that a store buffer answered stays so behind the update
	anyDisplacer          // and whichever of several events displaced a thread there
	noAwaiting            // a thread that waits in a loop at an execution's end doesn't race
	racingEnds            // an end that comes last races with all that came before
	nearAwait             // a write that lets a thread out of a loop hides those before it
	oneOutcome            // only the first outcome of a step is explored
	freeReads             // a read may find any store that it could find if other reads had found others
	unfreed               // a thread that waits for another to begin isn't ordered after that
	everyOutcome          // optimal explores all outcomes on the way to a reversed step too
	reversedOutcome       // observers has no heed of outcomes that a step excludes which was reversed
	looseInitials         // readsfrom takes steps for weak initials that go with a part of the sequence only
	unwatched             // no count is looked at whose additions blend
	asItWas               // a count is looked at in the order of the execution alone
	behindIt              // or without those that come after it in the execution
	freely                // or additions that were made before count as if they were made
	narrowRest            // and has no heed of a rest that a load doesn't go with
	roomless              // a tested addition sleeps over any number of others
	freeMoves             // bounded leaves out updates that could come earlier, whatever that costs
)
