package race

import (
	"cmp"
	"maps"
	"slices"

	"landgo/internal/trace"
)

// Triangular looks for triangular races: Owens, "Reasoning about the implementation of
// concurrency abstractions on x86-TSO", ECOOP 2010, §4. A program none of whose
// sequentially consistent executions has one behaves the same on x86-TSO, where each
// processor has a store buffer. So a search under sequential consistency that meets none
// has searched x86-TSO.
//
// A triangular race is, in an execution:
//
//   - a plain load r by thread t and a store w to the same bytes by thread u. They are adjacent
//     up to the order of independent events (a race: either could have come first).
//   - a plain store s by t to memory that threads share, before r in program order, with
//     nothing between that drains t's store buffer. (Owens: a write to another address.)
//
// w may be a locked instruction's. r may not: such a load waits for the buffer. Of
// several stores, s is the last one. Two conditions make this sharper than Owens':
//
//   - s doesn't cover all bytes that r and w have in common. If it does, r takes these
//     from t's buffer as long as s is in it, whatever w does. It has to be the last store:
//     an older one may have left the buffer with s still there.
//   - s isn't ordered before w by what lies between. If u has seen s, s had left the
//     buffer before w.
//
// Both keep the theorem. Take a program that isn't robust. By Bouajjani, Meyer and
// Möhlmann, "Deciding Robustness against Total Store Ordering", ICALP 2011, Theorem 1, it
// has an execution in which one thread t alone delays stores. There s is buffered, and r
// reads from memory past it. A chain of dependences leads from r over its first event w, of
// another thread, to an event that conflicts with s and comes before s reaches memory. All
// that w depends on came without s and without t's later stores, which are behind it. So it
// can be run before s, and then s at once, t's events up to r, and w beside r. That is an
// execution without a delay, with this race in it. (Should w depend on one of t's loads
// after s, that load is the r of a shorter chain.) Only what w itself reads of t's buffered
// stores can differ, and only of a compare-and-exchange. One that finds such a store and
// fails counts as a store beside r. internal/litmus checks the condition, and each of its
// parts, against x86-TSO itself.
//
// One execution of each Mazurkiewicz trace will do: adjacency and program order are the
// same in all of them. A race in a prefix is one in each execution that goes on from it.
// With Unordered, one of each class in which stores have no order will do: what isn't
// ordered there isn't in any of its traces. So every search that runs each trace meets each
// race. A search that leaves an execution for a state that it was in before doesn't, nor do
// samples.
//
// An order that isn't there would hide a race, so an operation on an object orders as in mode HB
// only, and accesses as in mode Adjacent. A missing order adds a race that is reported and isn't
// one.
type Triangular struct {
	order
	asleep
	cfg      TriangularConfig
	cells    map[uint64]*triCell
	recent   [64]recentCell // some of cells
	visits   []triVisit
	objs     map[uint64]*triObject
	lately   [64]*triObject    // some of objs, nil for none
	stored   bool              // the step under way has stored since its last operation that drains
	step     *trace.Transition // under way
	began    uint32            // the time of the thread under way, before its step
	found    map[triangle]*Triangle
	sorted   []*Triangle     // Found's, nil if it is to be made again
	stores   map[uint64]bool // the instructions of plain stores, never forgotten
	known    [64]uint64      // some of them
	crossed  []Pair          // stores that met in the last step without an order, with Unordered
	contacts []contact       // what the access under way conflicts with, and doesn't come after yet
}

// TriangularConfig is the input of a Triangular.
type TriangularConfig struct {
	// Coarse: a step may have several accesses, and leaves out those that it repeats.
	Coarse bool
	// Unordered: the search runs one order of stores of the same bytes, unless they are read,
	// so that none counts.
	Unordered bool
	// Word reports whether an address is that of a kernel's own state. Kernels change it
	// under locks.
	Word func(addr uint64) bool
	// Clock reports whether an address is that of a clock: a look at it empties no buffer, and
	// orders nothing.
	Clock func(addr uint64) bool

	fault triFault // a test of the tests leaves a rule out
}

// triFault is a rule that a mutant of the watch leaves out.
type triFault uint8

