package scheduler

// MemoryEnds learns from the end of memory that other threads use: of a block, a thread's stack, or
// pages. A lock in it may be released only before that. So its release, which was merged with other
// steps, is a step of its own from then on.
func (s *learning) MemoryEnds(addr, size uint64) {
	for lock := range s.known.Merged {
		if lock-addr < size && !s.known.Contended[lock] {
			s.known.Contended[lock] = true
			s.Refine()
		}
	}
}
