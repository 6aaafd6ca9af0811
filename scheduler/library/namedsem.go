package library

import (
	"hash/fnv"
	"slices"
	"strings"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/scheduler"
)

// Named semaphores: sem_open, sem_close and sem_unlink of one process. The C library makes them
// of files that it creates, links and maps; landgo carries the three out as a whole, also where
// it distrusts the library's other functions. A call on a name is an operation on a resource of
// that name. So all orders are tried in which threads create, open, close and unlink it. At the
// start no name exists.
//
// A semaphore is mapped into a page of its own, whose address is a function of the name and
// of how often the name was mapped before. So opening two names commutes, and a pointer
// that was closed never points to what is opened later.

const (
	namedBase  = 9 << 30 // between the break and the allocator's arenas
	namedPages = 1 << 20

	// namedResource is more than every number of a resource of the kernel's.
	namedResource = 1 << 40

	maxName   = 255 // NAME_MAX
	semPrefix = 4   // glibc's file is "sem." and the name
	semLimit  = 0x7fffffff
)

// named is a name with the semaphore that it stands for. The numbers are the guest's state and go back with
// the machine; the lists only grow.
type named struct {
	name   string
	linked emu.Cell // 1 + place in sems of what the name stands for; 0: nothing
	made   emu.Cell // semaphores created under it
	mapped emu.Cell // times that one of them was mapped
	sems   []*namedSem
}

// namedSem is a semaphore that was created under a name, until it is unlinked and
// closed as often as opened.
type namedSem struct {
	addr   emu.Cell // where it is mapped; 0: nowhere
	opens  emu.Cell // not yet closed
	value  emu.Cell // while it isn't mapped
	closed emu.Flag // its mode keeps others from opening it again
}

func isNamed(r profile.Role) bool {
	return r == profile.SemOpen || r == profile.SemClose || r == profile.SemUnlink
}

// namedSems are the named semaphores. Their changing parts are cells.
type namedSems struct {
	guest  *guest
	models *models
	calls  *calls
	byName map[string]*named
	byPage map[uint64]*named // by the addresses that they have or had
}

// nameOf is the entry of a name, made at its first use.
func (x *namedSems) nameOf(name string) *named {
	n := x.byName[name]
	if n == nil {
		if x.byName == nil {
			x.byName, x.byPage = map[string]*named{}, map[uint64]*named{}
		}
		n = &named{name: name}
		x.byName[name] = n
	}
	return n
}

// namedOp is the trace.Op of an operation on a name.
func namedOp(name string, changes bool) trace.Op {
	h := fnv.New32a()
	h.Write([]byte(name))
	op := trace.Op{Kind: trace.OpSyscall, Obj: namedResource | uint64(h.Sum32())}
	if changes {
		op.Arg = 1
	}
	return op
}

// pending is the operation at which a thread stands, as far as it can be told
// before.
func (x *namedSems) pending(th *thread) trace.Op {
	name := ""
	if th.role == profile.SemClose {
		if n := x.byPage[th.arg(0)]; n != nil {
			name = n.name
		}
	} else if text, ok := x.semName(th.arg(0)); ok {
		name, _ = x.checkName(text)
	}
	op := namedOp(name, true)
	op.PC = th.Regs.RIP
	return op
}

// semName reads a name from memory.
func (x *namedSems) semName(addr uint64) (string, bool) {
	return kernel.String(addr, 1<<16, func(a uint64) (byte, bool) {
		var b [1]byte
		if x.guest.machine.Prot(a)&emu.ProtRead == 0 {
			return 0, false
		}
		x.guest.machine.Read(a, b[:])
		return b[0], true
	})
}

// checkName is a name without its leading slashes, or why the library refuses it.
func (x *namedSems) checkName(text string) (name string, errno uint64) {
	name = strings.TrimLeft(text, "/")
	switch musl := x.guest.libc == elffile.Musl; {
	case name == "" || strings.Contains(name, "/"),
		musl && text != name && (name == "." || name == ".."):
		return "", abi.EINVAL
	case len(name) > maxName && !musl:
		return "", abi.EINVAL
	case len(name) > maxName, !musl && len(name)+semPrefix > maxName:
		return "", abi.ENAMETOOLONG
	}
	return name, 0
}

