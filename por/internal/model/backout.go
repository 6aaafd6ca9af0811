package model

import (
	"maps"
	"slices"
	"strconv"

	"landgo/internal/trace"
)

// Back-outs, as package scheduler has them (scheduler/backout.go): a thread adds to a word,
// finds a value with which it can't go on, takes its addition back, and tries again. A try
// that fails isn't possible then.

// BackFault is a rule of back-outs that a test leaves out.
type BackFault uint8

// The faults.
const (
	BacksRight  BackFault = iota
	Unmoved               // what the tries of others add isn't counted
	AnyUse                // others may do with the word what they want
	AnyWait               // a wait inside may last though a try would work
	AnyValue              // a try may keep what it found
	AnyTry                // the first try and those after it may differ
	KeepsAdding           // what was added needn't be taken back
)

// mostRoom bounds the places between two tries, and mostMoved what others may have added.
const (
	mostRoom  = 32
	mostMoved = 64
)

// mover is a thread whose tries can fail, the word, and what they add to it for a while.
type mover struct {
	t, at int
	adds  int64
}

// tries are how a thread's tries at a word end, by the value that it holds.
type tries struct {
	fails map[int64]bool
	added []int64 // what they have added for a while
	good  bool    // no other thread can tell tries that fail
}

// room is a place between two tries, or before one: how the thread stands, and what it has added.
type room struct {
	head, open bool // before a try; the thread may leave from here
	added      int64
	steps      map[int64]way
}

// way says where a step leads: to is nil if out of the loop, to stand as out says.
type way struct {
	to  *room
	out string
}

// triesAt reports whether thread t stands before an addition to a word where tries that fail may
// not matter.
func (m *Machine) triesAt(t int) bool {
	if !m.p.Backs || !m.awaiting || m.w[t*threadLen+wState] != alive || m.w[t*threadLen+wBug] != 0 {
		return false
	}
	in := m.next(t)
	return in != nil && in.Code == FetchAdd && in.Size == 0 && in.B == 0 && !in.Timed && !m.unbacked[in.A]
}

// moved are the sums that other threads' tries may have added to a word for a while.
func (m *Machine) moved(t, at int) []int64 {
	sums := []int64{0}
	if m.p.BacksBadly == Unmoved {
		return sums
	}
	for u := range m.p.Threads {
		if u == t {
			continue
		}
		next := slices.Clone(sums)
		for k := range m.movers {
			if k.t == u && k.at == at {
				for _, s := range sums {
					next = append(next, s+k.adds)
				}
			}
		}
		slices.Sort(next)
		sums = slices.Compact(next)
	}
	return sums
}

