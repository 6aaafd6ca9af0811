package pebbles

import "landgo/internal/abi"

// Config is the input of a guest. The zero value of a field means its default.
type Config struct {
	Args []string // argv; default: "guest" alone: a guest must not depend on the place of its file
	// Stdin is all that the guest can read by getchar and readline.
	Stdin []byte
	// StackSize is that of the main stack, in whole pages. Default 64 KiB; the
	// guest's own page fault handler may let it grow.
	StackSize uint64
	// MemoryLimit is the number of bytes that new_pages gives out; beyond it
	// the call fails. Default 256 MiB.
	MemoryLimit uint64
	// OutputLimit is the number of bytes that an execution may print. A guest
	// that prints more can't be controlled further (Outcome.Invalid): nothing
	// is dropped silently. Default 16 MiB.
	OutputLimit uint64
	// ObserveOutput makes print an event, so that the order of lines is
	// explored and matters. Otherwise two orders of the same lines are one.
	ObserveOutput bool
}

func (c *Config) setDefaults() {
	setDefault(&c.StackSize, 64<<10)
	setDefault(&c.MemoryLimit, 256<<20)
	setDefault(&c.OutputLimit, 16<<20)
	c.StackSize = abi.PageUp(c.StackSize)
}

func setDefault(p *uint64, v uint64) {
	if *p == 0 {
		*p = v
	}
}
