package scheduler

import (
	"fmt"
	"maps"
	"slices"

	"landgo/emu"
	"landgo/internal/image/static"
	"landgo/internal/trace"
)

// Threads that nothing tells apart, for a search that asks (por.Symmetric). They are created
// one after the other by one thread, with the same function and argument and no attributes.
// Two of them could change places in every execution: what one does the other does with its
// own stack. So of all orders of their first steps the search runs one, that of their
// creation: a thread that hasn't begun waits for the one before it to begin (held).
//
// Why that is sound. Let E be an execution without that order. In E' the threads have
// changed places so that it holds: E' has the same steps in the same order, but for whose
// they are. By induction over the steps:
//
//   - The k-th to begin is in E' the k-th that was created. It is there when it begins: k
//     threads that have begun were created before.
//   - Their code does nothing that depends on where a thread's own memory is (static.Alike).
//     So it makes the same accesses and operations in both, with the same values, but for
//     its own stack. An instruction that reaches that in another way is seen (watch), and so
//     is another thread that reaches it.
//   - What landgo and the kernel know of a thread is its number, which the operations of
//     Trusted functions show only in the words of locks: these accesses are seen.
//   - Their creator does nothing other threads can observe between their creations, nor their
//     joins, and takes no results. So all joins may come after all their ends, and what it does
//     next comes after the same in E and E'. A request to one thread alone (to detach it, to
//     signal it, whether it has ended) tells threads apart.
//   - Where an execution ends with a join that isn't over, what would follow a join of fewer
//     threads isn't known: as if they were distinguished.
//
// The executions of the search are enough to look at. Take the first step of an execution by
// which threads are distinguished. The steps before it do no such thing, and have their places
// changed in an execution of the search, which has that step too. So from then on none are alike,
// for good (known.Facts.Unlike), and all begins again.
//
// The order of first steps is no order for detectors: Transition.Frees isn't in Wakes.
// Judged by TestAlike in por and in explore.

// Symmetry implements por.Symmetric.
func (s *System) Symmetry(on bool) {
	s.Kinship.turns = !on && s.Kinship.on // it was such a search, and its paths may be followed yet
	s.Kinship.on = on && s.cfg.Alike != nil && !s.steered() && !s.Coarse() && !s.cfg.Buffers && !s.cfg.Tested && !s.cfg.Ordered &&
		s.cfg.Fill == nil && s.cfg.LetThrough == nil && !s.cfg.Faults.Any() && len(s.twins.beside) == 0
	s.Kinship.asked = s.Kinship.asked || on
	s.Unlist()
}

// kin has the facts on a thread as one of several that are alike.
type kin struct {
	// group is the first of them, 0 if it is alone; next is the one after it, which it
	// keeps from beginning.
	group, next trace.TID
	// acted: it has taken a step that other threads could observe. reached: its memory was reached by
	// another way than its own stack pointer.
	acted, held, reached bool
	// Of their creator: latest is the thread that it created last, with nothing since that other
	// threads can observe. It has joined some threads of the group joining, and not all.
	latest, joining trace.TID
}

// Kinship has the facts that executions have shown of threads that are alike. It only grows.
type Kinship struct {
	in       *present
	stacks   *Stacks
	learning *learning
	attempt  *attempt
	anyReady func() bool // a thread can run
	on       bool        // threads that are alike begin in the order of their creation
	turns    bool        // they did in the search that is over

	codes map[uint64]*static.Code // by function
	asked bool
	why   string // of Facts.Unlike
	most  int    // threads of one group
	// locked are the words of objects that such threads work on, and used those that the
	// step under way has accessed, by address / 8.
	locked map[uint64]bool
	still  map[uint64]bool // words that were read before a thread had begun, by address / 8
	used   []uint64
	memory emu.Range // has all their stacks and control blocks in it
}

func (k *Kinship) unlike(why string) {
	if !k.learning.known.Unlike {
		k.learning.known.Unlike, k.learning.finer, k.why = true, true, why
	}
}

// AlikeText says which threads the latest search that asked took for alike, "" if none asked.
func (k *Kinship) AlikeText() string {
	switch {
	case !k.asked:
		return ""
	case k.learning.known.Unlike:
		return "no threads are taken for interchangeable: " + k.why
	case k.most > 0:
		return fmt.Sprintf("up to %d threads are interchangeable: by their code, and no execution told them apart", k.most)
	}
	for _, entry := range slices.Sorted(maps.Keys(k.codes)) {
		if why := k.codes[entry].Why; why != "" {
			return "no threads are taken for interchangeable: " + why
		}
	}
	return "no threads are taken for interchangeable: none are created in a row with one function and argument"
}

