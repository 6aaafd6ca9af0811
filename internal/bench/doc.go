// Command bench measures landgo on the guests of guests/bench: that each count
// is the required one on every build, and how fast it gets there. Run it from
// the top of a built tree, or with `make bench`.
//
// # The files
//
//	main          the anchors, the flags
//	measure       one run
//	speed         rates, against what is set out
//	searches      searches beside each other
//	jobs          one worker and two
//	deepening     a job's own cost
//	costs         what can be switched off
//	kernels       boots
//	memory        what a search's memory depends on
//	peers         other model checkers beside landgo
//	profile       where the engine's time goes, for the compiler
package main
