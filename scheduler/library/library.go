package library

import (
	"sync"

	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Config says how functions are carried out, beside the System's Config.
type Config struct {
	// AnyTimeout: a timed wait may run out at any time, not only when no other thread
	// can run.
	AnyTimeout bool
	// Trusted, where the guest's own library is tested, are the roles whose functions are
	// trusted all the same; nil: none. The System's Config has Guarded then.
	Trusted *[profile.NumRoles]bool
	// Counted are the roles whose functions' calls are counted (entered.go); nil: none.
	Counted *[profile.NumRoles]bool
	// Profile, with Trusted, is where the sizes of the library's objects may be.
	Profile *profile.Profile
	// Native leaves threads and locks to the guest's own code from the start.
	Native bool
	// OrderedOutput: the order in which threads print is explored, also where the
	// C library buffers it.
	OrderedOutput bool
	// NoMerge switches the merging of lock and unlock with their neighbours
	// off (see lockmerge.go), for differential tests.
	NoMerge bool
}

// New carries out functions of a System's guest, from its Boot on.
func New(core *scheduler.System, opts Config) *Library {
	cfg, img := core.Config(), core.Image()
	g := &guest{
		core: core, cfg: cfg, opts: opts, machine: core.Machine(), image: img, heap: core.Heap(), known: core.Known(),
		libc: img.Libc(), anywhere: img.MayCall("pthread_setcanceltype"), wordSize: img.Machine.Word(),
		roles: map[uint64]profile.Bound{}, spins: map[uint64]bool{}, breaks: map[uint64]breakClass{}, sizes: pthreadSizes,
		overSought: map[uint64]bool{},
	}
	if !cfg.Tested && g.wordSize == 8 {
		g.shapes = libcShapes[g.libc]
	}
	if opts.Trusted != nil {
		g.sizes = trustSizes(img, opts.Profile)
	}
	m := &models{
		guest: g, settled: settled{guarded: map[uint64][]uint64{}},
		path: path{threads: make([]thread, 0, cfg.MaxThreads)},
	}
	c := &calls{guest: g, models: m}
	l := &Library{
		guest: g, models: m, calls: c,
		textCalls:   &textCalls{guest: g, models: m, calls: c, streams: sync.OnceValue(g.findStreams)},
		heapCalls:   &heapCalls{guest: g, models: m, calls: c, lowHeap: kernel.HasLowHeap(img.File), far: map[uint64]trace.TID{}},
		objectCalls: &objectCalls{guest: g, models: m, calls: c, named: &namedSems{guest: g, models: m, calls: c}, rwLocks: &rwLocks{guest: g, models: m, calls: c}},
	}
	l.lives = &threadCalls{guest: g, models: m, calls: c, cells: &l.cells, objects: l.objectCalls, yield: l.Yield}
	l.quiets = &quiets{guest: g, texts: l.textCalls, lives: l.lives}
	l.carried = &carried{guest: g, models: m, calls: c, cells: &l.cells, objects: l.objectCalls, heap: l.heapCalls, quiets: l.quiets, runs: l, yield: l.Yield}
	l.properties = &properties{guest: g, models: m}
	l.endings = &endings{guest: g, models: m, cells: &l.cells, quiets: l.quiets, lives: l.lives, texts: l.textCalls}
	core.Carry(scheduler.Carrier{Keeper: l, Calls: l, Watcher: l, Signals: l, Lives: l, Memory: l, Teller: l, Waits: l})
	return l
}

// Boot implements scheduler.Calls.
func (l *Library) Boot(k kernel.Kernel, roles map[uint64]profile.Bound) {
	l.kernel, l.meant = k, roles
	for addr, b := range roles {
		if l.cfg.Buffers && l.unlocksByStore(b.Role) && !b.Own {
			l.spins[addr] = b.Role == profile.SpinLock
			continue // its own code is run, which leaves the store to the buffer
		}
		l.roles[addr] = b
		l.breakAt(addr, breakRole)
	}
	l.ownDestructors = hasDestructors(l.image)
	_, l.ownAllocator = l.image.Symbol("malloc")
	for _, b := range l.roles {
		l.ownAllocator = l.ownAllocator && (b.Role != profile.Malloc || b.Own)
	}
	l.findEndsCache()
	l.mayLoad = mayLoad(l.image)
	m, named := l.image.Symbol("main")
	linked := l.image.Interpreter() != nil
	if linked {
		l.breakAt(l.image.Entry, breakEntry)
	}
	switch {
	case named && !l.cfg.Tested:
		l.breakAt(m.Addr, breakMain)
	case !linked:
		l.core.Enter()
	}
	if !l.cfg.Tested {
		l.breakStrings()
		if !l.ownAllocator {
			l.breakOperators()
		}
	}
	if l.opts.Native {
		l.distrust()
	}
	if l.carried.carries(profile.Create) {
		l.carried.watch()
	}
	l.ensure(0)
}

// Fell implements scheduler.Calls.
func (l *Library) Fell(t trace.TID, tr *trace.Transition) (bool, error) {
	th := l.edit(t)
	if !l.carried.fallsOff(th) {
		return false, nil
	}
	_, err := l.carried.carry(th, tr)
	return true, err
}

// Accessed implements scheduler.Calls.
func (l *Library) Accessed(t trace.TID, tr *trace.Transition, made []trace.Access, watched bool) {
	th := &l.threads[t]
	for i := range made {
		l.lookPast(th, &made[i])
	}
	if watched {
		l.attribute(th, tr, made)
	}
}

// Digest implements Keeper.
func (l *Library) Digest() trace.Digest {
	sum := l.named.digest()
	sum.Add(l.historyDigest())
	for _, o := range l.objects.All() {
		sum.Add(o.digest())
	}
	return sum
}

// advance lets a thread run on. The next one is another call.
func (l *Library) advance(th *thread, tr *trace.Transition, allow uint32) error {
	l.begins = false
	return l.core.Advance(th.ID, tr, allow)
}

// Running implements scheduler.Teller.
func (l *Library) Running(t trace.TID) (r scheduler.Running) {
	th := &l.threads[t]
	if th.alloc != nil {
		r |= scheduler.RunsFollowed
	}
	q := &th.quiet
	if q.on {
		r |= scheduler.RunsQuiet
		if q.role == profile.Create {
			r |= scheduler.RunsCreate
		} else if l.isQuiet(q.role) {
			r |= scheduler.RunsChecked
		}
		if q.watch {
			r |= scheduler.RunsWatched
		}
		if q.role == profile.Stdio || q.role == profile.StdioInput {
			r |= scheduler.RunsCalls
		}
	}
	if q.own {
		r |= scheduler.RunsStep
	}
	if len(th.inside) > 0 {
		r |= scheduler.RunsTested
	}
	return r
}
