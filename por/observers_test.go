package por

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Programs under search observers. The judge runs all interleavings. It says what the
// threads can reach, and which classes of executions there are. Executions of one class
// have the same events, and each read finds the same store. All that depends comes in the
// same order, but for two stores of the same bytes.

// watcher is the findings of a search, or of the judge.
type watcher struct {
	m     *model.Machine
	p     *model.Program
	r     *recorder
	stats Stats
	// ends are where the threads stopped: memory isn't in them.
	ends    map[string]bool
	classes map[string]bool
	bytes   ordered8
	// judges: it learns which bytes are in no cell.
	judges bool
	clash  error
	// reads: loads and stores of a cell have no order either, but that of a load and what it
	// finds. Cells have no read-modify-writes.
	reads bool
}

// ordered8 are the bytes whose stores have an order.
type ordered8 map[uint64]bool

func (w *watcher) Ended(x *Execution) bool {
	if x.Ending == EndedBlocked {
		return true
	}
	if w.judges {
		for again := true; again; {
			again = w.bytes.learn(w.r.path)
			if w.reads {
				again = w.updates() || again
			}
		}
		return true
	}
	end := fmt.Sprint(x.Ending)
	if x.Ending == EndedBug {
		end += fmt.Sprint(w.m.Bug)
	}
	for t := range w.p.Threads {
		end += w.m.Local(trace.TID(t))
	}
	if p := w.r.price(); int(p.preempt) != x.Preemptions {
		w.clash = fmt.Errorf("%d preemptions are %d", x.Preemptions, p.preempt)
	}
	path := x.Path(nil)
	if !slices.EqualFunc(path, w.r.path, func(a PathStep, b *trace.Transition) bool {
		return a.Thread == b.Thread && a.Choice == b.Choice && a.Begin == b.Begin && a.Last == b.Last
	}) {
		w.clash = fmt.Errorf("the path %v isn't what was run: %v", path, w.r.path)
	}
	w.ends[end] = true
	w.classes[w.class()] = true
	return true
}

func (w *watcher) Progress(Progress) {}
func (w *watcher) Restarted()        { w.ends, w.classes = map[string]bool{}, map[string]bool{} }

func watch(name string, p *model.Program, opts Options, bytes ordered8, judges, reads bool) (*watcher, error) {
	w := &watcher{m: model.New(p), p: p, bytes: bytes, judges: judges, reads: reads}
	w.Restarted()
	w.r = &recorder{System: w.m}
	s, err := New(name, opts)
	if err != nil {
		return nil, err
	}
	if w.stats, err = s.Run(w.r, w); err == nil {
		err = w.clash
	}
	return w, err
}

// only is the access of x, if that is its only event.
func only(x *trace.Transition) *trace.Access {
	if len(x.Accesses) == 1 && x.End < trace.EndProcess && !slices.ContainsFunc(x.Ops, func(o trace.Op) bool { return o.Kind != trace.OpExit }) {
		return &x.Accesses[0]
	}
	return nil
}

func (b ordered8) add(at, size uint64) (more bool) {
	for ; size > 0; at, size = at+1, size-1 {
		more = more || !b[at]
		b[at] = true
	}
	return more
}

func (b ordered8) has(a *trace.Access) bool {
	for k := range uint64(a.Size) {
		if b[a.Addr+k] {
			return true
		}
	}
	return false
}

// learn notes the bytes in no cell of an execution, and of all that came before it: seen.
func (b ordered8) learn(path []*trace.Transition) (more bool) {
	for i, x := range path {
		for k := range x.Accesses {
			a := &x.Accesses[k]
			if only(x) == nil || a.Addr/8 != (a.Addr+uint64(a.Size)-1)/8 || b.has(a) {
				more = b.add(a.Addr, uint64(a.Size)) || more
			}
			for _, y := range path[:i] {
				for j := range y.Accesses {
					if c := &y.Accesses[j]; c.Overlaps(a) && (c.Addr != a.Addr || c.Size != a.Size) {
						more = b.add(a.Addr, uint64(a.Size)) || more
						more = b.add(c.Addr, uint64(c.Size)) || more
					}
				}
			}
		}
		for _, o := range x.Ops {
			more = b.add(o.Obj, uint64(o.Size)) || more
		}
	}
	return more
}

// updates notes the bytes of read-modify-writes.
func (w *watcher) updates() (more bool) {
	for _, x := range w.r.path {
		for k := range x.Accesses {
			if a := &x.Accesses[k]; a.Flags&(trace.RMW|trace.FailedCAS) != 0 && w.p.Threads[x.Thread][a.PC].Code != model.Swap {
				more = w.bytes.add(a.Addr, uint64(a.Size)) || more
			}
		}
	}
	return more
}

