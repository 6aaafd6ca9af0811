package por

import (
	"landgo/por/internal/model"

	"pgregory.net/rapid"
)

// Random programs: a main thread and up to three others, of statements over
// four overlapping variables and a few objects. Small enough that exhaustive
// search can judge, with each kind of waiting, ending and losing in it.

type writer struct {
	t     *rapid.T
	code  []model.Instr
	label string
	// chooses: a third of the statements are about what the program chooses, assumes, and
	// has fail.
	chooses bool
}

func (w *writer) pick(n int) int { return pick(w.t, w.label, n) }

// pick draws a number below n: rapid's own ranges prefer small ones, which
// makes programs in which little happens. It shrinks towards 0 all the same.
func pick(t *rapid.T, label string, n int) int {
	u := uint64(rapid.Uint16().Draw(t, label))
	return int(u * 0x9e3779b97f4a7c15 >> 33 % uint64(n))
}

func (w *writer) put(in ...model.Instr) { w.code = append(w.code, in...) }

// place draws a variable: two words, or parts of them.
func (w *writer) place(in model.Instr) model.Instr {
	switch w.pick(16) {
	case 0:
		in.A, in.Size = 0, 8
	case 1:
		in.A, in.Size = 8, 8
	case 3:
		in.A, in.Size = 4, 2
	case 4:
		in.A, in.Size = 6, 4 // across two granules
	default:
		in.A, in.Size = 0, 4
	}
	return in
}

func (w *writer) access() {
	r := w.pick(2)
	switch w.pick(10) {
	case 0:
		w.put(w.place(model.Instr{Code: model.Load, R: r}))
	case 3:
		w.put(w.place(model.Instr{Code: model.StoreR, R: r, C: 1}))
	case 4:
		w.put(w.place(model.Instr{Code: model.FetchAdd, R: r, C: 1}))
	case 5:
		w.put(w.place(model.Instr{Code: model.Exchange, R: r, C: 2}))
	case 6:
		w.put(w.place(model.Instr{Code: model.CompareEx, R: r, C: int64(w.pick(2)), D: 1}))
	case 7: // x++
		in := w.place(model.Instr{Code: model.Load, R: r})
		out := in
		out.Code, out.C = model.StoreR, 1
		w.put(in, out)
	default:
		w.put(w.place(model.Instr{Code: model.Store, C: int64(w.pick(3))}))
	}
}

