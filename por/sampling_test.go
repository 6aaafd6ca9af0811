package por

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"
)

var samplers = []string{"random:runs=%d", "pct:runs=%d,d=2", "pos:runs=%d"}

// strays checks that a sampling search runs only real executions, and counts
// their traces as the judge's canonical form does.
func strays(name string, runs int, p *model.Program, judge *survey) error {
	name = fmt.Sprintf(name, runs)
	s, err := explore(name, p, Options{})
	if err != nil {
		return err
	}
	if int(s.stats.Executions) != runs || !s.stats.Complete || s.stats.Blocked+s.stats.Pruned != 0 {
		return fmt.Errorf("%s: %+v", name, s.stats)
	}
	for o := range s.outcomes {
		if _, ok := judge.outcomes[o]; !ok {
			return fmt.Errorf("%s: invented %+v", name, o)
		}
	}
	if spins(p) {
		return nil
	}
	for c := range s.traces {
		if _, ok := judge.traces[c]; !ok {
			return fmt.Errorf("%s: invented trace %x", name, c)
		}
	}
	if s.stats.Distinct != uint64(len(s.traces)) {
		return fmt.Errorf("%s: %d distinct traces, there are %d", name, s.stats.Distinct, len(s.traces))
	}
	return nil
}

// schedules runs a search and returns its runs' schedules.
func schedules(t *testing.T, search string, p *model.Program) (runs []string, st Stats) {
	t.Helper()
	s, err := New(search, Options{})
	if err != nil {
		t.Fatal(err)
	}
	st, err = s.Run(model.New(p), &tally{stop: func(x *Execution) bool {
		runs = append(runs, fmt.Sprint(x.Path(nil)))
		return false
	}})
	if err != nil {
		t.Fatal(err)
	}
	return runs, st
}

// TestSeed: a seed gives the same runs, another seed others, and more runs
// begin with the same ones.
func TestSeed(t *testing.T) {
	p := model.Micro(3, 2)
	for _, name := range []string{"random", "pct", "pos"} {
		one, _ := schedules(t, name+":runs=100,seed=7", p)
		same, _ := schedules(t, name+":runs=100,seed=7", p)
		more, _ := schedules(t, name+":runs=150,seed=7", p)
		other, _ := schedules(t, name+":runs=100,seed=8", p)
		if !slices.Equal(one, same) || !slices.Equal(one, more[:100]) {
			t.Errorf("%s: a seed gives other runs the second time", name)
		}
		if slices.Equal(one, other) {
			t.Errorf("%s: two seeds give the same runs", name)
		}
	}
}

// TestSamplingReaches: enough runs see every trace of a small program.
func TestSamplingReaches(t *testing.T) {
	for _, c := range []struct {
		search string
		prog   *model.Program
		traces uint64
	}{
		{"random:runs=2000", model.NWriters(4), 24},
		{"pos:runs=2000", model.NWriters(4), 24},
		{"pct:runs=2000,d=1", model.NWriters(4), 24},
		{"random:runs=2000", model.TwoCells(2), 22},
		{"pos:runs=2000", model.TwoCells(2), 22},
		{"pct:runs=2000,d=5", model.TwoCells(2), 22},
		{"pos:runs=2000", model.Philosophers(3, false), 7},
	} {
		st, _ := runModel(t, c.search, c.prog, Options{})
		if st.Distinct != c.traces || st.Executions != 2000 {
			t.Errorf("%s: %+v, want %d traces", c.search, st, c.traces)
		}
	}
}

// TestPOSEven: partial-order sampling meets the least likely trace of readers and a
// writer far more often than a random walk does. That is so when independent steps
// lie between (Yuan et al., §2 and §5).
func TestPOSEven(t *testing.T) {
	// One step of thread 2 has to come before all of thread 1's.
	p := &model.Program{Bytes: 16, MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Join, A: 1}, {Code: model.Join, A: 2}},
		{{Code: model.Store, C: 1}},
		{},
	}}
	for i := 0; i < 12; i++ {
		p.Threads[2] = append(p.Threads[2], model.Instr{Code: model.Load, A: 8})
	}
	p.Threads[2] = append(p.Threads[2], model.Instr{Code: model.Load}, model.Instr{Code: model.AssNe})
	met := func(search string) int {
		_, seen := runModel(t, search, p, Options{})
		return seen.ends[EndedBug]
	}
	walk, pos := met("random:runs=4000"), met("pos:runs=4000")
	if walk > 20 || pos < 100 {
		t.Errorf("a random walk met it %d times, partial-order sampling %d times", walk, pos)
	}
}

