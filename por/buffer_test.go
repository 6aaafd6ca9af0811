package por

import (
	"slices"
	"strings"
	"testing"

	"landgo/por/internal/model"
)

// Searches over programs with store buffers, against an exploration of the x86-TSO machine that
// shares nothing with them (model.Outcomes). The traces are distinguished by what the paper's
// definition makes of them, not by package relation.

// TestBuffersWithin: within a bound there are the executions that spend no more, by a count of
// their own. A buffer's steps cost nothing. Search bounded has one of each trace at least, and leaves
// out many that differ in the places of updates.
func TestBuffersWithin(t *testing.T) {
	programs, first := soakBuffers(t, 60)
	judged, runs, most := 0, 0, 0
	for n := range programs {
		seed := first + uint64(n)
		p := bufferProgram(uint64(seed))
		if seed%4 == 0 {
			p = fencingProgram(uint64(seed))
		}
		s, _ := New("none", bufferOptions)
		all := &bufferRun{Machine: model.New(p), p: p, outcomes: map[string]bool{}, traces: map[string]bool{}}
		count := map[Measure][]int{}
		least := map[Measure]map[string]int{Preempt: {}, Delay: {}, Switches: {}} // by trace
		all.spends = func(c map[Measure]int) {
			key := all.key()
			for m := range least {
				for len(count[m]) <= c[m] {
					count[m] = append(count[m], 0)
				}
				count[m][c[m]]++
				if old, ok := least[m][key]; !ok || c[m] < old {
					least[m][key] = c[m]
				}
			}
		}
		if st, err := s.Run(all, all); err != nil || !st.Complete {
			continue
		}
		judged++
		for m, spent := range count {
			want := 0
			for limit := range min(len(spent), 3) {
				want += spent[limit]
				var within []string
				for key, spent := range least[m] {
					if spent <= limit {
						within = append(within, key)
					}
				}
				slices.Sort(within)
				opts := bufferOptions
				opts.Bounds, opts.MaxExecutions = Bounds{{m, limit}}, 0
				if r, err := runBuffered("none", p, opts); err != nil || int(r.stats.Executions) != want {
					t.Fatalf("none, %s=%d: %d executions, want %d, %v\n%v", m, limit, r.stats.Executions, want, err, p)
				}
				for _, rises := range []bool{true, false} {
					opts.Iterate = rises
					r, err := runBuffered("bounded", p, opts)
					if got := sorted(r.traces); err != nil || !slices.Equal(got, within) || int(r.stats.Executions) > want {
						t.Fatalf("bounded, %s=%d: %d executions of %d traces, want %d of at most %d, %v\n%v", m, limit, r.stats.Executions, len(got), len(within), want, err, p)
					}
					runs, most = runs+int(r.stats.Executions), most+want
				}
			}
		}
	}
	if t.Log(judged, "of", programs, "programs;", runs, "executions of", most); judged*3 < programs || runs*2 > most {
		t.Error("a poor sample, or nothing is left out")
	}
}

func TestBuffers(t *testing.T) {
	more := 0
	programs, first := soakBuffers(t, 40)
	for n := range programs {
		seed := first + uint64(n)
		p := bufferProgram(seed)
		want := outcomesBuffered(t, seed, p)
		sc := *p
		sc.Buffers = false
		r, err := runBuffered("source", &sc, bufferOptions)
		if err != nil {
			t.Fatal(err)
		}
		if len(r.outcomes) < len(want) {
			more++
		}
	}
	if t.Log(programs, "programs,", more, "with outcomes that no interleaving has"); more*50 < programs {
		t.Error("a poor sample")
	}
}

// outcomesBuffered are a program's outcomes, by exhaustion; each search has them, in whatever order updates come.
func outcomesBuffered(t *testing.T, seed uint64, p *model.Program) []string {
	t.Helper()
	want := model.Outcomes(p)
	if err := compareBuffered(p, want, append(outcomeSearches, bufferSearches...), bufferOptions); err != nil {
		t.Fatalf("seed %d: %v\n%v", seed, err, p)
	}
	lazy := *p
	lazy.Lazy = true
	if err := compareBuffered(&lazy, want, []string{"source", "optimal"}, bufferOptions); err != nil {
		t.Fatalf("seed %d, updates last: %v\n%v", seed, err, p)
	}
	return want
}