func (w *writer) statement(threads int) {
	if w.chooses && w.pick(3) == 0 {
		w.choice()
		return
	}
	r, a, m := w.pick(2), w.pick(2), w.pick(2)
	switch w.pick(52) {
	default:
		w.access()
	case 0, 1, 2: // a critical section, sometimes of two locks
		w.put(model.Instr{Code: model.Lock, A: m})
		w.access()
		nested := w.pick(3) == 0
		if nested {
			w.put(model.Instr{Code: model.Lock, A: 1 - m})
		}
		if nested {
			w.put(model.Instr{Code: model.Unlock, A: 1 - m})
		}
		if w.pick(16) != 0 {
			w.put(model.Instr{Code: model.Unlock, A: m})
		}
	case 3:
		w.put(model.Instr{Code: model.TryLock, R: r, A: m})
		skip := len(w.code)
		w.put(model.Instr{Code: model.JumpIf, R: r, C: 0})
		w.access()
		w.put(model.Instr{Code: model.Unlock, A: m})
		w.code[skip].A = len(w.code)
	case 4: // wait, unless told already
		w.put(model.Instr{Code: model.Lock, A: 0}, model.Instr{Code: model.Load, R: r, A: 0, Size: 4})
		skip := len(w.code)
		w.put(model.Instr{Code: model.JumpNe, R: r}, model.Instr{Code: model.CondWait, A: 0, C: 0})
		w.code[skip].A = len(w.code)
		w.put(model.Instr{Code: model.Unlock, A: 0})
	case 5:
		w.put(model.Instr{Code: model.Signal, A: 0})
	case 6:
		w.put(model.Instr{Code: model.Broadcast, A: 0})
	case 7:
		w.put(model.Instr{Code: model.SemWait, A: a})
	case 8:
		w.put(model.Instr{Code: model.SemPost, A: a})
	case 9:
		w.put(model.Instr{Code: model.SemTry, R: r, A: a})
	case 10:
		w.put(model.Instr{Code: model.Barrier, A: 0})
	case 11:
		w.put(model.Instr{Code: model.ReadLock, A: 0})
		w.access()
		if w.pick(8) != 0 {
			w.put(model.Instr{Code: model.RWUnlock, A: 0})
		}
	case 12:
		w.put(model.Instr{Code: model.WriteLock, A: 0})
		if w.pick(2) == 0 {
			w.access()
		}
		if w.pick(8) != 0 {
			w.put(model.Instr{Code: model.RWUnlock, A: 0})
		}
	case 13, 14:
		in := w.place(model.Instr{Code: model.Load, R: r})
		w.put(in, model.Instr{Code: model.AssNe, A: len(w.code), R: r, C: int64(1 + w.pick(3))})
	case 16:
		if w.pick(3) == 0 {
			w.put(model.Instr{Code: model.Exit})
		}
	case 17: // a spin
		head := len(w.code)
		w.put(w.place(model.Instr{Code: model.Load, R: r}), model.Instr{Code: model.JumpIf, R: r, C: 0, A: head})
	case 18: // a back-out lock: no spin, for others see its transient values
		head := len(w.code)
		w.put(model.Instr{Code: model.FetchAdd, R: 2, A: 8, C: 1}, model.Instr{Code: model.JumpIf, R: 2, C: 0, A: head + 4},
			model.Instr{Code: model.FetchAdd, R: 2, A: 8, C: -1}, model.Instr{Code: model.Jump, A: head})
	case 23, 24: // a wait that runs out when no thread can run
		lock := []model.Code{model.Lock, model.SemWait, model.ReadLock, model.WriteLock}[w.pick(4)]
		in := model.Instr{Code: lock, R: r, Timed: true}
		unlock := model.Instr{Code: model.RWUnlock}
		if lock == model.Lock || lock == model.SemWait {
			in.A, unlock = m, model.Instr{Code: model.Unlock, A: m}
		}
		w.put(in)
		skip := len(w.code)
		w.put(model.Instr{Code: model.JumpIf, R: r, C: 0})
		w.access()
		if lock != model.SemWait && w.pick(4) != 0 {
			w.put(unlock)
		}
		w.code[skip].A = len(w.code)
	case 22: // a spin under a lock
		head := len(w.code)
		w.put(model.Instr{Code: model.Lock, A: m}, w.place(model.Instr{Code: model.Load, R: r}), model.Instr{Code: model.Unlock, A: m},
			model.Instr{Code: model.JumpIf, R: r, C: 0, A: head})
	case 20:
		w.put(model.Instr{Code: model.Yield})
	case 21: // yields until told, and counts: no spin
		head := len(w.code)
		w.put(model.Instr{Code: model.Yield}, model.Instr{Code: model.AddI, R: 3, C: 1},
			w.place(model.Instr{Code: model.Load, R: r}), model.Instr{Code: model.JumpIf, R: r, C: 0, A: head})
	case 19:
		skip := len(w.code)
		w.put(model.Instr{Code: model.JumpIf, R: r, C: int64(w.pick(2))})
		w.access()
		w.code[skip].A = len(w.code)
	}
}

// choice draws a choice of data, an assumption, or a call that may fail.
func (w *writer) choice() {
	r := w.pick(2)
	switch w.pick(8) {
	case 0, 1: // a value, which is stored
		w.put(model.Instr{Code: model.Choose, R: r, C: int64(2 + w.pick(2))}, w.place(model.Instr{Code: model.StoreR, R: r}))
	case 2: // an assumption of what is there
		w.put(w.place(model.Instr{Code: model.Load, R: r}), model.Instr{Code: model.Assume, R: r, C: int64(w.pick(3))})
	case 3: // one of what was chosen
		w.put(model.Instr{Code: model.Choose, R: r, C: 3}, model.Instr{Code: model.Assume, R: r, C: int64(w.pick(3))})
	case 4: // a way
		w.put(model.Instr{Code: model.Choose, R: r, C: 2})
		skip := len(w.code)
		w.put(model.Instr{Code: model.JumpIf, R: r, C: int64(w.pick(2))})
		w.access()
		w.code[skip].A = len(w.code)
	case 5: // a failure that changes nothing
		w.put(model.Instr{Code: model.MayFail, R: r})
	default: // a failure that takes another way
		w.put(model.Instr{Code: model.MayFail, R: r})
		skip := len(w.code)
		w.put(model.Instr{Code: model.JumpIf, R: r, C: int64(w.pick(2))})
		w.access()
		w.code[skip].A = len(w.code)
	}
}

