package por

import (
	"math"
	"os"
	"testing"

	"landgo/por/internal/model"
)

// tally counts what an observer sees.
type tally struct {
	ends [5]int
	stop func(*Execution) bool
}

func (t *tally) Ended(x *Execution) bool {
	t.ends[x.Ending]++
	return t.stop == nil || !t.stop(x)
}
func (t *tally) Progress(Progress) {}
func (t *tally) Restarted()        { t.ends = [5]int{} }

func runModel(t testing.TB, name string, p *model.Program, opts Options) (Stats, *tally) {
	t.Helper()
	s, err := New(name, opts)
	if err != nil {
		t.Fatal(err)
	}
	var seen tally
	st, err := s.Run(model.New(p), &seen)
	if err != nil {
		t.Fatal(err)
	}
	return st, &seen
}

// slowness says when an anchor is run.
type slowness int

const (
	quick    slowness = iota
	slow              // not by go test -short
	soakOnly          // in a soak: a smaller one of its kind is always run
)

// The number of traces of each program as Nidhugg and GenMC count them.
var anchors = []struct {
	name   string
	prog   *model.Program
	traces uint64
	stuck  int
	slow   slowness
}{
	{"writer_readers 4", model.WriterReaders(4), 16, 0, quick},
	{"writer_readers 8", model.WriterReaders(8), 256, 0, quick},
	{"writer_readers 12", model.WriterReaders(12), 4096, 0, quick},
	{"nwriters 4", model.NWriters(4), 24, 0, quick},
	{"nwriters 7", model.NWriters(7), 5040, 0, quick},
	{"nwriters 8", model.NWriters(8), 40320, 0, soakOnly},
	{"indexer 11", model.Indexer(11, false), 1, 0, quick},
	{"indexer 12", model.Indexer(12, false), 8, 0, quick},
	{"indexer 13", model.Indexer(13, false), 64, 0, quick},
	{"indexer 15", model.Indexer(15, false), 4096, 0, slow},
	{"indexer locked 12", model.Indexer(12, true), 8, 0, quick},
	{"indexer locked 13", model.Indexer(13, true), 64, 0, quick},
	{"indexer locked 15", model.Indexer(15, true), 4096, 0, soakOnly},
	{"filesystem 13", model.FileSystem(13), 1, 0, quick},
	{"filesystem 14", model.FileSystem(14), 2, 0, quick},
	{"filesystem 18", model.FileSystem(18), 32, 0, quick},
	{"filesystem 22", model.FileSystem(22), 512, 0, slow},
	{"lastzero 5", model.LastZero(5), 64, 0, quick},
	{"lastzero 10", model.LastZero(10), 3328, 0, quick},
	{"lastzero 12", model.LastZero(12), 15360, 0, soakOnly},
	{"micro 2 3", model.Micro(2, 3), 736, 0, quick},
	{"micro 2 5", model.Micro(2, 5), 80464, 0, soakOnly},
	{"micro 3 2", model.Micro(3, 2), 51318, 0, slow},
	{"fib_bench 3", model.FibBench(3, 34), 1698, 0, quick},
	{"fib_bench 4", model.FibBench(4, 89), 19605, 0, slow},
	{"din_phil 3", model.Philosophers(3, false), 7, 1, quick},
	{"din_phil 5", model.Philosophers(5, false), 31, 1, quick},
	{"din_phil 3 ordered", model.Philosophers(3, true), 6, 0, quick},
	{"din_phil 8 ordered", model.Philosophers(8, true), 254, 0, quick},
	{"mutex_inc 4 1", model.MutexInc(4, 1), 24, 0, quick},
	{"mutex_inc 7 1", model.MutexInc(7, 1), 5040, 0, quick},
	{"mutex_inc 3 2", model.MutexInc(3, 2), 90, 0, quick},
	{"mutex_inc 3 3", model.MutexInc(3, 3), 1680, 0, quick},
	{"mutex_inc 2 8", model.MutexInc(2, 8), 12870, 0, slow},
	{"ainc 4", model.AInc(4), 24, 0, quick},
	{"ainc 7", model.AInc(7), 5040, 0, quick},
	{"peterson 1", model.Peterson(1), 14, 0, quick},
	{"peterson 2", model.Peterson(2), 2420, 0, quick},
	{"ring 3", model.Ring(3), 20, 0, quick},
	{"ring 4", model.Ring(4), 70, 0, quick},
	{"ring 8", model.Ring(8), 12870, 0, slow},
	{"two_cells 2", model.TwoCells(2), 22, 0, quick},
	{"two_cells 3", model.TwoCells(3), 300, 0, quick},
	{"two_cells 4", model.TwoCells(4), 6576, 0, quick},
	{"ledger", model.Ledger(), 6, 0, quick},
	{"abba", model.ABBA(false), 3, 1, quick},
	{"abba ok", model.ABBA(true), 2, 0, quick},
}

