package por

import (
	"fmt"
	"runtime"
	"testing"

	"landgo/internal/trace"
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

var single = Options{OneEvent: true, Unmerged: true}

// checkTrust compares trust with the judge, and rounder within some bound, or
// within each.
func checkTrust(p *model.Program, judge *survey, each bool) error {
	if wanted("trust") {
		if err := checkSearch("trust", p, judge, single); err != nil {
			return err
		}
	}
	for k := 0; k < 4 && wanted("rounder"); k++ {
		if each || k%3 == len(judge.traces)%3 {
			if err := checkRounder(p, judge, k, single); err != nil {
				return err
			}
		}
	}
	return nil
}

// patience is the number of steps that trust and rounder may take on a random
// program: far more than they need, but for one without an end.
const patience = 1 << 20

// patient explores a program, and gives up on a search without an end.
func patient(name string, p *model.Program, opts Options) (*survey, error) {
	polls := 0 // one in 256 steps
	opts.Stop = func() bool { polls++; return polls > patience/256 }
	return explore(name, p, opts)
}

func checkSearch(name string, p *model.Program, judge *survey, opts Options) error {
	s, err := patient(name, p, opts)
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return compare(name, p, judge, s, opts)
}

// checkRounder compares rounder within k rounds with those of the judge's traces
// that need no more. Where a program waits in loops, traces aren't those of the
// judge, and only where they lead to is.
func checkRounder(p *model.Program, judge *survey, k int, opts Options) error {
	opts.Bounds = Bounds{{Rounds, k}}
	s, err := patient("rounder", p, opts)
	if err != nil {
		return fmt.Errorf("rounds=%d: %w", k, err)
	}
	if spins(p) {
		for o := range s.outcomes {
			if _, ok := judge.outcomes[o]; !ok {
				return fmt.Errorf("rounds=%d: invented %+v", k, o)
			}
		}
		if !s.stats.Complete || s.stats.Pruned == 0 && len(s.outcomes) < len(judge.outcomes) {
			return fmt.Errorf("rounds=%d: %+v, %d of %d ends", k, s.stats, len(s.outcomes), len(judge.outcomes))
		}
		return nil
	}
	return withinRounds(s, judge, k)
}

// withinRounds compares what rounder visited within k rounds with the traces of the judge.
func withinRounds(s, judge *survey, k int) error {
	within := 0
	for c, r := range judge.traces {
		if r.rounds > k {
			continue
		}
		within++
		if _, ok := s.traces[c]; !ok {
			return fmt.Errorf("rounds=%d: missed trace %x", k, c)
		}
	}
	if !s.stats.Complete || len(s.traces) != within || int(s.stats.Executions) != within {
		return fmt.Errorf("rounds=%d: %+v, %d traces, %d are there", k, s.stats, len(s.traces), within)
	}
	if within < len(judge.traces) && s.stats.Pruned == 0 {
		return fmt.Errorf("rounds=%d: %d of %d traces, but the bound cut nothing off", k, within, len(judge.traces))
	}
	return nil
}

// rounds is Algorithm 1 of Marmanis and Vafeiadis as it stands, over the
// current path: the greedy round-robin scheduler. A step that lets a thread go
// on comes before its next ones.
func (r *recorder) rounds() int {
	n := len(r.path)
	before := make([]uint64, n)
	threads := trace.TID(0)
	for j := range r.path {
		before[j] = r.after[j]
		threads = max(threads, r.path[j].Thread+1)
		for i := range r.path[:j] {
			for _, t := range r.path[i].Wakes {
				if t == r.path[j].Thread {
					before[j] |= 1 << i
				}
			}
		}
	}
	rounds, done, left := 0, uint64(0), n
	for left > 0 {
		rounds++
		for t := trace.TID(0); t < threads; t++ {
			for e := 0; e < n; e++ { // a thread's events stand in its order
				if r.path[e].Thread == t && done>>e&1 == 0 && before[e]&^done == 0 {
					done |= 1 << e
					left--
				}
			}
		}
	}
	return max(rounds-1, 0)
}

// TestTrustAnchors: one execution of each trace, none in vain.
func TestTrustAnchors(t *testing.T) {
	for _, a := range anchors {
		t.Run(a.name, func(t *testing.T) {
			if a.slow != quick {
				t.Skip("more than 5000 traces")
			}
			st, seen := runModel(t, "trust", a.prog, single)
			if st.Executions != a.traces || st.Blocked != 0 || seen.ends[EndedStuck] != a.stuck || !st.Complete {
				t.Errorf("got %+v, %d stuck; want %d traces, %d stuck", st, seen.ends[EndedStuck], a.traces, a.stuck)
			}
		})
	}
}

// The numbers of traces within 1, 2, 3 and 4 rounds, as GenMC counts them with
// its round-robin bound; fib_bench's by a separate enumeration.
var roundsTable = []struct {
	name   string
	prog   *model.Program
	traces [4]uint64
}{
	{"writer_readers 4", model.WriterReaders(4), [4]uint64{1, 16, 16, 16}},
	{"nwriters 4", model.NWriters(4), [4]uint64{1, 12, 23, 24}},
	{"nwriters 6", model.NWriters(6), [4]uint64{1, 58, 360, 662}},
	{"indexer 12", model.Indexer(12, false), [4]uint64{1, 7, 8, 8}},
	{"indexer 13", model.Indexer(13, false), [4]uint64{1, 49, 64, 64}},
	{"filesystem 16", model.FileSystem(16), [4]uint64{1, 8, 8, 8}},
	{"filesystem 18", model.FileSystem(18), [4]uint64{1, 32, 32, 32}},
	{"lastzero 5", model.LastZero(5), [4]uint64{1, 32, 64, 64}},
	{"micro 2 3", model.Micro(2, 3), [4]uint64{1, 43, 304, 653}},
	{"fib_bench 3", model.FibBench(3, 34), [4]uint64{3, 163, 1008, 1620}},
	{"din_phil 3 ordered", model.Philosophers(3, true), [4]uint64{1, 5, 6, 6}},
	{"mutex_inc 4 1", model.MutexInc(4, 1), [4]uint64{1, 12, 23, 24}},
	{"mutex_inc 3 2", model.MutexInc(3, 2), [4]uint64{1, 21, 69, 89}},
	{"ainc 4", model.AInc(4), [4]uint64{1, 12, 23, 24}},
	{"peterson 1", model.Peterson(1), [4]uint64{1, 12, 14, 14}},
	{"peterson 2", model.Peterson(2), [4]uint64{1, 47, 485, 1525}},
	{"ring 3", model.Ring(3), [4]uint64{1, 10, 19, 20}},
	{"ring 4", model.Ring(4), [4]uint64{1, 17, 53, 69}},
	{"two_cells 2", model.TwoCells(2), [4]uint64{1, 14, 22, 22}},
	{"two_cells 3", model.TwoCells(3), [4]uint64{1, 54, 227, 296}},
	{"ledger", model.Ledger(), [4]uint64{1, 5, 6, 6}},
}

func TestRoundsTable(t *testing.T) {
	for _, c := range roundsTable {
		for k, want := range c.traces {
			opts := single
			opts.Bounds = Bounds{{Rounds, k + 1}}
			for _, search := range []string{"rounder", "rounder:early=0"} {
				if st, _ := runModel(t, search, c.prog, opts); st.Executions != want || !st.Complete {
					t.Errorf("%s %s, rounds=%d: %+v, want %d executions", search, c.name, k+1, st, want)
				}
			}
		}
	}
}

// TestRounderEarly: let the first thread make the others, then join all or none,
// and do no more before. Then rounder with early=0 visits exactly once each trace
// within the bound in which every thread runs to its end, and none beyond. It
// leaves out some others.
func TestRounderEarly(t *testing.T) {
	full, others, missed := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := draw(rt, false, false, true)
		if spins(p) || exits(p) || joinsSome(p) {
			rt.Skip()
		}
		judge := judged(rt, p, soakLimit)
		if judge == nil {
			rt.Skip()
		}
		for k := 0; k < 3; k++ {
			opts := single
			opts.Bounds = Bounds{{Rounds, k}}
			s, err := explore("rounder:early=0", p, opts)
			if err != nil || int(s.stats.Executions) != len(s.traces) || !s.stats.Complete {
				rt.Fatalf("%+v, %v, %d traces\n%v", s.stats, err, len(s.traces), p)
			}
			for c, r := range judge.traces {
				_, ok := s.traces[c]
				switch {
				case r.rounds > k:
					if ok {
						rt.Fatalf("rounds=%d: trace %x needs %d\n%v", k, c, r.rounds, p)
					}
				case r.ending == EndedProcess && (!p.MainEnds || joinsAll(p)):
					if full++; !ok {
						rt.Fatalf("rounds=%d: missed trace %x\n%v", k, c, p)
					}
				case !ok:
					missed++
				default:
					others++
				}
			}
		}
	})
	t.Logf("%d full traces; of others %d and %d missed", full, others, missed)
	if missed == 0 && !testing.Short() {
		t.Error("it leaves out nothing: it need not be told apart")
	}
}

