// Package linear decides whether the calls of an object are linearisable (Herlihy and Wing,
// TOPLAS 1990). They are if one can choose a moment for each call, between its beginning
// and its end. In the order of these moments the calls have to give the same results. A call
// that has no end yet may have had its moment, with any result, or not.
//
// A history is taken in from its beginning to its end, as it grows. A set of configurations
// is kept of its past: each a state of the object's sequential specification, with those calls
// that have had their moment and aren't over. At the end of a call its moment, and those of
// others that come before it, are put in as late as can be. That is "just in time" (Lowe, Testing
// for linearizability, 2017, after Wing and Gong, 1993). No configuration is left where no order
// explains the results, so the first end at which that happens is the first at which the history
// isn't linearisable.
//
// Invariant: sets of configurations are values. Each further call makes a new one, so a
// search can go back to an earlier moment of the history.
package linear
