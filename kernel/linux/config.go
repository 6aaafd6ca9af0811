package linux

import (
	"landgo/internal/abi"
	"landgo/kernel"
)

// Config is the input of a guest. The zero value of a field means its default.
type Config struct {
	Args []string // argv; default: the image's path alone
	Env  []string // "KEY=value"; default: empty
	// Stdin is all that the guest can read from descriptor 0.
	Stdin []byte
	// Files maps paths of the guest to files of the host. They are read in full
	// at the start and can't be written.
	Files map[string]string
	// Contents maps paths of the guest to its files' contents.
	Contents map[string][]byte
	// WriteFiles lets the guest make and write files, in memory.
	WriteFiles bool
	// Lacks reports whether a library is at a path of the guest's that it wasn't loaded
	// with (dlopen); nil: none is.
	Lacks func(path string) bool
	// Space is the size of the machine's address space; default DefaultSpace.
	Space uint64
	// MemoryLimit is the number of bytes that the guest may have accessible at
	// a time; beyond it calls fail with ENOMEM. Default 4 GiB.
	MemoryLimit uint64
	// OutputLimit is the number of bytes that an execution may write to
	// standard output, and to standard error. A guest that writes more can't be
	// controlled further (Outcome.Invalid): nothing is dropped silently.
	// Default 16 MiB.
	OutputLimit uint64
	// StackLimit is RLIMIT_STACK: the size of the first thread's stack, and
	// both libcs' default (glibc) or a bound (musl) for others'. Default 8 MiB.
	StackLimit uint64
	// TimeoutsAny lets a timed wait run out at any time, as a choice. Otherwise
	// it runs out only when no other thread can run.
	TimeoutsAny bool
	// ObserveStdout makes writes to standard output and error events, so that
	// their order is explored and matters. Otherwise they are local: each
	// execution's output is kept, but two orders of the same lines are one.
	ObserveStdout bool
}

// DefaultSpace is the address space that a kernel lays out unless told.
const DefaultSpace = kernel.Space

func (c *Config) setDefaults() {
	setDefault(&c.Space, DefaultSpace)
	setDefault(&c.MemoryLimit, 4<<30)
	setDefault(&c.OutputLimit, 16<<20)
	setDefault(&c.StackLimit, 8<<20)
	c.StackLimit = abi.PageUp(c.StackLimit)
}

func setDefault(p *uint64, v uint64) {
	if *p == 0 {
		*p = v
	}
}
