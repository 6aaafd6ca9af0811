package linux

import (
	"landgo/kernel/effect"
)

// capture is an execution's output to one of its standard descriptors. Bytes
// are appended; going back makes it shorter.
type capture struct {
	data  []byte
	n     effect.Word // without a record: nothing reads it back, and its order is planWrite's
	limit uint64
}

func (c *capture) bytes() []byte { return c.data[:c.n.Peek()] }

func (k *Kernel) capture(c *capture, p []byte) {
	n := c.n.Peek()
	c.data = append(c.data[:n], p...)
	k.log.Init(&c.n, n+uint64(len(p)))
}
