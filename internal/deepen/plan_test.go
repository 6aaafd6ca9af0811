package deepen

import (
	"slices"
	"testing"

	"landgo/internal/trace"
)

// Kinds for the tests: lock and unlock have a bit each, sync includes lock, and
// all includes everything.
const (
	yield  trace.Points = 1
	lock   trace.Points = 2
	unlock trace.Points = 4
	syncs  trace.Points = 8 | lock | yield
	all    trace.Points = 0xff
)

func seeded(warm uint64) *Plan {
	return New(Options{All: all, Warm: warm, Maximal: &Set{Kinds: syncs},
		Seeds: []Set{{Kinds: yield}, {Kinds: yield | lock}, {Kinds: yield | unlock}, {Kinds: yield | lock | unlock}}})
}

// start runs the next job.
func start(t *testing.T, p *Plan) *Job {
	t.Helper()
	list := p.Deal(1)
	if len(list) != 1 || list[0].State != Running {
		t.Fatalf("%d jobs", len(list))
	}
	return list[0]
}

func sets(p *Plan, states ...State) (out []Set) {
	for _, j := range p.Jobs() {
		if slices.Contains(states, j.State) {
			out = append(out, j.Set)
		}
	}
	return out
}

func has(list []Set, s Set) bool { return slices.ContainsFunc(list, s.equal) }

// TestCandidateAddsJobs: of Algorithm 2, line 5, the small job, and line 2, the
// big one, each once.
func TestCandidateAddsJobs(t *testing.T) {
	p := seeded(0)
	j := start(t, p)
	if j.Set.Kinds != syncs {
		t.Fatalf("%v is run before the maximal space had its warm-up", j.Set)
	}
	p.Took(j, 100)
	j.Executions, j.Share = 100, 1e-9
	if p.Goes(j, 1000) {
		t.Fatal("a job goes on that won't be finished in time, beside pending ones")
	}
	p.Suspend(j)
	for _, k := range []trace.Points{yield, yield | lock} {
		if j = start(t, p); j.Set.Kinds != k {
			t.Fatalf("the job with %b is run before the one with %b", j.Set.Kinds, k)
		}
		if k == yield {
			p.Finished(j)
		}
	}
	before := len(p.Jobs())
	p.Candidate(j, 42, BothOrders)
	p.Candidate(j, 42, BothOrders)
	if got := len(p.Jobs()) - before; got != 2 {
		t.Errorf("a candidate adds %d jobs, want a small and a big one", got)
	}
	for _, s := range []Set{{Kinds: yield, At: []uint64{42}}, {Kinds: yield | lock, At: []uint64{42}}} {
		if !has(sets(p, Pending), s) {
			t.Errorf("no job for %v", s)
		}
	}
	p.Suspend(j)
	j = start(t, p)
	if len(j.Set.At) != 1 || j.Set.Kinds != yield {
		t.Errorf("the job of a race seen in both orders comes first, not %v", j.Set)
	}
}

// TestSupersetsOfSuspended: a pending job isn't begun while a subset is
// suspended (Algorithm 3, line 6), and suspended ones go on by their estimates.
func TestSupersetsOfSuspended(t *testing.T) {
	p := seeded(0)
	p.Finished(start(t, p)) // the maximal one; it needn't prove anything
	for _, j := range p.Jobs() {
		if j.State == Covered && !j.Set.within(Set{Kinds: syncs}, all) {
			t.Errorf("%v is covered by a set without unlock", j.Set)
		}
	}
	j := start(t, p)
	if j.Set.Kinds != yield|unlock {
		t.Fatalf("%b is run, want unlock: the finished space includes the others", j.Set.Kinds)
	}
	p.Took(j, 5000)
	j.Executions, j.Share = 31, 1e-6
	if !p.Goes(j, 10) {
		t.Error("a job is suspended before 32 executions")
	}
	j.Executions = 32
	if !p.Goes(j, 10) {
		t.Error("a job is left for a superset of its own")
	}
	p.Suspend(j)
	if k := start(t, p); k != j {
		t.Errorf("%v is begun, a superset of the suspended %v", k.Set, j.Set)
	}
	p.Finished(j)
	k := start(t, p)
	if k.Set.Kinds != yield|lock|unlock {
		t.Errorf("got %v", k.Set)
	}
	p.Finished(k)
	if len(p.Deal(1)) > 0 || p.Proof() != nil {
		t.Error("all is done, and nothing of it is a proof")
	}
}

