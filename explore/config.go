package explore

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"landgo/por"
	"landgo/result"
)

// Config says what to explore and how: one flat struct, whose defaults are in
// DefaultConfig and whose options, with their texts, are in the table Options.
// Its JSON form is what a bug file keeps: the fields that change what a
// schedule means. The others have the tag "-".
type Config struct {
	// The guest and what it is given.
	Guest string      `json:"-"` // path; a bug file keeps it beside the configuration
	Args  []string    `json:"args,omitempty"`
	Env   []string    `json:"env,omitempty"` // K=V
	Stdin string      `json:"stdin,omitempty"`
	Files []GuestFile `json:"files,omitempty"`
	// GuestNamed: the user named the guest, and not a bug file alone.
	GuestNamed bool `json:"-"`
	// Input is what the guest reads from standard input, in Stdin's place: a bug
	// file's. InputLeft: the bug file hasn't got it.
	Input     []byte `json:"-"`
	InputLeft bool   `json:"-"`
	// Cmdline is a kernel's command line.
	Cmdline string `json:"cmdline,omitempty"`

	// Where switches may happen.
	PP Points `json:"pp"`
	// Races are the instructions that PointRace is at, as --pp takes them; none:
	// those found racing.
	Races      []string   `json:"races,omitempty"`
	Rules      []Rule     `json:"rules,omitempty"` // the last matching one wins
	Processors Processors `json:"processors,omitempty"`

	// What the guest's world is like.
	Timeouts Timeouts `json:"timeouts"`
	// LocksTested names the synchronisation functions that are tested, not
	// trusted; AllLocks means all of them.
	LocksTested   []string `json:"locks_tested,omitempty"`
	ObserveStdout bool     `json:"observe_stdout,omitempty"`
	// Trust names the groups of a thread library's functions (TrustGroups) that
	// are taken as correct; on linux all are.
	Trust []string `json:"trust,omitempty"`
	// Profile says what the guest's own functions mean; nil: nothing.
	Profile *Profile `json:"profile,omitempty"`
	Malloc  Malloc   `json:"malloc,omitempty"`
	// CheckFor are further errors that count as bugs, in alphabetical order.
	CheckFor []string `json:"check,omitempty"`

	// FailOnRace: a data race that is seen both ways round is a bug.
	FailOnRace bool `json:"fail_on_race,omitempty"`

	// Deepen: with all points to choose from, and nothing said against it, landgo
	// chooses which to use when (deepen.go).
	Deepen bool `json:"-"`

	// SyncOnly: what is chosen among is synchronisation; data-race candidates add
	// no points.
	SyncOnly bool `json:"-"`

	// Race is the definition of a data race, or RaceOff.
	Race string `json:"-"`

	// How to search. A schedule means the same under every search.
	Search    string     `json:"-"` // as por.ParseSpec reads it
	Bounds    por.Bounds `json:"-"`
	KeepGoing bool       `json:"-"`
	SelfCheck bool       `json:"-"`
	// Strict: a verdict with a warning is invalid.
	Strict bool `json:"-"`
	Jobs   int  `json:"-"` // workers; 0: as many as there are cores
	// Checkpoint is where the search is saved now and then, Resume a file from
	// which it goes on; "" is nowhere.
	Checkpoint      string        `json:"-"`
	CheckpointEvery time.Duration `json:"-"`
	Resume          string        `json:"-"`

	// Limits. 0 is none, except where DefaultConfig has a value.
	Time          time.Duration `json:"-"`
	Memory        Size          `json:"-"`
	MaxExecutions uint64        `json:"-"`
	StepBudget    uint64        `json:"step_budget"`
	MaxThreads    int           `json:"max_threads"`
	MaxOutput     Size          `json:"max_output"`

	// What to show and to keep.
	Out   string `json:"-"` // the bug file; "" is BugPath's default, NoFile none
	JSON  bool   `json:"-"`
	Quiet bool   `json:"-"`
	// Sources are folders that source lines are quoted from, beside the working
	// directory and the guest's.
	Sources []string `json:"-"`
	// Snapshot is where kernels' boots are kept: a directory, "" the user's cache,
	// SnapshotOff nowhere.
	Snapshot string `json:"-"`

	// For landgo's own tests.
	NativeSync bool `json:"native_sync,omitempty"` // libc's own lock, join and exit code
	AllShared  bool `json:"all_shared,omitempty"`  // all memory is shared from the start
	NoHeap     bool `json:"no_heap,omitempty"`     // accesses to blocks and dead stacks aren't checked
	// ProcessorTime: Time and the result's seconds are the processor's time.
	ProcessorTime bool `json:"-"`
}

