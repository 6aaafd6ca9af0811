package enumerate

// A Stmt is a statement of the mini language. Those that say so are one event
// each, others are private to the thread and take no step of their own.
type Stmt func(*assembler)

func op(i instr) Stmt { return func(a *assembler) { a.emit(i) } }

// Load is the event r[dst] = memory[addr].
func Load(dst int, addr Value) Stmt { return op(instr{kind: opLoad, dst: dst, a: addr}) }

// Store is the event memory[addr] = v.
func Store(addr, v Value) Stmt { return op(instr{kind: opStore, a: addr, b: v}) }

// FetchAdd is the indivisible event r[dst] = memory[addr]; memory[addr] += v.
func FetchAdd(dst int, addr, v Value) Stmt {
	return op(instr{kind: opFetchAdd, dst: dst, a: addr, b: v})
}

// Exchange is the indivisible event r[dst] = memory[addr]; memory[addr] = v.
func Exchange(dst int, addr, v Value) Stmt {
	return op(instr{kind: opExchange, dst: dst, a: addr, b: v})
}

// CompareExchange is the indivisible event that stores v where memory[addr] is
// old and sets r[dst] to 1, or only reads and sets r[dst] to 0.
func CompareExchange(dst int, addr, old, v Value) Stmt {
	return op(instr{kind: opCAS, dst: dst, a: addr, b: old, c: v})
}

// Set is r[dst] = v: no event.
func Set(dst int, v Value) Stmt { return op(instr{kind: opSet, dst: dst, a: v}) }

// Lock, Unlock and Destroy are events of a mutex. TryLock sets r[dst] to 1 if
// it got the mutex, else to 0.
func Lock(m Value) Stmt             { return op(instr{kind: opLock, a: m}) }
func Unlock(m Value) Stmt           { return op(instr{kind: opUnlock, a: m}) }
func Destroy(m Value) Stmt          { return op(instr{kind: opDestroy, a: m}) }
func TryLock(dst int, m Value) Stmt { return op(instr{kind: opTryLock, dst: dst, a: m}) }

// Wait is two events: release the mutex and enqueue; once woken, reacquire.
func Wait(c, m Value) Stmt {
	return func(a *assembler) {
		a.emit(instr{kind: opCondWait, a: c, b: m})
		a.emit(instr{kind: opReacquire, a: m})
	}
}

// Signal wakes one waiter, any of them, or none; Broadcast wakes all.
func Signal(c Value) Stmt    { return op(instr{kind: opSignal, a: c}) }
func Broadcast(c Value) Stmt { return op(instr{kind: opBroadcast, a: c}) }

// Down waits for a semaphore's value to be positive and takes one; Up adds one.
func Down(s Value) Stmt { return op(instr{kind: opDown, a: s}) }
func Up(s Value) Stmt   { return op(instr{kind: opUp, a: s}) }

// ReadLock, WriteLock and their releases are events of a reader-writer lock.
func ReadLock(l Value) Stmt    { return op(instr{kind: opReadLock, a: l}) }
func WriteLock(l Value) Stmt   { return op(instr{kind: opWriteLock, a: l}) }
func ReadUnlock(l Value) Stmt  { return op(instr{kind: opReadUnlock, a: l}) }
func WriteUnlock(l Value) Stmt { return op(instr{kind: opWriteUnlock, a: l}) }

// Arrive is the two events of a barrier: arrive, and leave once all have come.
func Arrive(b Value) Stmt {
	return func(a *assembler) {
		a.emit(instr{kind: opArrive, a: b})
		a.emit(instr{kind: opLeave, a: b})
	}
}

// Once runs the body in the first thread that comes; others wait for its end.
func Once(o Value, body ...Stmt) Stmt {
	return func(a *assembler) {
		at := a.emit(instr{kind: opOnceBegin, a: o})
		a.all(body)
		a.emit(instr{kind: opOnceEnd, a: o})
		a.code[at].to = len(a.code)
	}
}

// Create starts a thread; Join waits for its end; Yield offers the processor.
func Create(t int) Stmt { return op(instr{kind: opCreate, a: N(t)}) }
func Join(t int) Stmt   { return op(instr{kind: opJoin, a: N(t)}) }
func Yield() Stmt       { return op(instr{kind: opYield}) }

// ExitThread ends the thread, ExitProcess all of them: one event each. A status
// other than 0 is an assertion bug.
func ExitThread() Stmt { return op(instr{kind: opExit}) }
func ExitProcess(status int) Stmt {
	if status != 0 {
		return Fail(Assertion, "exit status")
	}
	return op(instr{kind: opEnd})
}

// Fail ends the process with a bug: one event.
func Fail(k Kind, message string) Stmt {
	return op(instr{kind: opEnd, bug: k, message: message})
}

// Assert is Fail(Assertion, ...) unless c holds.
func Assert(c Cond, message string) Stmt {
	return IfElse(c, nil, Seq(Fail(Assertion, message)))
}

// Seq is a list of statements.
func Seq(s ...Stmt) []Stmt { return s }

// Do runs a list in place.
func Do(s []Stmt) Stmt { return func(a *assembler) { a.all(s) } }

// When is the list if on, else nothing: how a model writes #ifdef.
func When(on bool, s ...Stmt) Stmt {
	if !on {
		s = nil
	}
	return Do(s)
}

// If runs the body where c holds.
func If(c Cond, body ...Stmt) Stmt { return IfElse(c, body, nil) }

// IfElse is a branch.
func IfElse(c Cond, yes, no []Stmt) Stmt {
	return func(a *assembler) {
		branch := a.emit(instr{kind: opUnless, cond: c})
		a.all(yes)
		if len(no) == 0 {
			a.code[branch].to = len(a.code)
			return
		}
		over := a.emit(instr{kind: opJump})
		a.code[branch].to = len(a.code)
		a.all(no)
		a.code[over].to = len(a.code)
	}
}

// Times unrolls a body n times; it sees its turn, from 0.
func Times(n int, body func(i int) []Stmt) Stmt {
	return func(a *assembler) {
		for i := 0; i < n; i++ {
			a.all(body(i))
		}
	}
}

// Loop runs its body until a Break. Each turn begins at a point where an exact
// spin is looked for; registers that are dead there must be cleared in dead.
func Loop(dead []int, body ...Stmt) Stmt {
	return func(a *assembler) {
		head := len(a.code)
		for _, d := range dead {
			a.emit(instr{kind: opSet, dst: d, a: N(0)})
		}
		a.emit(instr{kind: opLoopHead})
		outer := a.breaks
		a.breaks = nil
		a.all(body)
		a.emit(instr{kind: opJump, to: head})
		for _, b := range a.breaks {
			a.code[b].to = len(a.code)
		}
		a.breaks = outer
	}
}

// Break leaves the innermost Loop.
func Break() Stmt {
	return func(a *assembler) { a.breaks = append(a.breaks, a.emit(instr{kind: opJump})) }
}

// Await loads r[dst] from addr again and again until c holds.
func Await(dst int, addr Value, c Cond) Stmt {
	return Loop([]int{dst}, Load(dst, addr), If(c, Break()))
}