const (
	ignoreLockedStores triFault = iota + 1 // a locked instruction's store makes no race
	anyCover                               // any store of t's that covers the bytes will do
	wholeAddresses                         // accesses that overlap in part don't meet
	storesDrain                            // the last store only counts if nothing was stored before it
	lookAhead                              // what w itself conflicts with counts as before it
	failedLoads                            // a compare-and-exchange that failed makes no race
	lastFound                              // one that finds an older store than the last one makes none
	numTriFaults
)

// Triangle is a triangular race.
type Triangle struct {
	// Store may still be in its thread's store buffer when Load, of the same thread, reads
	// what Racing, of another thread, stores. Where Load is of 0 bytes it is no load: a call
	// of the object there, which is to be linearizable, begins or ends then.
	Store, Load, Racing Access
}

// triangle tells triangular races apart: by their instructions.
type triangle struct{ store, load, racing uint64 }

// triVisit is an access in an execution. Number 0 is none.
type triVisit struct {
	Access
	failed bool // a compare-and-exchange that failed
	blend  trace.Blend
	time   uint32
	before int32 // its thread's clock without what the access itself comes after
	clock  int32 // the same with that
	store  int32 // the visit of its thread's last store before that may be buffered, 0 for none
}

// triCell has the last accesses of a granule, by thread, bytes and kind.
type triCell struct {
	all    []triPlace
	object bool // an operation's object lies here
	guard  int32
	loads  bool // a load that may be of a race was made here (triangularguard.go)
}

type recentCell struct {
	granule uint64
	cell    *triCell
}

type triPlace struct {
	thread trace.TID
	mask   uint8
	write  bool
	failed bool // a compare-and-exchange that failed
	blend  trace.Blend
	last   int32 // slot: its last visit
}

// triObject has the last operations on an object, by thread.
type triObject struct {
	addr uint64
	all  []triPlace // write: it changed the object; else it looked, with a plain load
}

type contact struct {
	visit   int32
	granule uint64
	mask    uint8
}

// NewTriangular returns a watch at the start of an execution.
func NewTriangular(cfg TriangularConfig) *Triangular {
	return &Triangular{order: newOrder(false), cfg: cfg, cells: map[uint64]*triCell{}, objs: map[uint64]*triObject{},
		visits: make([]triVisit, 1), found: map[triangle]*Triangle{}, stores: map[uint64]bool{},
		asleep: asleep{sleeps: !cfg.Unordered}} // Crossed has to be known from the start
}

// Mark remembers the present state. Marks nest like a stack.
func (d *Triangular) Mark() int {
	if d.sleeps {
		d.asleep.marks = append(d.asleep.marks, len(d.path))
	}
	return d.mark(len(d.visits), 0)
}

// Rewind comes back to a mark, and forgets all later ones.
func (d *Triangular) Rewind(k int) {
	d.visits = d.visits[:d.rewind(k).visits]
	if d.sleeps {
		d.asleep.marks = d.asleep.marks[:k+1]
		d.path = d.path[:d.asleep.marks[k]]
	}
}

// Forget forgets what was found.
func (d *Triangular) Forget() {
	clear(d.found)
	d.sorted = nil
}

// Found lists the races, by their instructions, each once.
func (d *Triangular) Found() []*Triangle {
	if d.sorted == nil {
		for _, x := range d.found {
			d.sorted = append(d.sorted, x)
		}
		slices.SortFunc(d.sorted, func(a, b *Triangle) int {
			return cmp.Or(cmp.Compare(a.Load.PC, b.Load.PC), cmp.Compare(a.Store.PC, b.Store.PC), cmp.Compare(a.Racing.PC, b.Racing.PC))
		})
	}
	return d.sorted
}

// Stores lists the instructions of plain stores that were met, ascending.
func (d *Triangular) Stores() []uint64 { return slices.Sorted(maps.Keys(d.stores)) }

// AddStores adds those that another watch has met.
func (d *Triangular) AddStores(all []uint64) {
	for _, pc := range all {
		d.stores[pc] = true
	}
}

// Add adds a race that another watch has found.
func (d *Triangular) Add(x Triangle) {
	key := triangle{x.Store.PC, x.Load.PC, x.Racing.PC}
	if old := d.found[key]; old != nil && old.less(&x) {
		return
	}
	d.found[key] = &x
	d.sorted = nil
}

