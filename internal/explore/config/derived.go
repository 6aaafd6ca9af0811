package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// Deepens reports whether landgo chooses the preemption points itself.
func (c *Config) Deepens() bool {
	if !c.alternates() || len(c.Bounds) > 0 || c.Buffers() {
		return false
	}
	return c.Naive() && c.Race != RaceOff || c.Deepen && c.PP == trace.MemPoints
}

// alternates reports whether the search can be left and taken up again, and
// proves something.
func (c *Config) alternates() bool {
	spec, err := por.ParseSpec(c.Search)
	return err == nil && spec.Whole() == "" && spec.Kind().Claim != por.Nothing && !spec.Kind().SingleEvents
}

// Naive: instructions are to be added as they are found racing, to the points
// that were asked for.
func (c *Config) Naive() bool { return c.PP.Has(trace.PointRace) && len(c.Races) == 0 }

// Seeded: iterative deepening begins with its seeds, and nothing else searches beside it.
func (c *Config) Seeded() bool { return c.SyncOnly || c.CandidatesOnly }

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

// Observes reports whether the search takes stores for unordered that no read tells apart.
func (c *Config) Observes() bool {
	spec, err := por.ParseSpec(c.Search)
	return err == nil && spec.Observes()
}

// Covers reports whether to note what the search reaches.
func (c *Config) Covers() bool { return c.Coverage || c.CoverageOut != "" }

// Granularity names at what granularity a verdict holds.
func (c *Config) Granularity() string {
	g := c.PointList()
	for _, r := range c.AllRules() {
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

// SnapshotDir is where boots are kept; "": nowhere. asked: the user named it.
func (c *Config) SnapshotDir() (dir string, asked bool) {
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

// Unmerged reports whether a lock is a step of its own, for the search: it needs that,
// or is better for it where each step can be one event.
func (c *Config) Unmerged() bool {
	spec, err := por.ParseSpec(c.Search)
	if err != nil {
		return false
	}
	k := spec.Kind()
	return k.SingleEvents || k.LikesSingle && c.PP.Has(trace.MemPoints) && len(c.AllRules()) == 0
}
