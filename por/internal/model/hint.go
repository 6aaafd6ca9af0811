package model

import (
	"slices"
	"strconv"

	"landgo/internal/trace"
)

// Hints, as package scheduler has them (scheduler/hint.go): a load and the exchange behind it are one step.

// HintFault is a rule of hints that a test leaves out.
type HintFault uint8

// The faults.
const (
	HintsRight  HintFault = iota
	EqualPairs            // the exchange is tried with what the load has found, and nothing else
	OnlyNow               // values that the word had before aren't tried
	AnyFailure            // from an exchange that leaves the word as it is the thread may go anywhere
	AnyChange             // an exchange may change the word where it fails
	AnyLoad               // what leads to the exchange may change the word
	StillBlends           // additions to the word commute
)

// mostHinted bounds how many values a word may have had.
const mostHinted = 24

// hint is what becomes of a thread's load, by the value that it finds.
type hint struct {
	good  bool
	waits bool           // some value brings the thread back
	on    map[int64]bool // it leads to an exchange
	vain  map[int64]bool // the thread comes back to a try with that, for ever
}

// swaps reports whether an instruction may leave memory as it is, and says so.
func swaps(in *Instr) bool { return in.Code == Exchange || compares(in) }

func (in *Instr) size() int { return max(in.Size, 8*b2i(in.Size == 0)) }

// hints reports whether a load and its exchange are one step.
func (m *Machine) hints() bool {
	return m.p.Hints && m.awaiting && m.testing && !m.overwrites && !m.unreading && !m.p.Buffers
}

// mayHint reports whether thread t stands before an access of a word that may be a hint.
func (m *Machine) mayHint(t int) bool {
	b := t * threadLen
	if !m.hints() || m.w[b+wState] != alive || m.w[b+wBug] != 0 {
		return false
	}
	in := m.next(t)
	return in != nil && (in.Code == Load || swaps(in) && !(loads(in) && m.inLoop(t, int(m.w[b+wPC])))) && m.inWord(in) && !m.unhinted[m.place(t)]
}

func (m *Machine) place(t int) [2]int { return [2]int{t, int(m.w[t*threadLen+wPC])} }

// hintAt is what becomes of thread t's load, nil if it is no hint.
func (m *Machine) hintAt(t int) *hint {
	if len(m.hinted) == 0 || !m.hinted[m.place(t)] || !m.mayHint(t) {
		return nil
	}
	if r := m.hintOf(t); r.good {
		return &r
	}
	return nil
}

// sinceOwn are the values of a word since thread t has written it, the present one first; nil: there are too
// many.
func (m *Machine) sinceOwn(t, at, size int) []int64 {
	list, own := []int64{m.peek(at, size)}, false
	m.earlier(at, size, func(i int, v int64) {
		if own = own || int(m.steps[i].Thread) == t; !own && !slices.Contains(list, v) {
			list = append(list, v)
		}
	})
	if len(list) > mostHinted {
		return nil
	}
	return list
}

// hintEnd is how a thread stands behind its load, or behind the exchange.
type hintEnd struct {
	value  int64 // of the word
	stands string
	before bool // it is about to exchange the word, and has done nothing else
}

// hintOf finds out what becomes of thread t's load and the exchange behind it, with each two values.
func (m *Machine) hintOf(t int) (r hint) {
	in := m.next(t)
	at, size := in.A, in.size()
	values := m.sinceOwn(t, at, size)
	if values == nil {
		return hint{}
	}
	if m.p.HintsBadly == OnlyNow {
		values = values[:1]
	}
	from, bug := len(m.log), m.Bug
	back := func(n int) { m.undo(n); m.Bug = bug }
	defer back(from)
	here := m.poise(t) + string(rune(trace.EndPoint)) + m.otherMemory(at, size)
	loads, joined := map[int64]hintEnd{}, map[int64]hintEnd{}
	r = hint{good: true, on: map[int64]bool{}, vain: map[int64]bool{}}
	for _, v := range values {
		e := m.hintStep(t, at, size, v)
		j := e
		if e.before {
			j = m.hintStep(t, at, size, v)
		}
		back(from)
		loads[v], joined[v] = e, j
		r.on[v] = e.before
		r.vain[v] = j.value == v && (j.stands == here || e.before && j.stands == e.stands)
		if e.before && e.value != v && m.p.HintsBadly != AnyLoad {
			return hint{}
		}
		r.waits = r.waits || r.vain[v]
	}
	for _, v := range values {
		for _, w := range values {
			if !r.on[v] || v == w || m.p.HintsBadly == EqualPairs {
				continue
			}
			m.hintStep(t, at, size, v)
			e := m.hintStep(t, at, size, w)
			back(from)
			stays := e.value == w || m.p.HintsBadly == AnyChange
			ok := stays && (e.stands == here || m.p.HintsBadly == AnyFailure) || (e.value == loads[w].value || m.p.HintsBadly == AnyChange) && e.stands == loads[w].stands ||
				r.on[w] && e.value == joined[w].value && e.stands == joined[w].stands
			if !ok {
				return hint{}
			}
		}
	}
	return r
}

