package result

import (
	"reflect"
	"strings"

	"landgo/internal/trace"
)

// Schema names the version of the JSON form. A change that takes a field away
// or gives it another meaning changes it.
const Schema = "landgo/1"

// Result is the result of a run or a replay. Its JSON form is landgo's --json
// output. Lists are never null, so scripts needn't check.
type Result struct {
	// Schema is "landgo/1".
	Schema string `json:"schema"`
	// Version is landgo's own.
	Version string  `json:"version"`
	Verdict Verdict `json:"verdict"`
	// Reason says in one line why a verdict is budget or invalid, or qualifies
	// another verdict.
	Reason string `json:"reason"`
	// Problem is the name under which "landgo help errors" explains the reason
	// of an invalid or a budget result, or "".
	Problem ErrorKind `json:"problem,omitempty"`
	// Place is the place in the guest that the reason is about, innermost frame
	// first.
	Place []Frame `json:"place,omitempty"`
	// Warnings say why a verdict of verified or bounded means less than it seems to:
	// one thread only, threads that share nothing. The first is in the text's first
	// line. With --strict they make the verdict invalid.
	Warnings []Warning `json:"warnings"`

	Guest Guest `json:"guest"`
	// Kernel is the system under the guest: linux, pebbles.
	Kernel string `json:"kernel"`
	// PP is the list of preemption points that was asked for.
	PP string `json:"pp"`
	// Granularity is that of the verdict: a list of preemption points with the
	// restrictions on them.
	Granularity string `json:"granularity"`
	Search      string `json:"search"`
	// Memory is the memory model of the verdict: "x86-TSO", "sequential consistency", or
	// "one processor", which sees its own stores in order. The certificate says why.
	Memory string `json:"memory"`
	// Faults says which failures of calls executions could have: "at most one failing
	// allocation". Absent if none.
	Faults string `json:"faults,omitempty"`
	// Bound is "none" or the bound of the search: "preempt=2".
	Bound string `json:"bound"`

	// BoundedAt is, of a budget result, the greatest value of a bound within which all
	// was explored, and no bug was found: 2 if none needs two preemptions or fewer.
	// Absent if there is no such value. BoundedBy is the whole bound: "preempt=2";
	// "preempt=2,fair=5", where some executions had no end without the fair bound; or
	// "ticks=1" of a program whose timers send signals. It has ",copies=whole" where system calls
	// copied memory that threads share in one step.
	BoundedAt *int   `json:"bounded_at,omitempty"`
	BoundedBy string `json:"bounded_by,omitempty"`
	// Rungs are, of a budget result on pebbles or of a kernel, what holds with parts of the
	// thread library trusted, from the fewest up.
	Rungs []Rung `json:"rungs,omitempty"`

	// Executions is the number of maximal runs that reached an end, a bug and
	// a deadlock too.
	Executions uint64 `json:"executions"`
	// AssumedAway is, of these, the number of runs in which a landgo_assume didn't hold, and
	// that had no bug before.
	AssumedAway uint64 `json:"assumed_away,omitempty"`
	// Blocked is the number of runs cut because they could only repeat others.
	Blocked uint64 `json:"blocked"`
	// Pruned is the number of runs cut by the bound.
	Pruned uint64 `json:"pruned"`
	// Distinct is, of a search that samples, the number of different traces
	// among its executions; absent from the results of other searches.
	Distinct uint64 `json:"distinct,omitempty"`
	// Transitions is the number of steps really run.
	Transitions uint64 `json:"transitions"`
	// Replayed is the number of steps run again to come back to a state.
	Replayed uint64 `json:"replayed"`
	// Instructions is the number of guest instructions run.
	Instructions uint64 `json:"instructions"`
	// Seconds is the wall-clock time, from the start of landgo's work.
	Seconds float64 `json:"seconds"`
	// SearchSeconds is the part of Seconds until the search ended: at its first
	// bug, if it wasn't to go on. The rest makes the bug's story short.
	SearchSeconds float64 `json:"search_seconds"`
	// Threads is the greatest number of threads that an execution had.
	Threads  int      `json:"threads"`
	Estimate Estimate `json:"estimate"`

	// Longest is, of a run that ended with a budget, its longest execution, if a loop
	// made it long. Busiest is its longest step, if that has a million instructions.
	Longest *Longest `json:"longest,omitempty"`
	Busiest *Busiest `json:"busiest,omitempty"`

	// Jobs is for a run that chose its preemption points itself. It lists the sets of points that
	// it explored, or would have explored, in the order in which it found them. Executions,
	// Transitions and so on are then those of the job that gave a verdict of verified, and else
	// the sums of all jobs.
	Jobs []Job `json:"jobs"`

	// Races lists data-race candidates: pairs of instructions that access the
	// same bytes from different threads, at least one writing, with nothing
	// that orders them. Those seen in both orders come first; at most 20.
	Races []RacePair `json:"races"`
	// RaceCount is the number of all candidates.
	RaceCount uint64 `json:"race_count"`
	// RacesRecycled is the number of pairs that look like data races only
	// because an allocator gave the memory of one block to another: they are
	// none, and aren't in RaceCount.
	RacesRecycled uint64 `json:"races_recycled"`
	// Unexamined is the number of pairs of conflicting accesses by different
	// threads that were seen with neither a preemption point nor a common lock
	// between.
	Unexamined uint64 `json:"unexamined"`
	// UnexaminedFirst holds the first three of them.
	UnexaminedFirst []RacePair `json:"unexamined_first"`
	// Finer is the command that examines them.
	Finer string `json:"finer,omitempty"`

	// ThreadStarts has, of a result without a bug, the threads that Races names. Their
	// labels count in the order of path names.
	ThreadStarts []ThreadStart `json:"thread_starts,omitempty"`

	// Bug is the bug of a bug verdict, else null; with --keep-going the one
	// with the fewest preemptions.
	Bug *Bug `json:"bug"`
	// Bugs lists all distinct bugs found.
	Bugs []*Bug `json:"bugs"`

	// Outcomes lists the different outputs of the executions without a bug, the most
	// frequent first; at most 32. Empty if all print nothing. Executions are counted as
	// the search ran them: one of each trace, for most searches. Without --observe
	// stdout, lines in another order are the same outcome.
	Outcomes []Outcome `json:"outcomes,omitempty"`
	// OtherOutcomes is the number of executions with further outcomes.
	OtherOutcomes uint64 `json:"other_outcomes,omitempty"`

	// Coverage is the interleavings' coverage, if --coverage asked for it.
	Coverage *Coverage `json:"coverage,omitempty"`

	// Ignored lists the bugs that --ignore names and that executions had, those too that
	// were cut off.
	Ignored []Ignored `json:"ignored,omitempty"`

	// Replay is there in the result of a replay only.
	Replay *Replay `json:"replay,omitempty"`
	// Account is the step-by-step account of a replay.
	Account []Event `json:"account,omitempty"`

	Certificate Certificate `json:"certificate"`

	// Notes are about the run and not about the guest, a line each: a kept boot that
	// was damaged. They are on standard error too.
	Notes []string `json:"notes,omitempty"`
}

