// Package known has the facts that landgo has learned of a guest. They make preemption points finer,
// or let steps depend on more. No rewind takes them back, and one search may give them to
// another search of the same guest.
//
// Invariant: Merge takes in every field (a test looks at that), and facts only grow.
package known

// Facts is the knowledge from a guest's executions.
type Facts struct {
	// Contended are the mutexes on which more than lock and unlock is done while
	// other threads live: their lock and unlock aren't merged. Merged are those of
	// which some were.
	Contended, Merged Addresses
	// Meeting are the calls, by their return addresses, in which a trusted function
	// was seen to touch what other threads do.
	Meeting Addresses
	// Streams are those in whose functions a thread was seen to stand, so that others may find them
	// locked (library/streams.go).
	Streams Addresses
	// Signalled are the threads that others send signals to.
	Signalled Addresses
	// Awaits are reads by which a thread was seen to wait in a loop of one access. Piecemeal
	// are those of them where a write covered only a part of the bytes, or more than these
	// (scheduler/await.go).
	Awaits, Piecemeal Addresses
	// Assumes are reads behind which an assumption of the program's was seen to fail (scheduler/assume.go).
	Assumes Addresses
	// Counted are reads by which a thread was seen to look at the same bytes again and again
	// while it counts. Uncounted are those of them that tell how often it has looked
	// (scheduler/counted.go), and additions whose result was used later than it was tried
	// (scheduler/sides.go).
	Counted, Uncounted Addresses
	// Movers are threads that try to add to a word, and take back what they added where they
	// can't go on. Swaps are the exchanges with which threads try to change a word and may leave
	// it as it is. Told are the words in which other threads can observe tries that failed
	// (scheduler/backout.go).
	Movers Movers
	Swaps  Addresses
	Told   Addresses
	// Hints are loads behind which a thread was seen to exchange the word (scheduler/hint.go). Uncounted has those that
	// can't be one step with the exchange.
	Hints Addresses
	// Awaited are the bytes that such reads were seen to look at.
	Awaited Addresses
	// Below are additions that don't always leave a count above zero: names of a thread, a place
	// and bytes (scheduler/above.go).
	Below Addresses
	// Apart are additions by whose results each number is told apart (scheduler/sides.go).
	Apart Addresses
	// Between are bytes that a thread awaits which goes on with a number between two additions
	// (scheduler/between.go).
	Between Addresses
	// Varying are bytes that a thread compares an addition's result with, and that others write
	// between the two (scheduler/due.go).
	Varying Addresses
	// Stored are bytes that several threads store to, and that no step read in the first execution.
	// Seen are those of them that were read after all (scheduler/unread.go).
	Stored, Seen Addresses
	// Judged are the words that conditions were seen to read, by address / 8
	// (scheduler/promise.go).
	Judged Addresses
	// Fencing are the threads that empty the store buffers of all (scheduler/fenceall.go), and
	// Storing those that store at all, once there is one.
	Fencing, Storing Addresses
	// Streamed are pieces of shared memory with stores past the caches, and Touchers the threads that
	// touch a byte there (scheduler/streamed.go).
	Streamed, Touchers Addresses
	// Repeated are bytes that a thread stores to in each turn of a loop in which it waits, and
	// Storers the threads that store there (scheduler/repeated.go).
	Repeated, Storers Addresses
	// Frames are the places of return addresses by which variables end that other threads use, each
	// with the lowest address of those (scheduler/returned.go).
	Frames Frames
	// Timed: a trusted function was called with a time at which it gives up. It is only told.
	Timed bool
	// ShortWait is the shortest timed wait, 0 if there was none, and LongSleep the longest sleep, in
	// nanoseconds (scheduler/lasting.go).
	ShortWait, LongSleep uint64
	// Native: threads and locks are left to the guest's own code.
	Native bool
	// Exits: a thread was seen to look whether another lives.
	Exits bool
	// Last: which thread ends last matters.
	Last bool
	// Lost: the process ends without writing what standard output's buffer holds, so
	// that the order of prints and flushes matters.
	Lost bool
	// Early: an end of the process that comes before others are done can be told (scheduler/late.go).
	Early bool
	// Passes: time passes for threads, so that it matters whether another stands at an assumption that
	// has failed (scheduler/assume.go).
	Passes bool
	// Kept: the guest looks at signals that are kept for it (scheduler/timer.go).
	Kept bool
	// Jumps: a handler is left by a jump (scheduler/timer.go).
	Jumps bool
	// Torn: a handler was left by a jump, or a thread was cancelled, between two instructions
	// of its own. What it had done by then can be told when it is gone (scheduler/interrupt.go).
	Torn bool
	// KeysGo: a second key was deleted while other threads lived (library/over.go).
	KeysGo bool
	// Loads: a static program has loaded a file while other threads lived (library/over.go).
	Loads bool
	// Tables: the unwinder's tables changed while other threads lived (library/ownstep.go).
	Tables bool
	// Unlike: threads that seemed alike were distinguished (scheduler/alike.go).
	Unlike bool
	// Hurried: an execution has no end if time passes for loops that look at the clock
	// only when no other thread can run.
	Hurried bool

	Kernel
}