// perform carries out the function on a named semaphore at which a thread stands.
func (x *namedSems) perform(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	if th.role == profile.SemClose {
		return x.semClose(th, tr)
	}
	text, ok := x.semName(th.arg(0))
	if !ok {
		return scheduler.Stay, x.calls.meetFault(th.thread, emu.Fault{Kind: emu.FaultRead, Addr: th.arg(0), Size: 1}, "reads a semaphore's name")
	}
	pc, size := x.guest.callSite(th.thread), uint64(len(text)+1)
	x.guest.core.Sharing.Touch(th.ID, tr, pc-1, th.arg(0), uint32(size), 0)
	if f := x.guest.core.Blocks.DeadAccess(th.ID, pc, th.arg(0), size, "reads a semaphore's name", true); f != nil {
		th.Insns++ // the failure is a place of its own
		return scheduler.Stay, x.guest.core.Fail(th.ID, f)
	}
	name, errno := x.checkName(text)
	switch {
	case th.role == profile.SemUnlink && errno == abi.EINVAL && x.guest.libc == elffile.Glibc:
		return x.semFails(th, tr, abi.ENOENT, ^uint64(0))
	case th.role == profile.SemUnlink && errno != 0:
		return x.semFails(th, tr, errno, ^uint64(0))
	case th.role == profile.SemUnlink:
		return x.semUnlink(th, tr, name)
	case errno != 0:
		return x.semFails(th, tr, errno, 0)
	}
	return x.semOpen(th, tr, name)
}

func (x *namedSems) semFails(th edit, tr *trace.Transition, errno, result uint64) (scheduler.Verdict, error) {
	x.calls.setErrno(th.thread, tr, uint32(errno))
	x.guest.ret(th, result)
	return scheduler.Pass, nil
}

// Flags of sem_open.
const (
	semCreate    = 0x40
	semExclusive = 0x80
)

func (x *namedSems) semOpen(th edit, tr *trace.Transition, name string) (scheduler.Verdict, error) {
	n, flags, value := x.nameOf(name), th.arg(1), th.arg(3)&0xffffffff
	only := flags&(semCreate|semExclusive) == semCreate|semExclusive
	x.didNamed(th.thread, tr, n, n.linked.Get() == 0 || n.sems[n.linked.Get()-1].opens.Get() == 0)
	switch {
	case only && x.guest.libc != elffile.Musl && value > semLimit:
		return x.semFails(th, tr, abi.EINVAL, 0)
	case only && n.linked.Get() != 0:
		return x.semFails(th, tr, abi.EEXIST, 0)
	case n.linked.Get() == 0 && flags&semCreate == 0:
		return x.semFails(th, tr, abi.ENOENT, 0)
	case n.linked.Get() == 0 && value > semLimit:
		return x.semFails(th, tr, abi.EINVAL, 0)
	case n.linked.Get() == 0:
		for int(n.made.Get()) >= len(n.sems) {
			n.sems = append(n.sems, new(namedSem))
		}
		o, denied := n.sems[n.made.Get()], false
		if th.arg(2)&0o600 != 0o600 {
			denied = true
		}
		set := x.guest.machine.Put // the remains of a rewound execution are overwritten
		set(&o.addr, 0)
		set(&o.opens, 0)
		set(&o.value, value)
		x.guest.machine.PutFlag(&o.closed, denied)
		set(&n.made, n.made.Get()+1)
		set(&n.linked, n.made.Get())
	case n.sems[n.linked.Get()-1].closed.Get():
		return x.semFails(th, tr, abi.EACCES, 0)
	}
	o := n.sems[n.linked.Get()-1]
	if o.addr.Get() == 0 {
		if err := x.semMap(th.thread, n, o); err != nil {
			return scheduler.Stay, err
		}
	}
	x.guest.machine.Put(&o.opens, o.opens.Get()+1)
	x.guest.ret(th, o.addr.Get())
	return scheduler.Pass, nil
}

// didNamed records what was done to a name.
func (x *namedSems) didNamed(th *thread, tr *trace.Transition, n *named, changes bool) {
	op := namedOp(n.name, changes)
	op.PC = x.guest.callSite(th)
	tr.Did(op)
}

