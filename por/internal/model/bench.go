package model

// The programs of bench/*.c as model programs, with main's creates and joins.

// parallel builds a program of a main thread that creates all others, joins
// them, and goes on with after.
func parallel(bytes int, threads [][]Instr, after ...Instr) *Program {
	p := &Program{Bytes: bytes, MainEnds: true}
	var main []Instr
	for t := range threads {
		main = append(main, Instr{Code: Create, A: t + 1})
	}
	for t := range threads {
		main = append(main, Instr{Code: Join, A: t + 1})
	}
	p.Threads = append([][]Instr{append(main, after...)}, threads...)
	return p
}

func times(n int, f func(i int) []Instr) (code []Instr) {
	for i := 0; i < n; i++ {
		code = append(code, f(i)...)
	}
	return code
}

func each(n int, f func(i int) []Instr) (threads [][]Instr) {
	for i := 0; i < n; i++ {
		threads = append(threads, f(i))
	}
	return threads
}

// NWriters: n threads store distinct values: n! traces.
func NWriters(n int) *Program {
	return parallel(8, each(n, func(i int) []Instr { return []Instr{{Code: Store, C: int64(i + 1)}} }))
}

// WriterReaders: one writer, n readers: 2^n traces.
func WriterReaders(n int) *Program {
	t := [][]Instr{{{Code: Store, C: 42}}}
	return parallel(8, append(t, each(n, func(int) []Instr { return []Instr{{Code: Load}} })...))
}

// AInc: n atomic increments: n! traces.
func AInc(n int) *Program {
	return parallel(8, each(n, func(int) []Instr { return []Instr{{Code: FetchAdd, C: 1}} }), Instr{Code: Load}, Instr{Code: Assert, C: int64(n)})
}

// Micro: n threads make k increments of two accesses each, and a last load.
func Micro(n, k int) *Program {
	return parallel(8, each(n, func(int) []Instr {
		code := times(k, func(int) []Instr { return []Instr{{Code: Load}, {Code: StoreR, C: 1}} })
		return append(code, Instr{Code: Load}, Instr{Code: AssNe})
	}))
}

// LastZero: a reader looks for the last zero, n writers add up their
// neighbour's cell and one.
func LastZero(n int) *Program {
	var reader []Instr
	for i := n; i >= 0; i-- {
		reader = append(reader, Instr{Code: Load, A: 8 * i}, Instr{Code: JumpIf, A: 1 << 20})
	}
	for i := range reader {
		if reader[i].Code == JumpIf {
			reader[i].A = len(reader)
		}
	}
	return parallel(8*(n+1), append([][]Instr{reader}, each(n, func(i int) []Instr {
		return []Instr{{Code: Load, A: 8 * i}, {Code: StoreR, A: 8 * (i + 1), C: 1}}
	})...))
}

// FibBench: two threads add each other in, n times; main looks at any time.
func FibBench(n int, lim int64) *Program {
	half := func(a, b int) []Instr {
		return times(n, func(int) []Instr {
			return []Instr{{Code: Load, A: a}, {Code: Load, A: b, R: 1}, {Code: AddR, A: 1}, {Code: StoreR, A: a}}
		})
	}
	p := &Program{Bytes: 16, MainEnds: true, Init: map[int]byte{0: 1, 8: 1}}
	check := func(r *[NumRegs]int64) { r[2] = boolInt(r[0] <= lim && r[1] <= lim) }
	p.Threads = [][]Instr{{{Code: Create, A: 1}, {Code: Create, A: 2}, {Code: Load}, {Code: Load, A: 8, R: 1},
		{Code: Call, F: check}, {Code: Assert, R: 2, C: 1}, {Code: Join, A: 1}, {Code: Join, A: 2}},
		half(0, 8), half(8, 0)}
	return p
}

func boolInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// MutexInc: n threads lock, increment, unlock k times: (nk)!/(k!)^n traces.
// c++ is two accesses as on a multiprocessor.
func MutexInc(n, k int) *Program {
	p := parallel(8, each(n, func(int) []Instr {
		return times(k, func(int) []Instr {
			return []Instr{{Code: Lock}, {Code: Load}, {Code: StoreR, C: 1}, {Code: Unlock}}
		})
	}), Instr{Code: Load}, Instr{Code: Assert, C: int64(n * k)})
	p.Mutexes = 1
	return p
}

