package por

import (
	"flag"
	"fmt"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs that poll in loops, under searches that are spared the polls. Two judges: one
// runs all interleavings with the polls, as every other search does; it says which states
// and bugs there are. The other runs those without polls; it says which traces there are.

// polling draws programs of two or three threads that wait in loops of one access: for a
// flag, for a turn, for a lock of the program's own.
func polling() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 2)
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 4) == 3,
			Mutexes: 1, Calm: true, Init: map[int]byte{0: byte(pick(t, "init", 2))}}
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", 5-n); k > 0; k-- {
				a, v, r := 8*pick(t, "where", 2), int64(pick(t, "value", 3)), pick(t, "register", 2)
				kind := pick(t, "kind", 16)
				if loop, ok := drawnLoops[kind]; ok {
					waits(t, &code, loop, a, v, r)
					continue
				}
				switch kind {
				case 2:
					waits(t, &code, untilValue, a, v, r)
				case 3:
					waits(t, &code, whileValue, a, v, r)
				case 9:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Unlock})
				case 10:
					put(model.Instr{Code: model.Load, A: a, R: r}, model.Instr{Code: model.AssNe, A: len(code), R: r, C: v})
				case 11:
					put(model.Instr{Code: model.FetchAdd, A: a, R: r, C: 1})
				case 12:
					waits(t, &code, forTwo, a, v, r)
				case 13: // part of a variable
					put(model.Instr{Code: model.Store, A: 16, Size: 4, C: v})
				default:
					put(model.Instr{Code: model.Store, A: a, C: v})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// loop is a way to wait.
type loop int

const (
	untilValue         loop = iota // until a variable has a value
	whileValue                     // while it has one
	testAndSet                     // a lock of the program's own
	compareAndExchange             // until it works
	testFirst                      // a load before the test and set
	withYield                      // two events in a turn
	forTwo                         // a turn looks at two variables
)

// drawnLoops are those that polling and pollingBuffered draw by the same number. Other numbers
// are each generator's own.
var drawnLoops = map[int]loop{0: untilValue, 1: untilValue, 4: testAndSet, 5: testAndSet, 6: compareAndExchange, 7: testFirst, 8: withYield}

// waits writes such a loop.
func waits(t *rapid.T, code *[]model.Instr, kind loop, a int, v int64, r int) {
	head := len(*code)
	put := func(in ...model.Instr) { *code = append(*code, in...) }
	load := model.Instr{Code: model.Load, A: a, R: r}
	whileHas := func(v int64) model.Instr { return model.Instr{Code: model.JumpIf, R: r, C: v, A: head} }
	set := model.Instr{Code: model.Exchange, A: a, R: r, C: 1}
	switch kind {
	case untilValue:
		put(load, model.Instr{Code: model.JumpNe, R: r, C: v, A: head})
	case whileValue:
		put(load, whileHas(v))
	case testAndSet:
		put(set, whileHas(1))
		if pick(t, "inside", 2) == 0 {
			put(model.Instr{Code: model.Load, A: 16, R: 2})
		}
		if pick(t, "gives back", 4) > 0 {
			put(model.Instr{Code: model.Store, A: a})
		}
	case compareAndExchange:
		put(model.Instr{Code: model.CompareEx, A: a, R: r, C: v, D: 1}, whileHas(0))
	case testFirst:
		put(load, whileHas(1), set, whileHas(1))
	case withYield:
		put(load, model.Instr{Code: model.Yield}, whileHas(v))
	case forTwo:
		put(model.Instr{Code: model.Load, A: 0, R: 0}, model.Instr{Code: model.Load, A: 8, R: 1}, whileHas(v))
	}
}

// awaitingSearches are those that are spared polls.
var awaitingSearches = []string{"dpor", "nidhugg", "source", "optimal", "trust"}

