package ticks

// Mistakes are those of guests/kernel/variant.h that a model of sections can
// have. The others happen between two accesses to the ready list, or inside the
// switch.
type Mistakes struct {
	WakeupLost, JoinRace, ExitEarly, RestoreNested, ReleaseOff bool
	DonationMissed, DonationDropped, BufferIf, SleepUnguarded  bool
}

// The objects of guests/kernel/tests.c and of its buffer.
const (
	lock = iota
	semaphore
	outer
	inner
	bufferLock
	notFull
	notEmpty
	count
	highDone
	mutex
	done
	objects // how many; and one more, which stays 0
)

// A Test is a model of one of guests/kernel/tests.c, or of course/tests.c, where
// threads aren't joined: for the sections it makes no difference.
type Test struct {
	programs [][]operation // main's first; a thread's number is its place in the order of creation
}

// New is the test of that name, in a kernel with mistakes; nil: there is no
// model of it.
func New(name string, m Mistakes) *Test {
	w := writer{m}
	thread := func(parts ...[]operation) []operation {
		program := []operation{{kind: begin}}
		for _, p := range parts {
			program = appendProgram(program, p)
		}
		return appendProgram(program, w.exit())
	}
	main := func(parts ...[]operation) []operation {
		var program []operation
		for _, p := range parts {
			program = appendProgram(program, p)
		}
		return append(program, operation{kind: end})
	}
	section := appendProgram(w.acquire(lock), w.release(lock))
	nap := appendProgram(one(operation{kind: now}), appendProgram(w.sleep(1), one(operation{kind: now})))
	high := thread(w.create(3, normal+1), w.acquire(outer), one(operation{kind: add, a: highDone, b: 1}), w.release(outer))
	middle := thread(one(operation{kind: mustHave, a: highDone, b: 1, says: "high_done"}))
	startHigh := thread(w.create(2, normal+2), w.join(2))

	switch name {
	case "create":
		return &Test{[][]operation{main(w.create(1, normal), w.create(1, normal), w.join(1), w.join(2)), thread()}}
	case "join":
		return &Test{[][]operation{main(w.create(1, normal), w.join(1), w.create(1, normal), w.join(2)), thread()}}
	case "leave":
		return &Test{[][]operation{main(w.create(1, normal), w.join(1), w.yield()), thread()}}
	case "yield":
		return &Test{[][]operation{main(w.create(1, normal), w.yield(), w.join(1)), thread(w.yield())}}
	case "lock":
		return &Test{[][]operation{main(w.create(1, normal), section, w.join(1)), thread(section)}}
	case "semaphore":
		return &Test{[][]operation{main(w.create(1, normal), w.down(semaphore)), thread(w.up(semaphore))}}
	case "post":
		return &Test{[][]operation{main(w.create(1, normal), w.down(semaphore)), thread(w.up(semaphore))}}
	case "guard":
		guarded := appendProgram(appendProgram(w.down(mutex), w.up(mutex)), w.up(done))
		return &Test{[][]operation{main(w.up(mutex), w.create(1, normal), guarded, w.down(done), w.down(done)), thread(guarded)}}
	case "buffer":
		return &Test{[][]operation{main(w.create(1, normal), w.put(), w.put(), w.join(1)), thread(w.get(), w.get())}}
	case "steal":
		return &Test{[][]operation{main(w.create(1, normal), w.put(), w.steal(), w.join(1)), thread(w.get())}}
	case "sleep":
		return &Test{[][]operation{main(w.create(1, normal), nap, w.join(1)), thread(nap)}}
	case "alarm":
		return &Test{[][]operation{main(w.create(1, normal), w.down(semaphore)), thread(w.sleep(1), w.up(semaphore))}}
	case "donate":
		return &Test{[][]operation{main(w.create(1, normal), w.acquire(outer), w.release(outer), w.join(1)), startHigh, high, middle}}
	case "donate_two":
		return &Test{[][]operation{main(w.create(1, normal), w.acquire(outer), w.acquire(inner), w.release(inner), w.release(outer), w.join(1)), startHigh, high, middle}}
	}
	return nil
}

