package por

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

// Searches over programs with store buffers, against an exploration of the x86-TSO machine that
// shares nothing with them (model.Outcomes). The traces are distinguished by what the paper's
// definition makes of them, not by package relation.

// bufferSearches are those that take store buffers.
var bufferSearches = []string{"none", "sleep", "dpor", "source", "optimal"}

// outcomeSearches are those that find the outcomes, and not one execution of each trace.
var outcomeSearches = []string{"stateful", "stateful:sleep=0"}

// bufferRun is a model program under a search.
type bufferRun struct {
	*model.Machine
	p        *model.Program
	path     []*trace.Transition
	marks    []recMark
	outcomes map[string]bool
	traces   map[string]bool
	spends   func(map[Measure]int) // is told what each execution has spent, by its own count
	awaiting bool                  // polls aren't possible, whatever the search says
	ends     bool                  // some execution ended in a bug: its updates are in no order with the end
	stats    Stats
}

func (r *bufferRun) Step(t trace.TID, c trace.Choice) (*trace.Transition, error) {
	x, err := r.Machine.Step(t, c)
	r.path = append(r.path, x)
	return x, err
}

func (r *bufferRun) Mark() trace.Mark {
	r.marks = append(r.marks, recMark{r.Machine.Mark(), len(r.path)})
	return trace.Mark(len(r.marks) - 1)
}

func (r *bufferRun) Rewind(k trace.Mark) {
	m := r.marks[k]
	r.marks, r.path = r.marks[:k+1], r.path[:m.n]
	r.Machine.Rewind(m.inner)
}

func (r *bufferRun) Await(on bool) { r.Machine.Await(on || r.awaiting) }

func (r *bufferRun) Progress(Progress) {}
func (r *bufferRun) Restarted() {
	clear(r.outcomes)
	clear(r.traces)
}

func (r *bufferRun) Ended(x *Execution) bool {
	if x.Ending == EndedBlocked || x.Ending == EndedPruned {
		return true
	}
	if r.spends != nil {
		r.spends(r.spent(x.Path(nil)))
	}
	regs, mem := r.p.Settled(r.Registers(), r.Machine.Ended()), r.Memory()
	bug := 0
	if x.Ending == EndedBug {
		regs = r.p.Settled(r.Registers(), nil)
		bug, mem, r.ends = r.Bug+1, nil, true
	}
	r.outcomes[model.OutcomeText(regs, mem, bug)] = true
	r.traces[r.key()] = true
	return true
}

// spent counts what an execution spends of the measures, on a machine of its own.
func (r *bufferRun) spent(path []PathStep) map[Measure]int {
	m, n := model.New(r.p), trace.TID(len(r.p.Threads))
	c := map[Measure]int{}
	last := trace.NoThread
	for _, s := range path {
		ready, goesOn, signals, rests := map[trace.TID]bool{}, map[trace.TID]bool{}, map[trace.TID]bool{}, map[trace.TID]bool{}
		for _, th := range m.Threads(nil) {
			ready[th.ID] = th.Status == trace.Ready
			rests[th.ID] = th.Rests
			signals[th.ID] = th.Pending.Kind == trace.OpCondSignal
			goesOn[th.ID] = ready[th.ID] && th.Pending.Kind != trace.OpEnd && !th.Rests // which may be left freely
		}
		if s.Thread < n {
			if signals[s.Thread] {
				c[Delay] += int(s.Choice)
			}
			if last != trace.NoThread && s.Thread != last {
				c[Switches]++
				if goesOn[last] {
					c[Preempt]++
				}
			}
			for t := max(last, 0); t != s.Thread; t = (t + 1) % n {
				if ready[t] && !rests[t] {
					c[Delay]++
				}
			}
			last = s.Thread
		}
		if _, err := m.Step(s.Thread, s.Choice); err != nil {
			panic(err)
		}
	}
	return c
}

