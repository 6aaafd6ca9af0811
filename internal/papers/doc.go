// Command papers runs the experiments of the papers whose searches landgo has,
// on guests/papers and the other guests. It writes docs/papers.md, a summary, and
// internal/papers/tables with all tables: the paper's figure, landgo's, and why they
// differ where they do. It fails if a figure that has to be met isn't. Run it from the top
// of a built tree, or with `make papers`.
//
// It can be run in pieces: -only runs some experiments, and keeps their tables in a
// file. -pages writes the pages from that file, and says where something wasn't
// run.
//
// The pages' texts are the templates in pages; each experiment here fills in tables by
// name. All that it prints except times is the same on each run, because a search is
// cut by its executions first. The limit on time only stops a search that makes none.
//
// # The files
//
//	main          the experiments, by name
//	lab           runs of landgo, several in turn, and their outcomes
//	table         tables, and how figures are written
//	publish       the pages, from tables that were kept
//	rounder       optimal bounded partial-order reduction (ROUNDER, TruSt): Table I and the rounds
//	coverage      bounds and what they cover (Coons, Musuvathi and McKinley)
//	thesis, rcu   preemption bounding in Nidhugg, and its failures of RCU
//	paths         dynamic partial-order reduction (Flanagan and Godefroid), and its Figure 2
//	papersbugs    the bugs of all papers
//	estimator, firstbug  estimates of a search's size, and executions to the first bug (Quicksand)
package main