// now reports whether threads that are alike are looked for.
func (k *Kinship) now() bool { return k.on && !k.learning.known.Unlike && !k.learning.known.Native }

// turnByTurn reports whether loops that count are run so: each turn of one is a step, in which threads
// could be told apart. Paths of a search that is over have the steps that it had.
func (k *Kinship) turnByTurn() bool {
	return k.now() || k.turns && !k.learning.known.Unlike && !k.learning.known.Native
}

// hold describes a thread that waits for the one before it to begin.
func (k *Kinship) hold(th *thread, d *trace.Thread) bool {
	if !th.held || !k.now() {
		return false
	}
	d.Status, d.Outcomes = trace.Blocked, 0
	return true
}

// codeOf is static.Alike, remembered.
func (k *Kinship) codeOf(entry uint64) *static.Code {
	c := k.codes[entry]
	if c == nil {
		c = k.in.cfg.Alike(entry)
		if k.codes == nil {
			k.codes, k.locked, k.still = map[uint64]*static.Code{}, map[uint64]bool{}, map[uint64]bool{}
		}
		k.codes[entry] = c
	}
	return c
}

// settle is called at the end of each step.
func (k *Kinship) settle(th edit, tr *trace.Transition) {
	if !k.now() {
		return
	}
	if th.Plain && !th.acted && !k.looksUp(tr) {
		if th.acted = true; th.next != 0 {
			k.in.edit(th.next).held = false
			tr.Frees = th.next
		}
	}
	seen := 0 // accesses
	for i := range tr.Ops {
		op := &tr.Ops[i]
		k.shows(th, int(op.At) > seen)
		seen = int(op.At)
		k.meets(th, op)
	}
	k.shows(th, len(tr.Accesses) > seen)
	k.used = k.used[:0]
	if tr.End == trace.EndProcess || k.most > 0 && tr.End != trace.EndBug && !k.anyReady() {
		k.endsJoining(tr)
	}
}

// looksUp reports whether a step only reads what can't be written, as a table of the dynamic
// linker's. It commutes with everything, as long as that is so (watch): a thread may have
// taken it or not.
func (k *Kinship) looksUp(tr *trace.Transition) bool {
	for i := range tr.Accesses {
		if a := &tr.Accesses[i]; a.IsWrite() || a.Size > 8 || k.in.machine.Prot(a.Addr)&emu.ProtWrite != 0 || k.in.machine.Prot(a.Addr+7)&emu.ProtWrite != 0 {
			return false
		}
	}
	if len(tr.Ops) > 0 || tr.End != trace.EndPoint {
		return false
	}
	for i := range tr.Accesses {
		k.still[tr.Accesses[i].Addr/8], k.still[(tr.Accesses[i].Addr+7)/8] = true, true
	}
	return true
}

// shows notes that a thread did what other threads can observe.
func (k *Kinship) shows(th edit, did bool) {
	if did {
		th.latest = 0
		if th.joining != 0 {
			k.unlike("their creator does more between their joins")
		}
	}
}

// meets takes in an operation of a thread.
func (k *Kinship) meets(th edit, op *trace.Op) {
	switch op.Kind {
	case trace.OpCreate:
		child := trace.TID(op.Obj)
		before := th.latest
		k.shows(th, true)
		if th.latest = child; before != 0 {
			k.bind(k.in.edit(before), k.in.edit(child))
		}
		return
	case trace.OpJoin:
		if j := &k.in.threads[op.Obj]; j.group != 0 {
			k.joins(th, j)
			return
		}
	case trace.OpTryJoin, trace.OpTryJoinFail, trace.OpDetach, trace.OpCancel, trace.OpPost, trace.OpName:
		if op.Obj < uint64(len(k.in.threads)) && k.in.threads[op.Obj].group != 0 { // else there is no such thread
			k.unlike("one of them alone is detached, signalled, named, or asked whether it lives")
		}
	case trace.OpAdvance:
		if k.most > 0 {
			k.unlike("a timed wait runs out")
		}
	default:
		if th.group != 0 && op.Size != 0 {
			k.locks(op.Obj, uint64(op.Size))
		}
	}
	k.shows(th, true)
}

// bind makes two threads alike if they are.
func (k *Kinship) bind(a, b edit) {
	if !a.Plain || !b.Plain || a.Entry != b.Entry || a.Argument != b.Argument || a.reached || b.reached {
		return
	}
	if a.group == 0 {
		a.group = a.ID
	}
	b.group = a.group
	a.next = b.ID
	b.held = !a.acted
	n := 0
	for i := range k.in.threads {
		if k.in.threads[i].Exists && k.in.threads[i].group == a.group {
			n++
		}
	}
	k.most = max(k.most, n)
}