// Indexer: Flanagan and Godefroid's Fig. 1 with n threads; locked: cas is a
// test and set under a mutex for each cell.
func Indexer(n int, locked bool) *Program {
	const size, max = 128, 4
	p := parallel(4*size, each(n, func(tid int) []Instr {
		start := func(r *[NumRegs]int64) {
			r[1]++                      // m
			r[2] = r[1]*11 + int64(tid) // w
			r[3] = r[2] * 7 % size      // h
			r[4] = r[3] * 4
		}
		next := func(r *[NumRegs]int64) { r[3] = (r[3] + 1) % size; r[4] = r[3] * 4 }
		if locked {
			return []Instr{
				{Code: Call, F: start},
				{Code: Lock, B: 4}, // 1
				{Code: Load, B: 5, Size: 4},
				{Code: JumpNe, A: 7},
				{Code: Call, F: func(r *[NumRegs]int64) { r[5] = r[2] }},
				{Code: StoreR, R: 5, B: 5, Size: 4},
				{Code: Set, C: 0}, // keep the test below one of r0 only
				{Code: Unlock, B: 4},
				{Code: JumpIf, C: 0, A: 11},
				{Code: Call, F: next},
				{Code: Jump, A: 1},
				{Code: JumpNe, R: 1, C: max, A: 0}, // 11
			}
		}
		return []Instr{
			{Code: Call, F: start},
			{Code: CompareXR, B: 5, D: 2, Size: 4}, // 1
			{Code: JumpIf, C: 1, A: 5},
			{Code: Call, F: next},
			{Code: Jump, A: 1},
			{Code: JumpNe, R: 1, C: max, A: 0}, // 5
		}
	}))
	if locked {
		p.Mutexes = size
	}
	return p
}

// FileSystem: Flanagan and Godefroid's Fig. 7 with n threads.
func FileSystem(n int) *Program {
	const blocks, inodes = 26, 32
	// Cells: inode i at 4*i, busy b at 4*(inodes+b). Mutexes: inodes, then blocks.
	p := parallel(4*(inodes+blocks), each(n, func(tid int) []Instr {
		i := tid % inodes
		at := func(r *[NumRegs]int64) {
			r[2] = 4 * (inodes + r[1]) // &busy[b]
			r[3] = inodes + r[1]       // lockb[b]
			r[4] = r[1] + 1
		}
		return []Instr{
			{Code: Lock, A: i},
			{Code: Load, A: 4 * i, Size: 4},
			{Code: JumpNe, A: 15},
			{Code: Set, R: 1, C: int64(i * 2 % blocks)},
			{Code: Call, F: at}, // 4
			{Code: Lock, B: 4},
			{Code: Load, B: 3, Size: 4},
			{Code: JumpNe, A: 12},
			{Code: Store, B: 3, C: 1, Size: 4},
			{Code: StoreR, R: 4, A: 4 * i, Size: 4},
			{Code: Unlock, B: 4},
			{Code: Jump, A: 15},
			{Code: Unlock, B: 4}, // 12
			{Code: Call, F: func(r *[NumRegs]int64) { r[1] = (r[1] + 1) % blocks }},
			{Code: Jump, A: 4},
			{Code: Unlock, A: i}, // 15
		}
	}))
	p.Mutexes = inodes + blocks
	return p
}

// Philosophers: n dining philosophers; ordered: the lower fork first.
func Philosophers(n int, ordered bool) *Program {
	p := parallel(8*n, each(n, func(id int) []Instr {
		l, r := id, (id+1)%n
		if ordered && l > r {
			l, r = r, l
		}
		return []Instr{{Code: Lock, A: l}, {Code: Lock, A: r}, {Code: Load, A: 8 * id}, {Code: StoreR, A: 8 * id, C: 1},
			{Code: Unlock, A: r}, {Code: Unlock, A: l}}
	}))
	p.Mutexes = n
	return p
}

// ABBA: two locks in opposite orders; ok: in the same order.
func ABBA(ok bool) *Program {
	two := func(a, b int) []Instr {
		return []Instr{{Code: Lock, A: a}, {Code: Lock, A: b}, {Code: Load}, {Code: StoreR, C: 1}, {Code: Unlock, A: b}, {Code: Unlock, A: a}}
	}
	second := two(1, 0)
	if ok {
		second = two(0, 1)
	}
	p := parallel(8, [][]Instr{two(0, 1), second})
	p.Mutexes = 2
	return p
}

// Peterson: n entries with n polls each.
func Peterson(n int) *Program {
	const turn, x = 16, 24
	side := func(me int) []Instr {
		ot := 1 - me
		var code []Instr
		var out []int // jumps to the end
		for j := 0; j < n; j++ {
			code = append(code, Instr{Code: Store, A: 8 * me, C: 1}, Instr{Code: Store, A: turn, C: int64(ot)})
			var in []int
			for i := 0; i < n; i++ {
				code = append(code, Instr{Code: Load, A: 8 * ot}, Instr{Code: Load, A: turn, R: 1})
				in = append(in, len(code), len(code)+1)
				code = append(code, Instr{Code: JumpNe, C: 1}, Instr{Code: JumpNe, R: 1, C: int64(ot)})
			}
			out = append(out, len(code))
			code = append(code, Instr{Code: Jump})
			for _, k := range in {
				code[k].A = len(code)
			}
			code = append(code, Instr{Code: Store, A: x, C: int64(me + 1)}, Instr{Code: Load, A: x},
				Instr{Code: Assert, A: me, C: int64(me + 1)}, Instr{Code: Store, A: 8 * me})
		}
		for _, k := range out {
			code[k].A = len(code)
		}
		return code
	}
	return parallel(32, [][]Instr{side(0), side(1)})
}

