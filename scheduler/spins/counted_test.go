package spins

import (
	"fmt"
	"slices"
	"testing"

	"landgo/internal/image/x86"
	"landgo/internal/trace"
)

// program is a loop without a machine: after each turn it stands by its count, and the value that it found.
type program struct {
	count uint64
	turn  func(count, v uint64) (AfterTurn, Poise)
	own   uint64 // the lowest byte of its own
	grows bool
	left  []trace.Range
}

func (p *program) Try(v uint64, present, _ bool) (AfterTurn, *Poise) {
	o, to := p.turn(p.count, v)
	if o == Leaves && !present {
		return o, nil
	}
	return o, &to
}

func (p *program) Go(_ uint64, left []trace.Range) {
	p.count++
	p.left = left
}

func (p *program) Owns(at uint64) bool { return at >= p.own }

func (p *program) Grows(_, next *Poise, _ uint64, _ []uint64) ([]x86.GrownWord, trace.RegSet, bool) {
	return []x86.GrownWord{{Addr: 0x400, Size: 4}}, 1, p.grows
}

// TestSurvey: which loops' turns can be one step, and of how many turns that is.
func TestSurvey(t *testing.T) {
	const go0, wait = 0, 1 // values: with the first the thread goes on
	count := func(n uint64) Poise { return Poise{Effects: n + 1} }
	gone := Poise{Stand: 9}
	for _, tc := range []struct {
		what   string
		p      program
		values []uint64
		want   Look
	}{
		{"it goes on at once", program{turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 {
				return Leaves, gone
			}
			return Stays, count(0)
		}}, []uint64{go0, wait}, Look{Turns: 1, Counts: true}},
		{"it waits for another value", program{turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 {
				return Leaves, gone
			}
			return Stays, Poise{}
		}}, []uint64{wait, go0}, Look{Counts: true}},
		{"it sleeps after three looks", program{turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 || n == 2 {
				return Leaves, gone
			}
			return Stays, count(n)
		}}, []uint64{wait}, Look{Turns: 3, Counts: true, Ends: true}},
		{"what it does next tells the count", program{turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 || n == 2 {
				return Leaves, count(n)
			}
			return Stays, count(n)
		}}, []uint64{go0, wait}, Look{}},
		{"its own memory tells the count", program{own: 0x100, turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 || n == 2 {
				return Leaves, Poise{Memory: memory(byte(n + 1))}
			}
			return Stays, Poise{Effects: n + 1}
		}}, []uint64{go0, wait}, Look{Turns: 1, Counts: true, Left: []trace.Range{{Lo: 0x100, Hi: 0x101}}, Ends: true}},
		{"another's memory tells it", program{own: 0x200, turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 || n == 2 {
				return Leaves, Poise{Memory: memory(byte(n + 1))}
			}
			return Stays, Poise{Effects: n + 1}
		}}, []uint64{go0, wait}, Look{}},
		{"a register that is only pushed tells it", program{turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 || n == 2 {
				return Leaves, Poise{Pushed: [trace.NumGeneral]uint64{3: n}}
			}
			return Stays, Poise{Effects: n + 1}
		}}, []uint64{go0, wait}, Look{Turns: 1, Counts: true, Regs: 1 << 3, Ends: true}},
		{"values lead apart", program{turn: func(n, v uint64) (AfterTurn, Poise) { return Stays, Poise{Effects: v} }},
			[]uint64{wait, 2}, Look{}},
		{"a turn can't be run", program{turn: func(n, v uint64) (AfterTurn, Poise) { return Fails, Poise{} }},
			[]uint64{wait}, Look{}},
		{"it counts without an end", program{turn: func(n, v uint64) (AfterTurn, Poise) { return Stays, count(n) }},
			[]uint64{wait}, Look{}},
		{"a count that decides nothing", program{grows: true, turn: func(n, v uint64) (AfterTurn, Poise) { return Stays, count(n) }},
			[]uint64{wait}, Look{Counts: true, Left: []trace.Range{{Lo: 0x400, Hi: 0x404}}, Regs: 1}},
		{"its back-off stays at its most, from where it can't leave", program{turn: func(n, v uint64) (AfterTurn, Poise) {
			if v == go0 && n == 0 {
				return Leaves, gone
			}
			return Stays, count(min(n, 2))
		}}, []uint64{go0, wait}, Look{Turns: 1}},
	} {
		here := Poise{}
		got := Survey(&tc.p, here, tc.values)
		if fmt.Sprint(got) != fmt.Sprint(tc.want) {
			t.Errorf("%s: %+v, want %+v", tc.what, got, tc.want)
		}
	}
}

// TestResidue: bytes by which turns that stay can be told apart are left to the loop, so that none of its
// turns reads them.
func TestResidue(t *testing.T) {
	p := program{own: 0x100, turn: func(n, v uint64) (AfterTurn, Poise) {
		if n == 2 {
			return Leaves, Poise{}
		}
		return Stays, Poise{Effects: n + 1, Memory: memory(byte(v))} // a copy of what it found
	}}
	l := Survey(&p, Poise{}, []uint64{1, 2})
	if want := []trace.Range{{Lo: 0x100, Hi: 0x101}}; !l.Counts || l.Turns != 3 || !slices.Equal(p.left, want) || !slices.Equal(l.Left, want) {
		t.Errorf("%+v, left %v", l, p.left)
	}
}