// Guest names the program that was checked.
type Guest struct {
	Path string `json:"path"`
	// Source is its source, if landgo built it.
	Source string `json:"source,omitempty"`
	// SHA256 is the file's, in hexadecimal.
	SHA256 string `json:"sha256"`
	// Libraries are the dynamic linker and the libraries that the guest was run with, in
	// the order in which landgo loaded them; none of a static program.
	Libraries []Library `json:"libraries,omitempty"`
	// Asked are those of them that the guest loaded while it ran, as --library takes them.
	Asked []string `json:"asked,omitempty"`
}

// Library is a file that a guest is linked with.
type Library struct {
	// Path is where the guest finds it.
	Path   string `json:"path"`
	SHA256 string `json:"sha256"`
}

// Estimate is the weighted-backtrack estimator's, of the search.
type Estimate struct {
	// Executions is the estimated size of the space; the true one when the
	// search finished; 0 while nothing is known; null if it is beyond all numbers.
	Executions Amount `json:"executions"`
	// Least and Most are the least and the greatest of the estimates since a quarter of the
	// executions so far.
	Least Amount `json:"least"`
	Most  Amount `json:"most"`
	// Rises: the estimates have grown since half of the executions. There are likely to be more.
	Rises bool `json:"rises,omitempty"`
	// Explored is the share of the space that was explored, from 0 to 1.
	Explored Amount `json:"explored"`
	// SecondsLeft is how long the rest would take; null if it is beyond all numbers.
	SecondsLeft Amount `json:"seconds_left"`
}

