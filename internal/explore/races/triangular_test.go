package races

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"landgo/internal/litmus"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/race"
)

// litmusSystem is a program of package litmus under sequential consistency, as a search
// sees a guest: a step is one access and what lies before the next one.
type litmusSystem struct {
	m     *litmus.Machine
	p     *litmus.Program
	w     *race.Triangular
	marks []litmusMark
}

type litmusMark struct {
	m *litmus.Machine
	w int
}

func (s *litmusSystem) access(t int) (a trace.Access, ok bool) {
	x, ok := s.m.At(t)
	if !ok {
		return a, false
	}
	a = trace.Access{Addr: 0x1000 + uint64(x.Addr), Size: uint32(x.Size), PC: uint64(100*t + s.m.PC(t) + 1)}
	switch x.Kind {
	case litmus.Store:
		a.Flags = trace.Write
	case litmus.Exchange:
		a.Flags = trace.Write | trace.RMW | trace.Atomic
	case litmus.CAS:
		a.Flags = trace.Write | trace.RMW | trace.Atomic
		if s.m.Read(t, x.Addr, x.Size) != 0 {
			a.Flags = trace.Atomic | trace.FailedCAS
		}
	}
	return a, true
}

// settle runs what no other thread can observe.
func (s *litmusSystem) settle(t int, tr *trace.Transition) {
	for {
		x, ok := s.m.At(t)
		if !ok || x.Kind != litmus.Fence && x.Kind != litmus.Skip {
			return
		}
		if x.Kind == litmus.Fence {
			tr.Fenced(0)
		}
		s.m.Step(t)
	}
}

func (s *litmusSystem) Threads(dst []trace.Thread) []trace.Thread {
	for t := range s.p.Threads {
		th := trace.Thread{ID: trace.TID(t), Status: trace.Exited}
		if a, ok := s.access(t); ok {
			a.Flags &^= trace.FailedCAS
			if a.Flags&trace.Atomic != 0 {
				a.Flags |= trace.Write | trace.RMW
			}
			th.Status, th.Outcomes, th.Pending, th.PendingAccess = trace.Ready, 1, trace.Op{Kind: trace.OpAccess}, a
		}
		dst = append(dst, th)
	}
	return dst
}

func (s *litmusSystem) Step(t trace.TID, _ trace.Choice) (*trace.Transition, error) {
	a, _ := s.access(int(t))
	tr := &trace.Transition{Thread: t, Accesses: []trace.Access{a}}
	s.m = s.m.Clone()
	s.m.Step(int(t))
	s.settle(int(t), tr)
	s.w.Step(tr)
	return tr, nil
}

func (s *litmusSystem) Mark() trace.Mark {
	s.marks = append(s.marks, litmusMark{s.m, s.w.Mark()})
	return trace.Mark(len(s.marks) - 1)
}

func (s *litmusSystem) Rewind(k trace.Mark) {
	s.m = s.marks[k].m
	s.w.Rewind(s.marks[k].w)
	s.marks = s.marks[:k+1]
}

type blind struct{}

func (blind) Ended(*por.Execution) bool { return true }
func (blind) Progress(por.Progress)     {}
func (blind) Restarted()                {}

// TestOneOfEachTrace: the searches that run one execution of each trace meet the same
// triangular races as the one that runs every execution.
func TestOneOfEachTrace(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	raced := 0
	for range 250 {
		p := litmus.Random(r)
		want := ""
		for _, search := range []string{"none", "sleep", "dpor", "source", "optimal", "trust"} {
			s := &litmusSystem{m: litmus.NewMachine(p, litmus.SC), p: p, w: race.NewTriangular(race.TriangularConfig{})}
			for th := range p.Threads {
				s.settle(th, &trace.Transition{})
			}
			engine, err := por.New(search, por.Options{OneEvent: true, Unmerged: true})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := engine.Run(s, blind{}); err != nil {
				t.Fatal(err)
			}
			got := ""
			for _, x := range s.w.Found() {
				got += fmt.Sprintf("%d %d %d\n", x.Store.PC, x.Load.PC, x.Racing.PC)
			}
			switch {
			case search == "none":
				want = got
				if got != "" {
					raced++
				}
			case got != want:
				t.Fatalf("%s meets\n%snone\n%sof\n%v", search, got, want, p)
			}
		}
	}
	if raced < 40 {
		t.Errorf("only %d programs have races", raced)
	}
}
