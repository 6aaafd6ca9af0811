package config

import (
	"time"

	"landgo/internal/confine"
	"landgo/internal/trace"
	"landgo/por"
)

// Config says what to explore and how. Its parts are those of the options' groups, and
// hold plain data; the defaults are in Default, and the options, with their texts, in
// the table Options. Its JSON form is flat: the fields that change what a schedule
// means, which a bug file keeps. The others have the tag "-".
type Config struct {
	Given
	Switching
	World
	Searching
	Limits
	Output
	Testing
}

// Given is the guest and what it is given.
type Given struct {
	Guest string      `json:"-"` // path; a bug file keeps it beside the configuration
	Args  []string    `json:"args,omitempty"`
	Env   []string    `json:"env,omitempty"` // K=V
	Stdin string      `json:"stdin,omitempty"`
	Files []GuestFile `json:"files,omitempty"`
	// Sysroot is the folder that stands for the system's root where the guest's libraries
	// are, and LibraryPath are further folders of them.
	Sysroot     string   `json:"sysroot,omitempty"`
	LibraryPath []string `json:"library_path,omitempty"`
	// Libraries are those that the guest loads while it runs, beside what it is linked
	// with.
	Libraries []string `json:"libraries,omitempty"`
	// GuestNamed: the user named the guest, and not a bug file alone.
	GuestNamed bool `json:"-"`
	// Input is the guest's standard input, in Stdin's place: a bug
	// file's. InputLeft: the bug file hasn't got it.
	Input     []byte `json:"-"`
	InputLeft bool   `json:"-"`
	// Cmdline is a kernel's command line.
	Cmdline string `json:"cmdline,omitempty"`
}

// Switching is where threads may be switched.
type Switching struct {
	PP trace.Points `json:"pp"`
	// Races are the instructions that PointRace is at, as --pp takes them; none:
	// those found racing.
	Races      []string   `json:"races,omitempty"`
	Rules      []Rule     `json:"rules,omitempty"` // the last matching one wins
	Processors Processors `json:"processors,omitempty"`
}

// World is how the guest's world behaves, and what counts as a bug in it.
type World struct {
	// Model is the memory model.
	Model    Model    `json:"model,omitempty"`
	Timeouts Timeouts `json:"timeouts"`
	// Copies says how system calls copy memory.
	Copies Copies `json:"copies,omitempty"`
	// Faults are the failures that an execution may have, as trace.ParseFaults reads them.
	Faults string `json:"faults,omitempty"`
	// Ticks is how often timers that send signals go off in an execution, while something
	// else can run: one more than that, or 0 for the default.
	Ticks uint64 `json:"ticks,omitempty"`
	// LocksTested names the synchronisation functions that are tested, not
	// trusted; AllLocks means all of them.
	LocksTested   []string `json:"locks_tested,omitempty"`
	ObserveStdout bool     `json:"observe_stdout,omitempty"`
	// Trust names the groups of a thread library's functions (trust.go) that are
	// taken as correct; on linux all are.
	Trust []string `json:"trust,omitempty"`
	// Profile says what the guest's own functions mean; nil: nothing.
	Profile *Profile `json:"profile,omitempty"`
	Malloc  Malloc   `json:"malloc,omitempty"`
	// CheckFor are further errors that count as bugs, in alphabetical order.
	CheckFor []string `json:"check,omitempty"`
	// FailOnRace: a data race that is seen in both orders is a bug.
	FailOnRace bool `json:"fail_on_race,omitempty"`
	// FailOnOutput: an output that isn't that of another execution is a bug.
	FailOnOutput bool `json:"fail_on_output,omitempty"`
}