// TestFactor: the time that is left is scaled by 2 (§3.5).
func TestFactor(t *testing.T) {
	p := New(Options{All: all, Naive: true, Seeds: []Set{{Kinds: yield}, {Kinds: lock}}, Maximal: &Set{Kinds: yield | lock}})
	j := start(t, p)
	p.Took(j, 1000)
	j.Executions, j.Share = 100, 0.5 // an ETA of 1000
	if !p.Goes(j, 501) || p.Goes(j, 499) {
		t.Error("1000 steps are taken to be possible in 501, and not in 499")
	}
}

// TestBug: supersets of a set with a bug aren't run, but for the one with all
// points; subsets are.
func TestBug(t *testing.T) {
	p := seeded(10)
	w := start(t, p)
	if w.Set.Kinds != all {
		t.Fatal("the space with all points is warmed up first")
	}
	p.Took(w, 100)
	w.Share = 1e-9
	p.Suspend(w)
	p.Candidate(w, 42, OneOrder)
	if !has(sets(p, Pending), Set{Kinds: syncs, At: []uint64{42}}) || has(sets(p, Pending), Set{Kinds: syncs}) {
		t.Error("what races is among the points of the maximal space before it is begun")
	}
	m := start(t, p)
	p.Took(m, 100)
	m.Share = 1e-9
	p.Suspend(m)
	j := start(t, p)
	p.Finished(j)
	j = start(t, p)
	p.Failed(j, false)
	for _, o := range p.Jobs() {
		switch {
		case o == j || o == w || o.State == Finished:
		case j.Set.within(o.Set, all) != (o.State == Dropped):
			t.Errorf("a bug in %v: %v is %v", j.Set, o.Set, o.State)
		}
	}
	if w.State != Suspended {
		t.Error("the space with all points has all bugs, and is dropped")
	}
}

// TestProof: the end of the space with all points is one, and that of the
// maximal space in which nothing is open.
func TestProof(t *testing.T) {
	p := seeded(10)
	w := start(t, p)
	p.Finished(w)
	if p.Proof() != w || len(sets(p, Pending, Suspended)) > 0 {
		t.Error("nothing is left to do after the space with all points")
	}
	p = seeded(0)
	m := start(t, p)
	p.Conclude(m, []uint64{1, 2})
	if p.Proof() != nil {
		t.Error("a proof with conflicts that are open")
	}
	m = start(t, p)
	if m.Set.Kinds != syncs || len(m.Set.At) != 2 {
		t.Fatalf("the maximal space grows by what is open in it: %v", m.Set)
	}
	p.Conclude(m, nil)
	if p.Proof() != m {
		t.Error("no proof without open conflicts")
	}
}

// TestTurns: the job that may be the proof is taken up again when the others
// have had the time that it needs.
func TestTurns(t *testing.T) {
	p := seeded(10)
	for range 2 {
		j := start(t, p)
		p.Took(j, 2000)
		j.Share = 0.4 // an ETA of 3000
		if p.Goes(j, 1e9) {
			t.Error("the warm-up goes on")
		}
		p.Suspend(j)
	}
	j := start(t, p)
	if len(j.Set.At) > 0 || j.Set.Kinds != yield {
		t.Fatalf("got %v", j.Set)
	}
	p.Took(j, 2999)
	if !p.Goes(j, 1e9) {
		t.Error("left too early")
	}
	p.Took(j, 1)
	if p.Goes(j, 1e9) {
		t.Error("it isn't the turn of the job that may be the proof")
	}
	p.Suspend(j)
	if k := start(t, p); !p.Verifies(k) {
		t.Errorf("got %v", k.Set)
	}
}

