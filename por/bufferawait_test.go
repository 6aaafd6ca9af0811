package por

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs that poll in loops, with store buffers. Where they lead says the machine of the paper,
// with all polls (model.Outcomes). Which traces there are says the search without reduction
// that is spared the polls, as in await_test.go.

// pollingBuffered draws programs of two or three threads that store, fence, and wait in loops.
func pollingBuffered() *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)/2
		p := &model.Program{Bytes: 24, Standing: true, Mutexes: 1, Calm: true, Buffers: true, Init: map[int]byte{0: byte(pick(t, "init", 2))}}
		for range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			for k := 1 + pick(t, "length", 6-n); k > 0; k-- {
				a, v, r, head := 8*pick(t, "where", 2), int64(pick(t, "value", 3)), pick(t, "register", 2), len(code)
				kind := pick(t, "kind", 20)
				if loop, ok := drawnLoops[kind]; ok {
					waits(t, &code, loop, a, v, r)
					continue
				}
				switch kind {
				case 2:
					waits(t, &code, whileValue, a, v, r)
				case 3: // its own store, and until that is overwritten, maybe by what was there
					put(model.Instr{Code: model.Store, A: a, C: v}, model.Instr{Code: model.Load, A: a, R: r})
					if pick(t, "by what", 2) == 0 {
						put(model.Instr{Code: model.JumpIf, R: r, C: v, A: head + 1})
					} else {
						put(model.Instr{Code: model.JumpNe, R: r, A: head + 1})
					}
				case 9:
					put(model.Instr{Code: model.Fence})
				case 10, 11:
					put(model.Instr{Code: model.Load, A: a, R: r}, model.Instr{Code: model.AssNe, A: len(code), R: r, C: v})
				case 12:
					put(model.Instr{Code: model.FetchAdd, A: a, R: r, C: 1})
				case 13:
					waits(t, &code, forTwo, a, v, r)
				case 14: // a part of a variable, or more than it
					put(cellOf(pick(t, "cell", 5), model.Instr{Code: model.Store, C: v}))
				default:
					put(model.Instr{Code: model.Store, A: a, C: v})
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// cellOf is one of some accesses of other bytes than a word of two.
func cellOf(k int, in model.Instr) model.Instr {
	in.A, in.Size = []int{0, 4, 4, 16, 8}[k], []int{4, 4, 8, 8, 4}[k]
	return in
}

// inParts reports whether what threads may await is stored in parts: then they poll.
func inParts(p *model.Program) bool {
	return slices.ContainsFunc(p.Threads, func(code []model.Instr) bool {
		return slices.ContainsFunc(code, func(in model.Instr) bool { return in.Size != 0 && in.A < 16 })
	})
}

// agreeBufferAwaits compares searches that are spared polls with the judges. It reports
// whether the traces were judged, too.
func agreeBufferAwaits(p *model.Program, want []string, limit uint64, f fault) (judged bool, err error) {
	opts := bufferOptions
	opts.fault, opts.MaxExecutions = f, limit
	none, err := awaitingBuffered("none", p, opts)
	if err != nil {
		return false, err
	}
	judged = none.stats.Complete && !none.ends && pure(p) && !inParts(p)
	if got := sorted(none.outcomes); none.stats.Complete && !slices.Equal(got, want) {
		return judged, fmt.Errorf("without polls: %d outcomes, want %d:\n%v\nwant\n%v", len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, name := range []string{"dpor", "source", "optimal"} {
		r, err := awaitingBuffered(name, p, opts)
		if err != nil {
			return judged, err
		}
		if !r.stats.Complete {
			continue
		}
		if got := sorted(r.outcomes); !slices.Equal(got, want) {
			return judged, fmt.Errorf("%s: %d outcomes, want %d:\n%v\nwant\n%v", name, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !judged {
			continue
		}
		for k := range none.traces {
			if !r.traces[k] {
				return judged, fmt.Errorf("%s: missed a trace of %d", name, len(none.traces))
			}
		}
		if name == "optimal" && int(r.stats.Executions) != len(r.traces) {
			return judged, fmt.Errorf("%s: %d executions of %d traces", name, r.stats.Executions, len(r.traces))
		}
		if name == "optimal" && r.stats.Blocked > 0 && !casts(p) && !readsOwn(p) {
			return judged, fmt.Errorf("optimal: %d blocked executions of %d", r.stats.Blocked, r.stats.Executions)
		}
	}
	return judged, nil
}

// awaitingBuffered runs a search without polls.
func awaitingBuffered(search string, p *model.Program, opts Options) (*bufferRun, error) {
	s, err := New(search, opts)
	if err != nil {
		return nil, err
	}
	r := &bufferRun{Machine: model.New(p), p: p, outcomes: map[string]bool{}, traces: map[string]bool{}, awaiting: true}
	r.Await(true)
	r.stats, err = s.Run(r, r)
	return r, err
}

func TestBufferAwaits(t *testing.T) {
	defer setChecks(50)()
	programs, judged, waits := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := pollingBuffered().Draw(rt, "program")
		programs++
		if spins(p) {
			waits++
		}
		if ok, err := agreeBoth(p, bufferOptions.MaxExecutions); err != nil {
			tellFinding(rt, err, p)
		} else if ok {
			judged++
		}
	})
	t.Logf("%d programs, %d with a loop, %d of which the traces are judged", programs, waits, judged)
}

// agreeBoth compares with updates first, and last.
func agreeBoth(p *model.Program, limit uint64) (judged bool, err error) {
	want := model.Outcomes(p)
	for _, p.Lazy = range []bool{false, true} {
		if judged, err = agreeBufferAwaits(p, want, limit, sound); err != nil {
			return judged, fmt.Errorf("updates last: %v: %w", p.Lazy, err)
		}
	}
	return judged, nil
}

// TestBufferAwaitMutants: the programs of TestBufferAwaits show each rule that is left out.
func TestBufferAwaitMutants(t *testing.T) {
	try := func(name string, wrong func(p *model.Program) fault) {
		t.Run(name, func(t *testing.T) {
			for seed := range 1000 {
				p := pollingBuffered().Example(seed)
				if fails(p, wrong(p)) {
					return
				}
			}
			t.Error("isn't found")
		})
	}
	for name, f := range map[string]fault{"threads that wait at the end don't race": noAwaiting, "the first write hides all others": nearAwait} {
		try(name, func(*model.Program) fault { return f })
	}
	for name, f := range map[string]model.BufferFault{"forwarding": model.NoForward, "a locked instruction that waits": model.WeakLocked,
		"an update's conflicts": model.NoConflict} {
		try(name, func(p *model.Program) fault { p.Fault = f; return sound })
	}
}

// TestAnsweredUntilUpdate: a load that was explored where the buffer answered it stays answered until
// the update of that store. So it begins no sequence that has the update, and another's behind
// it. With that the thread waits for ever, and no event of its own tells that it came later.
func TestAnsweredUntilUpdate(t *testing.T) {
	store := func(a int, v int64) model.Instr { return model.Instr{Code: model.Store, A: a, C: v} }
	until := func(a, at int) []model.Instr {
		return []model.Instr{{Code: model.Load, A: a}, {Code: model.JumpNe, A: at}}
	}
	p := &model.Program{Bytes: 24, Standing: true, Calm: true, Buffers: true, Threads: [][]model.Instr{
		{store(0, 1), {Code: model.Exchange, A: 8, C: 1}},
		append([]model.Instr{store(0, 0)}, until(0, 1)...),
		append(until(8, 0), store(0, 0)),
	}}
	if _, err := agreeBoth(p, 5000); err != nil {
		t.Error(err)
	}
}

// fails reports whether a rule that is left out shows: a search reaches something else, or runs
// a thread that can't run.
func fails(p *model.Program, f fault) (found bool) {
	defer func() { found = found || recover() != nil }()
	_, err := agreeBufferAwaits(p, model.Outcomes(p), bufferOptions.MaxExecutions, f)
	return err != nil
}

// TestSoakBufferAwaits is TestBufferAwaits on as many programs as LANDGO_SOAK says.
func TestSoakBufferAwaits(t *testing.T) {
	run := 0
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			p := pollingBuffered().Draw(rt, "program")
			if _, err := agreeBoth(p, soakLimit); err != nil {
				tellFinding(rt, err, p)
			}
			run++
		})
	}, func() string { return fmt.Sprintf("%d programs with loops and store buffers", run) })
}

