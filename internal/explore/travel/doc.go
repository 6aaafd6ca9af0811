// Package travel goes to and fro in a recorded run, for debuggers.
//
//	path    the steps of the run, followed once (open.go)
//	pieces  the steps, long ones cut (pieces.go)
//	trail   what the ticks of a piece did: instructions, accesses (trail.go)
//	moment  a number of ticks: the machine is brought there by the nearest mark before it,
//	        and by running on from there (moment.go)
//	search  for the next tick that an order means, in the trails; the machine is brought
//	        to its moment afterwards (search.go)
//
// Invariant: the run is never changed. A moment's state is that of the path's steps up
// to it, however one came there.
package travel
