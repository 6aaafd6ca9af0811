package linux

import (
	"encoding/binary"
	"fmt"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Resource limits: getrlimit, setrlimit and prlimit64. A limit that is changed is a word of
// the kernel's state, which the calls that heed it read. Only the number of descriptors has
// such calls. A change of another limit is modelled where nothing that landgo models
// could come to it.

const (
	rlimitStack  = 3
	rlimitCore   = 4
	rlimitRSS    = 5
	rlimitNofile = 7
	rlimitLocks  = 10
	rlimitQueues = 12
	rlimitNice   = 13
	rlimitPrio   = 14
	rlimitRttime = 15
	rlimitCount  = 16
	unlimited    = ^uint64(0)

	sysSetrlimit = 160
)

var rlimitNames = [rlimitCount]string{"CPU", "FSIZE", "DATA", "STACK", "CORE", "RSS", "NPROC", "NOFILE", "MEMLOCK", "AS",
	"LOCKS", "SIGPENDING", "MSGQUEUE", "NICE", "RTPRIO", "RTTIME"}

// limits are the process's, by resource.
type limits [rlimitCount]struct{ soft, hard effect.Word }

func (l *limits) begin(cfg *Config) {
	for i := range l {
		l[i].soft, l[i].hard = effect.At(wordLimits, unlimited), effect.At(wordLimits, unlimited)
	}
	l[rlimitStack].soft = effect.At(wordLimits, cfg.StackLimit)
	l[rlimitCore].soft = effect.At(wordLimits, 0)
	l[rlimitNofile].soft, l[rlimitNofile].hard = effect.At(wordLimits, maxDescriptors), effect.At(wordLimits, maxDescriptors)
}

// limiting is a decoded call of setrlimit or prlimit64: what is asked for. ok: there is a
// resource of that number, and its new limit can be read.
func (c *call) limiting() (resource, at, soft, hard uint64, ok bool) {
	resource, at = c.a[0]&0xffffffff, c.a[1]
	if c.nr != sysSetrlimit {
		resource, at = c.a[1]&0xffffffff, c.a[2]
	}
	if at == 0 && c.nr != sysSetrlimit || resource >= rlimitCount {
		return resource, at, 0, 0, false
	}
	b := c.k.user.copyIn(at, 16)
	if b == nil {
		return resource, at, 0, 0, false
	}
	return resource, at, binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:]), true
}

// planSetrlimit is the plan of setrlimit and prlimit64.
func planSetrlimit(c *call, p *kernel.Plan) {
	resource, _, soft, hard, ok := c.limiting()
	if !ok || soft > hard {
		return
	}
	now := &c.k.limits[resource]
	switch resource {
	case rlimitCore, rlimitRSS, rlimitLocks, rlimitQueues, rlimitNice, rlimitPrio, rlimitRttime:
		return // nothing here reaches them
	case rlimitNofile:
		if max(soft, hard) > maxDescriptors {
			invalid(p, fmt.Sprintf("a limit of more than %d descriptors is not modelled", maxDescriptors))
		}
	case rlimitStack:
		switch room := c.k.space.limit - c.k.space.used.Peek(); {
		case soft < now.soft.Peek():
			invalid(p, "a lower limit for the first thread's stack (RLIMIT_STACK) is not modelled")
		case soft > now.soft.Peek() && (soft > mostStack || soft > room):
			beyond(p, kernel.GapMemory, fmt.Sprintf("a stack of %d bytes for the first thread (RLIMIT_STACK) is more memory than the guest has", soft))
		}
	default:
		if soft != now.soft.Peek() {
			invalid(p, "a limit of RLIMIT_"+rlimitNames[resource]+" is not modelled")
		}
	}
}

// doSetrlimit is setrlimit and prlimit64, whose limits from before go to the last argument.
func doSetrlimit(c *call, o *kernel.Outcome) uint64 {
	resource, at, soft, hard, ok := c.limiting()
	sets := at != 0 || c.nr == sysSetrlimit
	pid, old := int32(0), uint64(0)
	if c.nr != sysSetrlimit {
		pid, old = c.int32(0), c.a[3]
	}
	switch {
	case resource < rlimitCount && sets && !ok:
		return efault
	case pid != 0 && pid != firstNumber:
		return esrch
	case resource >= rlimitCount || sets && soft > hard:
		return einval
	}
	l := &c.k.limits[resource]
	was := pair(c.get(&l.soft), c.get(&l.hard))
	if sets {
		if hard > c.get(&l.hard) {
			return eperm
		}
		if resource == rlimitStack {
			c.k.space.growStack(c.get(&l.soft), soft)
		}
		c.set(&l.soft, soft)
		c.set(&l.hard, hard)
	}
	if old == 0 {
		return 0
	}
	return c.k.user.copyOut(old, was)
}

func doGetrlimit(c *call, o *kernel.Outcome) uint64 {
	if c.a[0] >= rlimitCount {
		return einval
	}
	l := &c.k.limits[c.a[0]]
	return c.k.user.copyOut(c.a[1], pair(c.get(&l.soft), c.get(&l.hard)))
}

// growStack gives the first thread's stack its room under a higher limit. On Linux it gets
// that page by page.
func (s *space) growStack(was, now uint64) {
	if was, now = abi.PageUp(was), abi.PageUp(now); now > was && now <= mostStack {
		s.protect(s.stack.hi-now, now-was, emu.ProtOf(true, true, s.img.ExecStack))
	}
}