// less orders sightings of the same instructions, so that what is shown doesn't depend on
// what was met first.
func (x *Triangle) less(y *Triangle) bool {
	return cmp.Or(cmp.Compare(x.Load.Thread, y.Load.Thread), cmp.Compare(x.Racing.Thread, y.Racing.Thread),
		cmp.Compare(x.Load.Addr, y.Load.Addr), cmp.Compare(x.Store.Addr, y.Store.Addr)) <= 0
}

// Crossed are the instructions of stores that met in the last step, with Unordered: nothing that
// the threads did orders them, and the search doesn't run the other order.
func (d *Triangular) Crossed() []Pair { return d.crossed }

// Step watches one transition, which has to stay as it is until it is taken back.
func (d *Triangular) Step(t *trace.Transition) {
	for d.sleeps {
		if !d.doze(t) {
			d.path = append(d.path, t)
			return
		}
		d.wake()
	}
	d.stored, d.step, d.crossed = false, t, d.crossed[:0]
	if len(t.Ops) == 0 && len(t.Wakes) == 0 && len(t.Tails) == 0 {
		d.ensure(t.Thread)
		d.until(len(t.Accesses), 0, d.fences(t, 0, 0))
		return
	}
	d.ensureAll(t)
	d.tick(t.Thread)
	d.began = d.now(t.Thread)
	next, fence, woke := 0, 0, int32(-1)
	for i := range t.Ops {
		o := &t.Ops[i]
		n := min(int(o.At), len(t.Accesses))
		next, fence = d.until(n, next, fence)
		// It isn't known whether a fence or an operation at one place came first. The
		// operation finds the buffer as it was before the fence, and leaves it as after.
		by := t.DidBy(i)
		d.looks(by, o)
		d.calls(by, o)
		fence = d.fences(t, fence, next)
		d.effect(by, o)
		if d.synchronise(by, o) {
			woke = d.clockOf(by)
			d.tick(by)
		}
	}
	next, fence = d.until(len(t.Accesses), next, fence)
	d.fences(t, fence, next)
	d.woken(t, woke)
}

// until watches the step's accesses from number next up to number n, and the fences
// between them from number fence on.
func (d *Triangular) until(n, next, fence int) (int, int) {
	t := d.step
	for ; next < n; next++ {
		fence = d.fences(t, fence, next)
		d.access(t.By(next), &t.Accesses[next])
	}
	if n == len(t.Accesses) {
		fence = d.fences(t, fence, n)
	}
	return next, fence
}

// changesKernel reports whether the step under way changes a kernel's state.
func (d *Triangular) changesKernel() bool {
	return slices.ContainsFunc(d.step.Accesses, func(a trace.Access) bool { return a.IsWrite() && d.cfg.Word(a.Addr) })
}

// fences takes in the fences before the n-th access, from number fence on.
func (d *Triangular) fences(t *trace.Transition, fence, n int) int {
	for ; fence < len(t.Fences) && int(t.Fences[fence]) <= n; fence++ {
		d.drain(t.Thread)
	}
	return fence
}

// drain empties a thread's buffer by an instruction. Behind one in a coarse step there may be a
// store that isn't on record, because it was made before.
func (d *Triangular) drain(t trace.TID) {
	if !d.cfg.Coarse || !d.stored {
		d.set(d.threads[t].store, 0)
	}
}

// access watches one access.
func (d *Triangular) access(t trace.TID, a *trace.Access) {
	lo, hi := a.Counted()
	if d.passes(lo, hi) {
		return
	}
	locked := d.isLocked(a)
	if locked {
		d.drain(t)
	}
	th := &d.threads[t]
	at := int32(len(d.visits))
	before := d.clockOf(t)
	d.visits = append(d.visits, triVisit{time: d.at(before, t) + 1, before: before, failed: a.Flags&trace.FailedCAS != 0, blend: a.Blends(),
		Access: Access{Thread: t, PC: a.PC, Addr: lo, Size: uint32(hi - lo), Write: a.IsWrite(), Insn: a.Insn}})
	v := &d.visits[at]
	if d.cfg.Unordered && a.Flags&(trace.Write|trace.RMW) == trace.Write {
		v.blend = trace.BlendStore
	}
	if d.cfg.fault == ignoreLockedStores && locked {
		v.Write = false
	}
	word := d.isWord(lo)
	if !locked && !(word && (v.Write || d.changesKernel())) {
		v.store = d.slots[th.store]
	}
	d.contacts = d.contacts[:0]
	for g := lo &^ 7; g < hi; g += 8 {
		c := d.cell(g)
		d.meet(v, c, g, trace.GranuleMask(g, lo, hi), at)
		if c.object && !v.Write && v.store != 0 {
			d.besideObject(v, g)
		}
	}
	v.clock = d.after(v)
	d.set(th.clock, v.clock)
	d.set(th.time, int32(v.time))
	d.judge(v)
	switch {
	case locked:
		d.drain(t)
	case v.Write && !word && d.cfg.fault == storesDrain && d.slots[th.store] != 0:
		d.set(th.store, 0)
	case v.Write && !word:
		d.buffered(th.store, at, a.PC)
	}
}

