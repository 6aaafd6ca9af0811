package models

import . "landgo/guests/enumerate" //lint:ignore ST1001 a program reads as one

// The guests whose fault is in how they use memory.

func lostUpdate(fixed bool) *Program {
	worker := Seq(locked(fixed, 0, add()))
	return two([]int{0}, worker, worker, both())
}

func increment(fixed bool) *Program {
	worker := Seq(add()) // addl is split after its first access
	if fixed {
		worker = Seq(FetchAdd(0, N(0), N(1)))
	}
	return two([]int{0}, worker, worker, both())
}

func withdraw(fixed bool) *Program {
	worker := Seq(Lock(N(0)), Load(0, N(0)),
		If(Lt(N(5), R(0)),
			When(!fixed, Unlock(N(0)), Lock(N(0))),
			Load(0, N(0)), Store(N(0), Plus(R(0), N(-6)))),
		Unlock(N(0)))
	return two([]int{10}, worker, worker, Load(0, N(0)), Assert(Lt(N(-1), R(0)), "balance >= 0"))
}

// lateSharing: cells 0 x, 1 go.
func lateSharing(fixed bool) *Program {
	return two([]int{0, 0},
		Seq(locked(fixed, 0, Store(N(0), N(5)), Load(0, N(0)), Assert(Eq(R(0), N(5)), "v == 5")), Store(N(1), N(1))),
		Seq(Load(0, N(1)), If(Eq(R(0), N(0)), locked(fixed, 0, Store(N(0), N(7))))))
}

func twoPreemptions(fixed bool) *Program {
	return two([]int{0},
		Seq(locked(fixed, 0, Store(N(0), N(1)), Store(N(0), N(2)))),
		Seq(locked(fixed, 0, Load(0, N(0)), Load(1, N(0))),
			Assert(func(r *Regs) bool { return !(r[0] == 1 && r[1] == 2) }, "!(before == 1 && after == 2)")))
}

// publication: cells 0 ready, 1 value.
func publication(fixed bool) *Program {
	raise, fill := Store(N(0), N(1)), Store(N(1), N(42))
	if fixed {
		raise, fill = fill, raise
	}
	worker := Seq(
		Load(0, N(0)),
		If(Eq(R(0), N(0)), Lock(N(0)), Load(0, N(0)), If(Eq(R(0), N(0)), raise, fill), Unlock(N(0))),
		Load(1, N(1)), Assert(Eq(R(1), N(42)), "v == 42"))
	return two([]int{0, 0}, worker, worker)
}

// aba: cells 0 head, 1 and 2 the nodes' successors, 3 kept. Registers: 0 h,
// 1 after, 2 whether swapped, 3 the popped node.
func aba(fixed bool) *Program {
	const kept = 3
	node := func(r *Regs) int { return r[0] & 0xff }
	changed := func(to Value) Value {
		return func(r *Regs) int {
			h := r[0]&^0xff + to(r)
			if fixed {
				h += 0x100
			}
			return h
		}
	}
	pop := func() Stmt {
		return Loop([]int{0, 1, 2, 3},
			Load(0, N(0)),
			If(Eq(node, N(0)), Set(3, N(0)), Break()),
			Load(1, node),
			CompareExchange(2, N(0), R(0), changed(R(1))),
			If(Eq(R(2), N(1)), Set(3, node), Break()))
	}
	push := func(n Value) Stmt {
		return Loop([]int{0, 2},
			Load(0, N(0)),
			Store(n, node),
			CompareExchange(2, N(0), R(0), changed(n)),
			If(Eq(R(2), N(1)), Break()))
	}
	return two([]int{1, 2, 0, 0},
		Seq(pop()),
		Seq(pop(), Set(4, R(3)), pop(), Store(N(kept), R(3)), If(Ne(R(4), N(0)), push(R(4)))),
		Load(0, N(0)), Load(1, N(kept)),
		Assert(func(r *Regs) bool { return node(r) == 0 || node(r) != r[1] }, "top != mine"))
}

func wrongLock(fixed bool) *Program {
	other := 1
	if fixed {
		other = 0
	}
	return two([]int{0}, Seq(locked(true, 0, add())), Seq(locked(true, other, add())), both())
}

