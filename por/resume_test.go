package por

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"landgo/por/internal/model"
)

var errKilled = errors.New("killed")

// interrupted runs a search that is killed after each second time that it was
// saved, and gone on with from there on new machines, until it ends. The sights are
// put together.
func interrupted(name string, p *model.Program, jobs int, opts Options) (*survey, int, error) {
	var all *survey
	var last []byte
	opts.look = 1
	for kills := 0; ; kills++ {
		polls, saves := 0, 0
		opts.Resume = last
		opts.SaveNow = func() bool { polls++; return polls%3 == 0 }
		opts.Save = func(state []byte) error {
			saves++
			if saves > 2 {
				return errKilled
			}
			last = state
			return nil
		}
		var s *survey
		var err error
		if jobs > 1 {
			s, err = together(name, p, jobs, opts)
		} else {
			s, err = explore(name, p, opts)
		}
		if all != nil {
			s.merge(all)
		}
		if all = s; err == nil {
			return s, kills, nil
		}
		if err != errKilled || kills > 10000 {
			return s, kills, err
		}
	}
}

// TestResume: a search that is killed again and again, whether it is divided yet
// or not, has all the counts of one that isn't killed, and finds as much.
func TestResume(t *testing.T) {
	programsOf, kills := 40, 0
	if testing.Short() {
		programsOf = 15
	}
	for _, coarse := range []bool{false, true} {
		for seed, seen := 1000, 0; seen < programsOf; seed++ {
			p := programs(coarse, false).Example(seed)
			judge := judged(t, p, judgeLimit)
			if judge == nil || judge.stats.Executions > 300 {
				continue
			}
			seen++
			for _, name := range append(splitting(), "bounded", "pct:runs=200") {
				opts := Options{OneEvent: !coarse, Unmerged: true, WarmUp: uint64(20 + seed%50), UnitSteps: uint64(5 + seed%11)}
				if name == "bounded" {
					opts.Bounds, opts.Iterate = Bounds{{Preempt, 2}}, true
				}
				one, failed := together(name, p, 1, opts)
				for _, jobs := range []int{1, 2} {
					s, n, err := interrupted(name, p, jobs, opts)
					kills += n
					if err == nil && name != "bounded" && name != "pct:runs=200" {
						err = compare(name, p, judge, s, opts)
					}
					if err == nil {
						err = failed
					}
					if err == nil && (one.stats != s.stats || !sameOutcomes(one, s)) {
						err = fmt.Errorf("%+v, undisturbed %+v", s.stats, one.stats)
					}
					if err != nil {
						t.Fatalf("%s, %d jobs, %d kills: %v\n%v", name, jobs, n, err, p)
					}
				}
			}
		}
	}
	t.Log("kills", kills)
	if kills < programsOf {
		t.Error("hardly ever killed")
	}
}

// TestResumeWhole: so has one that is never divided.
func TestResumeWhole(t *testing.T) {
	programsOf, kills := 15, 0
	if testing.Short() {
		programsOf = 8
	}
	for _, coarse := range []bool{false, true} {
		for seed, seen := 3000, 0; seen < programsOf; seed++ {
			p := programs(coarse, false).Example(seed)
			judge := judged(t, p, judgeLimit)
			if judge == nil || judge.stats.Executions > 300 {
				continue
			}
			seen++
			for _, s := range wholes {
				if name, _, _ := strings.Cut(s.search, ":"); coarse && kindNamed(name).SingleEvents {
					continue
				}
				opts := Options{OneEvent: !coarse, Unmerged: true, Iterate: s.iterate}
				opts.Bounds, _ = ParseBounds(s.bounds)
				undisturbed, err := explore(s.search, p, opts)
				if err != nil {
					t.Fatalf("%s: %v\n%v", s.search, err, p)
				}
				again, n, err := interrupted(s.search, p, 1, opts)
				kills += n
				if err == nil && (undisturbed.stats != again.stats || !sameOutcomes(undisturbed, again)) {
					err = fmt.Errorf("%+v, undisturbed %+v", again.stats, undisturbed.stats)
				}
				if err != nil {
					t.Fatalf("%s %s, %d kills: %v\n%v", s.search, s.bounds, n, err, p)
				}
				if opts.MaxExecutions = undisturbed.stats.Executions/2 + 1; n == 0 {
					continue
				}
				again, _, err = interrupted(s.search, p, 1, opts)
				if err != nil || again.stats.Executions != opts.MaxExecutions {
					t.Fatalf("%s %s, at most %d executions: %d, %v\n%v", s.search, s.bounds, opts.MaxExecutions, again.stats.Executions, err, p)
				}
			}
		}
	}
	t.Log("kills", kills)
	if kills < programsOf {
		t.Error("hardly ever killed")
	}
}

