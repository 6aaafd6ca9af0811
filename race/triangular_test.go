package race

import (
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"testing"

	"landgo/internal/litmus"
	"landgo/internal/trace"
)

// transition is a machine's next step by thread t under litmus.SC, as the searches see one.
func transition(m *litmus.Machine, t int) (tr trace.Transition) {
	x, _ := m.At(t)
	tr.Thread = trace.TID(t)
	a := trace.Access{Addr: 0x1000 + uint64(x.Addr), Size: uint32(x.Size), PC: uint64(100*t + m.PC(t) + 1)}
	switch x.Kind {
	case litmus.Skip:
		return tr
	case litmus.Fence:
		tr.Fences = []uint32{0}
		return tr
	case litmus.Store:
		a.Flags = trace.Write
	case litmus.Exchange:
		a.Flags = trace.Write | trace.RMW | trace.Atomic
	case litmus.CAS:
		a.Flags = trace.Write | trace.RMW | trace.Atomic
		if m.Read(t, x.Addr, x.Size) != 0 {
			a.Flags = trace.Atomic | trace.FailedCAS
		}
	}
	tr.Accesses = []trace.Access{a}
	return tr
}

// watchAll has a watch see every execution under litmus.SC.
func watchAll(p *litmus.Program, w *Triangular) {
	var visit func(m *litmus.Machine)
	visit = func(m *litmus.Machine) {
		k := w.Mark()
		for t := range p.Threads {
			if _, ok := m.At(t); !ok {
				continue
			}
			tr := transition(m, t)
			c := m.Clone()
			c.Step(t)
			w.Step(&tr)
			visit(c)
			w.Rewind(k)
		}
	}
	visit(litmus.NewMachine(p, litmus.SC))
}

// excess is a model under which a program has more outcomes than under litmus.SC; litmus.SC if there is none.
func excess(p *litmus.Program) litmus.Model {
	sc := litmus.Outcomes(p, litmus.SC)
	for _, m := range []litmus.Model{litmus.TSO, litmus.TSOStalls} {
		if !slices.Equal(sc, litmus.Outcomes(p, m)) {
			return m
		}
	}
	return litmus.SC
}

// TestTriangularTheorem: a program none of whose litmus.SC executions has a triangular race has the
// same outcomes under x86-litmus.TSO, with either treatment of partial overlaps. And the watch isn't
// so coarse that this says little.
func TestTriangularTheorem(t *testing.T) {
	programs, seed := 2500, uint64(1)
	if s := os.Getenv("LANDGO_SOAK_TSO"); s != "" {
		programs, _ = strconv.Atoi(s)
		seed = rand.Uint64()
	}
	free, same := 0, 0
	r := rand.New(rand.NewPCG(seed, 1))
	for range programs {
		p := litmus.Random(r)
		w := NewTriangular(TriangularConfig{})
		watchAll(p, w)
		more := excess(p)
		if more == litmus.SC {
			same++
		}
		if len(w.Found()) == 0 {
			free++
			if more != litmus.SC {
				t.Fatalf("no triangular race, and %v allows more than litmus.SC (seed %d):\n%v", more, seed, p)
			}
		}
	}
	t.Logf("seed %d, %d programs: %d have no behaviour beyond litmus.SC, %d of these no triangular race", seed, programs, same, free)
	if free*4 < same*3 {
		t.Errorf("the watch is too coarse: of %d programs without more behaviour, %d have no triangular race", same, free)
	}
}

// lateFailure is a finding of the soak's: the compare-and-exchange fails because of a store that
// isn't the last before the load of [0:2].
var lateFailure = &litmus.Program{Memory: 4, Threads: [][]litmus.Insn{
	{
		{Kind: litmus.Store, Addr: 2, Size: 2, Value: 1}, {Kind: litmus.Store, Addr: 0, Size: 1, Value: 2},
		{Kind: litmus.Load, Addr: 0, Size: 2, Reg: 1}, {Kind: litmus.Load, Addr: 0, Size: 1, Reg: 2},
	},
	{{Kind: litmus.CAS, Addr: 1, Size: 2, Value: 5, Reg: 2}, {Kind: litmus.Load, Addr: 1, Size: 2, Reg: 2}, {Kind: litmus.Load, Addr: 2, Size: 2, Reg: 1}},
}}

// triFaults lists the mutants.
func triFaults() (all []triFault) {
	for f := triFault(1); f < numTriFaults; f++ {
		all = append(all, f)
	}
	return all
}

// TestTriangularMutants: with any one part of the condition left out, a program with a behaviour
// beyond litmus.SC has no triangular race.
func TestTriangularMutants(t *testing.T) {
	const programs = 3000
	caught := map[triFault]bool{}
	r := rand.New(rand.NewPCG(2, 2))
	for i := 0; i < programs && len(caught) < len(triFaults()); i++ {
		p := litmus.Random(r)
		if i == 0 {
			p = lateFailure
		}
		more := litmus.SC
		known := false
		for _, f := range triFaults() {
			if caught[f] {
				continue
			}
			w := NewTriangular(TriangularConfig{fault: f})
			watchAll(p, w)
			if len(w.Found()) > 0 {
				continue
			}
			if !known {
				more, known = excess(p), true
			}
			if more != litmus.SC {
				t.Logf("fault %d is caught by program %d:\n%v", f, i, p)
				caught[f] = true
			}
		}
	}
	for _, f := range triFaults() {
		if !caught[f] {
			t.Errorf("fault %d isn't caught by %d programs", f, programs)
		}
	}
}