func writeUnderRdlock(fixed bool) *Program {
	worker := Seq(ReadLock(N(0)), add(), ReadUnlock(N(0)))
	if fixed {
		worker = Seq(WriteLock(N(0)), add(), WriteUnlock(N(0)))
	}
	return two([]int{0}, worker, worker, both())
}

func detached(fixed bool) *Program {
	worker := Seq(FetchAdd(0, N(0), N(1)))
	p := two([]int{0}, worker, worker)
	p.Threads[0] = Seq(Create(1), Create(2), When(fixed, Join(1), Join(2)), both())
	return p
}

// stackArgument: cells 0 sum, 1 and 2 the places, 3 i.
func stackArgument(fixed bool) *Program {
	worker := func(place int) []Stmt {
		if !fixed {
			place = 3
		}
		return Seq(Load(0, N(place)), Assert(Lt(R(0), N(2)), "id < 2"), FetchAdd(1, N(0), R(0)))
	}
	p := two([]int{0, 0, 1, 0}, worker(1), worker(2))
	p.Threads[0] = Seq(Create(1), Store(N(3), N(1)), Create(2), Store(N(3), N(2)), Join(1), Join(2))
	return p
}

func onceEach(fixed bool) *Program {
	worker := func(id int) []Stmt {
		if fixed {
			id = 0
		}
		return Seq(Once(N(id), add()))
	}
	return two([]int{0}, worker(0), worker(1), Load(0, N(0)), Assert(Eq(R(0), N(1)), "started == 1"))
}

func notConcurrent(fixed bool) *Program {
	worker := Seq(FetchAdd(0, N(0), N(10)))
	p := two([]int{0}, worker, worker)
	p.Threads[0] = append(Seq(When(!fixed, Fail(Assertion, "sum == 10"))), p.Threads[0]...)
	return p
}

func divide(fixed bool) *Program {
	return two([]int{1},
		Seq(When(!fixed, Store(N(0), N(0))), Store(N(0), N(2))),
		Seq(Load(0, N(0)), If(Eq(R(0), N(0)), Fail(DivideError, ""))))
}

// nullPointer: cells 0 p, 1 what it points to.
func nullPointer(fixed bool) *Program {
	return two([]int{1, 7},
		Seq(Store(N(0), N(0))),
		Seq(Load(0, N(0)), If(Ne(R(0), N(0)),
			When(!fixed, Load(0, N(0)), If(Eq(R(0), N(0)), Fail(Segfault, ""))),
			Load(1, R(0)))))
}

// glimpse is a failure when a state between two stores is seen.
func glimpse(k Kind) func(bool) *Program {
	return func(fixed bool) *Program {
		return two([]int{0},
			Seq(locked(fixed, 0, Store(N(0), N(1)), Store(N(0), N(2)))),
			Seq(locked(fixed, 0, Load(0, N(0))), If(Eq(R(0), N(1)), Fail(k, ""))))
	}
}

func stackOverflow(fixed bool) *Program {
	return two([]int{2},
		Seq(When(!fixed, Store(N(0), N(-1))), Store(N(0), N(3))),
		Seq(Load(0, N(0)), If(Eq(R(0), N(-1)), Fail(StackOver, ""))))
}

func earlyExit(fixed bool) *Program {
	give := ExitProcess(3)
	if fixed {
		give = Set(1, N(0))
	}
	return two([]int{0}, Seq(Load(0, N(0)), If(Eq(R(0), N(0)), give)), Seq(Store(N(0), N(1))))
}

// earlyReturn: cells 0 pool, 1 what it points to, 2 seen.
func earlyReturn(fixed bool) *Program {
	return &Program{Memory: []int{1, 7, 0}, Threads: [][]Stmt{
		Seq(Create(1), When(!fixed, Store(N(0), N(0))), Load(0, N(2))),
		Seq(Load(0, N(0)), If(Eq(R(0), N(0)), Fail(Segfault, "")), Load(1, R(0)), Store(N(2), R(1))),
	}}
}