// A writer writes the operations of a call; jumps are relative to its first.
type writer struct{ Mistakes }

func one(o operation) []operation { return []operation{o} }

// appendProgram puts p behind program, its jumps with it.
func appendProgram(program, p []operation) []operation {
	from := len(program)
	program = append([]operation(nil), program...)
	for _, o := range p {
		if o.kind == jumpIf || o.kind == look || o.kind == lookEnded {
			o.c += from
		}
		program = append(program, o)
	}
	return program
}

func (w writer) create(program, priority int) []operation {
	calls := one(operation{kind: create, a: program, b: priority})
	if w.RestoreNested {
		calls = append(calls, operation{kind: gap})
	}
	return calls
}

func (w writer) join(thread int) []operation {
	if w.JoinRace {
		return []operation{{kind: gap}, {kind: lookEnded, a: thread, c: 4}, {kind: joinBlind, a: thread}, {kind: jumpIf, a: objects, c: 5}, {kind: join, a: thread}}
	}
	return one(operation{kind: join, a: thread})
}

func (w writer) exit() []operation {
	if w.ExitEarly {
		return []operation{{kind: exitWake}, {kind: exitLeave}}
	}
	return one(operation{kind: exit})
}

func (w writer) yield() []operation           { return one(operation{kind: yield}) }
func (w writer) acquire(lock int) []operation { return one(operation{kind: acquire, a: lock}) }
func (w writer) release(lock int) []operation { return one(operation{kind: release, a: lock}) }

func (w writer) down(semaphore int) []operation {
	if w.WakeupLost {
		return []operation{{kind: look, a: semaphore, c: 2}, {kind: downBlind, a: semaphore}}
	}
	return one(operation{kind: down, a: semaphore})
}

func (w writer) up(semaphore int) []operation {
	if w.RestoreNested {
		return []operation{{kind: upWake, a: semaphore}, {kind: upCount, a: semaphore}}
	}
	return one(operation{kind: up, a: semaphore})
}

func (w writer) sleep(ticks int) []operation {
	if w.SleepUnguarded {
		return []operation{{kind: gap}, {kind: sleepLate, b: ticks}}
	}
	return one(operation{kind: sleep, a: ticks})
}

// put and get are a loop: wait, acquire again, back to the look. objects is one that is always 0,
// for a jump that is always made.
func (w writer) put() []operation {
	return []operation{
		{kind: acquire, a: bufferLock},
		{kind: jumpIf, a: count, b: 0, c: 5},
		{kind: wait, a: notFull, b: bufferLock},
		{kind: acquire, a: bufferLock},
		{kind: jumpIf, a: objects, b: 0, c: 1},
		{kind: add, a: count, b: 1},
		{kind: signal, a: notEmpty},
		{kind: release, a: bufferLock},
	}
}

func (w writer) get() []operation {
	again := 1
	if w.BufferIf {
		again = 5
	}
	return []operation{
		{kind: acquire, a: bufferLock},
		{kind: jumpIf, a: count, b: 1, c: 5},
		{kind: wait, a: notEmpty, b: bufferLock},
		{kind: acquire, a: bufferLock},
		{kind: jumpIf, a: objects, b: 0, c: again},
		{kind: mustHave, a: count, b: 1, says: "b->count > 0"},
		{kind: add, a: count, b: -1},
		{kind: signal, a: notFull},
		{kind: release, a: bufferLock},
	}
}

// steal is main's part of the test steal, from the poll to the second put.
func (w writer) steal() []operation {
	return []operation{
		{kind: acquire, a: bufferLock},
		{kind: jumpIf, a: count, b: 0, c: 12},
		{kind: add, a: count, b: -1},
		{kind: signal, a: notFull},
		{kind: release, a: bufferLock},
		{kind: yield},
		{kind: acquire, a: bufferLock},
		{kind: mustNot, a: count, b: 1}, // no other thread puts
		{kind: add, a: count, b: 1},
		{kind: signal, a: notEmpty},
		{kind: release, a: bufferLock},
		{kind: jumpIf, a: objects, b: 0, c: 14},
		{kind: release, a: bufferLock},
		{kind: yield},
	}
}
