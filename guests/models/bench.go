// Package models holds the guests once more, as programs of the mini language
// of guests/enumerate: the same threads, accesses and operations in the same
// order, without what is private. From them come, and against them are checked,
// the numbers beside the guests' sources.
package models

import . "landgo/guests/enumerate" //lint:ignore ST1001 a program reads as one

// Sizes are the -D options of a bench program: N, K; BAD, OK and MUTEX are
// present (1) or not.
type Sizes map[string]int

func (s Sizes) on(name string) bool { return s[name] != 0 }

// or is a size, or the default of the C source.
func (s Sizes) or(name string, def int) int {
	if v, ok := s[name]; ok {
		return v
	}
	return def
}

// Bench has a model for each program of guests/bench that the mini language can
// express.
var Bench = map[string]func(Sizes) *Program{
	"abba": abba, "ainc": ainc, "din_phil": dinPhil, "fib_bench": fibBench,
	"filesystem": filesystem, "indexer": indexer, "lastzero": lastzero,
	"ledger": ledger, "micro": micro, "mutex_inc": mutexInc, "nwriters": nwriters,
	"peterson": peterson, "ring": ring, "ticketlock": ticketlock,
	"ttaslock": ttaslock, "two_cells": twoCells, "writer_readers": writerReaders,
}

// forked is a main that creates the workers, runs between, joins them in order
// and runs after; and the workers.
func forked(workers [][]Stmt, between, after []Stmt) [][]Stmt {
	n := len(workers)
	main := Seq(
		Times(n, func(i int) []Stmt { return Seq(Create(i + 1)) }),
		Do(between),
		Times(n, func(i int) []Stmt { return Seq(Join(i + 1)) }),
		Do(after),
	)
	return append([][]Stmt{main}, workers...)
}

// each is n workers from one body that sees its number, from 0.
func each(n int, body func(i int) []Stmt) [][]Stmt {
	w := make([][]Stmt, n)
	for i := range w {
		w[i] = body(i)
	}
	return w
}

func writerReaders(s Sizes) *Program {
	n := s.or("N", 8)
	return &Program{Memory: make([]int, 1), Threads: forked(each(n+1, func(i int) []Stmt {
		if i == 0 {
			return Seq(Store(N(0), N(42)))
		}
		return Seq(Load(0, N(0)))
	}), nil, nil)}
}

func nwriters(s Sizes) *Program {
	return &Program{Memory: make([]int, 1), Threads: forked(each(s.or("N", 6), func(i int) []Stmt {
		return Seq(Store(N(0), N(i+1)))
	}), nil, nil)}
}

func ainc(s Sizes) *Program {
	n := s.or("N", 5)
	return &Program{Memory: make([]int, 1), Threads: forked(each(n, func(int) []Stmt {
		return Seq(FetchAdd(0, N(0), N(1)))
	}), nil, Seq(Load(0, N(0)), Assert(Eq(R(0), N(n)), "x == N")))}
}

func micro(s Sizes) *Program {
	k := s.or("K", 3)
	return &Program{Memory: make([]int, 1), Threads: forked(each(s.or("N", 2), func(int) []Stmt {
		return Seq(
			Times(k, func(int) []Stmt { return Seq(Load(0, N(0)), Store(N(0), Plus(R(0), N(1)))) }),
			Load(0, N(0)), Assert(Lt(N(0), R(0)), "x > 0"),
		)
	}), nil, nil)}
}

func fibBench(s Sizes) *Program {
	n := s.or("N", 3)
	limit, before := 1, 0 // fib(2 + 2N) as the source computes it
	for range 2 + 2*n {
		limit, before = limit+before, limit
	}
	limit = before
	add := func(to, other int) []Stmt {
		return Seq(Times(n, func(int) []Stmt {
			return Seq(Load(0, N(to)), Load(1, N(other)), Store(N(to), Plus(R(0), R(1))))
		}))
	}
	bound := limit + 1
	if s.on("BAD") {
		bound = limit
	}
	return &Program{Memory: []int{1, 1}, Threads: forked(
		[][]Stmt{add(0, 1), add(1, 0)},
		Seq(Load(0, N(0)), Load(1, N(1)),
			Assert(And(Lt(R(0), N(bound)), Lt(R(1), N(bound))), "below the limit")),
		nil)}
}

func lastzero(s Sizes) *Program {
	n := s.or("N", 5)
	return &Program{Memory: make([]int, n+1), Threads: forked(each(n+1, func(j int) []Stmt {
		if j == 0 {
			return Seq(Set(1, N(n)), Loop([]int{0},
				Load(0, R(1)), If(Eq(R(0), N(0)), Break()), Set(1, Plus(R(1), N(-1)))))
		}
		return Seq(Load(0, N(j-1)), Store(N(j), Plus(R(0), N(1))))
	}), nil, nil)}
}