// agreeWithin compares search bounded with all executions within the same bounds. judged: there were few
// enough.
func agreeWithin(p *model.Program, m Measure, limit int, f fault) (judged bool, err error) {
	opts := bufferOptions
	opts.Bounds = Bounds{{m, limit}}
	all, err := runBuffered("none", p, opts)
	if err != nil || !all.stats.Complete {
		return false, err
	}
	opts.fault, opts.MaxExecutions = f, 0
	for _, opts.Iterate = range []bool{true, false} {
		r, err := runBuffered("bounded", p, opts)
		if err != nil {
			return true, err
		}
		got, want := sorted(r.outcomes), sorted(all.outcomes)
		if !all.ends && !readsOwn(p) { // else a thread may poll once more as its own store left the buffer
			got, want = sorted(r.traces), sorted(all.traces)
		}
		if !slices.Equal(got, want) || r.stats.Executions > all.stats.Executions {
			return true, fmt.Errorf("%s=%d: %d of %d, by %d executions of %d", m, limit, len(got), len(want), r.stats.Executions, all.stats.Executions)
		}
	}
	return true, nil
}

// TestBufferLoopsWithin: where threads wait in loops, search bounded has one execution of each trace
// within the bound, too: an update that ends a spin is where it costs least.
func TestBufferLoopsWithin(t *testing.T) {
	agree := func(p *model.Program, f fault) (judged int, err error) {
		for _, m := range []Measure{Preempt, Delay, Switches, Fair} {
			for limit := range 3 {
				ok, err := agreeWithin(p, m, limit, f)
				if err != nil {
					return judged, err
				}
				if ok {
					judged++
				}
			}
		}
		return judged, nil
	}
	defer setChecks(40)()
	judged := 0
	rapid.Check(t, func(rt *rapid.T) {
		p := pollingBuffered().Draw(rt, "program")
		n, err := agree(p, sound)
		if judged += n; err != nil {
			tellFinding(rt, err, p)
		}
	})
	if t.Log(judged, "comparisons"); judged < 40 {
		t.Error("a poor sample")
	}
	findsFault(t, pollingBuffered(), 2000, func(p *model.Program) error {
		_, err := agree(p, freeMoves)
		return err
	})
}
