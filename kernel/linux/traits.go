package linux

import (
	"encoding/binary"

	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// A process's traits and its threads': prctl, the processors that a thread may run on, how
// nice it is. None of it makes a difference to when threads run. A value that was set is
// answered later.

// traits are a thread's. A thread has its creator's at first, but for none.
type traits struct {
	nice       effect.Word // -20 to 19
	processors effect.Word // a bit for each
	slack      effect.Word // nanoseconds; and that of a thread that asks for the usual one:
	usual      effect.Word
	locked     effect.Bit  // it can't get new privileges
	death      effect.Word // the signal at its parent's death
}

// There are two processors, whatever the host has.
const (
	processors = 0b11
	timerSlack = 50_000
)

func newTraits(t trace.TID) traits {
	word := func(v uint64) effect.Word { return effect.At(threadWord(t, wordTraits), v) }
	return traits{nice: word(0), processors: word(processors), slack: word(timerSlack), usual: word(timerSlack), locked: effect.Bit{Word: word(0)}, death: word(0)}
}

// inherit gives a new thread its creator's.
func (t *traits) inherit(log *effect.Log, from *traits) {
	log.Init(&t.nice, log.Get(&from.nice))
	log.Init(&t.processors, log.Get(&from.processors))
	log.Init(&t.slack, log.Get(&from.slack))
	log.Init(&t.usual, log.Get(&from.slack))
	log.InitBit(&t.locked, log.Is(&from.locked))
	log.Init(&t.death, 0)
}

// Options of prctl.
const (
	prSetPdeathsig  = 1
	prGetPdeathsig  = 2
	prGetDumpable   = 3
	prSetDumpable   = 4
	prSetName       = 15
	prGetName       = 16
	prSetTimerslack = 29
	prGetTimerslack = 30
	prSetNoNewPrivs = 38
	prGetNoNewPrivs = 39
	prSetVMA        = 0x53564d41

	nameSize = 16
)

func planPrctl(c *call, p *kernel.Plan) {
	switch c.a[0] {
	case prSetName, prGetName, prSetVMA, prSetPdeathsig, prGetPdeathsig, prGetDumpable, prSetDumpable, prSetTimerslack, prGetTimerslack, prSetNoNewPrivs, prGetNoNewPrivs:
	default:
		if !unknownOption(c.a[0]) {
			invalid(p, hexReason("prctl(%d) is not modelled", c.a[0]))
		}
	}
}

// unknownOption reports whether Linux knows no such option of prctl: those that it has are small,
// or their names in letters.
func unknownOption(n uint64) bool { return n > 200 && n < 1<<16 }

func doPrctl(c *call, o *kernel.Outcome) uint64 {
	t, arg := c.t, c.a[1]
	switch c.a[0] {
	case prSetName:
		var b [nameSize]byte
		for i := range uint64(nameSize - 1) { // up to the end of the string, if that comes first
			if !c.k.user.canRead(arg+i, 1) {
				return efault
			}
			if b[i] = c.k.log.Read8(arg + i); b[i] == 0 {
				break
			}
		}
		c.setName(t, b[:])
		return 0
	case prGetName:
		return c.k.user.copyOut(arg, pair(c.get(&t.name[0]), c.get(&t.name[1])))
	case prSetPdeathsig: // the guest's parent lives longer than it
		if arg >= numSignals {
			return einval
		}
		c.set(&t.traits.death, arg)
		return 0
	case prGetPdeathsig:
		return c.k.user.copyOut(arg, binary.LittleEndian.AppendUint32(nil, uint32(c.get(&t.traits.death))))
	case prSetDumpable:
		if arg > 1 {
			return einval
		}
		c.set(&c.k.dumpable, arg)
		return 0
	case prGetDumpable:
		return c.get(&c.k.dumpable)
	case prSetTimerslack:
		if int64(arg) <= 0 {
			arg = c.get(&t.traits.usual)
		}
		c.set(&t.traits.slack, arg)
		return 0
	case prGetTimerslack:
		return c.get(&t.traits.slack)
	case prSetNoNewPrivs:
		if arg != 1 || c.a[2]|c.a[3]|c.a[4] != 0 {
			return einval
		}
		c.k.log.Put(&t.traits.locked, true)
		return 0
	case prGetNoNewPrivs:
		if arg|c.a[2]|c.a[3]|c.a[4] != 0 {
			return einval
		}
		return c.get(&t.traits.locked.Word)
	}
	return einval // PR_SET_VMA: an option of the kernel's build
}

// whose is the thread with a number, the caller for 0, nil for none.
func (c *call) whose(number uint64) *thread {
	if number == 0 {
		return c.t
	}
	return c.k.roster.numbered(number)
}

func doGetaffinity(c *call, o *kernel.Outcome) uint64 {
	t := c.whose(c.a[0] & 0xffffffff)
	switch {
	case c.a[1] < 8 || c.a[1]&7 != 0:
		return einval
	case t == nil:
		return esrch
	case c.k.user.copyOut(c.a[2], pair(c.get(&t.traits.processors), 0)[:8]) != 0:
		return efault
	}
	return 8
}

func doSetaffinity(c *call, o *kernel.Outcome) uint64 {
	if !c.k.user.canRead(c.a[2], min(c.a[1], 8)) {
		return efault
	}
	var mask [8]byte
	c.k.log.Read(c.a[2], mask[:min(c.a[1], 8)])
	t, set := c.whose(c.a[0]&0xffffffff), binary.LittleEndian.Uint64(mask[:])&processors
	switch {
	case t == nil:
		return esrch
	case set == 0:
		return einval
	}
	c.set(&t.traits.processors, set)
	return 0
}

// doGetcpu: the first processor that the thread may run on.
func doGetcpu(c *call, o *kernel.Outcome) uint64 {
	cpu := uint32(0)
	if c.get(&c.t.traits.processors)&1 == 0 {
		cpu = 1
	}
	for i, v := range []uint32{cpu, 0} { // and its node
		if at := c.a[i]; at != 0 && c.k.user.copyOut(at, binary.LittleEndian.AppendUint32(nil, v)) != 0 {
			return efault
		}
	}
	return 0
}

const (
	prioProcess = 0
	prioUser    = 2
)

// doGetpriority returns 20 - nice, as the call does; of a group of processes or a user, the
// highest of the threads'.
func doGetpriority(c *call, o *kernel.Outcome) uint64 {
	which, who := c.a[0]&0xffffffff, c.a[1]&0xffffffff
	switch {
	case which > prioUser:
		return einval
	case which == prioProcess:
		if t := c.whose(who); t != nil {
			return 20 - c.get(&t.traits.nice)
		}
		return esrch
	}
	most := uint64(0)
	c.get(&c.k.roster.list)
	for _, t := range c.k.roster.threads {
		if t != nil && c.get(&t.alive) != 0 {
			most = max(most, 20-c.get(&t.traits.nice))
		}
	}
	return most
}

func planSetpriority(c *call, p *kernel.Plan) {
	if which := c.a[0] & 0xffffffff; which > prioProcess && which <= prioUser {
		invalid(p, "setpriority of more than one thread is not modelled")
	}
}

// doSetpriority: an ordinary user may only become nicer.
func doSetpriority(c *call, o *kernel.Outcome) uint64 {
	if c.a[0]&0xffffffff > prioUser {
		return einval
	}
	t := c.whose(c.a[1] & 0xffffffff)
	if t == nil {
		return esrch
	}
	nice := max(min(int64(c.int32(2)), 19), -20)
	if nice < int64(c.get(&t.traits.nice)) {
		return eacces
	}
	c.set(&t.traits.nice, uint64(nice))
	return 0
}