// TestAnchors: optimal runs one execution of each trace and none in vain. Divided,
// it may run some in vain.
func TestAnchors(t *testing.T) {
	for _, a := range anchors {
		t.Run(a.name, func(t *testing.T) {
			if a.slow == slow && testing.Short() || a.slow == soakOnly && os.Getenv("LANDGO_SOAK") == "" {
				t.Skip("more than 5000 traces")
			}
			st, seen := runModel(t, "optimal", a.prog, Options{OneEvent: true, Unmerged: true, WarmUp: math.MaxUint64})
			if st.Executions != a.traces || st.Blocked != 0 || seen.ends[EndedStuck] != a.stuck || !st.Complete {
				t.Errorf("got %+v, %d stuck; want %d traces, %d stuck", st, seen.ends[EndedStuck], a.traces, a.stuck)
			}
			if sum := seen.ends[0] + seen.ends[1] + seen.ends[2]; uint64(sum) != st.Executions {
				t.Errorf("%d ends observed, %d counted", sum, st.Executions)
			}
			if st.Transitions < optimalWarmUp {
				return
			}
			if div, _ := runModel(t, "optimal", a.prog, Options{OneEvent: true, Unmerged: true}); div.Executions != a.traces || 50*div.Blocked > a.traces {
				t.Errorf("divided %+v; want %d traces", div, a.traces)
			}
		})
	}
}

// TestSpinLocksAwaited: without polls, a search runs as many executions of a ticket lock as
// there are orders of the critical sections. Of each lock it runs as many as there are
// traces by sleep sets alone.
func TestSpinLocksAwaited(t *testing.T) {
	orders := map[string]uint64{"ticketlock 2": 2, "ticketlock 3": 6, "ticketlock 4": 24}
	for name, p := range map[string]*model.Program{"ticketlock 2": model.TicketLock(2), "ticketlock 3": model.TicketLock(3),
		"ticketlock 4": model.TicketLock(4), "ttaslock 2": model.TTASLock(2), "ttaslock 3": model.TTASLock(3)} {
		want := orders[name]
		if want == 0 {
			s := newSurvey(p)
			s.r.awaiting = true
			sleep, err := New("sleep", single)
			if err != nil {
				t.Fatal(err)
			}
			st, err := sleep.Run(s.r, s)
			if err != nil || !st.Complete {
				t.Fatal(st, err)
			}
			want = uint64(len(s.traces))
		}
		for _, search := range awaitingSearches {
			st, seen := runModel(t, search, p, Options{OneEvent: true, Unmerged: true, WarmUp: math.MaxUint64})
			if st.Executions != want || st.Blocked != 0 || seen.ends[EndedProcess] != int(want) || !st.Complete {
				t.Errorf("%s, %s: got %+v, want %d executions", name, search, st, want)
			}
		}
	}
}

// TestSpinLocks: programs that wait in loops finish. They have as many executions
// as there are orders of the critical sections and of the polls that saw a change
// or came before one.
func TestSpinLocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		prog   *model.Program
		traces uint64
	}{
		{"ticketlock 2", model.TicketLock(2), 4},
		{"ticketlock 3", model.TicketLock(3), 72},
		{"ticketlock 4", model.TicketLock(4), 5184},
		{"ttaslock 2", model.TTASLock(2), 12},
		{"ttaslock 3", model.TTASLock(3), 1572},
	} {
		for _, name := range []string{"sleep", "dpor:figure=4"} {
			st, seen := runModel(t, name, c.prog, Options{OneEvent: true, Unmerged: true})
			if st.Executions != c.traces || seen.ends[EndedProcess] != int(c.traces) || !st.Complete {
				t.Errorf("%s, %s: got %+v, want %d executions", c.name, name, st, c.traces)
			}
		}
	}
}

// TestSinglePath: the paper's own two programs (Flanagan and Godefroid, Figs 6 and
// 8) have a single path, by every form of dynamic partial-order reduction. So it is
// up to 11 threads of the indexer and 13 of the file system. With one thread more
// they have several.
func TestSinglePath(t *testing.T) {
	for _, search := range []string{"dpor", "dpor:sleep=0", "dpor:figure=3", "dpor:figure=3,sleep=0", "dpor:figure=4",
		"dpor:figure=4,sleep=0", "classic", "nidhugg", "source", "optimal"} {
		check := func(name string, n, most int, p *model.Program) {
			st, _ := runModel(t, search, p, Options{OneEvent: true, Unmerged: true, MaxExecutions: 2})
			if single := st.Executions == 1 && st.Blocked == 0 && st.Complete; single != (n <= most) {
				t.Errorf("%s, %s with %d threads: %+v", search, name, n, st)
			}
		}
		for n := 1; n <= 12; n++ {
			check("indexer", n, 11, model.Indexer(n, false))
			check("locked indexer", n, 11, model.Indexer(n, true))
		}
		for n := 1; n <= 14; n++ {
			check("file system", n, 13, model.FileSystem(n))
		}
	}
}