// key is the same for two executions if and only if they are of one trace. Then each
// byte's writes are in the same order, each load finds the same, and what works on a
// mutex is in the same order.
func (r *bufferRun) key() string {
	var b strings.Builder
	events := map[trace.TID][]string{}
	pushed := map[trace.TID][]trace.Access{}
	orders := map[uint64][]string{}
	newest := map[uint64]string{}
	write := func(a *trace.Access, name string) {
		for k := a.Addr; k < a.Addr+uint64(a.Size); k++ {
			newest[k] = name
			orders[k] = append(orders[k], name)
		}
	}
	updates := map[trace.TID]int{}
	for _, x := range r.path {
		name := fmt.Sprintf("%d.%d", x.Thread, len(events[x.Thread]))
		text := ""
		for i := range x.Accesses {
			a := &x.Accesses[i]
			switch {
			case x.Updates:
				write(a, fmt.Sprintf("s%d.%d", x.Of, updates[x.Of]))
				updates[x.Of]++
			case a.IsWrite() && a.Flags&trace.Buffered != 0:
				pushed[x.Thread] = append(pushed[x.Thread], *a)
			default:
				for k := a.Addr; k < a.Addr+uint64(a.Size); k++ {
					text += " " + newest[k]
				}
				if a.Flags&trace.Buffered != 0 {
					text = ""
					own := pushed[x.Thread]
					n := len(own) - 1
					for ; !own[n].Overlaps(a); n-- {
					}
					for range a.Size {
						text += fmt.Sprintf(" s%d.%d", x.Thread, n)
					}
				}
				if a.IsWrite() {
					write(a, name)
				}
			}
		}
		for i := range x.Ops {
			switch x.Ops[i].Kind {
			case trace.OpStores, trace.OpStored, trace.OpFenceAll:
				continue
			case trace.OpDrained: // it comes before the stores that come later
				orders[1<<40|uint64(x.Thread)] = append(orders[1<<40|uint64(x.Thread)], fmt.Sprint(len(pushed[x.Of])))
				continue
			}
			orders[x.Ops[i].Obj] = append(orders[x.Ops[i].Obj], name)
		}
		if !x.Updates {
			events[x.Thread] = append(events[x.Thread], text)
		}
	}
	for t := range r.p.Threads {
		fmt.Fprintf(&b, "%d: %v\n", t, events[trace.TID(t)])
	}
	var keys []uint64
	for k := range orders {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		fmt.Fprintf(&b, "%x: %v\n", k, orders[k])
	}
	return b.String()
}

func runBuffered(search string, p *model.Program, opts Options) (*bufferRun, error) {
	s, err := New(search, opts)
	if err != nil {
		return nil, err
	}
	r := &bufferRun{Machine: model.New(p), p: p, outcomes: map[string]bool{}, traces: map[string]bool{}}
	r.stats, err = s.Run(r, r)
	return r, err
}

// bufferOptions are those of all these tests: each step is one event.
var bufferOptions = Options{OneEvent: true, Unmerged: true, MaxExecutions: 1_500}

// checkBuffered compares the searches with what the machine of the paper does.
func checkBuffered(p *model.Program, searches []string, opts Options) error {
	return compareBuffered(p, model.Outcomes(p), searches, opts)
}