// semMap puts a semaphore into a page of its own.
func (x *namedSems) semMap(th *thread, n *named, o *namedSem) error {
	h := fnv.New64a()
	h.Write([]byte(n.name))
	h.Write([]byte{byte(n.mapped.Get()), byte(n.mapped.Get() >> 8), byte(n.mapped.Get() >> 16)})
	addr := namedBase + h.Sum64()%namedPages*abi.PageSize
	if other := x.byPage[addr]; other != nil && other != n || x.guest.machine.Prot(addr) != 0 {
		return x.guest.core.Invalid(kernel.GapMemory, th.ID, x.guest.callSite(th), "the named semaphores %q and %q have the same address: give one another name", n.name, other.name)
	}
	x.byPage[addr] = n
	x.guest.machine.Protect(addr, abi.PageSize, emu.ProtRead|emu.ProtWrite)
	// Both libraries have the value first, and then zeros.
	x.guest.machine.Write(addr, make([]byte, x.guest.sizes[kindSem]))
	x.guest.machine.Write32(addr, uint32(o.value.Get()))
	x.guest.core.Mappings.Take(th.ID, x.guest.callSite(th), &kernel.Outcome{Mapped: kernel.Pages{Addr: addr, Size: abi.PageSize}})
	x.guest.machine.Put(&n.mapped, n.mapped.Get()+1)
	x.guest.machine.Put(&o.addr, addr)
	if !x.guest.known.Native {
		sem := x.calls.use(addr, kindSem)
		sem.renew(kindSem)
		sem.value = o.value.Get()
	}
	return nil
}

// semClose: the last close takes the memory away; the value stays for a later
// sem_open of the name.
func (x *namedSems) semClose(th edit, tr *trace.Transition) (scheduler.Verdict, error) {
	addr := th.arg(0)
	n := x.byPage[addr]
	var o *namedSem
	if n != nil {
		x.didNamed(th.thread, tr, n, true)
		if i := slices.IndexFunc(n.sems, func(o *namedSem) bool { return o.addr.Get() == addr && o.opens.Get() > 0 }); i >= 0 {
			o = n.sems[i]
		}
	}
	switch {
	case o == nil && x.guest.libc == elffile.Musl: // it looks beyond its table
		th.Insns++
		return scheduler.Stay, x.guest.core.Fail(th.ID, &scheduler.Failure{Kind: trace.LockMisuse, Thread: th.ID, PC: x.guest.callSite(th.thread), Message: "a semaphore is closed that isn't open"})
	case o == nil:
		return x.semFails(th, tr, abi.EINVAL, ^uint64(0))
	case o.opens.Get() > 1:
		x.guest.machine.Put(&o.opens, o.opens.Get()-1)
		x.guest.ret(th, 0)
		return scheduler.Pass, nil
	}
	value := uint64(x.guest.machine.Read32(addr))
	if !x.guest.known.Native {
		value = x.models.objectOf(addr, kindSem).value
	}
	tr.Did(trace.Op{Kind: trace.OpSemDestroy, Obj: addr, Size: x.guest.sizes[kindSem], PC: x.guest.callSite(th.thread)})
	x.guest.core.Sharing.Touch(th.ID, tr, x.guest.callSite(th.thread)-1, addr, x.guest.sizes[kindSem], trace.Write)
	x.guest.machine.Put(&o.value, value)
	x.guest.machine.Put(&o.opens, 0)
	x.guest.machine.Put(&o.addr, 0)
	if f := x.guest.core.Mappings.Take(th.ID, x.guest.callSite(th.thread), &kernel.Outcome{Unmapped: kernel.Pages{Addr: addr, Size: abi.PageSize}}); f != nil {
		th.Insns++
		return scheduler.Stay, x.guest.core.Fail(th.ID, f)
	}
	x.guest.machine.Protect(addr, abi.PageSize, 0)
	x.guest.ret(th, 0)
	return scheduler.Pass, nil
}

func (x *namedSems) semUnlink(th edit, tr *trace.Transition, name string) (scheduler.Verdict, error) {
	n := x.nameOf(name)
	x.didNamed(th.thread, tr, n, n.linked.Get() != 0)
	if n.linked.Get() == 0 {
		return x.semFails(th, tr, abi.ENOENT, ^uint64(0))
	}
	x.guest.machine.Put(&n.linked, 0)
	x.guest.ret(th, 0)
	return scheduler.Pass, nil
}

// digest is of all names together.
func (x *namedSems) digest() (sum trace.Digest) {
	for name, n := range x.byName {
		if n.made.Get() == 0 && n.mapped.Get() == 0 {
			continue
		}
		h := trace.NewHash()
		op := namedOp(name, false)
		h.Words(scheduler.PartCarried+1, op.Obj, uint64(len(name)), n.linked.Get(), n.made.Get(), n.mapped.Get())
		for _, o := range n.sems[:n.made.Get()] {
			h.Words(o.addr.Get(), o.opens.Get(), o.value.Get(), o.closed.Cell().Get())
		}
		sum.Add(h.Sum())
	}
	return sum
}
