// Package mutate makes mistakes in C sources. From a correct thread library it
// makes mutants with one change each, of a usual kind (a lock dropped, a
// wake-up too early). The kinds are in operators.go.
//
// Which mutants there are is a function of the text alone, in the order of the
// operators and, for each, of the places. A mutant's name says operator and
// place. All lines keep their numbers, so that reports and assertions of a
// mutant speak of the lines of its original.
//
// It reads C by its tokens and statements (token.go, statement.go), which is
// enough for plain code. A change whose result isn't C fails to compile, and
// such a mutant is discarded.
package mutate