// Searching is how to search. A schedule means the same under every search, but for the
// errors that it goes on behind.
type Searching struct {
	// Deepen: with all points to choose from, and no option against it, landgo
	// chooses which to use when.
	Deepen bool `json:"-"`
	// SyncOnly: it chooses among synchronisation only; data-race candidates add no
	// points.
	SyncOnly bool `json:"-"`
	// CandidatesOnly: it chooses among synchronisation and data-race candidates: no
	// search has a point at every access.
	CandidatesOnly bool `json:"-"`
	// Leaves: an execution is left where it does what isn't modelled.
	Leaves bool `json:"-"`
	// Race is the definition of a data race, or RaceOff.
	Race      string     `json:"-"`
	Search    string     `json:"-"` // as por.ParseSpec reads it
	Bounds    por.Bounds `json:"-"`
	BoundFrom int        `json:"-"` // the value of the first bound to begin with
	KeepGoing bool       `json:"keep_going,omitempty"`
	// Ignore are known bugs, which are none.
	Ignore    []Ignored `json:"ignore,omitempty"`
	SelfCheck bool      `json:"-"`
	// Strict: a verdict with a warning is invalid.
	Strict bool `json:"-"`
	Jobs   int  `json:"-"` // workers; 0: as many as there are cores
	// Checkpoint is where the search is saved now and then, Resume a file from
	// which it goes on; "" is nowhere.
	Checkpoint      string        `json:"-"`
	CheckpointEvery time.Duration `json:"-"`
	Resume          string        `json:"-"`
}

// Limits end a run. 0 is none, except where Default has a value.
type Limits struct {
	Time          time.Duration `json:"-"`
	Memory        Size          `json:"-"`
	MaxExecutions uint64        `json:"-"`
	StepBudget    uint64        `json:"step_budget"`
	MaxThreads    int           `json:"max_threads"`
	MaxOutput     Size          `json:"max_output"`
	// Confine is how the process that runs the guest is confined.
	Confine confine.Level `json:"-"`
}

// The forms of a result. The others are in internal/format.
const (
	TextFormat = "text"
	JSONFormat = "json"
)

// Formats are the values of --format.
var Formats = []string{TextFormat, JSONFormat, "gradescope", "autolab", "junit", "sarif", "github", "csv"}

// Output says which results to show and to keep.
type Output struct {
	Out string `json:"-"` // the bug file; "" is BugPath's default, NoFile none
	// Format is one of Formats. Points is a pass's worth in those for graders.
	Format string  `json:"-"`
	Points float64 `json:"-"`
	// Brief: the text is the short one for students.
	Brief bool `json:"-"`
	Quiet bool `json:"-"`
	// Verbose: the report has all, however long.
	Verbose bool `json:"-"`
	// Coverage: what the search reaches is noted. CoverageOut is where it is written, for
	// editors; "" is nowhere.
	Coverage    bool   `json:"-"`
	CoverageOut string `json:"-"`
	// HTML is where a bug's page is written; "" is nowhere.
	HTML string `json:"-"`
	// Sources are folders that source lines are quoted from, beside the working
	// directory and the guest's.
	Sources []string `json:"-"`
	// Snapshot is where kernels' boots and programs' starts are kept: a directory, "" the user's cache,
	// SnapshotOff nowhere.
	Snapshot string `json:"-"`
}

// Testing is for landgo's own tests.
type Testing struct {
	NativeSync bool `json:"native_sync,omitempty"` // libc's own lock, join and exit code
	AllShared  bool `json:"all_shared,omitempty"`  // all memory is shared from the start
	NoHeap     bool `json:"no_heap,omitempty"`     // accesses to blocks and dead stacks aren't checked
	// ProcessorTime: Time and the result's seconds are the processor's time.
	ProcessorTime bool `json:"-"`
}

// Failures are the failures that an execution may have.
func (w *World) Failures() trace.Faults {
	if w.Faults == "" {
		return trace.Faults{}
	}
	f, _ := trace.ParseFaults(w.Faults) // as the option or a bug file set it
	return f
}

// defaultTicks is how often timers go off unless told.
const defaultTicks = 2

// mostTicks bounds that.
const mostTicks = 1000

// MostTicks is how often timers go off in an execution.
func (w *World) MostTicks() uint64 {
	if w.Ticks == 0 {
		return defaultTicks
	}
	return w.Ticks - 1
}

// SetTicks sets it.
func (w *World) SetTicks(n uint64) {
	if w.Ticks = n + 1; n == defaultTicks {
		w.Ticks = 0
	}
}

// Default has the defaults of all options.
func Default() Config {
	var c Config
	c.PP = trace.MemPoints
	c.Deepen = true
	c.Timeouts = TimeoutsLast
	c.Race = RaceLimited
	c.Search = "optimal"
	c.Format = TextFormat
	c.Points = 100
	c.Memory = 4 << 30
	c.StepBudget = 100_000_000
	c.MaxThreads = 128
	c.MaxOutput = 1 << 20
	c.CheckpointEvery = 5 * time.Second
	return c
}
