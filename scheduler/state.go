package scheduler

import (
	"encoding/binary"
	"hash/fnv"
	"sort"
)

// State is a digest of what an execution left behind, for comparing searches
// and replays: the writable memory of the program's own segments outside of
// trusted objects, and who has ended. Two orders of independent steps have the
// same; instruction counts and output aren't in it.
func (s *System) State() uint64 {
	h := fnv.New64a()
	holes := s.objectBytes()
	for _, seg := range s.image.Segments {
		if !seg.Write {
			continue
		}
		at, end := seg.Addr, seg.Addr+seg.MemSize
		for _, o := range holes {
			if o[1] <= at || o[0] >= end {
				continue
			}
			h.Write(s.machine.Bytes(at, max(o[0], at)-at))
			at = max(at, min(o[1], end))
		}
		h.Write(s.machine.Bytes(at, end-at))
	}
	for i := range s.threads {
		if s.threads[i].Exists {
			h.Write(binary.LittleEndian.AppendUint64(nil, s.threads[i].retval<<1|uint64(b2i(s.threads[i].Live()))))
		}
	}
	return h.Sum64()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// objectBytes are the address ranges of the trusted objects, in order.
func (s *System) objectBytes() [][2]uint64 {
	var out [][2]uint64
	for a, o := range s.objects {
		out = append(out, [2]uint64{a, a + uint64(s.sizes[o.kind])})
	}
	sort.Slice(out, func(i, j int) bool { return out[i][0] < out[j][0] })
	return out
}
