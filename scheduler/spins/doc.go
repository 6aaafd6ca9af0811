// Package spins says what a spin is, as far as no guest is needed for that: values, and rules about
// them. A thread spins if the turns of its loop change nothing that another thread could see. Then
// landgo has it wait for a change of what it reads. The core runs the turns, takes them back, and
// asks here for a judgement (the parts are in scheduler/doc.go, Loops).
//
// # The files
//
//	a turn        turn (what it did, and whether another thread disturbs it), looks (where a loop looks), locks
//	              (that a turn takes and gives back), period (of a loop without a preemption point), rounds (turns
//	              that count as yields)
//	its state     poise (how a thread stands after it), left (what it leaves in memory and registers)
//	many turns    counted (are all of them one step?), grown (counts without an end)
//	other trials  tries (that fail, and are taken back), hint (a load and the exchange behind it), sides (an addition,
//	              with each small number)
//	values        writes (what was there before each write of the path)
package spins
