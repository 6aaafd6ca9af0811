package linux

import (
	"math/bits"

	"landgo/emu"
	"landgo/internal/trace"
	"landgo/kernel"
)

// Flags of clone.
const (
	cloneVM            = 0x100
	cloneFS            = 0x200
	cloneFiles         = 0x400
	cloneSighand       = 0x800
	cloneThread        = 0x10000
	cloneSysvsem       = 0x40000
	cloneSettls        = 0x80000
	cloneParentSettid  = 0x100000
	cloneChildCleartid = 0x200000
	cloneDetached      = 0x400000 // no effect
	cloneChildSettid   = 0x1000000

	// A thread shares all of these with its creator.
	cloneShared  = cloneVM | cloneFS | cloneFiles | cloneSighand | cloneThread
	cloneAllowed = cloneSysvsem | cloneSettls | cloneParentSettid | cloneChildCleartid | cloneDetached | cloneChildSettid
)

// cloneArgs are clone's arguments, in the order of none of its three forms.
type cloneArgs struct {
	flags               uint64
	stack               uint64 // its upper end; 0: the creator's stack pointer
	parentTID, childTID uint64
	tls                 uint64
	size                uint64 // of clone3's structure
	exitSignal          uint64
	other               bool // clone3: a field that isn't modelled is set
}

const (
	clone3MinSize = 64
	clone3MaxSize = 88
)

func (c *call) cloneArgs() cloneArgs {
	if c.nr == sysClone {
		return cloneArgs{flags: c.a[0] &^ 0xff, exitSignal: c.a[0] & 0xff, stack: c.a[1],
			parentTID: c.a[2], childTID: c.a[3], tls: c.a[4], size: clone3MinSize}
	}
	m, at := &c.k.log, c.a[0]
	if c.a[1] < clone3MinSize || c.a[1] > clone3MaxSize || !c.k.user.canRead(at, c.a[1]) {
		return cloneArgs{}
	}
	a := cloneArgs{flags: m.Read64(at), childTID: m.Read64(at + 16), parentTID: m.Read64(at + 24),
		exitSignal: m.Read64(at + 32), tls: m.Read64(at + 56), size: c.a[1]}
	if base := m.Read64(at + 40); base != 0 {
		a.stack = base + m.Read64(at+48)
	}
	for off := uint64(64); off+8 <= c.a[1]; off += 8 { // set_tid, set_tid_size, cgroup
		a.other = a.other || m.Read64(at+off) != 0
	}
	return a
}

func planClone(c *call, p *kernel.Plan) {
	a := c.cloneArgs()
	switch {
	case a.size == 0:
		return // fails: no thread can tell
	case a.flags&cloneThread == 0:
		invalid(p, "a new process ("+p.Name+" without CLONE_THREAD: fork, system, posix_spawn) is not modelled: "+noProcess)
		return
	case a.flags&cloneShared != cloneShared || a.flags&^(cloneShared|cloneAllowed) != 0 || a.exitSignal != 0 || a.other:
		invalid(p, hexReason(p.Name+" with flags %#x is not modelled", a.flags))
		return
	}
	child, err := c.k.roster.child(c.t)
	if err != nil {
		beyond(p, kernel.GapThreads, err.Error())
		return
	}
	c.event(p, trace.Op{Kind: trace.OpCreate, Obj: uint64(child.id)})
}

func doClone(c *call, o *kernel.Outcome) uint64 {
	k := c.k
	a := c.cloneArgs()
	if a.size == 0 {
		return einval
	}
	child, err := k.roster.child(c.t)
	if err != nil {
		o.Invalid, o.Gap = err.Error(), kernel.GapThreads
		return 0
	}
	c.set(&c.t.children, c.get(&c.t.children)+1)
	k.roster.start(child, c.t)
	// A new thread looks at its signals (calculate_sigpending).
	if open := ^(c.get(&c.t.blocked) | bit(firstRealTime) | bit(firstRealTime+1) | bit(firstRealTime+2)); open != 0 && c.get(&k.signals.pending)&open != 0 {
		k.log.InitBit(&child.told, true)
		c.op(c.posts(child, uint64(bits.TrailingZeros64(c.get(&k.signals.pending)&open))+1))
		o.Posts = true
	}
	k.log.Init(&child.stack, a.stack)
	if a.flags&cloneChildCleartid != 0 {
		k.log.Init(&child.clearTID, a.childTID)
	}
	if a.flags&cloneParentSettid != 0 && k.user.canWrite(a.parentTID, 4) {
		k.log.Write32(a.parentTID, uint32(child.number))
	}
	k.spawn = kernel.Spawn{Child: child.id, Regs: c.childRegs(a)}
	if a.flags&cloneChildSettid != 0 && a.childTID != 0 {
		k.log.Init(&child.beginsAt, a.childTID)
		k.spawn.Regs.RAX, k.spawn.Regs.RIP = sysBegin, c.pc
	}
	o.Spawn = &k.spawn
	return child.number
}

// sysBegin is no call of a guest's: a thread that has a word for its number (CLONE_CHILD_SETTID)
// begins with it, for Linux has the thread itself write that (schedule_tail). Its creator may see
// the word as it was.
const sysBegin = 0x2c676f02

var beginRow = row{"the beginning of a thread", nil, doBegin}

func doBegin(c *call, o *kernel.Outcome) uint64 {
	at := c.get(&c.t.beginsAt)
	c.set(&c.t.beginsAt, 0)
	if c.k.user.canWrite(at, 4) {
		c.k.log.Write32(at, uint32(c.t.number))
	}
	return 0
}

func (c *call) childRegs(a cloneArgs) emu.Regs {
	r := *c.regs
	r.RAX = 0
	if a.stack != 0 {
		r.RSP = a.stack
	}
	if a.flags&cloneSettls != 0 {
		r.FSBase = a.tls
	}
	return r
}

// start gives a child the state in which every thread begins. Its creation comes
// before all that looks at that; that it is there now is the list's.
func (r *roster) start(t, creator *thread) {
	r.log.Set(&r.list, 0)
	r.log.Init(&r.live, r.live.Peek()+1)
	r.log.Init(&r.born, r.born.Peek()+1)
	r.log.Init(&t.serial, r.born.Peek())
	r.log.Init(&t.alive, 1)
	r.log.Init(&t.blocked, r.log.Get(&creator.blocked))
	r.log.Init(&t.wait.deadline, noDeadline)
	for i := range t.name {
		r.log.Init(&t.name[i], r.log.Get(&creator.name[i]))
	}
	t.traits.inherit(r.log, &creator.traits)
}

func doSetTIDAddress(c *call, o *kernel.Outcome) uint64 {
	c.set(&c.t.clearTID, c.a[0])
	return c.t.number
}

func doGettid(c *call, o *kernel.Outcome) uint64 { return c.t.number }

// doGetpid: the process has its first thread's number.
func doGetpid(c *call, o *kernel.Outcome) uint64 { return firstNumber }