// agreeAwaits compares the searches with both judges.
func agreeAwaits(p *model.Program, limit uint64, f fault) error {
	polls, err := exhaust(p, limit)
	if err != nil {
		return err
	}
	s := newSurvey(p)
	s.r.awaiting = true
	s.r.Await(true)
	awaits, err := exhaustTo(s, limit)
	if err != nil {
		return err
	}
	if !polls.stats.Complete || !awaits.stats.Complete {
		return errTooLarge
	}
	for o := range polls.outcomes {
		if awaits.outcomes[o] == nil {
			return fmt.Errorf("without polls: missed %+v", o)
		}
	}
	for o := range awaits.outcomes {
		if polls.outcomes[o] == nil {
			return fmt.Errorf("without polls: invented %+v", o)
		}
	}
	for _, search := range awaitingSearches {
		if err := agreeAwait(search, p, awaits, f); err != nil {
			return fmt.Errorf("%s: %w", search, err)
		}
	}
	if !pure(p) {
		return nil
	}
	for k := range 3 {
		opts := single
		opts.fault, opts.Bounds = f, Bounds{{Rounds, k}}
		found, err := explore("rounder", p, opts)
		if err == nil {
			err = withinRounds(found, awaits, k)
		}
		if err != nil {
			return fmt.Errorf("rounder, rounds=%d: %w", k, err)
		}
	}
	return nil
}

// agreeAwait compares a search with the judge that is spared the polls.
func agreeAwait(search string, p *model.Program, awaits *survey, f fault) error {
	opts := single
	opts.fault = f
	spare = nil
	found, err := explore(search, p, opts)
	if err != nil {
		return err
	}
	spare = nil
	if err := compare(search, p, awaits, found, opts); err != nil {
		return err
	}
	if !pure(p) {
		return nil
	}
	for c := range awaits.traces {
		if found.traces[c] == nil {
			return fmt.Errorf("missed a trace of %d", len(awaits.traces))
		}
	}
	if search != "optimal" && search != "trust" {
		return nil
	}
	if int(found.stats.Executions) != len(awaits.traces) {
		return fmt.Errorf("%d executions of %d traces", found.stats.Executions, len(awaits.traces))
	}
	if found.stats.Blocked > 0 && !casts(p) {
		return fmt.Errorf("%d blocked executions of %d traces", found.stats.Blocked, len(awaits.traces))
	}
	return nil
}

// pure reports whether each loop of a program is of one access.
func pure(p *model.Program) bool {
	for _, code := range p.Threads {
		for pc, in := range code {
			if (in.Code == model.Jump || in.Code == model.JumpIf || in.Code == model.JumpNe) && in.A <= pc && pc-in.A > 1 {
				return false
			}
		}
	}
	return true
}

func TestAwaits(t *testing.T) {
	programs, tooLarge, waits := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := polling().Draw(rt, "program")
		programs++
		if spins(p) {
			waits++
		}
		switch err := agreeAwaits(p, spinLimit, sound); {
		case err == errTooLarge:
			tooLarge++
			rt.Skip()
		case err != nil:
			tellFinding(rt, err, p)
		}
	})
	t.Logf("%d programs, %d with a loop, %d too large", programs, waits, tooLarge)
}

// TestAwaitMutants: the programs of TestAwaits show each rule of awaits that is left out.
func TestAwaitMutants(t *testing.T) {
	for _, f := range []fault{noAwaiting, nearAwait} {
		found := false
		for seed := 0; seed < 3000 && !found; seed++ {
			p := polling().Example(seed)
			err := agreeAwaits(p, spinLimit, f)
			found = err != nil && err != errTooLarge
		}
		if !found {
			t.Errorf("fault %d isn't found", f)
		}
	}
}

// TestSoakAwaits is TestAwaits on as many programs as LANDGO_SOAK says.
func TestSoakAwaits(t *testing.T) {
	run := 0
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			p := polling().Draw(rt, "program")
			switch err := agreeAwaits(p, soakLimit, sound); {
			case err == errTooLarge:
				rt.Skip()
			case err != nil:
				tellFinding(rt, err, p)
			}
			run++
		})
	}, func() string { return fmt.Sprintf("%d programs with loops of one access", run) })
}

// soakOne runs check on a batch of a soak.
func soakOne(t *testing.T, seed uint64, check func(*rapid.T)) bool {
	return t.Run(fmt.Sprint(seed), func(t *testing.T) {
		flag.Set("rapid.seed", fmt.Sprint(seed))
		flag.Set("rapid.checks", fmt.Sprint(soakBatch))
		rapid.Check(t, check)
	})
}