// class is the same for two executions if and only if they are of one class.
func (w *watcher) class() string {
	r, b := w.r, w.bytes
	plain := recorder{path: r.path}
	lasts := ""
	count := map[trace.TID]int{}
	names := make([]string, len(r.path))
	for i, x := range r.path {
		names[i] = fmt.Sprint(x.Thread, ".", count[x.Thread])
		count[x.Thread]++
	}
	var reads []string
	for i, x := range r.path {
		var after uint64
		for k := range x.Accesses {
			if a := &x.Accesses[k]; a.Flags&trace.RMW != 0 {
				a.SetBlend(trace.NoBlend) // the search has copies
			}
		}
		a := only(x)
		cell := a != nil && !b.has(a)
		for j, y := range r.path[:i] {
			if c := only(y); cell && c != nil && c.Overlaps(a) && (w.reads || w.onlyStores(x) && w.onlyStores(y)) && x.Thread != y.Thread {
				continue
			}
			if ordered(y, x) {
				after |= 1 << j
			}
		}
		plain.after = append(plain.after, after)
		if cell && !w.onlyStores(x) {
			from := "none"
			for j, y := range r.path[:i] {
				if c := only(y); c != nil && c.Overlaps(a) && c.IsWrite() {
					from = names[j]
				}
			}
			reads = append(reads, names[i]+"<"+from)
		}
	}
	slices.Sort(reads)
	for _, r := range reads {
		lasts += " " + r
	}
	return string(plain.canonical(nil)) + lasts
}

// onlyStores reports whether the access of x is a store, or an exchange that has the same result.
func (w *watcher) onlyStores(x *trace.Transition) bool {
	a := &x.Accesses[0]
	return a.Flags&(trace.Write|trace.RMW) == trace.Write || w.p.Threads[x.Thread][a.PC].Code == model.Swap
}

// agreeObserved compares search observers with the judge, agreeReads search readsfrom.
func agreeObserved(p *model.Program, limit uint64, f fault) error {
	return agreeWatched("observers", p, limit, f)
}

func agreeReads(p *model.Program, limit uint64, f fault) error {
	return agreeWatched("readsfrom", p, limit, f)
}

func agreeWatched(name string, p *model.Program, limit uint64, f fault) error {
	bytes, reads := ordered8{}, name == "readsfrom"
	judge, err := watch("none", p, Options{MaxExecutions: limit}, bytes, true, reads)
	if err != nil {
		return err
	}
	if !judge.stats.Complete {
		return errTooLarge
	}
	if judge, err = watch("none", p, Options{}, bytes, false, reads); err != nil {
		return err
	}
	opts := single
	opts.fault = f
	found, err := watch(name, p, opts, bytes, false, reads)
	if err != nil {
		return err
	}
	for e := range judge.ends {
		if !found.ends[e] {
			return fmt.Errorf("missed %s", e)
		}
	}
	for e := range found.ends {
		if !judge.ends[e] {
			return fmt.Errorf("invented %s", e)
		}
	}
	optimal, err := watch("optimal", p, opts, bytes, false, reads)
	if err != nil {
		return err
	}
	if found.stats.Executions > optimal.stats.Executions {
		return fmt.Errorf("%d executions, where optimal has %d", found.stats.Executions, optimal.stats.Executions)
	}
	if spins(p) {
		return nil
	}
	for c := range judge.classes {
		if !found.classes[c] {
			return fmt.Errorf("missed a class of %d", len(judge.classes))
		}
	}
	if int(found.stats.Executions) != len(judge.classes) {
		return fmt.Errorf("%d executions of %d classes", found.stats.Executions, len(judge.classes))
	}
	if found.stats.Blocked > 0 && !casts(p) && readers(p) < 2 {
		return fmt.Errorf("%d blocked executions of %d classes", found.stats.Blocked, len(judge.classes))
	}
	return nil
}

// readers is how many threads load: with two, one's outcome may exclude the other's.
func readers(p *model.Program) (n int) {
	for _, code := range p.Threads {
		if slices.ContainsFunc(code, func(in model.Instr) bool { return in.Code == model.Load || in.Code == model.Exchange }) {
			n++
		}
	}
	return n
}