// DefaultConfig has the defaults of all options.
func DefaultConfig() Config {
	return Config{
		PP:         PointMem,
		Deepen:     true,
		Processors: ProcessorsAuto,
		Timeouts:   TimeoutsLast,
		Race:       RaceLimited,
		Search:     "optimal",
		Memory:     4 << 30,
		StepBudget: 100_000_000,
		MaxThreads: 128,
		MaxOutput:  1 << 20,

		CheckpointEvery: 5 * time.Second,
	}
}

// NoFile, as Config.Out, writes no bug file.
const NoFile = "none"

// SnapshotOff, as Config.Snapshot, keeps no boots.
const SnapshotOff = "off"

// Malloc says whose allocator runs.
type Malloc string

const (
	MallocTrusted Malloc = ""       // landgo's, whose calls are independent
	MallocNative  Malloc = "native" // the guest's, followed from outside
)

// Values of Config.CheckFor.
const (
	CheckLeak    = "leak"     // blocks that nothing points to when the program ends
	CheckLeakAll = "leak-all" // all blocks that are left then
	CheckUninit  = "uninit"   // what a run does depends on memory that was never written
)

var checks = []string{CheckLeak, CheckLeakAll, CheckUninit}

// Checks reports whether CheckFor has a value.
func (c *Config) Checks(what string) bool { return slices.Contains(c.CheckFor, what) }

// AllLocks, in Config.LocksTested, stands for every function.
const AllLocks = "*"

// Timeouts says when a timed wait may run out.
type Timeouts string

const (
	TimeoutsLast Timeouts = "last" // only when nobody else can run
	TimeoutsAny  Timeouts = "any"  // at any point
)

var timeouts = []string{string(TimeoutsLast), string(TimeoutsAny)}

// Definitions of a data race, see package race.
const (
	RaceHB      = "hb"
	RaceLimited = "limited"
	RaceOff     = "off"
)

var raceModes = []string{RaceLimited, RaceHB, RaceOff}

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
	// Content is what is in it, in Host's place: a bug file's.
	Content []byte `json:"-"`
	Left    bool   `json:"-"` // the bug file hasn't got it
}

// Validate says what is contradictory or missing in the configuration as a
// whole; single values were checked when they were set.
func (c *Config) Validate() error {
	spec, err := por.ParseSpec(c.Search)
	if err != nil {
		return result.Errorf(result.Usage, "--search: %w", err)
	}
	if err := spec.Check(c.Bounds); err != nil {
		return result.Errorf(result.UnsoundBound, "%w", err)
	}
	if name := spec.Kind().Name; spec.Kind().SingleEvents && (!c.PP.Has(pointMem) || len(c.rules()) > 0) {
		return result.Errorf(result.Usage, "search %s needs steps of one event: use --pp mem, without --within and --without", name)
	}
	// A bug file can hold what no option accepts.
	switch {
	case c.Timeouts != TimeoutsLast && c.Timeouts != TimeoutsAny:
		return result.Errorf(result.BadBugFile, "timeouts are %q in the configuration: neither last nor any", c.Timeouts)
	case c.Processors != ProcessorsAuto && c.Processors != ProcessorsSMP && c.Processors != ProcessorsUP:
		return result.Errorf(result.BadBugFile, "processors are %q in the configuration: neither smp nor up", c.Processors)
	case c.Malloc != MallocTrusted && c.Malloc != MallocNative:
		return result.Errorf(result.BadBugFile, "malloc is %q in the configuration: neither trusted nor native", c.Malloc)
	case c.StepBudget == 0 || c.MaxThreads <= 0:
		return result.Errorf(result.BadBugFile, "the configuration allows no instruction or no thread")
	}
	seen := map[string]string{}
	for _, f := range c.Files {
		if other, ok := seen[f.Guest]; ok && other != f.Host {
			return result.Errorf(result.Usage, "--file gives the guest both %s and %s as %s", other, f.Host, f.Guest)
		}
		seen[f.Guest] = f.Host
	}
	return nil
}

