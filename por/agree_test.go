package por

import (
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Helpers of tests that run random programs by a search and by judges. agree is the
// difference between them; errTooLarge: the program has too many executions to be judged.

// onRandom has random programs judged, until as many as rapid wants weren't too large.
func onRandom(t *testing.T, gen *rapid.Generator[*model.Program], agree func(*model.Program) error) {
	t.Helper()
	programs, tooLarge := 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := gen.Draw(rt, "program")
		programs++
		switch err := agree(p); {
		case err == errTooLarge:
			tooLarge++
			rt.Skip()
		case err != nil:
			rt.Fatalf("%v\n%v", err, p)
		}
	})
	t.Logf("%d programs, %d too large", programs, tooLarge)
}

// findsFault fails if none of so many programs shows a fault: agree has it in the search, or
// makes the program so that its judge knows better.
func findsFault(t *testing.T, gen *rapid.Generator[*model.Program], programs int, agree func(*model.Program) error) {
	t.Helper()
	for n := range programs {
		if err := agree(gen.Example(n)); err != nil && err != errTooLarge {
			t.Logf("found by program %d: %v", n, err)
			return
		}
	}
	t.Error("not found")
}
