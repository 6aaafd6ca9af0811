// Package session is one guest under control: its file read, the kernel that it
// expects around it, booted and standing at the root of its state space. It says
// where the guest stands and by what names, follows schedules, and stops in the
// middle of a step where it has to. All that depends on the kind of kernel is in the
// table platform.go. Invariant: a session's state is a function of the image, the
// configuration, what it has learned, and the steps that were run since the root.
//
// # The files
//
//	a session        session, guest (its scheduler, cut by caller), boot, keptboot, keptstart, evaluate, memory
//	a program        program (is it one that landgo can run?), profile, trusted (functions), libraries,
//	                 openmp, scan and code (what its instructions say), inspect, unread (debug information)
//	by kernel        platform (the table), onlinux, onpebbles, ownkernel
//	where it stops   granularity, pointless, raceplace, atomicity (what races with what), stopwithin,
//	                 epoch (how fine steps are)
//	a schedule       follow, nexttorun, preemptions, ignores (bugs on the way that are ignored)
//	names            place (frames, stacks)
//	its results      certificate, coverage and reached, invalid and problem (why there is no verdict)
package session