// deep are programs with a bug of known depth.
var deep = []struct {
	name  string
	depth int
	prog  *model.Program
}{
	{"read before written", 1, two(
		[]model.Instr{{Code: model.Load, A: 8}, {Code: model.Store, C: 1}},
		[]model.Instr{{Code: model.Load, A: 16}, {Code: model.Load}, {Code: model.Assert, C: 1}})},
	{"locks in two orders", 2, model.ABBA(false)},
	{"a read between two writes", 2, two(
		[]model.Instr{{Code: model.Load, A: 8}, {Code: model.Store, C: 1}, {Code: model.Store, C: 2}, {Code: model.Load, A: 8}},
		[]model.Instr{{Code: model.Load, A: 16}, {Code: model.Load}, {Code: model.AssNe, C: 1}})},
	{"two reads among two writes", 3, two(
		[]model.Instr{{Code: model.Store, C: 1}, {Code: model.Load, A: 8}, {Code: model.Store, C: 2}},
		[]model.Instr{{Code: model.Load}, {Code: model.JumpNe, C: 1, A: 5}, {Code: model.Load, A: 16}, {Code: model.Load}, {Code: model.AssNe, C: 2}})},
}

func two(a, b []model.Instr) *model.Program {
	return &model.Program{Bytes: 24, MainEnds: true, Threads: [][]model.Instr{
		{{Code: model.Create, A: 1}, {Code: model.Create, A: 2}, {Code: model.Join, A: 1}, {Code: model.Join, A: 2}}, a, b}}
}

// TestPCTGuarantee: a run of pct meets a bug of depth d at least as often as
// 1/(n k^(d-1)), up to four standard deviations.
func TestPCTGuarantee(t *testing.T) {
	const runs = 8000
	for _, c := range deep {
		search := fmt.Sprintf("pct:d=%d,runs=%d", c.depth, runs)
		longest, met := 0, 0
		s, err := New(search, Options{})
		if err != nil {
			t.Fatal(err)
		}
		_, err = s.Run(model.New(c.prog), &tally{stop: func(x *Execution) bool {
			longest = max(longest, x.Len())
			if x.Ending == EndedBug || x.Ending == EndedStuck {
				met++
			}
			return false
		}})
		if err != nil {
			t.Fatal(err)
		}
		q := 1 / (float64(len(c.prog.Threads)) * math.Pow(float64(longest), float64(c.depth-1)))
		least := runs*q - 4*math.Sqrt(runs*q*(1-q))
		t.Logf("%s: met by %d of %d runs, %.0f guaranteed (n=%d, k=%d, d=%d)", c.name, met, runs, runs*q, len(c.prog.Threads), longest, c.depth)
		if float64(met) < least {
			t.Errorf("%s: met by %d of %d runs, at least %.0f are guaranteed", c.name, met, runs, least)
		}
		// The depth is the stated one: fewer change points never meet it.
		if c.depth > 1 {
			_, seen := runModel(t, fmt.Sprintf("pct:d=%d,runs=500", 1), c.prog, Options{})
			if seen.ends[EndedBug]+seen.ends[EndedStuck] != 0 {
				t.Errorf("%s: met without a change point", c.name)
			}
		}
	}
}

// TestPCTEnds: a thread of high priority that waits for one of low priority, in
// a loop that is no exact spin, doesn't keep a run from ending.
func TestPCTEnds(t *testing.T) {
	p := two([]model.Instr{{Code: model.Store, C: 1}},
		[]model.Instr{{Code: model.FetchAdd, A: 8, C: 1, R: 1}, {Code: model.Load}, {Code: model.JumpIf, A: 0}})
	st, seen := runModel(t, "pct:runs=100", p, Options{})
	if seen.ends[EndedProcess] != 100 || !st.Complete {
		t.Errorf("%+v, %v", st, seen.ends)
	}
}

// TestUncounted: without counts of traces the runs are the same ones.
func TestUncounted(t *testing.T) {
	for _, p := range []*model.Program{model.Micro(3, 2), model.TwoCells(2), model.Philosophers(3, true)} {
		for _, name := range []string{"random", "pct", "pos"} {
			var lists [2][]string
			for i, uncounted := range []bool{false, true} {
				s, err := New(name+":runs=100,seed=3", Options{Uncounted: uncounted})
				if err != nil {
					t.Fatal(err)
				}
				st, err := s.Run(model.New(p), &tally{stop: func(x *Execution) bool {
					lists[i] = append(lists[i], fmt.Sprint(x.Path(nil)))
					return false
				}})
				if err != nil || uncounted != (st.Distinct == 0) {
					t.Fatalf("%s: %v, %+v", name, err, st)
				}
			}
			if !slices.Equal(lists[0], lists[1]) {
				t.Errorf("%s: other runs", name)
			}
		}
	}
}

