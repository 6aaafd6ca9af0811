package por

// source-bpor is Source-BPOR (Nidhugg thesis, Sachinoglou 2018, Algorithm 13):
// before a race one initial is added as in source-DPOR, and conservative points
// at the starts of blocks according to persistent sets.
//
// Deviation: that isn't sound. A source set may hold, in place of a thread with
// which the reversed sequence begins, another that is independent of it, and
// that may come first at a higher price only (finding 14). So the persistent
// set's point before the race is added too, as a conservative one: where the
// bound cut nothing off, the source set stands. So soundness is bpor's, with its
// optimised=1, and is judged as that is.
//
// The rest is bpor.go, with its rules for sleep sets (sleepbound.go). The slides
// keep only conservative branches from sleeping, and so let the first branch of
// Coons, Musuvathi and McKinley's Fig. 1 sleep where it is needed.
func newSourceBPOR(h handle) strategy {
	s := newBounding(h)
	s.optimised, s.sources = s.spec.Param("optimised") == 1, true
	return s
}

// nidhugg-bpor is Nidhugg-BPOR (the same, Algorithm 12): as source-bpor, but of
// the initials before a race only those count that happen before its second
// event. With them the backtrack sets are persistent as Coons et al. need them.
func newNidhuggBPOR(h handle) strategy {
	s := newBounding(h)
	s.seq.Persistent = true
	s.optimised = s.spec.Param("optimised") == 1
	s.sources = !s.opts.OneEvent // what happens before a step isn't known before it is taken
	return s
}
