package models

import . "landgo/guests/enumerate" //lint:ignore ST1001 a program reads as one

// The guests that wait by looking again and again.

// handoff: cells 0 turn, 1 data.
func handoff(fixed bool) *Program {
	first, then := Store(N(0), N(1)), Store(N(1), N(42))
	if fixed {
		first, then = then, first
	}
	return two([]int{0, 0}, Seq(first, then),
		Seq(Await(0, N(0), Ne(R(0), N(0))), Load(0, N(1)), Assert(Eq(R(0), N(42)), "v == 42")))
}

// claim stores id into a cell and expects to find it there.
func claim(at, id int) Stmt {
	return Do(Seq(Store(N(at), N(id)), Load(1, N(at)), Assert(Eq(R(1), N(id)), "v == id")))
}

// petersonSpin: cells 0, 1 flag, 2 turn, 3 inside.
func petersonSpin(fixed bool) *Program {
	enter := func(me int) []Stmt {
		other := 1 - me
		first, then := Store(N(2), N(other)), Store(N(me), N(1))
		if fixed {
			first, then = then, first
		}
		return Seq(first, then,
			Loop([]int{0, 1},
				Load(0, N(other)), If(Eq(R(0), N(0)), Break()),
				Load(1, N(2)), If(Ne(R(1), N(other)), Break())),
			claim(3, me+1),
			Store(N(me), N(0)))
	}
	return two([]int{0, 0, 0, 0}, enter(0), enter(1))
}

// ticket: cells 0 next, 1 owner, 2 inside.
func ticket(fixed bool) *Program {
	draw := Do(Seq(Load(0, N(0)), Store(N(0), Plus(R(0), N(1)))))
	if fixed {
		draw = FetchAdd(0, N(0), N(1))
	}
	worker := func(id int) []Stmt {
		return Seq(draw, Await(1, N(1), Eq(R(1), R(0))), claim(2, id), Store(N(1), Plus(R(0), N(1))))
	}
	return two([]int{0, 0, 0}, worker(1), worker(2))
}

// ttas: cells 0 held, 1 inside.
func ttas(fixed bool) *Program {
	take := Seq(Store(N(0), N(1)), Break())
	if fixed {
		take = Seq(Exchange(0, N(0), N(1)), If(Eq(R(0), N(0)), Break()))
	}
	worker := func(id int) []Stmt {
		return Seq(Loop([]int{0}, Await(0, N(0), Eq(R(0), N(0))), Do(take)), claim(1, id), Store(N(0), N(0)))
	}
	return two([]int{0, 0}, worker(1), worker(2))
}

func backout(fixed bool) *Program {
	look := Do(Seq(Load(1, N(0)), Assert(Eq(R(1), N(1)), "v == 1")))
	worker := Seq(FetchAdd(0, N(0), N(1)), If(Eq(R(0), N(0)), look), FetchAdd(0, N(0), N(-1)))
	if fixed {
		worker = Seq(CompareExchange(0, N(0), N(0), N(1)), If(Eq(R(0), N(1)), look, Store(N(0), N(0))))
	}
	return two([]int{0}, worker, worker)
}

// livelock: cells 0 one, 1 two.
func livelock(fixed bool) *Program {
	raise, wait := Store(N(1), N(1)), Await(0, N(0), Eq(R(0), N(0)))
	if fixed {
		raise, wait = wait, raise
	}
	return two([]int{0, 0},
		Seq(Store(N(0), N(1)), Await(0, N(1), Eq(R(0), N(0))), Store(N(0), N(0))),
		Seq(raise, wait, Store(N(1), N(0))))
}

func trylockYield(fixed bool) *Program {
	again := If(Eq(R(1), N(0)), Yield(), TryLock(1, N(0)))
	if fixed {
		again = Loop(nil, If(Ne(R(1), N(0)), Break()), Yield(), TryLock(1, N(0)))
	}
	worker := Seq(TryLock(1, N(0)), again, add(), If(Ne(R(1), N(0)), Unlock(N(0))))
	return two([]int{0}, worker, worker, both())
}