// stopped runs a search that is stopped by Options.Stop, or after one more execution, and gone on
// with from there on new machines, until it ends.
func stopped(name string, p *model.Program, opts Options) (all *survey, stops int, err error) {
	opts.look = 1
	opts.SaveLast = func() bool { return true }
	opts.Save = func(state []byte) error { opts.Resume = state; return nil }
	for ; stops < 10000; stops++ {
		polls, done := 0, uint64(0)
		if all != nil {
			done = all.stats.Executions
		}
		opts.Stop, opts.MaxExecutions = func() bool { polls++; return polls > 3 }, 0
		if stops%2 == 1 {
			opts.Stop, opts.MaxExecutions = nil, done+1
		}
		s, err := explore(name, p, opts)
		if err != nil {
			return nil, stops, err
		}
		if all != nil {
			s.merge(all)
		}
		if all = s; s.stats.Complete {
			return all, stops, nil
		}
	}
	return nil, stops, errors.New("it has no end")
}

// TestResumeStopped: a search that is stopped by a limit again and again has all the counts of
// one that isn't, and finds as much.
func TestResumeStopped(t *testing.T) {
	stops := 0
	for seed, seen := 5000, 0; seen < 8; seed++ {
		p := programs(false, false).Example(seed)
		judge := judged(t, p, judgeLimit)
		if judge == nil || judge.stats.Executions > 100 {
			continue
		}
		seen++
		for _, w := range wholes {
			if name, _, _ := strings.Cut(w.search, ":"); name == "trust" || name == "rounder" || name == "pct" {
				continue // stopped in the middle of a run, or of a graph, they go on from before
			}
			opts := Options{OneEvent: true, Unmerged: true, Iterate: w.iterate, WarmUp: math.MaxUint64}
			opts.Bounds, _ = ParseBounds(w.bounds)
			undisturbed, err := explore(w.search, p, opts)
			if err != nil {
				t.Fatalf("%s: %v\n%v", w.search, err, p)
			}
			again, n, err := stopped(w.search, p, opts)
			stops += n
			if err == nil && (undisturbed.stats != again.stats || !sameOutcomes(undisturbed, again)) {
				err = fmt.Errorf("%+v, undisturbed %+v", again.stats, undisturbed.stats)
			}
			if err != nil {
				t.Fatalf("%s %s, %d stops: %v\n%v", w.search, w.bounds, n, err, p)
			}
		}
	}
	if t.Log("stops", stops); stops < 100 {
		t.Error("hardly ever stopped")
	}
}

// wholes are the searches that can't be divided, with what tells apart what they
// keep.
var wholes = []struct {
	search, bounds string
	iterate        bool
}{
	{"bpor", "preempt=2", true}, {"bpor", "preempt=1", false}, {"bpor", "fair=1", true}, {"bpor", "preempt=1,fair=1", true},
	{"bpor:optimised=0", "preempt=1", true}, {"bpor:sleep=0", "preempt=1", true},
	{"nidhugg-bpor", "preempt=2", true}, {"source-bpor", "preempt=2", true}, {"lazy-bpor", "preempt=1", true}, {"naive-bpor", "preempt=1", true},
	{"classic", "", false}, {"dpor:sleep=0", "", false}, {"dpor:figure=3,sleep=0", "", false}, {"dpor:figure=4,sleep=0", "", false},
	{"dpor:figure=3,mark=1", "", false}, {"dpor:static=1", "", false}, {"dpor:static=2,sleep=0,figure=3,mark=1", "", false}, {"dpor:static=1,dynamic=0", "", false},
	{"stateful", "", false}, {"stateful:sleep=0", "", false},
	{"optimal", "", false}, {"observers", "", false}, {"none", "", false}, {"trust", "", false}, {"rounder", "rounds=2", false}, {"pct:runs=50", "", false}, // with a number of executions
}

func sameOutcomes(a, b *survey) bool {
	for o := range a.outcomes {
		if b.outcomes[o] == nil {
			return false
		}
	}
	return len(a.outcomes) == len(b.outcomes)
}

// snapshots are of a search by two workers.
func snapshots(t testing.TB) (list [][]byte) {
	opts := Options{OneEvent: true, Unmerged: true}
	opts.SaveNow = func() bool { return true }
	opts.Save = func(state []byte) error { list = append(list, state); return nil }
	if _, err := together("optimal", model.MutexInc(2, 2), 2, opts); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

// TestSnapshotRoundTrip: reading and writing change nothing.
func TestSnapshotRoundTrip(t *testing.T) {
	for _, data := range snapshots(t) {
		var tree treeDivision
		if err := tree.unpack(data, -1); err != nil {
			t.Fatalf("%x: %v", data, err)
		}
		if again, err := tree.pack(); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%x, written as %x: %v", data, again, err)
		}
	}
}

// FuzzSnapshot: damaged snapshots are refused or read, and what is read can be
// written and read again.
func FuzzSnapshot(f *testing.F) {
	for i, data := range snapshots(f) {
		if i%8 == 0 {
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var read, reread treeDivision
		if read.unpack(data, 3) != nil && read.unpack(data, -1) != nil {
			return
		}
		again, err := read.pack()
		if err != nil {
			t.Fatal(err)
		}
		if reread.unpack(again, 3) != nil && reread.unpack(again, -1) != nil || reread.stats != read.stats {
			t.Errorf("%x, written as %x", data, again)
		}
	})
}