// storing draws programs of two to four threads that store and load. Small ones have a
// twentieth of the executions, and a thread's steps less.
func storing(small bool) *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program {
		n := 2 + pick(t, "threads", 3)
		longest := [...]int{0, 0, 4, 3, 2}[n]
		if small {
			longest = [...]int{0, 0, 3, 2, 1}[n]
		}
		p := &model.Program{Bytes: 24, Standing: pick(t, "standing", 4) > 0, MainEnds: pick(t, "mainends", 4) == 3, Mutexes: 1}
		vars := 1 + pick(t, "variables", 3)
		for i := range n {
			var code []model.Instr
			put := func(in ...model.Instr) { code = append(code, in...) }
			if i == 0 && !p.Standing {
				for k := 1; k < n; k++ {
					put(model.Instr{Code: model.Create, A: k})
				}
			}
			for k := 1 + pick(t, "length", longest); k > 0; k-- {
				in := model.Instr{A: 8 * pick(t, "where", vars), R: pick(t, "register", 3), C: int64(1 + pick(t, "value", 3))}
				switch pick(t, "kind", 20) {
				default:
					in.Code = model.Store
				case 0, 1, 2, 3, 4, 5, 6:
					in.Code = model.Load
				case 7:
					in.Code = model.Exchange
				case 8, 14:
					in.Code, in.D = model.CompareEx, 2
				case 9:
					in.Code = model.StoreR
				case 15, 16:
					in.Code = model.Swap
				case 10:
					in.Code = model.Load
					put(in)
					in = model.Instr{Code: model.AssNe, A: len(code), R: in.R, C: in.C}
				case 11:
					put(model.Instr{Code: model.Lock}, model.Instr{Code: model.Store, A: in.A, C: in.C})
					in = model.Instr{Code: model.Unlock}
				case 12:
					in.Code, in.Size = model.Store, 4
				case 13: // a store that a load decides on
					put(model.Instr{Code: model.Load, A: in.A, R: in.R}, model.Instr{Code: model.JumpIf, R: in.R, C: in.C, A: len(code) + 3})
					in.Code, in.A = model.Store, 8*pick(t, "there", vars)
				}
				put(in)
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

const storingLimit = 3000

func TestObservers(t *testing.T) {
	onRandom(t, storing(false), func(p *model.Program) error { return agreeObserved(p, storingLimit, sound) })
}

// TestObserversAmong: among everything else that threads do.
func TestObserversAmong(t *testing.T) {
	gen := soaked(false, false)
	rapid.Check(t, func(rt *rapid.T) {
		p := gen.Draw(rt, "program")
		if err := agreeObserved(p.Program, p.limit, sound); err != nil && err != errTooLarge {
			tellFinding(rt, err, p.Program)
		}
	})
}

// The soak's findings, as in findings_test.go.
var observersFindings = []finding{
	{"1: a compare-and-exchange that fails for what it found covers no read that finds something else", model.Program{Bytes: 8, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Store, C: 2}},
		{{Code: model.Load}},
		{{Code: model.Store, C: 3}, {Code: model.CompareEx, C: 2, D: 2}},
		{{Code: model.Load}},
	}}},
	{"2: an outcome that a read excludes isn't found below that read", model.Program{Bytes: 8, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Store, C: 2}, {Code: model.Load, R: 2}, {Code: model.Load}, {Code: model.AssNe, A: 3, C: 3}},
		{{Code: model.Store, C: 1}, {Code: model.CompareEx, R: 1, C: 2, D: 2}},
		{{Code: model.Load, R: 2}, {Code: model.Swap, R: 1, C: 3}},
	}}},
}

func TestObserversFindings(t *testing.T) {
	for _, f := range observersFindings {
		t.Run(f.name, func(t *testing.T) {
			if err := agreeObserved(f.program(), storingLimit, sound); err != nil {
				t.Error(err)
			}
			if strings.HasPrefix(f.name, "2:") && agreeObserved(f.program(), storingLimit, reversedOutcome) == nil {
				t.Error("without its rule it isn't found")
			}
		})
	}
}

func TestObserversCounts(t *testing.T) {
	for n := 1; n <= 8; n++ {
		count := func(name string, p *model.Program, want uint64) {
			if st, _ := runModel(t, "observers", p, single); st.Executions != want || st.Blocked != 0 {
				t.Errorf("%d writers, %s: %+v, want %d", n, name, st, want)
			}
		}
		p := model.NWriters(n)
		count("no reader", p, 1)
		p.Threads[0] = append(p.Threads[0], model.Instr{Code: model.Load})
		count("a reader at the end", p, uint64(n))
		p = &model.Program{Bytes: 8, Standing: true, Threads: [][]model.Instr{{{Code: model.Load}}}}
		for range n {
			p.Threads = append(p.Threads, []model.Instr{{Code: model.Store, C: int64(len(p.Threads))}})
		}
		count("a reader beside them", p, uint64(n<<(n-1)+1)) // of each set before it one is the last
	}
}

// TestObserversMutants: a rule that is missing is found.
func TestObserversMutants(t *testing.T) {
	for _, f := range []fault{dropBacktrack, keepAsleep, oneOutcome, freeReads} {
		t.Run(fmt.Sprint("fault ", f), func(t *testing.T) {
			findsFault(t, storing(false), 5000, func(p *model.Program) error { return agreeObserved(p, storingLimit, f) })
		})
	}
}

// TestSoakObservers is TestObservers and TestObserversAmong on as many programs as LANDGO_SOAK
// says.
func TestSoakObservers(t *testing.T) { soakWatched(t, agreeObserved) }

func soakWatched(t *testing.T, agree func(*model.Program, uint64, fault) error) {
	small, stores, all, tooLarge := storing(true), storing(false), soaked(false, false), 0
	soakBatches(t, func(seed uint64) bool {
		return soakOne(t, seed, func(rt *rapid.T) {
			s := sized{limit: soakLimit / 3}
			switch k := pick(rt, "kind", soakTail); {
			case k == soakTail-1:
				s = sized{stores.Draw(rt, "program"), storingLimit}
			case k%2 == 0:
				s.Program = small.Draw(rt, "program")
			default:
				s = all.Draw(rt, "program")
				s.limit /= 3
			}
			switch err := agree(s.Program, s.limit, sound); {
			case err == errTooLarge:
				tooLarge++
			case err != nil:
				tellFinding(rt, err, s.Program)
			}
		})
	}, func() string { return fmt.Sprintf("%d too large", tooLarge) })
}
