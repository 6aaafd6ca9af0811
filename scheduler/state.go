package scheduler

import (
	"encoding/binary"
	"hash/fnv"
)

// State is a digest of what an execution left behind, for comparing searches and replays. It
// covers the writable memory of the program's own segments outside of trusted objects, and
// the threads that have ended. Two orders of independent steps have the same; instruction
// counts and output aren't in it.
func (s *present) State() uint64 {
	h := fnv.New64a()
	holes := s.lib.ObjectBytes()
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
			h.Write(binary.LittleEndian.AppendUint64(nil, s.threads[i].Returned<<1|uint64(b2i(s.threads[i].Live()))))
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
