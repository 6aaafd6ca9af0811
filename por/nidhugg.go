package por

// nidhugg is Nidhugg-DPOR (Nidhugg thesis, Sachinoglou 2018, Algorithm 7). It is
// source-DPOR, but not all initials count. Let u reverse the race (e, e'): what
// comes after e without happening after it, and then e'. The initials that count
// are those that happen before e':
//
//	CI = {i in I_E'(u) | i -> p}, p the process of e' (and p itself, as in
//	Flanagan and Godefroid's i ->_S p, which the slides' examples need);
//	if no member of CI is in backtrack(E'), add one, or if CI is empty some
//	member of I_E'(u).
//
// So the backtrack sets are persistent sets, which they need not be in
// source-DPOR: a process is added although another, independent of it, could
// begin the reversed sequence too.
//
// Soundness: CI is a subset of I, so each backtrack set has an initial for every
// race that source-DPOR looks at: it is a source set.
//
// Deviations: those of source.go. CI is never empty here: the first event of u's
// essential part (relation/sequence.go: what happens before e', and e') has
// nothing before it in u. A member that sleeps counts as explored, as line
// "while p in backtrack \ Sleep" has it.
type nidhugg struct{ source }

func newNidhugg(h handle) strategy {
	s := &nidhugg{sourceOf(h)}
	s.seq.Persistent = true
	return s
}