// deepens reports whether landgo chooses the preemption points itself.
func (c *Config) deepens() bool {
	if !c.alternates() || len(c.Bounds) > 0 {
		return false
	}
	return c.naive() && c.Race != RaceOff || c.Deepen && c.PP == PointMem
}

// alternates reports whether the search can be left and taken up again, and
// proves something.
func (c *Config) alternates() bool {
	spec, err := por.ParseSpec(c.Search)
	return err == nil && spec.Whole() == "" && spec.Kind().Claim != por.Nothing && !spec.Kind().SingleEvents
}

// naive: instructions are to be added as they are found racing, to the points
// that were asked for.
func (c *Config) naive() bool { return c.PP.Has(PointRace) && len(c.Races) == 0 }

// Workers is how many workers may search at a time.
func (c *Config) Workers() int {
	if c.Jobs > 0 {
		return c.Jobs
	}
	return runtime.GOMAXPROCS(0)
}

// Whole says why the search has one worker, "" if it may have more.
func (c *Config) Whole() string {
	spec, err := por.ParseSpec(c.Search)
	switch {
	case err != nil:
		return ""
	case spec.Whole() != "":
		return fmt.Sprintf("search %s runs with one worker: %s", spec.Kind().Name, spec.Whole())
	case c.MaxExecutions > 0:
		return "a search with --max-executions runs with one worker: it goes in one order from the start"
	}
	return ""
}

// Granularity names at what granularity a verdict holds.
func (c *Config) Granularity() string {
	g := c.PointList()
	for _, r := range c.rules() {
		g += " " + r.String()
	}
	return g
}

// BugPath is where the bug file goes, or "" if none is to be written.
func (c *Config) BugPath() string {
	switch c.Out {
	case NoFile:
		return ""
	case "":
		return filepath.Base(c.Guest) + ".landgo"
	}
	return c.Out
}

// Check is the check field of schedules: a digest of all that they depend on,
// which is the image, the fields that a bug file keeps, and what is in the
// files that those name: standard input, then Files in their order.
func (c *Config) Check(image []byte, contents ...[]byte) uint32 {
	kept := *c
	// A run within other limits is the same run, as far as they let it.
	limits := DefaultConfig()
	kept.StepBudget, kept.MaxThreads, kept.MaxOutput = limits.StepBudget, limits.MaxThreads, limits.MaxOutput
	// Where the host keeps a file doesn't matter, only what is in it.
	kept.Stdin = ""
	if c.Profile != nil {
		kept.Profile = &Profile{Text: c.Profile.Text}
	}
	kept.Files = nil
	for _, f := range c.Files {
		kept.Files = append(kept.Files, GuestFile{Guest: f.Guest})
	}
	h := sha256.New()
	for _, part := range append([][]byte{image, kept.Kept()}, contents...) {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return binary.BigEndian.Uint32(h.Sum(nil))
}

// Kept is the configuration as schedules depend on it. What a bug file has of it is
// in Saved.
func (c *Config) Kept() json.RawMessage {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain strings and numbers only
	}
	return text
}

// For is the configuration with which a bug of a result of c's is replayed.
func (c *Config) For(b *result.Bug) *Config {
	own := *c
	if b.PP != "" {
		var err error
		own.Deepen = false
		if own.PP, own.Races, err = parsePoints(b.PP); err != nil {
			panic(err) // it is what PointList wrote
		}
	}
	return &own
}

// snapshotDir is where boots are kept; "": nowhere. asked: the user named it.
func (c *Config) snapshotDir() (dir string, asked bool) {
	switch c.Snapshot {
	case SnapshotOff:
		return "", false
	case "":
		dir, err := os.UserCacheDir() // XDG_CACHE_HOME, or ~/.cache
		if err != nil {
			return "", false
		}
		return filepath.Join(dir, "landgo", "boot"), false
	}
	return c.Snapshot, true
}

// LimitText says that a limit is reached, "" if the kind isn't one of limits'.
func (c *Config) LimitText(kind result.ErrorKind) string {
	switch kind {
	case result.Interrupted:
		return "interrupted"
	case result.OutOfTime:
		return fmt.Sprintf("the time of %v is used up", c.Time)
	case result.OutOfMemory:
		return fmt.Sprintf("the memory of %v is used up", c.Memory)
	}
	return ""
}

// Searches lists what Config.Search may name.
func Searches() []por.Kind { return por.Kinds() }
