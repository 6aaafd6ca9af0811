// Command study compares landgo's iterative deepening with searching one space,
// as Blum and Gibson did it for Quicksand (OOPSLA 2016, section 6). It runs the
// tests of two thread libraries and of mutants of them, each contestant with
// the same time of the processor. It writes docs/quicksand.md, a summary, and
// bin/quicksand.md: the paper's Figure 7 and Tables 1, 2 and 3 with ours beside
// theirs. Run it from the top of a built tree, or with `make study`.
//
// The scratch folder keeps the results of each run, so a study that was stopped
// goes on from there; another build of landgo begins anew.
//
// # The files
//
//	main          the flags, and which pairs of a library and a test are run
//	library       libraries, their mutants and tests
//	build         building a pair
//	options       how landgo is called for it
//	trial         one run of a contestant
//	compare       the contestants of a pair, and contradictions between them
//	classify      what a bug is
//	races         points of data races
//	figure, tables, summary, page  what is written
package main
