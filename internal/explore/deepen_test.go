package explore

import (
	"context"
	"encoding/json"
	"runtime"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/deepen"
	"landgo/internal/explore/config"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
)

// warm sets how much of the space with all points is explored first.
func warm(t testing.TB, steps uint64) {
	old := warmSteps
	warmSteps = steps
	t.Cleanup(func() { warmSteps = old })
}

// TestDeepeningReplays: each bug that deepening finds, at whatever points,
// comes back from its file alone.
func TestDeepeningReplays(t *testing.T) {
	leaveOutWhole(t)
	own := 0
	for _, name := range []string{"lost_update", "lost_wakeup", "livelock", "ttas", "ticket", "deadlock_two", "two_preemptions", "early_exit", "trylock_yield", "peterson_spin", "use_after_free"} {
		c := config.Default()
		c.Guest, c.Out = compile.Guest(t, "musl-O1/"+name), config.NoFile
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if r.Verdict != result.Buggy {
			t.Errorf("%s: %s", name, r.Verdict)
			continue
		}
		if r.Bug.PP != "" {
			own++
		}
		file := result.NewBugFile(r, r.Bug, c.For(&r.Guest, r.Bug).Kept())
		cfg, err := config.ConfigOf(file)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Replay(context.Background(), cfg, file, nil)
		if err != nil || again.Replay == nil || !again.Replay.Same {
			t.Errorf("%s at %q: %v %+v", name, r.Bug.PP, err, again)
		}
	}
	t.Logf("%d bugs kept the points of their jobs", own)
}

// TestSuspendedSpacesGoOn: a search that was left for others and taken up again
// has the executions of one that wasn't, and the same jobs come in the same
// order each time.
func TestSuspendedSpacesGoOn(t *testing.T) {
	for _, name := range []string{"fib_bench-N3", "peterson-N2"} {
		c := config.Default()
		c.Guest, c.Out = compile.Guest(t, "musl-O1/"+name), config.NoFile
		want, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		warm(t, 20) // and no more than 100 times that without a look at others
		var before []byte
		for range 2 {
			got, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got.Verdict != result.Verified || got.Executions != want.Executions {
				t.Errorf("%s: %s after %d executions, want %d", name, got.Verdict, got.Executions, want.Executions)
			}
			ran := 0
			for _, j := range got.Jobs {
				if j.Transitions > 0 {
					ran++
				}
			}
			jobs, _ := json.Marshal(got.Jobs)
			if ran < 3 || before != nil && string(jobs) != string(before) {
				t.Errorf("%s: %d jobs ran\n%s\n%s", name, ran, before, jobs)
			}
			before = jobs
		}
		warmSteps = 50_000
	}
}

// TestRacePoints: a point before one instruction is one in a fresh process as
// well, where nothing is known to be shared.
func TestRacePoints(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out = compile.Guest(t, "musl-O1/lost_update"), config.NoFile
	run := func(pp string) *result.Result {
		t.Helper()
		own := c
		if err := config.OptionNamed("pp").Apply(&own, pp); err != nil {
			t.Fatal(err)
		}
		r, err := Run(context.Background(), own, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		if r.Bug != nil {
			file := result.NewBugFile(r, r.Bug, own.For(&r.Guest, r.Bug).Kept())
			cfg, err := config.ConfigOf(file)
			if err != nil {
				t.Fatal(err)
			}
			if again, err := Replay(context.Background(), cfg, file, nil); err != nil || !again.Replay.Same {
				t.Errorf("--pp %s: the bug doesn't come back: %v", pp, err)
			}
		}
		return r
	}
	if r := run("yield"); r.Verdict != result.Verified || r.Unexamined == 0 {
		t.Errorf("yield: %s, %d unexamined", r.Verdict, r.Unexamined)
	}
	// Those found racing, as they are found.
	found := run("race")
	if found.Verdict != result.Buggy {
		t.Fatalf("race: %s", found.Verdict)
	}
	// The instruction that the losing thread was preempted before.
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var store uint64
	for _, a := range found.Bug.Accesses {
		if a.Op == "writes" {
			store = uint64(a.Stack[0].Address)
		}
	}
	place := s.PlaceOf(store)
	r := run("yield,race=" + place)
	if r.Verdict != result.Buggy || r.PP != "yield,race="+place {
		t.Errorf("yield,race=%s: %s at %s", place, r.Verdict, r.PP)
	}
	for _, bad := range []string{"race=main+0x100000", "race=nobody+0x1"} {
		own := c
		if err := config.OptionNamed("pp").Apply(&own, bad); err != nil {
			t.Fatal(err)
		}
		if r, err := Run(context.Background(), own, nil); err != nil || r.Verdict != result.Invalid {
			t.Errorf("--pp %s: %v %v", bad, r, err)
		}
	}
}

// BenchmarkJobStart measures a job's time beyond its executions: the smallest
// space there is, from the booted guest. To be under a millisecond.
func BenchmarkJobStart(b *testing.B) {
	d := deepeningOf(b, "micro-N2-K3")
	set := deepen.Set{Kinds: trace.PointYield}
	before := limits.ProcessorTime()
	defer func() {
		b.ReportMetric(float64((limits.ProcessorTime()-before).Microseconds())/1000/float64(b.N), "cpu-ms/job")
	}()
	for range b.N {
		j := &deepen.Job{Set: set}
		delete(d.spaces, j)
		if err := d.run(j); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSuspended is the memory that a job takes which was left in the
// middle. A thousand are to be under 1 GiB.
func BenchmarkSuspended(b *testing.B) {
	warm(b, 1)
	d := deepeningOf(b, "fib_bench-N5")
	for range b.N {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		const jobs = 50
		for i := range jobs {
			j := &deepen.Job{ID: i + 2, Set: deepen.Set{Kinds: trace.MemPoints, At: []uint64{uint64(i)}}}
			s := d.turnOf(j)
			s.leave = true
			s.work()
			if err := d.fold(s); err != nil || len(s.sp.tree) == 0 {
				b.Fatal(err, len(s.sp.tree))
			}
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/jobs/1024, "KiB/job")
		runtime.KeepAlive(d)
	}
}

func deepeningOf(b *testing.B, name string) *deepening {
	c := config.Default()
	c.Guest, c.Out = compile.Guest(b, "musl-O1/"+name), config.NoFile
	s, err := session.Open(c, nil)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(s.Close)
	h := &hunt{Session: s, result: s.NewResult(), seen: map[string]*finding{}}
	d := newDeepening(h)
	d.warm = 1 // no worker beside it
	j := &deepen.Job{Set: deepen.Set{Kinds: trace.PointYield}}
	if err := d.run(j); err != nil {
		b.Fatal(err)
	}
	return d
}

var _ por.Observer = (*turn)(nil)

// TestStopsBetweenJobs: a job that is over before its search asks whether to stop
// doesn't keep the rest of them going.
func TestStopsBetweenJobs(t *testing.T) {
	leaveOutWhole(t)
	c := config.Default()
	c.Guest, c.Out = compile.Guest(t, "musl-O2/race_field-fixed"), config.NoFile
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	r, err := Run(ctx, c, nil)
	if err != nil || r.Verdict != result.Budget || r.Problem != result.Interrupted {
		t.Errorf("%v %+v", err, r)
	}
}