// TestBuffersInParts: a load takes each byte from the newest store in the buffer that has it, else
// from memory.
func TestBuffersInParts(t *testing.T) {
	programs, first := soakBuffers(t, 120)
	parts, beyond := 0, 0
	for n := range programs {
		seed := first + uint64(n)
		p := partsProgram(seed)
		want := outcomesBuffered(t, seed, p)
		waits := *p
		waits.Fault = model.PartsWait
		r, err := runBuffered("source", &waits, bufferOptions)
		if err != nil {
			t.Fatal(err)
		}
		if r.stats.Complete && len(r.outcomes) < len(want) {
			beyond++
		}
		if readsParts(p) {
			parts++
		}
	}
	if t.Log(programs, "programs,", parts, "with loads of a part,", beyond, "with outcomes that processors which wait don't have"); parts*2 < programs || beyond*10 < programs {
		t.Error("a poor sample")
	}
}

// readsParts reports whether a thread loads bytes of which a store of its own has only some.
func readsParts(p *model.Program) bool {
	for _, code := range p.Threads {
		for i, l := range code {
			for _, s := range code[:i] {
				if l.Code == model.Load && s.Code == model.Store && s.A < l.A+l.Size && l.A < s.A+s.Size && (s.A > l.A || s.A+s.Size < l.A+l.Size) {
					return true
				}
			}
		}
	}
	return false
}

// TestBuffersBlend: what has the same effect in both orders does so with store buffers too. The
// searches find the outcomes of the machine of the paper, in no more executions than they take
// without.
func TestBuffersBlend(t *testing.T) {
	for name, program := range map[string]func(uint64) *model.Program{"counters": countingProgram, "barriers": meetingProgram} {
		t.Run(name, func(t *testing.T) { buffersBlend(t, program) })
	}
}

func buffersBlend(t *testing.T, program func(seed uint64) *model.Program) {
	fewer := 0
	programs, first := soakBuffers(t, 200)
	for n := range programs {
		seed := first + uint64(n)
		p := program(seed)
		want := model.Outcomes(p)
		for _, name := range []string{"sleep", "source", "optimal"} {
			all, err := runBuffered(name+":commute=0", p, bufferOptions)
			if err != nil {
				t.Fatal(err)
			}
			r, err := runBuffered(name, p, bufferOptions)
			if err != nil {
				t.Fatal(err)
			}
			if !r.stats.Complete || !all.stats.Complete {
				continue
			}
			if got := sorted(r.outcomes); !slices.Equal(got, want) {
				t.Fatalf("seed %d: %s: %d outcomes, want %d:\n%v\nwant\n%v\n%v", seed, name, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"), p)
			}
			if r.stats.Executions > all.stats.Executions {
				t.Errorf("seed %d: %s: %d executions, %d where nothing has the same effect", seed, name, r.stats.Executions, all.stats.Executions)
			}
			if name == "optimal" {
				if r.stats.Executions < all.stats.Executions {
					fewer++
				}
			}
		}
	}
	if t.Log(programs, "programs,", fewer, "with fewer executions"); fewer*20 < programs {
		t.Error("a poor sample")
	}
}

// TestBuffersLateEnds: with ends of the process that come last, optimal finds what all
// executions with ends anywhere have. These are the bugs, the deadlocks, and where there is no
// bug the registers of the threads that end the process.
func TestBuffersLateEnds(t *testing.T) {
	programs, first := soakBuffers(t, 150)
	judged, cut, bugs := 0, 0, 0
	for n := range programs {
		seed := first + uint64(n)
		p := bufferProgram(seed)
		if p.MainEnds = seed%3 > 0; !p.MainEnds {
			last := len(p.Threads) - 1
			p.Threads[last] = append(p.Threads[last], model.Instr{Code: model.Exit})
		}
		if seed%2 == 0 {
			p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.AssNe, R: int(seed / 2 % 3), A: 9, C: 1 + int64(seed/6%2)})
		}
		ends := map[string]map[string]bool{}
		var stats [2]Stats
		for i, name := range []string{"none", "optimal"} {
			s, err := New(name, bufferOptions)
			if err != nil {
				t.Fatal(err)
			}
			r := &endsRun{bufferRun: bufferRun{Machine: model.New(p), p: p, outcomes: map[string]bool{}, traces: map[string]bool{}}}
			if stats[i], err = s.Run(r, r); err != nil {
				t.Fatal(err)
			}
			ends[name] = r.outcomes
		}
		if !stats[0].Complete {
			continue
		}
		judged++
		if stats[1].Executions < stats[0].Executions {
			cut++
		}
		failed := false
		for o := range ends["none"] {
			failed = failed || strings.HasPrefix(o, "bug")
		}
		if failed {
			bugs++
		}
		for o := range ends["none"] {
			if !ends["optimal"][o] && !(failed && strings.HasPrefix(o, "end")) {
				t.Fatalf("seed %d: missed %s\n%v", seed, o, p)
			}
		}
		for o := range ends["optimal"] {
			if !ends["none"][o] {
				t.Fatalf("seed %d: invented %s\n%v", seed, o, p)
			}
		}
		if !stats[1].Complete {
			t.Fatalf("seed %d: %+v\n%v", seed, stats[1], p)
		}
	}
	if t.Log(judged, "of", programs, "programs,", bugs, "with bugs;", cut, "have fewer executions"); judged*3 < programs || bugs == 0 || cut == 0 {
		t.Error("a poor sample")
	}
}

