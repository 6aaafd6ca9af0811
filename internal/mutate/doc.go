// Package mutate makes mistakes in C sources: from a thread library that is
// right, mutants that each have one change of a kind that people make there (a
// lock dropped, a wake-up too early). What makes a kind is in operators.go.
//
// Which mutants there are is a function of the text alone, in the order of the
// operators and, for each, of the places. A mutant's name says operator and
// place. All lines keep their numbers, so that reports and assertions of a
// mutant speak of the lines of its original.
//
// It reads C by its tokens and statements (token.go, statement.go), which is
// enough for plain code: a change that gives something else than C shows when it
// is compiled, and such a mutant is discarded then.
package mutate