// passes reports whether an access of bytes from lo to hi is none to the watch.
func (d *Triangular) passes(lo, hi uint64) bool {
	return lo == hi || d.cfg.Clock != nil && d.cfg.Clock(lo)
}

// isLocked reports whether an access waits for its thread's buffer. The C library works on
// what it keeps in order by itself under a lock of its own. A kernel looks at some of its state
// without one, and at a futex's word by a plain load: an operation says if it takes a lock then.
func (d *Triangular) isLocked(a *trace.Access) bool {
	return a.Flags&trace.Atomic != 0 && (a.IsWrite() || a.Flags&(trace.RMW|trace.FailedCAS) != 0) || a.Flags&trace.Library != 0 && !d.isWord(a.Addr)
}

func (d *Triangular) isWord(addr uint64) bool { return d.cfg.Word != nil && d.cfg.Word(addr) }

// buffered notes that the plain store at visit n, of the instruction at pc, may be in the buffer
// that has the slot.
func (d *Triangular) buffered(slot, n int32, pc uint64) {
	d.set(slot, n)
	d.stored = true
	if known := &d.known[pc%uint64(len(d.known))]; *known != pc {
		*known = pc
		d.stores[pc] = true
	}
}

// after is the clock of a thread after access v: it comes after what v conflicts with.
func (d *Triangular) after(v *triVisit) int32 {
	clock := d.with(v.before, v.Thread, v.time)
	for _, m := range d.contacts {
		o := &d.visits[m.visit]
		if !v.Write && !o.Write || d.at(clock, o.Thread) >= o.time {
			continue
		}
		if d.span != 0 {
			clock = d.joined(clock, o.clock)
			continue
		}
		row := d.row(clock) // that is this access's yet
		for i, n := range d.row(o.clock) {
			row[i] = max(row[i], n)
		}
	}
	return clock
}

func (d *Triangular) cell(granule uint64) *triCell {
	recent := &d.recent[granule>>3%uint64(len(d.recent))]
	if recent.cell != nil && recent.granule == granule {
		return recent.cell
	}
	c := d.cells[granule]
	if c == nil {
		c = &triCell{}
		d.cells[granule] = c
	}
	recent.granule, recent.cell = granule, c
	return c
}

// meet notes what an access to bytes of a granule conflicts with and isn't ordered after, and
// that the granule's last access of its kind is visit at.
func (d *Triangular) meet(v *triVisit, c *triCell, g uint64, m uint8, at int32) {
	own := int32(0)
	for i := range c.all {
		p := &c.all[i]
		if p.thread == v.Thread {
			if p.mask == m && p.write == v.Write && p.failed == v.failed && p.blend == v.blend {
				own = p.last
			}
			continue
		}
		if !v.Write && !p.write && v.failed == p.failed || p.mask&m == 0 {
			continue
		}
		if v.blend.Commutes(p.blend) && p.mask == m {
			if n := d.slots[p.last]; d.cfg.Unordered && n != 0 && d.at(v.before, p.thread) < d.visits[n].time {
				d.crossed = append(d.crossed, Pair{min(v.PC, d.visits[n].PC), max(v.PC, d.visits[n].PC)})
			}
			continue // the search runs one order of the two (trace.Blend)
		}
		if d.cfg.fault == wholeAddresses && p.mask != m {
			continue
		}
		n := d.slots[p.last]
		if n != 0 && d.at(v.before, p.thread) < d.visits[n].time {
			d.contacts = append(d.contacts, contact{n, g, p.mask & m})
		}
	}
	if own == 0 {
		own = d.newSlots(1)
		c.all = append(c.all, triPlace{v.Thread, m, v.Write, v.failed, v.blend, own})
	}
	d.set(own, at)
}
