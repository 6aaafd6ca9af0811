package config

import (
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// Model is the kind of memory that threads share.
type Model string

const (
	// ModelDefault is ModelAuto.
	ModelDefault Model = ""
	// ModelSC is sequentially consistent memory.
	ModelSC Model = "sc"
	// ModelAuto is that, and then store buffers where they could make a difference.
	ModelAuto Model = "auto"
	// ModelTSO is x86-TSO: stores go through store buffers.
	ModelTSO Model = "tso"
)

var models = []string{string(ModelSC), string(ModelTSO), string(ModelAuto)}

// Buffers reports whether stores go through store buffers.
func (c *Config) Buffers() bool { return c.Model == ModelTSO }

// checkModel refuses what isn't proven to be sound with store buffers.
func (c *Config) checkModel(spec por.Spec) error {
	if !c.Buffers() {
		return nil
	}
	if err := spec.CheckBuffers(c.Bounds); err != nil {
		return result.Errorf(result.Usage, "--model tso: %w", err)
	}
	for _, bad := range []struct {
		given bool
		what  string
	}{
		{!c.PP.Has(trace.MemPoints) || len(c.AllRules()) > 0 || c.SyncOnly || c.CandidatesOnly, "fewer preemption points than --pp mem, or --within and --without"},
		{c.Processors == ProcessorsUP, "--up: one processor finds its own stores in order"},
		{c.Checks(CheckUninit), "--check uninit"},
		{c.FailOnRace, "--fail-on race"},
		{len(c.Trust) > 0, "--trust: it is for kernels"},
		{c.AllShared, "--all-shared"},
	} {
		if bad.given {
			return result.Errorf(result.Usage, "--model tso doesn't go with %s", bad.what)
		}
	}
	return nil
}
