package race

import (
	"landgo/internal/trace"
)

// Mode is a definition of order.
type Mode uint8

const (
	HB Mode = iota
	Limited
	Adjacent
)

// Config is the input of a Detector.
type Config struct {
	Mode Mode
	// Fine: there is a preemption point before every access that counts, also
	// where a step has several. Else a step's first event alone has one.
	Fine bool
	// Atomic, if not nil, says whether the instruction at pc accesses, at an
	// address, an object that is declared as atomic. A race of two such
	// accesses is of Kind Sync, even if the compiler makes plain instructions
	// of them. A plain load then acquires the releases of locked instructions:
	// compilers make such loads of sequentially consistent ones. a plain store
	// may be relaxed, and releases nothing.
	Atomic func(pc, addr uint64) Atomicity
	// Stores: some plain stores release, too. These are to an object that is declared as
	// atomic, or to bytes that locked instructions access (a lock word that is set back). As
	// the code was compiled, what comes before it is done before it. In C that is so only of a
	// store that isn't relaxed.
	Stores bool
	// Library, if not nil, reports whether the instruction at pc, which accesses an
	// address, is one of the C library's own synchronisation, where that is executed: it
	// counts as locked.
	Library func(pc, addr uint64) bool
	// Held, if not nil, reports whether the store to an address by the instruction at pc is still
	// in its thread's store buffer. Then what has come after it came first in memory.
	Held func(t trace.TID, pc, addr uint64) bool
}

// Atomicity is the knowledge of an access's meaning to the program.
type Atomicity uint8

const (
	Plain Atomicity = iota
	// Perhaps: it is to a block of the heap whose type can't be told, and a type
	// of its size has something atomic there.
	Perhaps
	Declared
)

// recentSites begins with fewest and grows to most, as powers of two: a job of a deepening has a few sites.
const (
	fewestRecent = 4
	mostRecent   = 12
)

// A Detector watches one exploration. Use New.
type Detector struct {
	order
	cfg Config

	cells  map[uint64]*cell // by 8-byte granule
	sites  []*site          // of all cells
	owners []*site          // by slot of a last visit
	known  map[siteKey]*site
	// recentSites has some of them.
	recentSites []*site
	visits      []visit // appended to, cut by Rewind
	sets        locksets
	steps       int32

	found   map[Pair]*Candidate
	listed  []*Candidate
	place   map[*Candidate]int // in listed
	changed []int
	news    []int

	hit   []touched    // the sites of the access under way
	polls *trace.Polls // those that it belongs to; else nil
	past  bool         // as it could have come before earlier steps, and no more
}

// New returns a detector at the start of an execution.
func New(cfg Config) *Detector {
	d := &Detector{order: newOrder(cfg.Mode != Adjacent), cfg: cfg, cells: map[uint64]*cell{}, known: map[siteKey]*site{}, found: map[Pair]*Candidate{}, place: map[*Candidate]int{}}
	d.visits, d.recentSites = make([]visit, 1), make([]*site, 1<<fewestRecent)
	d.sets.init()
	return d
}

// Mark remembers the present state. Marks nest like a stack.
func (d *Detector) Mark() int { return d.mark(len(d.visits), d.steps) }

// Rewind comes back to a mark, and forgets all later ones.
func (d *Detector) Rewind(k int) {
	m := d.rewind(k)
	d.visits, d.steps = d.visits[:m.visits], m.steps
}

// Forget forgets the candidates.
func (d *Detector) Forget() {
	d.found, d.listed, d.place = map[Pair]*Candidate{}, nil, map[*Candidate]int{}
	d.begin()
	for _, s := range d.sites {
		s.forget()
	}
}

// Step watches one transition: its accesses and operations in the order in
// which they were made (Op.At).
func (d *Detector) Step(t *trace.Transition) {
	d.begin()
	d.ensureAll(t)
	next := 0
	woke := int32(-1)
	for i := range t.Ops {
		o := &t.Ops[i]
		for ; next < min(int(o.At), len(t.Accesses)); next++ {
			d.access(t.By(next), &t.Accesses[next], begins(t, next, i))
		}
		by := t.DidBy(i)
		if d.operation(by, o, next+i == 0) {
			woke = d.clockOf(by)
			d.tick(by)
		}
	}
	for ; next < len(t.Accesses); next++ {
		d.access(t.By(next), &t.Accesses[next], begins(t, next, len(t.Ops)))
	}
	d.woken(t, woke)
	d.steps++
}

// Poll watches accesses that no step of the search makes. They order nothing behind them.
func (d *Detector) Poll(p *trace.Polls) {
	if d.cfg.Mode == Adjacent {
		return // they are run
	}
	d.ensure(p.Thread)
	th := d.threads[p.Thread]
	clock, n := d.slots[th.clock], len(p.Accesses)
	d.polls = p
	// each has the accesses from the i-th on. None orders another one.
	each := func(i int, clock int32) {
		for ; i < n; i++ {
			d.set(th.clock, clock)
			d.access(p.Thread, &p.Accesses[i], true)
		}
	}
	d.past = true
	each(0, clock)
	d.past = false
	if p.Came {
		d.set(th.polled, 0)
	} else if tried := d.slots[th.polled]; tried != 0 {
		each(1, tried-1)
	}
	if d.set(th.clock, clock); !p.Past {
		for i := range p.Accesses {
			d.access(p.Thread, &p.Accesses[i], true)
		}
		d.set(th.polled, d.slots[th.clock]+1)
	}
	d.set(th.clock, clock)
	d.polls = nil
}

// begins reports whether a transition begins with its n-th access, before which it has this many
// operations. All that comes before is of the same call, and one event.
func begins(t *trace.Transition, n, ops int) bool {
	pc := t.Accesses[n].PC
	if n > 0 && !(t.Loose && t.Accesses[0].PC == pc) {
		return false
	}
	for i := range t.Ops[:ops] {
		if t.Ops[i].PC-1 != pc { // an operation has the call's end
			return false
		}
	}
	return true
}
