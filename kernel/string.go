package kernel

// String reads a zero-terminated string of at most limit bytes (its end
// included) through a function that reads one byte of guest memory. It reports
// false when a byte can't be read or the end is missing.
func String(addr, limit uint64, read func(uint64) (byte, bool)) (string, bool) {
	var s []byte
	for i := uint64(0); i < limit; i++ {
		b, ok := read(addr + i)
		if !ok {
			return "", false
		}
		if b == 0 {
			return string(s), true
		}
		s = append(s, b)
	}
	return "", false
}
