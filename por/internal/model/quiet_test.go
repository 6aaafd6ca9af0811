package model

import (
	"fmt"
	"testing"

	"landgo/internal/trace"

	"pgregory.net/rapid"
)

// polls draws threads that look under a lock whether something has come, some
// with a second lock taken inside, and one or two that bring it about.
func polls() *rapid.Generator[*Program] {
	return rapid.Custom(func(t *rapid.T) *Program {
		n := 0
		pick := func(most int) int { n++; return rapid.IntRange(0, most-1).Draw(t, fmt.Sprint(n)) }
		p := &Program{Bytes: 16, Mutexes: 2, Conds: 1, RWLocks: 1, Standing: true, Merge: pick(2) == 0, Recursive: pick(4) == 0}
		section := func(code []Instr, body ...Instr) []Instr {
			m, nested := pick(2), pick(3) == 0
			if pick(3) == 0 {
				code = append(code, Instr{Code: []Code{ReadLock, WriteLock}[pick(2)]})
				return append(append(code, body...), Instr{Code: RWUnlock})
			}
			code = append(code, Instr{Code: Lock, A: m})
			if nested {
				code = append(code, Instr{Code: Lock, A: 1 - m})
			}
			code = append(code, body...)
			if nested {
				code = append(code, Instr{Code: Unlock, A: 1 - m})
			}
			return append(code, Instr{Code: Unlock, A: m})
		}
		access := func() Instr {
			return Instr{Code: []Code{Load, Store, FetchAdd, Exchange}[pick(4)], A: 8 * pick(2), R: pick(2), C: int64(pick(2))}
		}
		for k := 1 + pick(2); k > 0; k-- {
			var code []Instr
			if pick(2) == 0 {
				code = append(code, access())
			}
			head := len(code)
			code = section(code, Instr{Code: Load, A: 8 * pick(2)})
			if pick(2) == 0 {
				code = append(code, Instr{Code: Yield})
			}
			code = append(code, Instr{Code: JumpIf, C: int64(pick(2)), A: head})
			p.Threads = append(p.Threads, append(code, access()))
		}
		for k := 3 - len(p.Threads); k > 0; k-- {
			var code []Instr
			for s := 1 + pick(2); s > 0; s-- {
				switch pick(5) {
				case 0:
					code = append(code, access())
				case 1:
					code = append(code, Instr{Code: Signal})
				case 2: // what it saw stays in a register
					m := pick(2)
					code = append(code, Instr{Code: TryLock, A: m, R: s}, Instr{Code: JumpIf, R: s, C: 0, A: len(code) + 3}, Instr{Code: Unlock, A: m})
				default:
					code = section(code, access())
				}
			}
			p.Threads = append(p.Threads, code)
		}
		return p
	})
}

// leadsTo are the states in which a program can end, except those in which a thread
// waits in a loop for ever or was cut off in one. It also says whether a thread was
// taken to wait, and whether these are all the states: it looks at most at that
// many.
func leadsTo(p *Program, most int) (ends map[uint64]bool, spun, all bool) {
	m, seen := New(p), map[trace.Digest]bool{}
	ends = map[uint64]bool{}
	var walk func()
	walk = func() {
		d, err := m.Digest()
		if err != nil {
			panic(err)
		}
		if seen[d] || len(seen) > most {
			return
		}
		seen[d] = true
		threads, over, waits := m.Threads(nil), true, false
		k := m.Mark()
		for i := range threads {
			waits = waits || threads[i].Status == trace.Spinning
			for c := uint32(0); c < threads[i].Outcomes; c++ {
				over = false
				x, err := m.Step(threads[i].ID, trace.Choice(c))
				switch {
				case err != nil:
					panic(err)
				case x.End == trace.EndBug:
					ends[m.State()] = true
				default:
					walk()
				}
				m.Rewind(k)
			}
		}
		for t := range p.Threads {
			waits = waits || p.Budget > 0 && m.w[t*threadLen+wDone] >= int64(p.Budget)
		}
		spun = spun || p.Budget == 0 && waits
		if over && !waits {
			ends[m.State()] = true
		}
	}
	walk()
	return ends, spun, len(seen) <= most
}

// missed reports whether a program has ends that are lost where its loops with
// locks are taken for spins; ok: all of them are known.
func missed(p *Program) (missed, spun, ended, ok bool) {
	quiet, spun, all := leadsTo(p, 20_000)
	loud := *p
	loud.Loud, loud.Budget = true, 16
	want, _, whole := leadsTo(&loud, 200_000)
	for s := range want {
		missed = missed || !quiet[s]
	}
	return missed, spun, len(want) > 0, all && whole
}

// TestQuietLocks: taking a loop that locks and unlocks for a spin loses no state in
// which the program can end. The comparison runs the loop again and again.
func TestQuietLocks(t *testing.T) {
	programs, ends, spins := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		p := polls().Draw(rt, "program")
		lost, spun, ended, ok := missed(p)
		switch {
		case !ok:
			rt.Skip("too large")
		case lost:
			rt.Fatalf("%v\na state isn't reached", p)
		}
		programs++
		ends += btoi(ended)
		spins += btoi(spun)
	})
	t.Logf("%d programs, %d with an end, %d with a spin", programs, ends, spins)
	if programs < 20 || ends < programs/4 || spins < programs/4 {
		t.Error("a poor sample")
	}
}

// TestQuietLocksCanFail: a lock that others try isn't quiet: they see that a turn
// has it, in this turn and in that.
func TestQuietLocksCanFail(t *testing.T) {
	for seed := range 4000 {
		p := polls().Example(seed)
		p.Hushed = true
		if lost, _, _, ok := missed(p); ok && lost {
			return
		}
	}
	t.Error("nothing is lost with locks that are tried")
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}