// TestFencesForAll: a fence for all threads is a time during which each buffer is empty at some
// moment.
func TestFencesForAll(t *testing.T) {
	ring := ringProgram()
	if want := model.Outcomes(ring); len(want) != 8 {
		t.Errorf("the ring has %d outcomes", len(want))
	}
	if err := checkBuffered(ring, append(outcomeSearches, bufferSearches...), bufferOptions); err != nil {
		t.Error("the ring:", err)
	}
	programs, first := soakBuffers(t, 24)
	fewer := 0
	for n := range programs {
		seed := first + uint64(n)
		p := fencingProgram(uint64(seed))
		want := outcomesBuffered(t, seed, p)
		own := *p
		own.Fault = model.WeakFenceAll
		r, err := runBuffered("source", &own, bufferOptions)
		if err != nil {
			t.Fatal(err)
		}
		if r.stats.Complete && len(r.outcomes) > len(want) {
			fewer++
		}
	}
	if t.Log(programs, "programs,", fewer, "in which other threads' buffers matter"); fewer*20 < programs {
		t.Error("a poor sample")
	}
}

// TestBufferSamples: what samples find is there.
func TestBufferSamples(t *testing.T) {
	for _, name := range []string{"random:runs=60", "pct:runs=60", "pos:runs=60"} {
		for _, c := range litmus {
			p := c.program()
			r, err := runBuffered(name, p, Options{OneEvent: true, Unmerged: true})
			if err != nil {
				t.Fatal(err)
			}
			want := model.Outcomes(p)
			for o := range r.outcomes {
				if !slices.Contains(want, o) {
					t.Errorf("%s, %s: invented %s", name, c.name, o)
				}
			}
		}
	}
}

// TestCheckBuffers: what isn't proven is refused, and what is proven is tested.
func TestCheckBuffers(t *testing.T) {
	var proven []string
	for _, name := range Names() {
		spec, err := ParseSpec(name)
		if err != nil {
			t.Fatal(err)
		}
		if spec.CheckBuffers(nil) == nil && spec.Claim() != Nothing {
			proven = append(proven, name)
		}
		if taken := spec.CheckBuffers(Bounds{{Preempt, 1}}) == nil; taken != (name == "none" || name == "bounded") {
			t.Errorf("%s within a bound: taken is %v", name, taken)
		}
	}
	if want := []string{"none", "bounded", "sleep", "stateful", "dpor", "source", "optimal"}; !slices.Equal(proven, want) {
		t.Errorf("%v are taken, %v are tested", proven, bufferSearches)
	}
	for _, text := range []string{"dpor:figure=3", "dpor:sleep=0", "dpor:static=1"} {
		if spec, _ := ParseSpec(text); spec.CheckBuffers(nil) == nil {
			t.Errorf("%s isn't refused", text)
		}
	}
}

