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
	kept := c.placeless()
	// A run within other limits is the same run, as far as they let it.
	limits := Default()
	kept.StepBudget, kept.MaxThreads, kept.MaxOutput = limits.StepBudget, limits.MaxThreads, limits.MaxOutput
	kept.Ticks = limits.Ticks
	sum := kept.digest(image, contents)
	return binary.BigEndian.Uint32(sum[:])
}

// StartCheck is a digest of all that a program's start depends on, before it has a second
// thread: of what a schedule does, but for where threads may be switched.
func (c *Config) StartCheck(image []byte, contents ...[]byte) [sha256.Size]byte {
	kept := c.placeless()
	kept.PP, kept.Races, kept.Rules, kept.Model = 0, nil, nil, ""
	return kept.digest(image, contents)
}

// placeless is the configuration without where the host keeps files: only what is in them
// matters.
func (c *Config) placeless() *Config {
	kept := *c
	kept.Stdin, kept.Sysroot, kept.LibraryPath = "", "", nil
	if c.Profile != nil {
		kept.Profile = &Profile{Text: c.Profile.Text}
	}
	kept.Files = nil
	for _, f := range c.Files {
		kept.Files = append(kept.Files, GuestFile{Guest: f.Guest})
	}
	return &kept
}

// digest is of an image, the fields that a bug file keeps, and contents.
func (c *Config) digest(image []byte, contents [][]byte) (sum [sha256.Size]byte) {
	h := sha256.New()
	for _, part := range append([][]byte{image, c.Kept()}, contents...) {
		sum := sha256.Sum256(part)
		h.Write(sum[:])
	}
	return [sha256.Size]byte(h.Sum(nil))
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
			panic(err) // PointList wrote it
		}
	}
	if b.Model != "" {
		own.Model = Model(b.Model)
	}
	if b.Copies != "" {
		own.Copies = Copies(b.Copies)
	}
	return &own
}
