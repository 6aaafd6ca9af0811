// Package travel goes to and fro in a recorded run, for debuggers.
//
// # The files
//
//	open    the path: the steps of the run, followed once
//	pieces  the steps, long ones cut
//	trail   what the ticks of a piece did: instructions, accesses
//	moment  a number of ticks: the machine is brought there by the nearest mark before it,
//	        and by running on from there
//	search  for the next tick that an order means, in the trails; the machine is brought
//	        to its moment afterwards
//	look    the state at a moment: threads, registers, memory
//	words   a user's questions in words; whatif: what if another thread ran?
//
// Invariant: the run is never changed. A moment's state is that of the path's steps up
// to it, however one came there.
package travel
