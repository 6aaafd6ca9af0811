package models

import . "landgo/guests/enumerate" //lint:ignore ST1001 a program reads as one

// The guests whose fault is in how they wait for each other.

// nested takes lock m, then n, and gives them back.
func nested(m, n int, body ...Stmt) []Stmt {
	return Seq(Lock(N(m)), Lock(N(n)), Do(body), Unlock(N(n)), Unlock(N(m)))
}

func deadlockTwo(fixed bool) *Program {
	back := nested(1, 0, add())
	if fixed {
		back = nested(0, 1, add())
	}
	return two([]int{0}, nested(0, 1, add()), back)
}

func deadlockThree(fixed bool) *Program {
	last := nested(2, 0)
	if fixed {
		last = nested(0, 2)
	}
	return &Program{Mutexes: 3, Threads: forked([][]Stmt{nested(0, 1), nested(1, 2), last}, nil, nil)}
}

func deadlockPartial(fixed bool) *Program {
	back := nested(1, 0)
	if fixed {
		back = nested(0, 1)
	}
	return &Program{Mutexes: 2, Threads: [][]Stmt{
		Seq(Create(1), Create(2), Create(3), Join(3), ExitThread()),
		nested(0, 1), back, nil,
	}}
}

func lostWakeup(fixed bool) *Program {
	waiter := Seq(Loop([]int{0},
		Load(0, N(0)), If(Ne(R(0), N(0)), Break()),
		locked(!fixed, 0, Wait(N(0), N(0)))))
	return two([]int{0},
		Seq(locked(fixed, 0, waiter...)),
		Seq(Lock(N(0)), Store(N(0), N(1)), Signal(N(0)), Unlock(N(0))))
}

func signalFirst(fixed bool) *Program {
	waiter := Seq(Lock(N(0)), Wait(N(0), N(0)), Unlock(N(0)))
	if fixed {
		waiter = Seq(locked(true, 0, untilSet(0)))
	}
	return two([]int{0}, waiter, Seq(Lock(N(0)), Store(N(0), N(1)), Signal(N(0)), Unlock(N(0))))
}

// untilSet waits on condition variable 0 while memory[at] is 0, under mutex 0.
func untilSet(at int) Stmt {
	return Loop([]int{0}, Load(0, N(at)), If(Ne(R(0), N(0)), Break()), Wait(N(0), N(0)))
}

func missedBroadcast(fixed bool) *Program {
	visitor := Seq(locked(true, 0, untilSet(0)))
	wake := Signal(N(0))
	if fixed {
		wake = Broadcast(N(0))
	}
	return &Program{Memory: []int{0}, Mutexes: 1, Conds: 1, Threads: forked([][]Stmt{
		visitor, visitor, Seq(locked(true, 0, Store(N(0), N(1)), wake)),
	}, nil, nil)}
}

func ifNotWhile(fixed bool) *Program {
	until := Do(Seq(Load(0, N(0)), If(Eq(R(0), N(0)), Wait(N(0), N(0)))))
	if fixed {
		until = untilSet(0)
	}
	taker := Seq(locked(true, 0, until,
		Load(0, N(0)), Assert(Lt(N(0), R(0)), "n > 0"), Store(N(0), Plus(R(0), N(-1)))))
	put := locked(true, 0, add(), Signal(N(0)))
	return &Program{Memory: []int{0}, Mutexes: 1, Conds: 1,
		Threads: forked([][]Stmt{taker, taker, Seq(put, put)}, nil, nil)}
}

func barrierCount(fixed bool) *Program {
	parties := 3
	if fixed {
		parties = 2
	}
	party := Seq(Arrive(N(0)))
	return &Program{Barriers: []int{parties}, Threads: forked([][]Stmt{party, party}, nil, nil)}
}

func barrierPhase(fixed bool) *Program {
	return &Program{Memory: []int{0, 0}, Barriers: []int{2}, Threads: forked(each(2, func(me int) []Stmt {
		return Seq(Times(2, func(i int) []Stmt {
			return Seq(Store(N(me), N(i+1)), Arrive(N(0)),
				Load(0, N(1-me)), Assert(Eq(R(0), N(i+1)), "v == phase"),
				When(fixed, Arrive(N(0))))
		}))
	}), nil, nil)}
}

// pingPong: cells 0 cell, 1 finished; semaphores 0 room, 1 full.
func pingPong(fixed bool) *Program {
	room := 2
	if fixed {
		room = 1
	}
	finish := FetchAdd(1, N(1), N(1))
	return &Program{Memory: []int{0, 0}, Sems: []int{room, 0}, Threads: forked([][]Stmt{
		Seq(Times(2, func(i int) []Stmt { return Seq(Down(N(0)), Store(N(0), N(i+1)), Up(N(1))) }), finish),
		Seq(Times(2, func(i int) []Stmt {
			return Seq(Down(N(1)), Load(0, N(0)), Assert(Eq(R(0), N(i+1)), "v == i"), Up(N(0)))
		}), finish),
	}, nil, nil)}
}

func daemonJoin(fixed bool) *Program {
	return &Program{Memory: []int{0}, Mutexes: 1, Conds: 1, Threads: [][]Stmt{
		Seq(Create(1), When(!fixed, Join(1))),
		Seq(locked(true, 0, untilSet(0))),
	}}
}

func trylockBackoff(fixed bool) *Program {
	worker := func(mine, other int) []Stmt {
		return Seq(Lock(N(mine)), TryLock(1, N(other)),
			IfElse(Eq(R(1), N(0)),
				Seq(When(fixed, Unlock(N(mine)))),
				Seq(add(), Unlock(N(other)), Unlock(N(mine)))))
	}
	return two([]int{0}, worker(0, 1), worker(1, 0))
}

func unlockOther(fixed bool) *Program {
	rescue := Seq(Load(0, N(0)), If(Eq(R(0), N(1)), Unlock(N(0))))
	if fixed {
		rescue = Seq(TryLock(0, N(0)), If(Eq(R(0), N(1)), Unlock(N(0))))
	}
	return two([]int{0}, Seq(locked(true, 0, Store(N(0), N(1)), Store(N(0), N(0)))), rescue)
}

func destroyHeld(fixed bool) *Program {
	done, leave := Store(N(0), N(1)), Unlock(N(0))
	if fixed {
		done, leave = leave, done
	}
	return two([]int{0}, Seq(Lock(N(0)), done, leave), Seq(Load(0, N(0)), If(Eq(R(0), N(1)), Destroy(N(0)))))
}

// lockTwice: cells 0 nested, 1 x.
func lockTwice(fixed bool) *Program {
	return two([]int{0, 0},
		Seq(locked(true, 0, Load(0, N(0)), If(Ne(R(0), N(0)), locked(!fixed, 0, Store(N(1), N(1)))))),
		Seq(Store(N(0), N(1))))
}
