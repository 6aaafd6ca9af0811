package linux

import (
	"fmt"
	"strings"

	"landgo/internal/abi"
)

// maps is /proc/self/maps as far as it can be the same in every execution: the
// image, the break, the first thread's stack.
func (c *call) maps() []byte {
	k := c.k
	var b strings.Builder
	line := func(lo, hi uint64, perm, name string) {
		fmt.Fprintf(&b, "%08x-%08x %s 00000000 00:00 0 %s\n", lo, hi, perm, name)
	}
	for i := range k.img.Segments {
		s := &k.img.Segments[i]
		perm := []byte("---p")
		for j, on := range [...]bool{s.Read, s.Write, s.Exec} {
			if on {
				perm[j] = "rwx"[j]
			}
		}
		name := exePath
		if p := k.img.PartAt(s.Addr); p != nil && p != k.img.Parts[0] {
			name = p.Path
		}
		line(s.Addr, s.Addr+s.MemSize, string(perm), name)
	}
	if end := abi.PageUp(c.get(&k.space.brk)); end > k.space.brkLo {
		line(k.space.brkLo, end, "rw-p", "[heap]")
	}
	line(k.space.stack.lo, k.space.stack.hi, "rw-p", "[stack]")
	return []byte(b.String())
}
