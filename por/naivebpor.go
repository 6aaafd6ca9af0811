package por

// naive-bpor is Naive-BPOR (Nidhugg thesis, Sachinoglou 2018, Algorithm 5):
// source-DPOR with sleep sets, refusing what exceeds the bound and adding
// nothing for it.
//
// It isn't sound, and is here for comparison: what it leaves out for an
// equivalent execution may be all that is within the bound (Coons, Musuvathi and
// McKinley 2013, Fig. 1). A run without a bug proves nothing.
func newNaiveBPOR(h handle) strategy {
	s := newBounding(h)
	s.naive, s.path.order.KeepReleases = true, false
	return s
}
