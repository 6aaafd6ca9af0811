package por

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"landgo/por/internal/model"
)

var errKilled = errors.New("killed")

// interrupted runs a search that is killed after each second time that it was
// saved, and gone on with from there on new machines, until it ends. What is
// seen is put together.
func interrupted(name string, p *model.Program, jobs int, opts Options) (*survey, int, error) {
	var all *survey
	var last []byte
	opts.restless = true
	for kills := 0; ; kills++ {
		polls, saves := 0, 0
		opts.Resume = last
		opts.SaveNow = func() bool { polls++; return polls%7 == 0 }
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

// TestResume: a search that is killed again and again gives what one does that
// isn't; with one worker, all its counts too where all branches are known from
// the start.
func TestResume(t *testing.T) {
	programsOf, kills := 60, 0
	if testing.Short() {
		programsOf = 15
	}
	for _, coarse := range []bool{false, true} {
		opts := Options{OneEvent: !coarse, Unmerged: true}
		for seed, seen := 1000, 0; seen < programsOf; seed++ {
			p := programs(coarse, false).Example(seed)
			judge := judged(t, p, judgeLimit)
			if judge == nil || judge.stats.Executions > 300 {
				continue
			}
			seen++
			for _, name := range splitting() {
				for _, jobs := range []int{1, 2} {
					s, n, err := interrupted(name, p, jobs, opts)
					kills += n
					if err == nil {
						err = compare(name, p, judge, s, opts)
					}
					if one, _ := explore(name, p, opts); err == nil && (name == "none" || name == "sleep" || name == "optimal" && jobs == 1) && one.stats != s.stats {
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

// snapshots are of a search by two workers.
func snapshots(t testing.TB) (list [][]byte) {
	opts := Options{OneEvent: true, Unmerged: true, restless: true}
	opts.SaveNow = func() bool { return true }
	opts.Save = func(state []byte) error { list = append(list, state); return nil }
	if _, err := together("optimal", model.MutexInc(2, 2), 2, opts); err != nil || len(list) == 0 {
		t.Fatal(len(list), err)
	}
	return list
}

// packed packs what unpack read.
func packed(stats Stats, states []*junction) []byte {
	x := &explorer{stats: stats}
	t := &team{members: []*explorer{x}}
	for _, j := range states {
		t.add(j)
	}
	return t.pack()
}

// TestSnapshotRoundTrip: reading and writing change nothing.
func TestSnapshotRoundTrip(t *testing.T) {
	for _, data := range snapshots(t) {
		stats, states, err := unpack(data)
		if err != nil || !bytes.Equal(packed(stats, states), data) {
			t.Fatalf("%x: %v", data, err)
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
		stats, states, err := unpack(data)
		if err != nil {
			return
		}
		again := packed(stats, states)
		if stats2, _, err := unpack(again); err != nil || stats2 != stats {
			t.Errorf("%x, written as %x: %v", data, again, err)
		}
	})
}
