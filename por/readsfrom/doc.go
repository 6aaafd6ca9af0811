// Package readsfrom decides whether stores and loads can have happened one after the other,
// so that each load finds the store that it is said to find. That is whether the execution
// is sequentially consistent. In general this is NP-hard (Gibbons and Korach, SIAM J.
// Comput. 26(4), 1997). Necessary edges are added until no more follow (saturation), as in
// Abdulla, Atig, Jonsson, Lång, Ngo and Sagonas ("Optimal stateless model checking for
// reads-from equivalence under sequential consistency", OOPSLA 2019). Mostly that settles
// it; what is left is tried.
//
// Invariant: Solve says yes exactly where there is such a sequence, and then each sequence
// that respects Precedes is one.
package readsfrom