func compareBuffered(p *model.Program, want, searches []string, opts Options) error {
	none, err := runBuffered("none", p, opts)
	if err != nil {
		return err
	}
	judged := none.stats.Complete
	for _, name := range searches {
		r, err := runBuffered(name, p, opts)
		if err != nil {
			return err
		}
		if !r.stats.Complete {
			continue
		}
		if got := sorted(r.outcomes); !slices.Equal(got, want) {
			return fmt.Errorf("%s: %d outcomes, want %d:\n%v\nwant\n%v", name, len(got), len(want), strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		if !judged || none.ends || slices.Contains(outcomeSearches, name) {
			continue
		}
		if len(r.traces) != len(none.traces) {
			return fmt.Errorf("%s: %d traces, %d are there", name, len(r.traces), len(none.traces))
		}
		if name != "none" && int(r.stats.Executions) != len(r.traces) {
			return fmt.Errorf("%s: %d executions of %d traces", name, r.stats.Executions, len(r.traces))
		}
		if name == "optimal" && r.stats.Blocked > 0 && !casts(p) && !readsOwn(p) {
			return fmt.Errorf("optimal: %d blocked executions of %d", r.stats.Blocked, r.stats.Executions)
		}
	}
	return nil
}

// readsOwn reports whether a thread loads bytes that it has stored: reversed, such a load
// may depend on less (relation/buffer.go), and what wakes for it may turn out redundant. Mostly it
// doesn't (Sequence.answered).
func readsOwn(p *model.Program) bool {
	for _, code := range p.Threads {
		for i, l := range code {
			for _, s := range code[:i] {
				if l.Code == model.Load && (s.Code == model.Store || s.Code == model.StoreR) && s.A < l.A+sizeOf(&l) && l.A < s.A+sizeOf(&s) {
					return true
				}
			}
		}
	}
	return false
}

func sizeOf(in *model.Instr) int {
	if in.Size == 0 {
		return 8
	}
	return in.Size
}

func sorted(set map[string]bool) []string { return slices.Sorted(maps.Keys(set)) }

// bufferProgram is a random program of loads, stores, fences, locked instructions and
// locks, over parts of two words.
func bufferProgram(seed uint64) *model.Program {
	r := rand.New(rand.NewPCG(seed, 22))
	p := &model.Program{Bytes: 24, Mutexes: 1, Standing: true, Buffers: true}
	left, threads := 7, 2+r.IntN(5)/4
	for range threads {
		var code []model.Instr
		put := func(in model.Instr) { code = append(code, in) }
		events, locked := min(2+r.IntN(3), left), false
		for k := range events {
			switch r.IntN(24) {
			case 0:
				put(model.Instr{Code: model.Fence})
			case 1:
				put(cell(r, model.Instr{Code: model.Exchange, R: k, C: 3}))
			case 2:
				put(cell(r, model.Instr{Code: model.CompareEx, R: k, C: int64(r.IntN(2)), D: 4}))
			case 3:
				put(model.Instr{Code: model.AssNe, R: r.IntN(4), A: k, C: 1})
			case 4:
				put(cell(r, model.Instr{Code: model.StoreR, R: r.IntN(4), C: 1}))
			case 5, 6:
				code := model.Lock
				if locked = !locked; !locked {
					code = model.Unlock
				}
				put(model.Instr{Code: code})
			case 7, 8, 9, 10, 11, 12, 13, 14, 15:
				put(cell(r, model.Instr{Code: model.Load, R: k}))
			default:
				put(cell(r, model.Instr{Code: model.Store, C: 1 + int64(r.IntN(2))}))
			}
		}
		left -= events
		p.Threads = append(p.Threads, code)
	}
	return p
}

// countingProgram is one in which threads also change counters whose values they don't use.
func countingProgram(seed uint64) *model.Program {
	p := bufferProgram(seed)
	r := rand.New(rand.NewPCG(seed, 23))
	for _, code := range p.Threads {
		for k := range code {
			if in := &code[k]; (in.Code == model.Load || in.Code == model.Store) && r.IntN(2) == 0 {
				change := []model.Code{model.Add, model.Add, model.Add, model.Or, model.And, model.Xor}[r.IntN(6)]
				*in = model.Instr{Code: change, A: in.A, Size: in.Size, C: 1 + int64(r.IntN(3))}
			}
		}
	}
	return p
}

// meetingProgram is one in which threads also meet at a barrier, mostly all of them.
func meetingProgram(seed uint64) *model.Program {
	p := countingProgram(seed)
	r := rand.New(rand.NewPCG(seed, 24))
	p.Barriers = []int{len(p.Threads) - r.IntN(5)/4}
	for t, code := range p.Threads {
		if r.IntN(6) > 0 {
			p.Threads[t] = slices.Insert(slices.Clone(code), r.IntN(len(code)+1), model.Instr{Code: model.Barrier})
		}
	}
	return p
}

// cell draws what is accessed: mostly one of two words.
func cell(r *rand.Rand, in model.Instr) model.Instr {
	switch r.IntN(12) {
	case 0:
		in.A, in.Size = 0, 4
	case 1:
		in.A, in.Size = 2, 4
	case 2:
		in.A, in.Size = 4, 8 // across the two
	case 3, 4, 5, 6:
		in.A, in.Size = 8, 8
	default:
		in.A, in.Size = 0, 8
	}
	return in
}

// soakBuffers is how many random programs to run, and the seed of the first: fresh ones, as
// many as LANDGO_SOAK_BUFFERS says, or from LANDGO_SEED on.
func soakBuffers(t *testing.T, usual int) (programs int, first uint64) {
	n, err := strconv.Atoi(os.Getenv("LANDGO_SOAK_BUFFERS"))
	if err != nil {
		return usual, 0
	}
	if first, err = strconv.ParseUint(os.Getenv("LANDGO_SEED"), 10, 64); err != nil {
		first = rand.Uint64() >> 1
	}
	t.Logf("%d programs from seed %d on", n, first)
	return n, first
}

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
		want := model.Outcomes(p)
		if err := compareBuffered(p, want, append(outcomeSearches, bufferSearches...), bufferOptions); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		lazy := *p
		lazy.Lazy = true
		if err := compareBuffered(&lazy, want, []string{"source", "optimal"}, bufferOptions); err != nil {
			t.Fatalf("seed %d, updates last: %v\n%v", seed, err, p)
		}
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

// endsRun notes how executions end.
type endsRun struct{ bufferRun }

func (r *endsRun) Ended(x *Execution) bool {
	switch x.Ending {
	case EndedBug:
		r.outcomes[fmt.Sprint("bug ", r.Bug)] = true
	case EndedStuck:
		r.outcomes[fmt.Sprint("stuck ", r.Registers(), r.Memory())] = true
	case EndedProcess:
		if n := len(r.path); n > 0 && !r.path[n-1].Updates {
			r.outcomes["end "+r.Local(r.path[n-1].Thread)] = true
		}
	}
	return true
}

// fencingProgram is a random program of two or three threads where some fences empty all buffers.
func fencingProgram(seed uint64) *model.Program {
	r := rand.New(rand.NewPCG(seed, 23))
	p := bufferProgram(seed)
	if put := func(code ...model.Instr) []model.Instr { return code }; seed%2 == 0 { // the shape in which it matters
		st, ld := model.Instr{Code: model.Store, C: 1, Size: 8}, model.Instr{Code: model.Load, Size: 8}
		at := func(in model.Instr, a, r int) model.Instr { in.A, in.R = a, r; return in }
		more := func(k int) model.Instr {
			if r.IntN(2) == 0 {
				return cell(r, model.Instr{Code: model.Store, C: 2})
			}
			return cell(r, model.Instr{Code: model.Load, R: k})
		}
		p.Threads = [][]model.Instr{put(at(st, 0, 0), model.Instr{Code: model.FenceAll}, at(ld, 8, 0), more(1)), put(more(1), at(st, 8, 0), at(ld, 0, 0), more(2))}
		if r.IntN(3) == 0 {
			p.Threads = append(p.Threads, put(more(0), more(1)))
		}
		return p
	}
	put := false
	for _, code := range p.Threads {
		for i := range code {
			switch in := &code[i]; {
			case in.Code == model.Fence || in.Code == model.Exchange || in.Code == model.Load && r.IntN(5) == 0:
				*in, put = model.Instr{Code: model.FenceAll}, true
			}
		}
	}
	if at := r.IntN(len(p.Threads[0])); !put && p.Threads[0][at].Code != model.Lock && p.Threads[0][at].Code != model.Unlock {
		p.Threads[0][at] = model.Instr{Code: model.FenceAll}
	}
	return p
}

// ringProgram has three threads that each store, and load what the next one stores. One empties
// all buffers between. Each may find 0, but then all buffers are never empty at one moment. The
// second thread's store comes to memory after the third has loaded, and the third's after the
// fence.
func ringProgram() *model.Program {
	st := func(a int) model.Instr { return model.Instr{Code: model.Store, A: a, C: 1, Size: 8} }
	ld := func(a int) model.Instr { return model.Instr{Code: model.Load, A: a, Size: 8} }
	return &model.Program{Bytes: 24, Standing: true, Buffers: true,
		Threads: [][]model.Instr{{st(0), {Code: model.FenceAll}, ld(16)}, {st(8), ld(0)}, {st(16), ld(8)}}}
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
		want := model.Outcomes(p)
		if err := compareBuffered(p, want, append(outcomeSearches, bufferSearches...), bufferOptions); err != nil {
			t.Fatalf("seed %d: %v\n%v", seed, err, p)
		}
		lazy := *p
		lazy.Lazy = true
		if err := compareBuffered(&lazy, want, []string{"source", "optimal"}, bufferOptions); err != nil {
			t.Fatalf("seed %d, updates last: %v\n%v", seed, err, p)
		}
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

type litmusTest struct {
	name             string
	threads          [][]model.Instr
	outcomes, traces int
	sc               int // traces without buffers
}

func (c *litmusTest) program() *model.Program {
	return &model.Program{Bytes: 16, Mutexes: 1, Standing: true, Buffers: true, Threads: c.threads}
}

// litmus are programs of the literature, with the numbers of their outcomes and traces.
var litmus = func() []litmusTest {
	const x, y = 0, 8
	st := func(a int) model.Instr { return model.Instr{Code: model.Store, A: a, C: 1, Size: 8} }
	ld := func(r, a int) model.Instr { return model.Instr{Code: model.Load, R: r, A: a, Size: 8} }
	fence := model.Instr{Code: model.Fence}
	type code = []model.Instr
	return []litmusTest{
		{"store buffering", []code{{st(x), ld(0, y)}, {st(y), ld(0, x)}}, 4, 4, 3},
		{"with fences", []code{{st(x), fence, ld(0, y)}, {st(y), fence, ld(0, x)}}, 3, 3, 3},
		{"with one fence", []code{{st(x), fence, ld(0, y)}, {st(y), ld(0, x)}}, 4, 4, 3},
		{"message passing", []code{{st(x), st(y)}, {ld(0, y), ld(1, x)}}, 3, 3, 3},
		{"with its own reads", []code{{st(x), ld(1, x), ld(0, y)}, {st(y), ld(1, y), ld(0, x)}}, 4, 4, 3},
		{"load buffering", []code{{ld(0, x), st(y)}, {ld(0, y), st(x)}}, 3, 3, 3},
		{"its own store", []code{{st(x), ld(0, x)}, {st(x)}}, 1, 3, 3},
	}
}()

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