// TestLongest: a run that is too long is left, and the next one begins where it would
// have.
func TestLongest(t *testing.T) {
	p := model.Micro(3, 2)
	for _, name := range []string{"random", "pct", "pos"} {
		_, whole := schedules(t, name+":runs=50", p)
		most := int(whole.Transitions/whole.Executions) + 1
		for _, longest := range []int{1, 3, most} {
			st, _ := runModel(t, name+":runs=50", p, Options{Longest: longest, Uncounted: true})
			if st.Executions+st.Pruned != 50 || !st.Complete {
				t.Errorf("%s, %d steps: %+v", name, longest, st)
			}
			if all := longest >= most; all != (st.Executions == 50) {
				t.Errorf("%s, %d of %d steps: %d executions", name, longest, most, st.Executions)
			}
		}
	}
}

// roled has the first thread run one function, the crowd another, and the last a third.
type roled struct{ *model.Machine }

func (r roled) Threads(dst []trace.Thread) []trace.Thread {
	dst = r.Machine.Threads(dst)
	for i := range dst {
		switch dst[i].ID {
		case 0, crowd + 1:
			dst[i].Role = uint64(dst[i].ID) + 1
		default:
			dst[i].Role = 2
		}
	}
	return dst
}

const crowd = 60

// TestRoles: many threads do the same. A walk that draws roles lets the one other thread take
// its five steps while none of these takes its second section.
func TestRoles(t *testing.T) {
	section := func(m int, i model.Instr) []model.Instr {
		return []model.Instr{{Code: model.Lock, A: m}, i, {Code: model.Unlock, A: m}}
	}
	main, threads := []model.Instr{{Code: model.Lock}}, [][]model.Instr{nil} // none goes on before all are there
	for i := range crowd + 1 {
		main = append(main, model.Instr{Code: model.Create, A: i + 1})
		if i < crowd {
			threads = append(threads, slices.Concat(section(0, model.Instr{Code: model.Store, C: 1}), section(1, model.Instr{Code: model.Store, A: 8, C: 2})))
		}
	}
	reader := slices.Concat(section(0, model.Instr{Code: model.Load}), []model.Instr{{Code: model.JumpIf, A: 8}}, section(1, model.Instr{Code: model.Load, A: 8, R: 1}), []model.Instr{{Code: model.AssNe, R: 1}})
	reader[3].A = len(reader)
	threads = append(threads, reader)
	threads[0] = append(main, model.Instr{Code: model.Unlock})
	p := &model.Program{Bytes: 16, Threads: threads, Mutexes: 2}
	met := func(search string) (n int) {
		s, err := New(search, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(roled{model.New(p)}, &tally{stop: func(x *Execution) bool {
			if x.Ending == EndedBug {
				n++
			}
			return false
		}}); err != nil {
			t.Fatal(err)
		}
		return n
	}
	plain, half, all := met("random:runs=400"), met("random:runs=400,roles=2"), met("random:runs=400,roles=1")
	if all < 12 || 4*plain > all || half < all/4 || half > all {
		t.Errorf("a walk met it %d times, by roles in every second run %d times, in each %d times", plain, half, all)
	}
}

// TestGates: with gates every philosopher has one fork before any has two, in the first run that
// has them. A ring of thirty is met by no random walk.
func TestGates(t *testing.T) {
	met := func(search string, p *model.Program) (n, runs int) {
		s, err := New(search, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Run(model.New(p), &tally{stop: func(x *Execution) bool {
			if runs++; x.Ending == EndedStuck {
				n++
			}
			return false
		}}); err != nil {
			t.Fatal(err)
		}
		return n, runs
	}
	for _, n := range []int{3, 8, 30} {
		if stuck, _ := met("random:runs=4,gates=4", model.Philosophers(n, false)); stuck == 0 {
			t.Errorf("%d philosophers don't meet their ring in the run with gates", n)
		}
		if stuck, _ := met("random:runs=80,gates=2", model.Philosophers(n, true)); stuck != 0 {
			t.Errorf("%d philosophers who take the lower fork first: %d deadlocks", n, stuck)
		}
	}
	if stuck, runs := met("random:runs=1000", model.Philosophers(30, false)); stuck != 0 {
		t.Errorf("a random walk met the ring of thirty in %d of %d runs, so gates do nothing", stuck, runs)
	}
}