// indexer: registers 0 m, 1 w, 2 h, 3 whether the cell was taken.
func indexer(s Sizes) *Program {
	const size, most = 128, 4
	p := &Program{Memory: make([]int, size)}
	cas := Seq(CompareExchange(3, R(2), N(0), R(1)))
	if s.on("MUTEX") {
		p.Mutexes = size
		cas = Seq(Set(3, N(0)), Lock(R(2)), Load(4, R(2)),
			If(Eq(R(4), N(0)), Store(R(2), R(1)), Set(3, N(1))), Unlock(R(2)))
	}
	p.Threads = forked(each(s.or("N", 12), func(tid int) []Stmt {
		return Seq(Times(most, func(m int) []Stmt {
			w := (m+1)*11 + tid
			return Seq(Set(1, N(w)), Set(2, N(w*7%size)), Loop([]int{3},
				Do(cas), If(Ne(R(3), N(0)), Break()),
				Set(2, func(r *Regs) int { return (r[2] + 1) % size })))
		}))
	}), nil, nil)
	return p
}

// filesystem: cells 0..31 inodes, 32.. busy; mutexes likewise.
func filesystem(s Sizes) *Program {
	const inodes, blocks = 32, 26
	return &Program{Memory: make([]int, inodes+blocks), Mutexes: inodes + blocks,
		Threads: forked(each(s.or("N", 16), func(tid int) []Stmt {
			i := tid % inodes
			block := Plus(R(1), N(inodes))
			return Seq(Lock(N(i)), Load(0, N(i)),
				If(Eq(R(0), N(0)), Set(1, N(i*2%blocks)), Loop([]int{2},
					Lock(block), Load(2, block),
					If(Eq(R(2), N(0)),
						Store(block, N(1)), Store(N(i), Plus(R(1), N(1))), Unlock(block), Break()),
					Unlock(block),
					Set(1, func(r *Regs) int { return (r[1] + 1) % blocks }))),
				Unlock(N(i)))
		}), nil, nil)}
}

func dinPhil(s Sizes) *Program {
	n := s.or("N", 3)
	return &Program{Memory: make([]int, n), Mutexes: n, Threads: forked(each(n, func(id int) []Stmt {
		l, r := id, (id+1)%n
		if s.on("OK") && l > r {
			l, r = r, l
		}
		return Seq(Lock(N(l)), Lock(N(r)), Load(0, N(id)), Store(N(id), Plus(R(0), N(1))), Unlock(N(r)), Unlock(N(l)))
	}), nil, nil)}
}

func mutexInc(s Sizes) *Program {
	n, k := s.or("N", 4), s.or("K", 1)
	return &Program{Memory: make([]int, 1), Mutexes: 1, Threads: forked(each(n, func(int) []Stmt {
		return Seq(Times(k, func(int) []Stmt {
			return Seq(Lock(N(0)), Load(0, N(0)), Store(N(0), Plus(R(0), N(1))), Unlock(N(0)))
		}))
	}), nil, Seq(Load(0, N(0)), Assert(Eq(R(0), N(n*k)), "c == N * K")))}
}

// peterson: cells 0, 1 flag, 2 turn, 3 x.
func peterson(s Sizes) *Program {
	n := s.or("N", 1)
	return &Program{Memory: make([]int, 4), Threads: forked(each(2, func(me int) []Stmt {
		ot := 1 - me
		enter := Seq(Store(N(me), N(1)), Store(N(2), N(ot)))
		if s.on("BAD") {
			enter[0], enter[1] = enter[1], enter[0]
		}
		return Seq(Set(3, N(0)), Times(n, func(int) []Stmt {
			return Seq(If(Eq(R(3), N(0)), // r3: gave up
				Do(enter), Set(2, N(0)),
				Times(n, func(int) []Stmt {
					return Seq(If(Eq(R(2), N(0)), Load(0, N(ot)), Load(1, N(2)),
						If(Ne(R(0), N(1)), Set(2, N(1))), If(Ne(R(1), N(ot)), Set(2, N(1)))))
				}),
				IfElse(Eq(R(2), N(0)), Seq(Set(3, N(1))), Seq(
					Store(N(3), N(me+1)), Load(0, N(3)), Assert(Eq(R(0), N(me+1)), "x == me + 1"),
					Store(N(me), N(0))))))
		}))
	}), nil, nil)}
}