// RacePair is two places whose accesses conflict.
type RacePair struct {
	// Variable is the name of the accessed object, or its address.
	Variable string `json:"variable"`
	First    Access `json:"first"`
	Second   Access `json:"second"`
	// A data-race candidate's. BothOrders: each of the two was seen to come
	// first, in different executions.
	BothOrders bool `json:"both_orders,omitempty"`
	// Ordered: in each execution that was run, synchronisation ordered the two, or atomic
	// operations did. Another execution may have them without an order.
	Ordered bool `json:"ordered,omitempty"`
	// Class classifies a candidate after the search. It is "bug" if in the execution of a
	// bug that is shown a thread was preempted right before one of the two, or the bug is
	// the race. If all interleavings were run, it is "benign" where each of the two came
	// first in some, and "false positive" where one always came first. Else it is "untested".
	Class string `json:"class,omitempty"`
	// VerifiedAt is, of a benign one of a run that isn't verified, the set of
	// points, as --pp takes it, at which all interleavings were run.
	VerifiedAt string `json:"verified_at,omitempty"`
}

// Certificate has the controlled parts, and so the basis of a verdict.
type Certificate struct {
	Image       string `json:"image"` // the guest's sha256
	Granularity string `json:"granularity"`
	Bound       string `json:"bound"`
	Search      string `json:"search"`
	// Memory is the memory model: "sequentially consistent (several processors)", or
	// "x86-TSO (no triangular race)" (docs/memory.md).
	Memory string `json:"memory"`
	// Timeouts says when a timed wait runs out.
	Timeouts string `json:"timeouts"`
	// Trusted says which synchronisation functions are taken as correct.
	Trusted string `json:"trusted"`
	// Faults says which failures of calls executions could have: "at most one failing
	// allocation". Absent if none.
	Faults string `json:"faults,omitempty"`
	// Basis is Trusted in a few words: "glibc's locks trusted".
	Basis string `json:"basis"`
	// Profile says where the functions' meanings are from: the built-in profile,
	// then, after a comma and a space, the user's with its sha256.
	Profile string `json:"profile"`
	// Calls lists the system calls met, by name, in alphabetical order.
	Calls []string `json:"calls"`
	// SelfCheck is "passed" when executions were run twice and compared, else
	// "not run".
	SelfCheck string `json:"self_check"`
	// Engine is the CPU emulator and its version.
	Engine string `json:"engine"`
	// Assumptions lists the verdict's other assumptions.
	Assumptions []string `json:"assumptions"`
}

// Model is the memory model in a few words: "x86-TSO", "sequential consistency", or "one
// processor", which sees its own stores in order. It is "" where nothing was run.
func (c *Certificate) Model() string {
	switch {
	case c.Memory == "":
		return ""
	case strings.HasPrefix(c.Memory, "x86-TSO"):
		return "x86-TSO"
	case strings.HasSuffix(c.Memory, "(one processor)"):
		return "one processor"
	}
	return "sequential consistency"
}

// Under is that as the end of what holds there, beginning with a space: " under x86-TSO".
func (c *Certificate) Under() string {
	switch m := c.Model(); m {
	case "":
		return ""
	case "one processor":
		return " on " + m
	default:
		return " under " + m
	}
}

// Replay says how a replay went.
type Replay struct {
	// Expected is the bug that the file names; "" for a bare schedule, where
	// any bug is the same one.
	Expected trace.BugKind `json:"expected"`
	Message  string        `json:"message"`
	// Same: the same bug came back.
	Same bool `json:"same"`
	// Unfinished: the schedule ends before the execution does, as one that leads to a loop.
	Unfinished bool `json:"unfinished,omitempty"`
}

// Finish adds the common fields of every result to one that explore filled in:
// the schema, landgo's version, and empty lists for null ones. It makes Bug and
// Bugs agree.
func (r *Result) Finish() {
	r.Schema = Schema
	r.Version = Version
	r.Memory = r.Certificate.Model()
	if r.Bug != nil && len(r.Bugs) == 0 {
		r.Bugs = []*Bug{r.Bug}
	}
	if r.Bug == nil {
		for _, b := range r.Bugs {
			if r.Bug == nil || b.Preemptions < r.Bug.Preemptions {
				r.Bug = b
			}
		}
	}
	if r.Bug != nil {
		r.ThreadStarts = nil // the bug has its own
	}
	for _, b := range r.Bugs {
		b.Fingerprint = b.FingerprintOf(nil)
	}
	for i := range r.Rungs {
		if b := r.Rungs[i].Bug; b != nil {
			b.Fingerprint = b.FingerprintOf(nil)
		}
	}
	fillLists(reflect.ValueOf(r))
}

// OwnCure is the remedy for a call that isn't modelled, if the reason says so; else "".
func (r *Result) OwnCure() (cure string) {
	if r.Problem == UnmodelledCall {
		_, cure, _ = strings.Cut(r.Reason, " is not modelled: ")
	}
	return cure
}