// Kernel has the facts learned of a kernel that schedules its threads itself.
type Kernel struct {
	// Ticked has the accesses of ticks to memory.
	Ticked Ticked
	// Probes: which threads can run is found out by trying.
	Probes bool
	// Unsteady: a tick has woken a thread that it wasn't foretold to.
	Unsteady bool
	// Unranked: landgo ignores priorities.
	Unranked bool
	// Oversleeps: a thread sleeps for longer than any search waits.
	Oversleeps bool
	// HeavyTails are the kinds of tails that were seen to do what other threads can observe, and
	// TailWords what the tails of new threads push and pop.
	HeavyTails [3]bool
	TailWords  TailWords
}

// New is nothing yet.
func New() Facts {
	return Facts{Contended: Addresses{}, Merged: Addresses{}, Meeting: Addresses{}, Streams: Addresses{}, Signalled: Addresses{}, Awaits: Addresses{}, Assumes: Addresses{}, Piecemeal: Addresses{}, Counted: Addresses{}, Uncounted: Addresses{}, Awaited: Addresses{}, Movers: Movers{}, Swaps: Addresses{}, Hints: Addresses{}, Told: Addresses{}, Below: Addresses{}, Apart: Addresses{}, Between: Addresses{}, Varying: Addresses{}, Stored: Addresses{}, Seen: Addresses{},
		Fencing: Addresses{}, Judged: Addresses{}, Storing: Addresses{}, Streamed: Addresses{}, Touchers: Addresses{}, Repeated: Addresses{}, Storers: Addresses{}, Frames: Frames{},
		Kernel: Kernel{Ticked: Ticked{}, TailWords: TailWords{}}}
}

// mostSeen is how many of the Stored bytes may be read after all. From then on none is taken for unread.
const mostSeen = 128

// Unread reports whether there are bytes that threads store to and that no step was seen to read.
func (k *Facts) Unread() bool { return len(k.Stored) > len(k.Seen) && len(k.Seen) <= mostSeen }

// Clone is a copy that shares nothing.
func (k *Facts) Clone() Facts {
	c := New()
	c.Merge(k)
	return c
}

// Merge adds other facts about the same guest. It reports whether points become finer
// by them, or steps depend on more: what was run before is void then.
func (k *Facts) Merge(o *Facts) (news bool) {
	is := func(to *bool, from bool) {
		news = news || from && !*to
		*to = *to || from
	}
	news = k.Contended.merge(o.Contended)
	news = k.Meeting.merge(o.Meeting) || news
	news = k.Streams.merge(o.Streams) || news
	news = k.Signalled.merge(o.Signalled) || news
	news = k.Awaits.merge(o.Awaits) || news
	news = k.Assumes.merge(o.Assumes) || news
	news = k.Piecemeal.merge(o.Piecemeal) || news
	news = k.Counted.merge(o.Counted) || news
	news = k.Uncounted.merge(o.Uncounted) || news
	news = k.Movers.merge(o.Movers) || news
	news = k.Swaps.merge(o.Swaps) || news
	news = k.Hints.merge(o.Hints) || news
	news = k.Told.merge(o.Told) || news
	news = k.Awaited.merge(o.Awaited) || news
	news = k.Below.merge(o.Below) || news
	news = k.Apart.merge(o.Apart) || news
	news = k.Between.merge(o.Between) || news
	news = k.Varying.merge(o.Varying) || news
	news = k.Stored.merge(o.Stored) || news
	news = k.Seen.merge(o.Seen) || news
	news = k.Judged.merge(o.Judged) || news
	news = k.Fencing.merge(o.Fencing) || news
	news = k.Storing.merge(o.Storing) || news
	news = k.Streamed.merge(o.Streamed) || news
	news = k.Touchers.merge(o.Touchers) || news
	news = k.Repeated.merge(o.Repeated) || news
	news = k.Storers.merge(o.Storers) || news
	news = k.Frames.merge(o.Frames) || news
	k.Merged.merge(o.Merged) // it matters once one of them is contended
	k.Timed = k.Timed || o.Timed
	news = k.times(o) || news
	is(&k.Native, o.Native)
	is(&k.Exits, o.Exits)
	is(&k.Last, o.Last)
	is(&k.Lost, o.Lost)
	is(&k.Early, o.Early)
	is(&k.Passes, o.Passes)
	is(&k.KeysGo, o.KeysGo)
	is(&k.Loads, o.Loads)
	is(&k.Tables, o.Tables)
	is(&k.Unlike, o.Unlike)
	is(&k.Hurried, o.Hurried)
	is(&k.Kept, o.Kept)
	is(&k.Jumps, o.Jumps)
	is(&k.Torn, o.Torn)
	news = k.Ticked.merge(o.Ticked) || news
	is(&k.Probes, o.Probes)
	is(&k.Unsteady, o.Unsteady)
	is(&k.Unranked, o.Unranked)
	is(&k.Oversleeps, o.Oversleeps)
	for i := range k.HeavyTails {
		is(&k.HeavyTails[i], o.HeavyTails[i])
	}
	k.TailWords.merge(o.TailWords) // it matters once a thread meddles with one
	return news
}

// times is Merge of the waits and sleeps: a shorter wait is news if there are sleeps of its length.
func (k *Facts) times(o *Facts) bool {
	shorter := o.ShortWait != 0 && (k.ShortWait == 0 || o.ShortWait < k.ShortWait)
	if shorter {
		k.ShortWait = o.ShortWait
	}
	k.LongSleep = max(k.LongSleep, o.LongSleep)
	return shorter && k.LongSleep >= k.ShortWait
}
