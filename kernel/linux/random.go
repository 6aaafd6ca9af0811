package linux

import (
	"encoding/binary"

	"landgo/kernel"
)

// getrandom, and all else that a guest takes for random.

func doGetrandom(c *call, o *kernel.Outcome) uint64 {
	const nonblock, random, insecure = 1, 2, 4
	if flags := c.a[2] & 0xffffffff; flags&^(nonblock|random|insecure) != 0 || flags&(random|insecure) == random|insecure {
		return einval
	}
	size := min(c.a[1], 1<<16)
	before := c.get(&c.t.randoms)
	n := c.fill([]buffer{{c.a[0], size}}, c.random(size))
	if n == 0 && size > 0 {
		c.set(&c.t.randoms, before)
		return efault
	}
	return n
}

// random gives each thread a fixed sequence of its own.
func (c *call) random(size uint64) []byte {
	p := make([]byte, 0, size+8)
	n := c.get(&c.t.randoms)
	for uint64(len(p)) < size {
		n++
		p = binary.LittleEndian.AppendUint64(p, mix(c.t.number<<32^n))
	}
	c.set(&c.t.randoms, n)
	return p[:size]
}