// TestAgain: of a search that began again what it did before says nothing of its rest, and it has
// another warm-up.
func TestAgain(t *testing.T) {
	p := seeded(100)
	w := start(t, p)
	p.Took(w, 500)
	w.Share = 1e-3
	p.Again(w)
	if w.ETA() != Never {
		t.Errorf("it is estimated to need %v by what it did before", w.ETA())
	}
	if p.Took(w, 99); !p.Goes(w, 1e9) {
		t.Error("left in its warm-up")
	}
	w.Share = 0.1
	if eta := w.ETA(); eta < 890 || eta > 892 {
		t.Errorf("99 steps were a tenth, and %v are left", eta)
	}
	p.Suspend(w)
	if p.Deal(1)[0] != w {
		t.Error("another job comes before the rest of its warm-up")
	}
	p.Suspend(w)
	p.Took(w, mostWarming*100)
	p.Again(w)
	for range 2 { // the other that may be the proof has a warm-up, too
		if j := start(t, p); j == w {
			t.Error("a search that begins again and again comes before all others")
		} else {
			p.Took(j, 1000)
			j.Share = 1e-6
			p.Suspend(j)
		}
	}
}

// TestShare: the job with all points has its share of the time, however long it is
// estimated to take, and no more.
func TestShare(t *testing.T) {
	p := seeded(10)
	var w *Job
	for range 2 { // both that may be the proof
		j := start(t, p)
		if p.whole(j) {
			w = j
		}
		p.Took(j, 1000)
		j.Share = 1e-6
		p.Suspend(j)
	}
	j := start(t, p)
	p.Took(j, wholeShare*(w.Steps+10))
	if !p.Goes(j, 1e9) {
		t.Error("left for a share that is no slice")
	}
	p.Took(j, wholeShare)
	if p.Goes(j, 1e9) {
		t.Error("no share for the job with all points")
	}
	p.Suspend(j)
	if start(t, p) != w {
		t.Fatal("another one's turn")
	}
	p.Took(w, 10)
	if !p.Goes(w, 1e9) {
		t.Error("less than its share")
	}
	p.Took(w, 1)
	w.Executions, j.Share = 100, 0.5
	if p.Goes(w, 1e6) {
		t.Error("more than its share")
	}
}

// TestNarrow: a job within functions is part of the one without, and its end proves
// nothing of that; its bug does.
func TestNarrow(t *testing.T) {
	for _, fails := range []bool{false, true} {
		p := seeded(10)
		first := start(t, p)
		p.Candidate(first, 42, BothOrders)
		p.Suspend(first)
		alpha := Set{Kinds: yield, At: []uint64{42}}
		var j *Job
		for _, o := range p.Jobs() {
			if o.Set.equal(alpha) {
				j = o
			}
		}
		if p.TooLarge(j, 1000) {
			t.Error("it hasn't begun")
		}
		j.State = Running
		p.Took(j, 20)
		if !p.TooLarge(j, 1000) {
			t.Error("it has taken two warm-ups")
		}
		n := len(p.Jobs())
		p.Narrow(j, "f")
		p.Narrow(j, "f")
		p.Narrow(j, "g")
		if len(p.Jobs()) != n+2 {
			t.Fatalf("%d jobs more", len(p.Jobs())-n)
		}
		f := p.Jobs()[n]
		if p.TooLarge(f, 0) || !f.Set.within(alpha, all) || alpha.within(f.Set, all) || f.Set.within(p.Jobs()[n+1].Set, all) {
			t.Errorf("%+v", f)
		}
		f.State = Running
		if fails {
			p.Failed(f, false)
			if j.State != Dropped {
				t.Errorf("the larger one is %s", j.State)
			}
			continue
		}
		p.Finished(f)
		if p.Proof() != nil || j.State != Running || p.explored.at[alpha.At[0]] {
			t.Errorf("the larger one is %s", j.State)
		}
		p.Finished(j)
		if p.Jobs()[n+1].State != Covered {
			t.Error("what is part of a finished one is still to be run")
		}
	}
}
