package por

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

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
					if a.Flags&trace.Buffered == 0 {
						text += " " + newest[k]
						continue
					}
					own := pushed[x.Thread]
					n := len(own) - 1
					for ; n >= 0 && !own[n].Overlaps(&trace.Access{Addr: k, Size: 1}); n-- {
					}
					text += fmt.Sprintf(" s%d.%d", x.Thread, n)
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
