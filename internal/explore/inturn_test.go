package explore

import "os"

// soaks: LANDGO_SOAK in the environment. Then nothing is left out of what follows.
var soaks = os.Getenv("LANDGO_SOAK") != ""

// inTurn is one of several ways to run a test's programs, another for the next program; in
// a soak it is all.
func inTurn[T any](i int, ways ...T) []T {
	if soaks {
		return ways
	}
	return ways[i%len(ways):][:1]
}

// libraries are the compilers for a program that says the same with each C library.
func libraries(i int) []string { return inTurn(i, "gcc", "musl-gcc") }