// TestRounderExchange: a compare-and-exchange that succeeds where a graph ends may
// fail in the one that its revisit makes. It is then in an earlier round.
func TestRounderExchange(t *testing.T) {
	p := &model.Program{Bytes: 16, Standing: true, Threads: [][]model.Instr{
		{{Code: model.Load}, {Code: model.StoreR, C: 1}},
		{{Code: model.Store}, {Code: model.CompareEx, C: 1, D: 1}, {Code: model.FetchAdd, C: 1}}}}
	judge := judged(t, p, judgeLimit)
	for k := range 3 {
		for _, search := range []string{"rounder", "rounder:early=0"} {
			opts := single
			opts.Bounds = Bounds{{Rounds, k}}
			s, err := explore(search, p, opts)
			if err != nil {
				t.Fatal(err)
			}
			for c, r := range judge.traces {
				if _, ok := s.traces[c]; ok != (r.rounds <= k) {
					t.Errorf("%s, rounds=%d: trace %x of %d rounds: %v", search, k, c, r.rounds, ok)
				}
			}
		}
	}
}

// joinsSome reports whether the first thread joins others, but not all of them, or
// does something else between two joins, or before the last thread is made.
func joinsSome(p *model.Program) bool {
	joins, creates := 0, 0
	for i, in := range p.Threads[0] {
		switch in.Code {
		case model.Create:
			if creates++; joins > 0 || creates <= i {
				return true
			}
		case model.Join:
			joins++
		default:
			if joins > 0 && joins < creates || joins == 0 && creates > 0 {
				return true
			}
		}
	}
	return joins > 0 && joins < creates
}

