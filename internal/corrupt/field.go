package corrupt

import "math/rand/v2"

// boundary is a value that a field of this many bytes is got wrong by. size is the file's.
func boundary(r *rand.Rand, bytes, size int, old uint64) uint64 {
	bits := uint(8 * bytes)
	values := []uint64{
		0, 1, 2, 0x7f, 0x80, 0xff, 0xffff, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 40, 1 << 47, 1<<63 - 1, 1 << 63, ^uint64(0), ^uint64(0) - 7, ^uint64(4095),
		uint64(size), uint64(size) - 1, uint64(size) + 1, uint64(size) * 2, 4095, 4096, 4097,
		old + 1, old - 1, old * 2, old / 2, -old, old ^ 1<<(r.Uint64()%uint64(bits)), old << 8, r.Uint64(),
	}
	v := values[r.IntN(len(values))]
	if bits < 64 {
		v &= 1<<bits - 1
	}
	return v
}

// put writes a number of this many bytes, the lowest first.
func put(b []byte, at, bytes int, v uint64) {
	for i := 0; i < bytes && at+i < len(b); i++ {
		b[at+i] = byte(v >> (8 * i))
	}
}

func get(b []byte, at, bytes int) (v uint64) {
	for i := bytes - 1; i >= 0; i-- {
		v <<= 8
		if at+i < len(b) {
			v |= uint64(b[at+i])
		}
	}
	return v
}