// Ring: a bounded ring under one lock, n turns each: C(2n, n) traces.
func Ring(n int) *Program {
	const slots = 3
	const count, putAt, getAt, slot = 0, 8, 16, 24
	producer := times(n, func(i int) []Instr { return nil })
	for i := 0; i < n; i++ {
		end := len(producer) + 12
		producer = append(producer, Instr{Code: Lock}, Instr{Code: Load, A: count},
			Instr{Code: JumpIf, C: slots, A: end - 1},
			Instr{Code: Load, R: 1, A: putAt},
			Instr{Code: Call, F: func(r *[NumRegs]int64) { r[2] = 8 * r[1]; r[3] = int64(i); r[4] = (r[1] + 1) % slots }},
			Instr{Code: StoreR, R: 3, A: slot, B: 3},
			Instr{Code: StoreR, R: 4, A: putAt},
			Instr{Code: Load, A: count},
			Instr{Code: StoreR, A: count, C: 1}, Instr{Code: Nop}, Instr{Code: Nop}, Instr{Code: Unlock})
	}
	consumer := []Instr{{Code: Set, R: 5, C: -1}}
	for i := 0; i < n; i++ {
		end := len(consumer) + 12
		consumer = append(consumer, Instr{Code: Lock}, Instr{Code: Load, A: count},
			Instr{Code: JumpIf, C: 0, A: end - 1},
			Instr{Code: Load, R: 1, A: getAt},
			Instr{Code: Call, F: func(r *[NumRegs]int64) { r[2] = 8 * r[1]; r[4] = (r[1] + 1) % slots }},
			Instr{Code: Load, R: 3, A: slot, B: 3},
			Instr{Code: StoreR, R: 4, A: getAt},
			Instr{Code: Load, A: count},
			Instr{Code: StoreR, A: count, C: -1},
			Instr{Code: Call, F: func(r *[NumRegs]int64) { r[6] = boolInt(r[3] > r[5]); r[5] = r[3] }},
			Instr{Code: Assert, R: 6, C: 1}, Instr{Code: Unlock})
	}
	p := parallel(24+8*slots, [][]Instr{producer, consumer})
	p.Mutexes = 1
	return p
}

// TwoCells: n writers store to x and then to y; a reader loads y, then x.
func TwoCells(n int) *Program {
	t := each(n, func(int) []Instr { return []Instr{{Code: Store, C: 1}, {Code: Store, A: 8, C: 1}} })
	seen := func(r *[NumRegs]int64) { r[2] = boolInt(r[0] == 1 && r[1] == 0) }
	return parallel(16, append(t, []Instr{{Code: Load, A: 8}, {Code: Load, R: 1}, {Code: Call, F: seen}, {Code: Assert, R: 2}}))
}

// TwoWriters: two threads write the same n cells in the same order.
func TwoWriters(n int) *Program {
	return parallel(8*n, each(2, func(t int) []Instr {
		return times(n, func(i int) []Instr { return []Instr{{Code: Store, A: 8 * i, C: int64(t)}} })
	}))
}

// Ledger: three clerks, one locked entry each.
func Ledger() *Program {
	const balance, in, out = 0, 8, 16
	clerk := func(v int64, flag int) []Instr {
		return []Instr{{Code: Lock}, {Code: Load, A: balance}, {Code: StoreR, A: balance, C: v}, {Code: Store, A: flag, C: 1}, {Code: Unlock}}
	}
	audit := []Instr{{Code: Lock}, {Code: Load, A: in}, {Code: JumpIf, A: 6}, {Code: Load, A: out}, {Code: JumpIf, A: 6},
		{Code: Load, A: balance}, {Code: Unlock}}
	p := parallel(24, [][]Instr{clerk(3, in), clerk(-4, out), audit})
	p.Mutexes = 1
	return p
}

// TicketLock: n threads take a ticket, spin for their turn, and leave.
func TicketLock(n int) *Program {
	const next, owner, shared = 0, 8, 16
	return parallel(24, each(n, func(i int) []Instr {
		return []Instr{
			{Code: FetchAdd, A: next, C: 1},
			{Code: Load, A: owner, R: 1}, // 1
			{Code: Call, F: func(r *[NumRegs]int64) { r[2] = boolInt(r[1] == r[0]) }},
			{Code: JumpIf, R: 2, C: 0, A: 1},
			{Code: Store, A: shared, C: int64(i + 1)},
			{Code: Load, A: shared, R: 3},
			{Code: Assert, R: 3, C: int64(i + 1)},
			{Code: StoreR, A: owner, C: 1},
		}
	}))
}

// TTASLock: a test-and-test-and-set lock.
func TTASLock(n int) *Program {
	const state, shared = 0, 8
	return parallel(16, each(n, func(i int) []Instr {
		return []Instr{
			{Code: Load, A: state}, // 0
			{Code: JumpNe, C: 0, A: 0},
			{Code: Exchange, A: state, C: 1},
			{Code: JumpNe, C: 0, A: 0},
			{Code: Store, A: shared, C: int64(i + 1)},
			{Code: Load, A: shared, R: 3},
			{Code: Assert, R: 3, C: int64(i + 1)},
			{Code: Store, A: state},
		}
	}))
}