// ticketlock: cells 0 next, 1 owner, 2 shared.
func ticketlock(s Sizes) *Program {
	return &Program{Memory: make([]int, 3), Threads: forked(each(s.or("N", 3), func(i int) []Stmt {
		return Seq(FetchAdd(0, N(0), N(1)), Await(1, N(1), Eq(R(1), R(0))),
			Store(N(2), N(i+1)), Load(2, N(2)), Assert(Eq(R(2), N(i+1)), "shared == id"),
			Store(N(1), Plus(R(0), N(1))))
	}), nil, nil)}
}

// ttaslock: cells 0 state, 1 shared.
func ttaslock(s Sizes) *Program {
	return &Program{Memory: make([]int, 2), Threads: forked(each(s.or("N", 2), func(i int) []Stmt {
		take := Seq(Exchange(0, N(0), N(1)), If(Eq(R(0), N(0)), Break()))
		if s.on("BAD") {
			take = Seq(Store(N(0), N(1)), Break())
		}
		return Seq(
			Loop([]int{0}, Await(0, N(0), Eq(R(0), N(0))), Do(take)),
			Store(N(1), N(i+1)), Load(0, N(1)), Assert(Eq(R(0), N(i+1)), "shared == id"),
			Store(N(0), N(0)))
	}), nil, nil)}
}

// ring: cells 0..2 slots, 3 count, 4 put_at, 5 get_at; register 7 is last.
func ring(s Sizes) *Program {
	const slots, count, putAt, getAt = 3, 3, 4, 5
	n := s.or("N", 4)
	turn := func(r *Regs) int { return (r[1] + 1) % slots }
	producer := Seq(Times(n, func(i int) []Stmt {
		return Seq(Lock(N(0)), Load(0, N(count)),
			If(Lt(R(0), N(slots)), Load(1, N(putAt)), Store(R(1), N(i)),
				Store(N(putAt), turn), Store(N(count), Plus(R(0), N(1)))),
			Unlock(N(0)))
	}))
	consumer := Seq(Set(7, N(-1)), Times(n, func(int) []Stmt {
		return Seq(Lock(N(0)), Load(0, N(count)),
			When(s.on("BAD"), Assert(Lt(N(0), R(0)), "count > 0")),
			If(Lt(N(0), R(0)), Load(1, N(getAt)), Load(2, R(1)), Store(N(getAt), turn),
				Store(N(count), Plus(R(0), N(-1))), Assert(Lt(R(7), R(2)), "v > last"), Set(7, R(2))),
			Unlock(N(0)))
	}))
	return &Program{Memory: make([]int, 6), Mutexes: 1, Threads: forked([][]Stmt{producer, consumer}, nil, nil)}
}

func twoCells(s Sizes) *Program {
	n := s.or("N", 2)
	return &Program{Memory: make([]int, 2), Threads: forked(each(n+1, func(i int) []Stmt {
		bad := Assert(func(r *Regs) bool { return !(r[1] == 1 && r[0] == 0) }, "y implies x")
		switch {
		case i < n:
			return Seq(Store(N(0), N(1)), Store(N(1), N(1)))
		case s.on("BAD"):
			return Seq(Load(0, N(0)), Load(1, N(1)), bad)
		}
		return Seq(Load(1, N(1)), Load(0, N(0)), bad)
	}), nil, nil)}
}

// ledger: cells 0 balance, 1 booked_in, 2 booked_out.
func ledger(s Sizes) *Program {
	book := func(flag, amount int) []Stmt {
		return Seq(Lock(N(0)), Load(0, N(0)), Store(N(0), Plus(R(0), N(amount))), Store(N(flag), N(1)), Unlock(N(0)))
	}
	audit := Seq(Lock(N(0)), Load(1, N(1)), Load(2, N(2)), Load(0, N(0)),
		When(s.on("BAD"), Assert(func(r *Regs) bool { return !(r[2] == 1 && r[1] == 0) }, "deposit first")),
		Assert(func(r *Regs) bool { return r[1] == 0 || r[2] == 0 || r[0] == 4 }, "balance == 4"),
		Unlock(N(0)))
	return &Program{Memory: []int{5, 0, 0}, Mutexes: 1,
		Threads: forked([][]Stmt{book(1, 3), book(2, -4), audit}, nil, nil)}
}

func abba(s Sizes) *Program {
	take := func(m, n int) []Stmt {
		return Seq(Lock(N(m)), Lock(N(n)), Load(0, N(0)), Store(N(0), Plus(R(0), N(1))), Unlock(N(n)), Unlock(N(m)))
	}
	second := take(1, 0)
	if s.on("OK") {
		second = take(0, 1)
	}
	return &Program{Memory: make([]int, 1), Mutexes: 2, Threads: forked([][]Stmt{take(0, 1), second}, nil, nil)}
}
