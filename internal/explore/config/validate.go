package config

import (
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

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
	if _, rounds := c.Bounds.Limit(por.Rounds); c.BoundFrom > 0 && (len(c.Bounds) == 0 || rounds || spec.Kind().Unordered) {
		return result.Errorf(result.Usage, "--bound-from is for a search that goes by ascending bound: give --bound preempt=%d and --search bpor, say", c.BoundFrom)
	}
	if name := spec.Kind().Name; spec.Kind().SingleEvents && (!c.PP.Has(trace.MemPoints) || len(c.AllRules()) > 0) {
		return result.Errorf(result.Usage, "search %s needs steps of one event: use --pp mem, without --within and --without", name)
	}
	for _, bad := range []struct {
		given bool
		what  string
	}{
		{c.FailOnRace, "--fail-on race: accesses have to be seen as neighbours, in each order"},
		{c.Checks(CheckLeak), "--check leak: it reads all of memory at the end"},
		{c.Checks(CheckUninit), "--check uninit: the twins would have to find the same stores"},
	} {
		if bad.given && spec.Observes() {
			return result.Errorf(result.Usage, "search %s doesn't go with %s", spec.Kind().Name, bad.what)
		}
	}
	if err := c.checkModel(spec); err != nil {
		return err
	}
	if c.Covers() && (c.Checkpoint != "" || c.Resume != "") {
		return result.Errorf(result.Usage, "--coverage doesn't go with --checkpoint and --resume: a saved search has no account of the lines that it ran")
	}
	if c.Brief && c.Format != TextFormat {
		return result.Errorf(result.Usage, "--brief prints a text: it doesn't go with --format %s", c.Format)
	}
	// A bug file can hold what no option accepts.
	switch {
	case c.Timeouts != TimeoutsLast && c.Timeouts != TimeoutsAny:
		return result.Errorf(result.BadBugFile, "timeouts are %q in the configuration: neither last nor any", c.Timeouts)
	case c.Copies != CopiesAuto && c.Copies != CopiesWhole && c.Copies != CopiesDivided:
		return result.Errorf(result.BadBugFile, "copies are %q in the configuration: neither whole nor divided", c.Copies)
	case c.Processors != ProcessorsAuto && c.Processors != ProcessorsSMP && c.Processors != ProcessorsUP:
		return result.Errorf(result.BadBugFile, "processors are %q in the configuration: neither smp nor up", c.Processors)
	case c.Model != ModelDefault && c.Model != ModelSC && c.Model != ModelTSO && c.Model != ModelAuto:
		return result.Errorf(result.BadBugFile, "the memory model is %q in the configuration: not sc, tso or auto", c.Model)
	case c.Malloc != MallocTrusted && c.Malloc != MallocNative:
		return result.Errorf(result.BadBugFile, "malloc is %q in the configuration: neither trusted nor native", c.Malloc)
	case c.StepBudget == 0 || c.MaxThreads <= 0:
		return result.Errorf(result.BadBugFile, "the configuration allows no instruction or no thread")
	}
	seen := map[string]string{}
	for _, f := range c.Files {
		if other, ok := seen[f.Guest]; ok && other != f.Host {
			return result.Errorf(result.Usage, "the guest is given both %s and %s as %s", other, f.Host, f.Guest)
		}
		seen[f.Guest] = f.Host
	}
	return nil
}
