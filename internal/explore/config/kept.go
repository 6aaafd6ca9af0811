package config

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"

	"landgo/internal/result"
)

// Check is the check field of schedules: a digest of all that they depend on. That is the
// image, the fields that a bug file keeps, and what is in the files that those name:
// standard input, then Files in their order.
func (c *Config) Check(image []byte, contents ...[]byte) uint32 {
	kept := *c
	// A run within other limits is the same run, as far as they let it.
	limits := Default()
	kept.StepBudget, kept.MaxThreads, kept.MaxOutput = limits.StepBudget, limits.MaxThreads, limits.MaxOutput
	// Where the host keeps a file doesn't matter, only what is in it.
	kept.Stdin, kept.Sysroot, kept.LibraryPath = "", "", nil
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

// Kept is the configuration as schedules depend on it. The part in a bug file is
// Saved.
func (c *Config) Kept() json.RawMessage {
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // plain strings and numbers only
	}
	return text
}

// For is the configuration with which a bug of a result of c's is replayed.
func (c *Config) For(g *result.Guest, b *result.Bug) *Config {
	own := *c
	own.Libraries = g.Asked
	if b.PP != "" {
		var err error
		own.Deepen = false
		if own.PP, own.Races, err = parsePoints(b.PP); err != nil {
			panic(err) // it is what PointList wrote
		}
	}
	if b.Model != "" {
		own.Model = Model(b.Model)
	}
	return &own
}
