package explore

import (
	"os"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/trace"
)

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

// onLibraries runs a test of a program with each of these, at every access.
func onLibraries(t *testing.T, i int, name, source string, f func(t *testing.T, guest string, cfg config.Config)) {
	for _, cc := range libraries(i) {
		t.Run(name+" "+cc, func(t *testing.T) {
			t.Parallel()
			guest := compile.Text(t, cc, source)
			cfg := onProgram(guest)
			cfg.PP = trace.MemPoints
			f(t, guest, cfg)
		})
	}
}