// bear is called where a thread is created, before it runs. If others may be like it, its
// memory is watched, with the control block.
func (k *Kinship) bear(th edit) {
	th.Plain = th.Plain && th.OwnStack && k.now() && k.codeOf(th.Entry).Why == ""
	if !th.Plain {
		return
	}
	r, m := k.ownMemory(th.thread), &k.memory
	if m.Hi == 0 {
		*m = r
	}
	*m = emu.Range{Lo: min(m.Lo, r.Lo), Hi: max(m.Hi, r.Hi)}
}

// watches reports whether all accesses are looked at: there is a thread that others may be like.
func (k *Kinship) watches() bool {
	if !k.now() || k.attempt.probing || k.attempt.scouting || k.attempt.trying {
		return false
	}
	for i := range k.in.threads {
		if k.in.threads[i].Exists && k.in.threads[i].Plain {
			return true
		}
	}
	return false
}

func (k *Kinship) ownMemory(th *thread) emu.Range {
	return emu.Range{Lo: k.stacks.mappingStart(th.Stack - 1), Hi: k.stacks.mappingEnd(th.Self)}
}

// joins takes in a join of thread j, which is like others.
func (k *Kinship) joins(th edit, j *thread) {
	switch {
	case th.ID != j.Parent:
		k.unlike("another thread than their creator joins them")
	case j.Asked:
		k.unlike("their results are taken")
	case th.joining != 0 && th.joining != j.group:
		k.unlike("their creator does more between their joins")
	}
	th.latest, th.joining = 0, 0
	for i := range k.in.threads {
		if o := &k.in.threads[i]; o.Exists && o.group == j.group && !o.Joined {
			th.joining = j.group
		}
	}
}

// endsJoining is called where an execution ends: does a thread stand between joins, or wait
// to begin?
func (k *Kinship) endsJoining(tr *trace.Transition) {
	for i := range k.in.threads {
		th := &k.in.threads[i]
		if !th.Exists || !th.Live() {
			continue
		}
		op := trace.Op{}
		if th.Stand == StandOp {
			op = k.in.lib.PendingOp(th.ID)
		}
		if th.held && tr.End != trace.EndProcess {
			k.unlike("an execution ends before all of them have begun")
		}
		if th.joining != 0 || op.Kind == trace.OpJoin && int(op.Obj) < len(k.in.threads) && k.in.threads[op.Obj].group != 0 {
			k.unlike("an execution ends before all of them are joined")
		}
	}
}

// locks notes an object that threads work on which are alike.
func (k *Kinship) locks(addr, size uint64) {
	for w := addr / 8; w <= (addr+size-1)/8; w++ {
		k.locked[w] = true
		if slices.Contains(k.used, w) {
			k.unlike("a lock's bytes are accessed")
		}
	}
}

// watch looks at the accesses of a run, and appends those to dst that aren't to memory
// which no other thread has touched.
func (k *Kinship) watch(th *thread, made, dst []trace.Access) []trace.Access {
	for i := range made {
		a := &made[i]
		if a.Flags&emu.Private == 0 {
			dst = append(dst, *a)
		}
		if a.Addr < k.memory.Hi && k.memory.Lo < a.Addr+uint64(a.Size) && k.reaches(th, a) {
			continue
		}
		for w := a.Addr / 8; w <= (a.Addr+uint64(a.Size)-1)/8; w++ {
			if k.used = append(k.used, w); k.locked[w] {
				k.unlike("a lock's bytes are accessed")
			}
			if a.IsWrite() && k.still[w] {
				k.unlike("what couldn't be written when they began is written")
			}
		}
	}
	return dst
}

// reaches takes in an access to what may be the memory of one of several that are alike. It
// reports whether it is the thread's own, by its stack pointer.
func (k *Kinship) reaches(th *thread, a *trace.Access) bool {
	for i := range k.in.threads {
		o := &k.in.threads[i]
		if !o.Exists || !o.Plain {
			continue
		}
		if r := k.ownMemory(o); a.Addr >= r.Hi || r.Lo >= a.Addr+uint64(a.Size) {
			continue
		}
		if o == th && k.codeOf(th.Entry).Stack[a.PC] {
			return true
		}
		if k.in.edit(o.ID).reached = true; o.group != 0 {
			k.unlike("the stack of one of them is reached by another way than its stack pointer")
		}
	}
	return false
}