// otherMemory has memory but for a word, and objects as a text.
func (m *Machine) otherMemory(at, size int) string {
	n := len(m.log)
	for k := range size {
		m.set(m.mem+at+k, 0)
	}
	text := m.contents()
	m.undo(n)
	return text
}

// hintStep takes thread t's next step, where it finds a value in the word.
func (m *Machine) hintStep(t, at, size int, v int64) (e hintEnd) {
	for k := range size {
		m.set(m.mem+at+k, v>>(8*k)&0xff)
	}
	before, pc := m.w[t*threadLen+wBug], m.w[t*threadLen+wPC]
	var x trace.Transition
	m.event(t, 0, &x)
	e.value = m.peek(at, size)
	e.stands = m.poise(t) + string(rune(x.End)) + m.otherMemory(at, size)
	for i := range x.Ops {
		e.stands += strconv.FormatUint(uint64(x.Ops[i].Kind), 10) + "," + strconv.FormatUint(x.Ops[i].Obj, 16)
	}
	if x.End != trace.EndPoint || len(x.Ops) > 0 || before != m.w[t*threadLen+wBug] {
		return e
	}
	in := m.next(t)
	e.before = in != nil && swaps(in) && in.A == at && in.B == 0 && in.size() == size && !in.Timed && m.w[t*threadLen+wPC] != pc
	return e
}

// hintedAccess is thread t's next access, as a search sees it.
func (m *Machine) hintedAccess(t int, r *hint) trace.Access {
	in := m.next(t)
	a := m.access(t, in)
	m.hintedFlags(&a, r.on[m.peek(in.A, in.size())])
	return a
}

func (m *Machine) hintedFlags(a *trace.Access, on bool) {
	if on {
		a.Flags = trace.Write | trace.RMW | trace.Atomic
	} else if !a.IsWrite() {
		a.Flags |= trace.FailedCAS
	}
}

// hintedStep is the step of a thread whose load is a hint.
func (m *Machine) hintedStep(t int, r *hint, x *trace.Transition) {
	in := m.next(t)
	on := r.on[m.peek(in.A, in.size())]
	if m.event(t, 0, x); on {
		x.Accesses = x.Accesses[:0]
		m.event(t, 0, x)
		return
	}
	for i := range x.Accesses {
		m.hintedFlags(&x.Accesses[i], false)
	}
}

// settleHints is called at the end of each step, of thread t.
func (m *Machine) settleHints(t int, x *trace.Transition) {
	if !m.hints() {
		return
	}
	if len(x.Accesses) == 1 && swaps(&m.p.Threads[t][x.Accesses[0].PC]) {
		m.learnHint(t, x)
	}
	for u := range m.p.Threads {
		if len(m.hinted) == 0 || m.w[u*threadLen+wState] != alive || !m.hinted[m.place(u)] || !m.mayHint(u) {
			continue
		}
		if at := uint64(memBase + m.next(u).A); !m.hintWords[at] {
			m.between[at], m.hintWords[at] = m.p.HintsBadly != StillBlends, true
			m.Finer = trace.ErrFiner
		}
		if !m.hintOf(u).good {
			m.unhinted[m.place(u)], m.Finer = true, trace.ErrFiner
		}
	}
}

// learnHint notes a load behind which thread t has tried to exchange the word, in its next step.
func (m *Machine) learnHint(t int, x *trace.Transition) {
	for i := m.nstep - 2; i >= 0; i-- {
		y := &m.steps[i]
		if int(y.Thread) != t {
			continue
		}
		if len(y.Accesses) != 1 || len(y.Ops) > 0 {
			return
		}
		a, l := &x.Accesses[0], &y.Accesses[0]
		p := [2]int{t, int(l.PC)}
		if load := &m.p.Threads[t][l.PC]; l.Addr == a.Addr && l.Size == a.Size && l.PC != a.PC && (load.Code == Load || swaps(load)) && !m.hinted[p] && !m.unhinted[p] {
			m.hinted[p], m.Finer = true, trace.ErrFiner
		}
		return
	}
}

// Hinted takes over what o has learned of hints.
func (m *Machine) Hinted(o *Machine) {
	m.hinted, m.unhinted, m.hintWords, m.between = o.hinted, o.unhinted, o.hintWords, o.between
}

// HintsAs reports whether m has learned of hints what o has, but for how often it began again.
func (m *Machine) HintsAs(o *Machine) bool {
	is := func(m *Machine, p [2]int) bool { return m.hinted[p] && !m.unhinted[p] }
	for _, k := range []*Machine{m, o} {
		for p := range k.hinted {
			if is(m, p) != is(o, p) {
				return false
			}
		}
		for at := range k.hintWords {
			if m.hintWords[at] != o.hintWords[at] || m.between[at] != o.between[at] {
				return false
			}
		}
	}
	return true
}