// joinsAll reports whether the first thread joins all others.
func joinsAll(p *model.Program) bool {
	joins, creates := 0, 0
	for _, in := range p.Threads[0] {
		switch in.Code {
		case model.Create:
			creates++
		case model.Join:
			joins++
		}
	}
	return joins == creates
}

// exits reports whether a thread may end the process.
func exits(p *model.Program) bool {
	for _, code := range p.Threads {
		for _, in := range code {
			if in.Code == model.Exit {
				return true
			}
		}
	}
	return false
}

// TestTrustSpins: programs that wait in loops reach the same ends as with
// optimal, which runs some of their traces twice.
func TestTrustSpins(t *testing.T) {
	for _, p := range []*model.Program{model.TicketLock(2), model.TicketLock(3), model.TTASLock(2)} {
		trust, err := explore("trust", p, single)
		if err != nil {
			t.Fatal(err)
		}
		optimal, _ := explore("optimal", p, single)
		if len(trust.outcomes) != len(optimal.outcomes) || !trust.stats.Complete {
			t.Errorf("%d ends, optimal has %d", len(trust.outcomes), len(optimal.outcomes))
		}
	}
}

// TestTrustMemory: what a search holds in memory grows with the graph, not with
// the number of graphs.
func TestTrustMemory(t *testing.T) {
	held := func(p *model.Program, executions uint64) uint64 {
		m := model.New(p)
		s, err := New("trust", Options{OneEvent: true, Unmerged: true, MaxExecutions: executions})
		if err != nil {
			t.Fatal(err)
		}
		var most uint64
		n := 0
		_, err = s.Run(m, &tally{stop: func(*Execution) bool {
			if n++; n%(int(executions)/8) == 0 {
				runtime.GC()
				var mem runtime.MemStats
				runtime.ReadMemStats(&mem)
				most = max(most, mem.HeapAlloc)
			}
			return false
		}})
		if err != nil {
			t.Fatal(err)
		}
		return most
	}
	few, many := held(model.Micro(3, 3), 800), held(model.Micro(3, 3), 40_000)
	if many > few+few/4+1<<18 {
		t.Errorf("%d bytes after 800 executions, %d after 40,000", few, many)
	}
	long := held(model.Micro(2, 200), 800)
	if long > few+800*2200 { // a few copies of each event, and what belongs to it
		t.Errorf("%d bytes with graphs of 25 events, %d with 800", few, long)
	}
	t.Logf("%d, %d and %d bytes", few, many, long)
}