// tryAll finds out how tries of thread t end, which stands before one.
func (m *Machine) tryAll(t int) (r tries) {
	from, bug := len(m.log), m.Bug
	defer func() { m.undo(from); m.Bug = bug }()
	at := m.next(t).A
	values := m.values(at, 8, []int64{m.peek(at, 8)})
	moved := m.moved(t, at)
	if len(moved) > mostMoved {
		return r
	}
	var all []int64
	for _, v := range values {
		for _, d := range moved {
			all = append(all, v+d)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	rooms := map[string]*room{}
	if !m.look(t, at, 0, all, rooms) {
		return r
	}
	closeRooms(rooms)
	r.fails = map[int64]bool{}
	out, seen := "", map[int64]bool{}
	for key, h := range rooms {
		for v, w := range h.steps {
			if !h.head {
				continue
			}
			fails := w.to != nil && (w.to.head || !w.to.open)
			if old, ok := r.fails[v]; ok && old != fails && m.p.BacksBadly != AnyTry {
				return r
			}
			r.fails[v] = r.fails[v] || fails
			if fails {
				continue
			}
			if w.to != nil {
				for k, o := range rooms {
					if o == w.to {
						w.out = "inside " + k
					}
				}
			}
			if out != "" && out != w.out && m.p.BacksBadly != AnyValue {
				return r
			}
			out, seen[v] = w.out, true
		}
		_ = key
	}
	for _, v := range values {
		for _, d := range moved {
			if r.fails[v] && !r.fails[v+d] {
				return r
			}
		}
		for _, n := range rooms {
			if !n.head && !n.open && !n.comesOut(v, r.fails[v] || m.p.BacksBadly == AnyWait) {
				return r
			}
		}
	}
	for _, n := range rooms {
		if !n.head && !n.open && n.added != 0 {
			r.added = append(r.added, n.added)
		}
	}
	r.good = true
	return r
}

// comesOut reports whether a thread reaches a try from here, with a word that stays. It may stay in a
// loop if it waits, and has taken back what it added.
func (n *room) comesOut(v int64, waits bool) bool {
	for range mostRoom {
		if n.head {
			return true
		}
		n = n.steps[v].to
	}
	for range mostRoom {
		if n.added != 0 {
			return false
		}
		n = n.steps[v].to
	}
	return waits
}

// look runs thread t from where it stands, with all values. It reports whether there are few places.
func (m *Machine) look(t, at int, added int64, all []int64, rooms map[string]*room) bool {
	key := m.poise(t) + strconv.FormatInt(added, 10)
	if len(rooms) >= mostRoom {
		return false
	}
	in := m.next(t)
	n := &room{head: in.Code == FetchAdd && added == 0, added: added, steps: map[int64]way{}}
	rooms[key] = n
	for _, v := range all {
		mark := len(m.log)
		for k := range 8 {
			m.set(m.mem+at+k, (v+added)>>(8*k)&0xff)
		}
		inside, did := m.stepInside(t, at)
		now := m.peek(at, 8) - v
		if m.p.BacksBadly == KeepsAdding && !n.head {
			now = 0
		}
		if !inside {
			for k := range 8 {
				m.set(m.mem+at+k, 0)
			}
			n.steps[v] = way{out: m.poise(t) + did + m.contents()}
			n.open = true
		} else {
			next := m.poise(t) + strconv.FormatInt(now, 10)
			if rooms[next] == nil && !m.look(t, at, now, all, rooms) {
				return false
			}
			n.steps[v] = way{to: rooms[next]}
		}
		m.undo(mark)
	}
	return true
}

// closeRooms finds out from where a thread may leave but by a try.
func closeRooms(rooms map[string]*room) {
	for again := true; again; {
		again = false
		for _, n := range rooms {
			for _, w := range n.steps {
				if !n.head && !n.open && w.to != nil && !w.to.head && w.to.open {
					n.open, again = true, true
				}
			}
		}
	}
}

// stepInside takes a step of thread t. It reports whether the thread only looked at a word, or
// added to it, and is about to do so again. did describes any other step.
func (m *Machine) stepInside(t, at int) (inside bool, did string) {
	b := t * threadLen
	before := m.w[b+wBug]
	var x trace.Transition
	m.event(t, 0, &x)
	if before == m.w[b+wBug] && x.End == trace.EndPoint && len(x.Accesses) == 1 && len(x.Ops) == 0 && m.w[b+wState] == alive {
		in := m.next(t)
		if in != nil && (in.Code == Load || in.Code == FetchAdd || in.Code == Add) && in.A == at && in.B == 0 && in.Size == 0 && !in.Timed &&
			x.Accesses[0].Addr == uint64(memBase+at) && x.Accesses[0].Size == 8 {
			return true, ""
		}
	}
	text := []byte{byte(x.End)}
	for i := range x.Accesses {
		a := &x.Accesses[i]
		text = strconv.AppendUint(append(text, byte(a.Flags&^trace.Silent)), a.Addr, 16)
	}
	for i := range x.Ops {
		text = strconv.AppendUint(append(text, byte(x.Ops[i].Kind)), x.Ops[i].Obj, 16)
	}
	return false, string(text)
}

// knownTry reports whether a try of thread t isn't possible where it fails: others know of it.
func (m *Machine) knownTry(t int, r tries) bool {
	for _, v := range r.added {
		if !m.movers[mover{t, m.next(t).A, v}] {
			return false
		}
	}
	return r.good
}

// failsNow reports whether a try of thread t would fail, with a value that the word has had.
func (m *Machine) failsNow(t int, v int64) bool { return m.tryAll(t).fails[v] }

// noteTry looks at how thread t stands, if it is before a try.
func (m *Machine) noteTry(t int) {
	if !m.triesAt(t) {
		return
	}
	in, r := m.next(t), m.tryAll(t)
	if r.good && !slices.Contains(mapped(r.fails), true) {
		return
	}
	if !r.good {
		if m.backed[in.A] && !m.relearn {
			m.unback(in.A)
		}
		return
	}
	for _, v := range r.added {
		if k := (mover{t, in.A, v}); !m.movers[k] {
			m.movers[k], m.backed[in.A] = true, true
			m.Finer, m.relearn = trace.ErrFiner, true
		}
	}
}

func mapped(f map[int64]bool) (list []bool) {
	for _, v := range f {
		list = append(list, v)
	}
	return list
}

func (m *Machine) unback(at int) {
	if !m.unbacked[at] {
		m.unbacked[at] = true
		m.Finer = trace.ErrFiner
	}
}

// noteUse looks at what a step of thread t did to words in which tries may fail. Others may add, and
// use nothing of what they find.
func (m *Machine) noteUse(t int, in *Instr, x *trace.Transition) {
	if in == nil || in.Code == Add && in.Size == 0 || in.Code == FetchAdd && in.Size == 0 && m.p.Backs || m.p.BacksBadly == AnyUse || m.relearn {
		return
	}
	for i := range x.Accesses {
		a := &x.Accesses[i]
		for at := range m.backed {
			if a.Overlaps(&trace.Access{Addr: uint64(memBase + at), Size: 8}) && m.othersTry(t, at) {
				m.unback(at)
			}
		}
	}
}

// othersTry reports whether another thread than t is there whose tries may fail. One whose last
// try was before this step may be gone in one execution of a trace, and there in another. One
// that tries later is there in all.
func (m *Machine) othersTry(t, at int) bool {
	for k := range m.movers {
		if k.at == at && k.t != t && m.w[k.t*threadLen+wState] == alive {
			return true
		}
	}
	return false
}

// Backed takes over what o has learned of tries.
func (m *Machine) Backed(o *Machine) {
	m.movers, m.backed, m.unbacked = o.movers, o.backed, o.unbacked
}

// BacksOut reports whether there are tries that weren't run because they fail.
func (m *Machine) BacksOut() bool {
	for at := range m.backed {
		if !m.unbacked[at] {
			return true
		}
	}
	return false
}

// BacksAs reports whether m has learned of tries what o has.
func (m *Machine) BacksAs(o *Machine) bool {
	return maps.Equal(m.movers, o.movers) && maps.Equal(m.unbacked, o.unbacked)
}
