package config

import "slices"

// NoFile, as Config.Out, writes no bug file.
const NoFile = "none"

// SnapshotOff, as Config.Snapshot, keeps no boots.
const SnapshotOff = "off"

// Malloc says which allocator runs.
type Malloc string

const (
	MallocTrusted Malloc = ""       // landgo's, whose calls are independent
	MallocNative  Malloc = "native" // the guest's, followed from outside
)

// Values of Config.CheckFor.
const (
	CheckLeak    = "leak"     // blocks that nothing points to when the program ends
	CheckLeakAll = "leak-all" // all blocks that are left then
	CheckUninit  = "uninit"   // a run depends on memory that was never written
)

var checks = []string{CheckLeak, CheckLeakAll, CheckUninit}

// Checks reports whether CheckFor has a value.
func (c *Config) Checks(what string) bool { return slices.Contains(c.CheckFor, what) }

// AllLocks, in Config.LocksTested, stands for every function.
const AllLocks = "*"

// Timeouts says when a timed wait may run out.
type Timeouts string

const (
	TimeoutsLast Timeouts = "last" // only when no other thread can run
	TimeoutsAny  Timeouts = "any"  // at any point
)

var timeouts = []string{string(TimeoutsLast), string(TimeoutsAny)}

// Copies says how system calls copy memory that threads share.
type Copies string

const (
	CopiesAuto    Copies = ""        // in one step, then word by word where that could matter
	CopiesWhole   Copies = "whole"   // in one step
	CopiesDivided Copies = "divided" // word by word
)

var copies = []string{"auto", string(CopiesWhole), string(CopiesDivided)}

// Definitions of a data race, see package race.
const (
	RaceHB      = "hb"
	RaceLimited = "limited"
	RaceOff     = "off"
)

var RaceModes = []string{RaceLimited, RaceHB, RaceOff}

// Processors says how many processors the guest is meant for.
type Processors string

const (
	ProcessorsAuto Processors = ""    // the kernel's default
	ProcessorsSMP  Processors = "smp" // an instruction's accesses are events of their own
	ProcessorsUP   Processors = "up"  // an instruction is atomic
)

// Rule restricts preemption points to those with a function on the call stack,
// or to those without it.
type Rule struct {
	Without  bool   `json:"without,omitempty"`
	Function string `json:"function"`
	// Piece: points lock and unlock are where they are without the rule.
	Piece bool `json:"piece,omitempty"`
}

func (r Rule) String() string {
	if r.Without {
		return "without " + r.Function
	}
	return "within " + r.Function
}

// GuestFile is a host file that the guest may read.
type GuestFile struct {
	Host  string `json:"host"`
	Guest string `json:"guest"` // its path as the guest sees it
	// Content is the file's content, in Host's place: a bug file's.
	Content []byte `json:"-"`
	Left    bool   `json:"-"` // the bug file hasn't got it
}

// WritesFiles is the Guest of the entry by which a guest may make and write files: what
// --file rw gives. No path begins so, for the guest's working directory is /.
const WritesFiles = "rw"

// Stateful is the search that stores states, to which landgo turns where executions
// have no end.
const Stateful = "stateful"