// TestBufferMutants: the test finds each rule of the buffers that is left out.
func TestBufferMutants(t *testing.T) {
	for name, fault := range map[string]model.BufferFault{"forwarding": model.NoForward, "the order of a buffer": model.NewestFirst,
		"a fence that waits": model.WeakFence, "a locked instruction that waits": model.WeakLocked, "an update's conflicts": model.NoConflict} {
		t.Run(name, func(t *testing.T) {
			huntBuffers(t, func(p *model.Program) error {
				wrong := *p
				wrong.Fault = fault
				return checkBuffered(&wrong, []string{"source"}, bufferOptions)
			})
		})
	}
	for name, fault := range map[string]model.BufferFault{"a load of parts that doesn't wait": model.PartsWait, "parts that the buffer has": model.PartsMissed,
		"pieces": model.OnePiece} {
		t.Run(name, func(t *testing.T) {
			for seed := range 400 {
				wrong := partsProgram(uint64(seed))
				wrong.Fault = fault
				if checkBuffered(wrong, []string{"source", "optimal"}, bufferOptions) != nil {
					return
				}
			}
			t.Error("nothing was found")
		})
	}
	t.Run("a digest of buffers", func(t *testing.T) {
		huntBuffers(t, func(p *model.Program) error {
			wrong := *p
			wrong.Fault = model.UnhashedBuffers
			return checkBuffered(&wrong, []string{"stateful"}, bufferOptions)
		})
	})
	for name, fault := range map[string]model.BufferFault{"a fence for all that waits for all": model.WeakFenceAll, "stores that one sees": model.UnseenStores,
		"a moment for each buffer": model.OneMoment} {
		t.Run(name, func(t *testing.T) {
			wrong := ringProgram()
			if wrong.Fault = fault; checkBuffered(wrong, []string{"source"}, bufferOptions) != nil {
				return
			}
			for seed := range 400 {
				wrong := fencingProgram(uint64(seed))
				wrong.Fault = fault
				if checkBuffered(wrong, []string{"source"}, bufferOptions) != nil {
					return
				}
			}
			t.Error("nothing was found")
		})
	}
	t.Run("a load that stays answered while it sleeps", func(t *testing.T) {
		opts := bufferOptions
		opts.fault = staysBuffered
		huntBuffers(t, func(p *model.Program) error { return checkBuffered(p, []string{"sleep", "source"}, opts) })
	})
}

// huntBuffers wants an error for one of many programs.
func huntBuffers(t *testing.T, check func(*model.Program) error) {
	for _, c := range litmus {
		if check(c.program()) != nil {
			return
		}
	}
	for seed := range 400 {
		if check(bufferProgram(uint64(seed))) != nil {
			return
		}
	}
	t.Error("nothing was found")
}

func TestBufferLitmus(t *testing.T) {
	for _, c := range litmus {
		t.Run(c.name, func(t *testing.T) {
			p := c.program()
			if err := checkBuffered(p, bufferSearches, bufferOptions); err != nil {
				t.Fatal(err)
			}
			r, _ := runBuffered("optimal", p, bufferOptions)
			if r.stats.Blocked > 0 {
				t.Errorf("optimal: %d blocked executions", r.stats.Blocked)
			}
			if len(r.outcomes) != c.outcomes || len(r.traces) != c.traces {
				t.Errorf("%d outcomes and %d traces, want %d and %d", len(r.outcomes), len(r.traces), c.outcomes, c.traces)
			}
			p.Buffers = false
			r, _ = runBuffered("optimal", p, bufferOptions)
			if int(r.stats.Executions) != c.sc {
				t.Errorf("without buffers %d traces, want %d", r.stats.Executions, c.sc)
			}
		})
	}
}
