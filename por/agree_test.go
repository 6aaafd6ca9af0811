package por

import (
	"fmt"
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
			tellFinding(rt, err, p)
		}
	})
	t.Logf("%d programs, %d too large", programs, tooLarge)
}

// sparing is onRandom of a reduction. agree says whether it left something out: it fails if
// that is so in none of the programs.
func sparing(t *testing.T, gen *rapid.Generator[*model.Program], agree func(*model.Program) (bool, error)) {
	t.Helper()
	fewer := 0
	onRandom(t, gen, func(p *model.Program) error {
		less, err := agree(p)
		if less && err == nil {
			fewer++
		}
		return err
	})
	t.Logf("%d with fewer executions", fewer)
	if fewer == 0 {
		t.Error("no program has fewer executions: the test tests nothing")
	}
}

// soakSparing is sparing on as many programs as LANDGO_SOAK says.
func soakSparing(t *testing.T, gen *rapid.Generator[*model.Program], agree func(*model.Program) (bool, error)) {
	t.Helper()
	run, fewer := 0, 0
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			p := gen.Draw(rt, "program")
			less, err := agree(p)
			switch {
			case err == errTooLarge:
				rt.Skip()
			case err != nil:
				tellFinding(rt, err, p)
			case less:
				fewer++
			}
			run++
		})
	}, func() string { return fmt.Sprintf("%d programs, %d with fewer executions", run, fewer) })
}

// findsFault fails if none of this many programs shows a fault: agree has it in the search, or
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
