package linux

import "landgo/emu"

// The buffers from and to which calls move bytes. One may lie across the end of what the guest may
// access: Linux copies up to there. A file has moved as many bytes as were copied. A pipe has moved no
// part that wasn't copied in full.

// buffer is one element of an I/O vector.
type buffer struct{ addr, size uint64 }

// size is that of all buffers.
func size(vec []buffer) (n uint64) {
	for _, v := range vec {
		n += v.size
	}
	return n
}

// reach is how many of the first n bytes of some buffers come before one that can't be accessed so.
// What a call doesn't move may lie anywhere.
func (c *call) reach(vec []buffer, n uint64, p emu.Prot) (reached uint64) {
	for _, v := range vec {
		m := min(v.size, n-reached)
		r := c.k.log.Reach(v.addr, m, p)
		if reached += r; r < m {
			break
		}
	}
	return reached
}

// fill writes to buffers as far as that is possible. It returns how many bytes it wrote.
func (c *call) fill(vec []buffer, p []byte) (n uint64) {
	for _, v := range vec {
		m := min(v.size, uint64(len(p))-n)
		r := c.k.log.Reach(v.addr, m, emu.ProtWrite)
		if r > 0 {
			c.k.log.Write(v.addr, p[n:n+r])
		}
		if n += r; r < m {
			break
		}
	}
	return n
}

// gather reads buffers as far as that is possible.
func (c *call) gather(vec []buffer) (p []byte) {
	for _, v := range vec {
		r := c.k.log.Reach(v.addr, v.size, emu.ProtRead)
		if r > 0 {
			part := make([]byte, r)
			c.k.log.Read(v.addr, part)
			p = append(p, part...)
		}
		if r < v.size {
			break
		}
	}
	return p
}