// chosen draws a program with choices, and with calls, up to two of which fail.
func chosen(coarse, merge bool) *rapid.Generator[sized] {
	return rapid.Custom(func(t *rapid.T) sized {
		n := 2 + pick(t, "threads", 2)
		p := &model.Program{Bytes: 16, Mutexes: 2, Conds: 1, Sems: []int{pick(t, "sem", 3), 1}, RWLocks: 1, Barriers: []int{2}, Budget: 9,
			Coarse: coarse, Merge: merge, Standing: true, MainEnds: pick(t, "mainends", 4) == 3, Faults: 1 + pick(t, "faults", 2)}
		for i := 0; i < n; i++ {
			w := &writer{t: t, label: "thread", chooses: true}
			for k := 1 + pick(t, "length", 5-n); k > 0; k-- {
				w.statement(n)
			}
			p.Threads = append(p.Threads, w.code)
		}
		return sized{p, 2 * soakLimit}
	})
}

// programs draws a program.
func programs(coarse, merge bool) *rapid.Generator[*model.Program] {
	return rapid.Custom(func(t *rapid.T) *model.Program { return draw(t, coarse, merge, false) })
}

// drawStanding draws a small program of threads that are there from the start:
// two of a few statements to four of one.
func drawStanding(t *rapid.T, coarse, merge bool) *model.Program {
	n := [...]int{3, 2, 4, 3}[pick(t, "threads", 4)]
	p := &model.Program{Bytes: 16, Mutexes: 2, Conds: 1, Sems: []int{pick(t, "sem", 3), 1}, RWLocks: 1,
		Barriers: []int{2}, Budget: 9, Coarse: coarse, Merge: merge, Standing: true, MainEnds: pick(t, "mainends", 8) == 7,
		Recursive: pick(t, "recursive", 4) == 3, Overlay: pick(t, "overlay", 4) == 3}
	for i := 0; i < n; i++ {
		w := &writer{t: t, label: "thread"}
		for k := 1 + pick(t, "length", [...]int{0, 0, 3, 2, 1}[n]); k > 0; k-- {
			if n > 2 && pick(t, "kind", 3) == 0 {
				w.access()
			} else {
				w.statement(n)
			}
		}
		p.Threads = append(p.Threads, w.code)
	}
	return p
}

// draw draws a program; a small one has about half as many statements.
func draw(t *rapid.T, coarse, merge, small bool) *model.Program {
	n := [...]int{2, 3, 2, 2, 2, 3}[pick(t, "threads", 6)]
	p := &model.Program{Bytes: 16, Mutexes: 2, Conds: 1, Sems: []int{pick(t, "sem", 3), 1}, RWLocks: 1,
		Barriers: []int{2}, Budget: 9, Coarse: coarse, Merge: merge, MainEnds: pick(t, "mainends", 4) > 0,
		Recursive: pick(t, "recursive", 4) == 3, Overlay: pick(t, "overlay", 4) == 3}
	longest := [...]int{0, 6, 4, 2}[n]
	if coarse {
		longest += 2
	}
	least := longest - 1
	if small {
		least, longest = 1, [...]int{0, 4, 3, 2}[n]
	}
	body := func(label string, least, most int) []model.Instr {
		w := &writer{t: t, label: label}
		for k := least + pick(t, label+" length", most-least+1); k > 0; k-- {
			w.statement(n)
		}
		return w.code
	}
	var main []model.Instr
	for i := 1; i <= n; i++ {
		main = append(main, model.Instr{Code: model.Create, A: i})
	}
	mains := 6 - 2*n
	if small {
		mains = 1
	}
	if n < 3 {
		off := len(main)
		for _, in := range body("main", 0, mains) {
			if in.Code == model.Jump || in.Code == model.JumpIf || in.Code == model.JumpNe {
				in.A += off
			}
			main = append(main, in)
		}
	}
	for i := 1; i <= n; i++ {
		if pick(t, "join", 4) > 0 {
			main = append(main, model.Instr{Code: model.Join, A: i})
		}
	}
	p.Threads = append(p.Threads, main)
	for i := 1; i <= n; i++ {
		p.Threads = append(p.Threads, body("thread", least, longest))
	}
	return p
}
