package litmus

import (
	"fmt"
	"strings"
)

// A test is a critical cycle: edges that lead from access to access, and back to the first.
// Within a thread they go by program order, from thread to thread by communication on one
// location. The machine and the axioms say which outcomes the program can have, the cycle's
// own and all others.

// Edge is one edge of a cycle, in diy's terms.
type Edge uint8

const (
	Rfe       Edge = iota // a store is read by another thread
	Fre                   // a load reads what was before another thread's store
	Coe                   // a store comes before another thread's store
	Rfi                   // the same three within a thread: next to each other in program order
	Fri                   //
	Coi                   //
	PodRR                 // program order, to another location: a load before a load
	PodRW                 // ...
	PodWR                 //
	PodWW                 //
	MFencedWR             // with mfence between
	LockDWR               // with a locked instruction on the thread's own memory between
	XchgWR                // the store is an xchg
	numEdges
)

var edgeNames = [numEdges]string{"Rfe", "Fre", "Coe", "Rfi", "Fri", "Coi", "PodRR", "PodRW", "PodWR", "PodWW", "MFencedWR", "LockDWR", "XchgWR"}

func (e Edge) String() string { return edgeNames[e] }

// external: the edge leads to another thread. moves: it leads to another location.
func (e Edge) external() bool { return e <= Coe }
func (e Edge) moves() bool    { return e >= PodRR }

// from and to are the accesses at its ends: whether they are stores.
func (e Edge) from() (store bool) {
	switch e {
	case Fre, Fri, PodRR, PodRW:
		return false
	}
	return true
}

func (e Edge) to() (store bool) {
	switch e {
	case Rfe, Rfi, PodRR, PodWR, MFencedWR, LockDWR, XchgWR:
		return false
	}
	return true
}

// Cycle is a test's edges. It begins at a thread's first access, so the last edge is external.
type Cycle []Edge

func (c Cycle) String() string {
	var names []string
	for _, e := range c {
		names = append(names, e.String())
	}
	return strings.Join(names, " ")
}

// Test is a program made of a cycle, or one of mixed sizes, which has none.
type Test struct {
	Cycle   Cycle
	Program *Program
	// Locations is how many there are, at addresses 4 apart.
	Locations int
	// Bytes: accesses are of a part of a location, and it tells each byte (mixed.go).
	Bytes bool
	// loads: thread and register of each load of the cycle
	loads []access
}

type access struct{ thread, reg int }

// build makes the program of a cycle; false if the cycle is of no program of at most four threads
// and four locations.
func build(c Cycle) (*Test, bool) {
	n := len(c)
	locations := 0
	for _, e := range c {
		if e.moves() {
			locations++
		}
	}
	if locations < 2 || locations > 4 || !c[n-1].external() {
		return nil, false
	}
	t := &Test{Cycle: c, Locations: locations, Program: &Program{Memory: 4 * locations, Threads: [][]Insn{nil}}}
	thread, location := 0, 0
	values := make([]int, locations)
	regs := []int{0}
	for i, e := range c {
		x := Insn{Addr: 4 * location, Size: 4}
		if e.from() {
			values[location]++
			x.Kind, x.Value = Store, values[location]
			if e == XchgWR {
				x.Kind, x.Reg = Exchange, Registers-1
			}
		} else {
			if regs[thread] >= Registers-1 {
				return nil, false
			}
			x.Kind, x.Reg = Load, regs[thread]
			t.loads = append(t.loads, access{thread, x.Reg})
			regs[thread]++
		}
		code := &t.Program.Threads[thread]
		*code = append(*code, x)
		if e == MFencedWR || e == LockDWR {
			*code = append(*code, Insn{Kind: Fence, Value: int(e)})
		}
		if e.moves() {
			location = (location + 1) % locations
		}
		if e.external() && i < n-1 {
			thread++
			t.Program.Threads = append(t.Program.Threads, nil)
			regs = append(regs, 0)
		}
	}
	return t, location == 0 && thread >= 1 && thread <= 3
}

// Cycles lists tests of two to four threads, up to this many, shortest first.
func Cycles(most int) (all []*Test) {
	seen := map[string]bool{}
	for n := 3; n <= 8 && len(all) < most; n++ {
		var grow func(c Cycle)
		grow = func(c Cycle) {
			if len(all) >= most {
				return
			}
			if len(c) == n {
				if c[n-1].to() != c[0].from() || seen[c.least()] {
					return
				}
				if t, ok := build(append(Cycle(nil), c...)); ok {
					seen[c.least()] = true
					all = append(all, t)
				}
				return
			}
			for e := Edge(0); e < numEdges; e++ {
				switch {
				case len(c) == 0 && e.external():
					continue // it begins within a thread
				case len(c) > 0 && c[len(c)-1].to() != e.from():
					continue
				case len(c) > 0 && !c.fits(e):
					continue
				case len(c) == n-1 && !e.external():
					continue
				}
				grow(append(c, e))
			}
		}
		grow(nil)
	}
	return all
}

// fits reports whether an edge may follow: at most one step by program order to another
// location in a thread, and no communication that two others make up.
func (c Cycle) fits(e Edge) bool {
	last := c[len(c)-1]
	if !last.moves() && !e.moves() && !(last == Rfe && e == Fre || last == Rfi && e == Fre || last == Coe && e == Rfe) {
		return false
	}
	if !e.moves() {
		return true
	}
	for i := len(c) - 1; i >= 0 && !c[i].external(); i-- {
		if c[i].moves() {
			return false
		}
	}
	return true
}

// least is the cycle's name, whichever of its threads it begins with.
func (c Cycle) least() string {
	best := ""
	for i := range c {
		s := fmt.Sprint(append(append(Cycle(nil), c[i:]...), c[:i]...))
		if best == "" || s < best {
			best = s
		}
	}
	return best
}

// Tell is an outcome of a test: its loads, in the cycle's order, and the last value of each location.
func (t *Test) Tell(m *Machine) string {
	if t.Bytes {
		return t.tellBytes(m)
	}
	var b strings.Builder
	for _, l := range t.loads {
		fmt.Fprintf(&b, "%d ", m.cores[l.thread].regs[l.reg])
	}
	for l := range t.Locations {
		fmt.Fprintf(&b, "%d ", m.mem[4*l])
	}
	return strings.TrimSpace(b.String())
}
