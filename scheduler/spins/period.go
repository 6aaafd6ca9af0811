package spins

// MaxPeriod is the longest loop, in instructions, that Period finds.
const MaxPeriod = 1024

// Period is the shortest period of the last 2*MaxPeriod program counters, or 0.
func Period(pcs []uint64) int {
	n := len(pcs)
	if n < 2*MaxPeriod {
		return 0
	}
	tail := pcs[n-2*MaxPeriod:]
next:
	for p := 1; p <= MaxPeriod; p++ {
		for i := p; i < len(tail); i++ {
			if tail[i] != tail[i-p] {
				continue next
			}
		}
		return p
	}
	return 0
}
