// Package spins says what a spin is, as far as no guest is needed for that: values, and rules about
// them. A thread spins if the turns of its loop change nothing that another thread could see. Then
// landgo has it wait for a change of what it reads. The core runs the turns, takes them back, and
// asks here for a judgement (scheduler/spin.go, await.go, counted.go, backout.go).
//
// # The files
//
//	a turn        turn (what it did, and whether another thread disturbs it), locks (that it takes and
//	              gives back), period (of a loop without a preemption point), rounds (turns that count
//	              as yields)
//	its state     poise (how a thread stands after it), left (what it leaves in memory and registers)
//	many turns    counted (are all of them one step?), grown (counts without an end), tries (that fail,
//	              and are taken back)
//	values        writes (what was there before each write of the path)
package spins
