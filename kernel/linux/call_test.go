package linux

import (
	"slices"
	"strings"
	"testing"
	"time"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// caller makes system calls by hand: a guest of one code page and some data
// whose threads never run.
type caller struct {
	testing.TB
	*driver
}

const (
	codePage = 0x401000
	dataPage = 0x410000 // dataPages of them
	dataSize = 16 * abi.PageSize
)

// Numbers that the tests use beside table.go's.
const (
	nrRead, nrWrite, nrClose   = 0, 1, 3
	nrMmap, nrMprotect         = 9, 10
	nrMunmap, nrBrk            = 11, 12
	nrSigaction, nrSigprocmask = 13, 14
	nrSigreturn                = 15
	nrMremap, nrMadvise        = 25, 28
	nrNanosleep, nrExit        = 35, 60
	nrFutex, nrSetRobust       = 202, 273
	nrClockGettime, nrGroup    = 228, 231
	nrGetrandom                = 318
)

func newCaller(t testing.TB, cfg Config) *caller {
	img := &elffile.File{
		Path: "guest", Entry: codePage,
		Segments: []elffile.Segment{
			{Addr: codePage, Data: []byte{0x0f, 0x05}, MemSize: abi.PageSize, Read: true, Exec: true},
			{Addr: dataPage, MemSize: dataSize, Read: true, Write: true},
		},
		Code: []elffile.Range{{Lo: codePage, Hi: codePage + abi.PageSize}},
	}
	return &caller{t, newImageDriver(t, img, cfg)}
}

// plan says what a call would do.
func (c *caller) plan(id trace.TID, nr uint64, args ...uint64) kernel.Plan {
	c.prepare(id, nr, args)
	return c.k.Plan(id, emu.Trap{Syscall: true, Len: 2})
}

func (c *caller) prepare(id trace.TID, nr uint64, args []uint64) {
	r := &c.threads[id].regs
	r.RAX, r.RIP = nr, codePage
	for i, p := range []*uint64{&r.RDI, &r.RSI, &r.RDX, &r.R10, &r.R8, &r.R9} {
		*p = 0
		if i < len(args) {
			*p = args[i]
		}
	}
}

// do carries a call out with the first outcome and returns its result.
func (c *caller) do(id trace.TID, nr uint64, args ...uint64) uint64 {
	c.Helper()
	r, _ := c.choose1(0, id, nr, args...)
	return r
}

// choose1 does so with a given outcome.
func (c *caller) choose1(choice trace.Choice, id trace.TID, nr uint64, args ...uint64) (uint64, kernel.Outcome) {
	c.Helper()
	p := c.plan(id, nr, args...)
	if p.Effect == kernel.Invalid {
		c.Fatalf("%s is invalid: %s", p.Name, p.Reason)
	}
	if uint32(choice) >= max(p.Outcomes, 1) {
		c.Fatalf("%s has %d outcomes, not %d", p.Name, p.Outcomes, choice)
	}
	th := c.threads[id]
	o := c.k.Do(id, emu.Trap{Syscall: true, Len: 2}, choice, &th.regs)
	th.asleep, th.gone = o.Sleep, o.ExitThread
	for _, w := range o.Wakes {
		c.threads[w].asleep = false
	}
	if o.Spawn != nil {
		for int(o.Spawn.Child) >= len(c.threads) {
			c.threads = append(c.threads, &driven{})
		}
		c.threads[o.Spawn.Child] = &driven{known: true, regs: o.Spawn.Regs, ctx: c.m.Start(&o.Spawn.Regs)}
	}
	return th.regs.RAX, o
}

const threadFlags = cloneShared | cloneSysvsem | cloneSettls | cloneParentSettid | cloneChildCleartid

// spawn creates a child of a thread, whose id words are at word.
func (c *caller) spawn(parent trace.TID, word uint64) trace.TID {
	c.Helper()
	_, o := c.choose1(0, parent, sysClone, threadFlags, dataPage+dataSize, word, word, 0x1234)
	if o.Spawn == nil {
		c.Fatal("clone made no thread")
	}
	return o.Spawn.Child
}

func (c *caller) want(what string, got, want uint64) {
	c.Helper()
	if got != want {
		c.Errorf("%s: got %#x (%d), want %#x (%d)", what, got, int64(got), want, int64(want))
	}
}

func (c *caller) timespec(addr, sec, nsec uint64) uint64 {
	c.m.Write(addr, pair(sec, nsec))
	return addr
}

func TestUnmodelledCallsAreInvalidByName(t *testing.T) {
	c := newCaller(t, Config{})
	at := uint64(dataPage)
	c.m.Write(at, []byte("file\x00"))
	limit := uint64(dataPage + 64)
	c.m.Write(limit, pair(1<<30, 1<<30))
	c.m.Write(limit+16, pair(1<<32, 1<<32))
	c.m.Write(limit+32, pair(4096, 4096))
	for _, tt := range []struct {
		reason string
		nr     uint64
		args   []uint64
	}{
		{"system call 41 (socket) is not modelled", 41, nil},
		{"system call 57 (fork) is not modelled", 57, nil},
		{"system call 599 (unknown) is not modelled", 599, nil},
		{"a new process (clone without CLONE_THREAD", sysClone, []uint64{17}},
		{"clone with flags 0x20010f00 is not modelled", sysClone, []uint64{cloneShared | 0x20000000}},
		{"futex operation 12 is not modelled", nrFutex, []uint64{at, 12}},
		{"mmap with flags 0x40000 is not modelled", nrMmap, []uint64{0, abi.PageSize, 3, 0x40022}},
		{"mprotect with protection 0x1000003", nrMprotect, []uint64{dataPage, abi.PageSize, 0x1000003}},
		{"madvise(0x64) is not modelled", nrMadvise, []uint64{dataPage, abi.PageSize, 100}},
		{"madvise(MADV_DONTNEED) of the program's own files is not modelled: their contents would come back", nrMadvise, []uint64{dataPage, abi.PageSize, madvDontneed}},
		{"munmap in the trusted allocator's space is not modelled", 11, []uint64{kernel.HeapLo, abi.PageSize}},
		{"munmap in the trusted allocator's space is not modelled", 11, []uint64{kernel.HeapLo - abi.PageSize, 2 * abi.PageSize}},
		{"mmap in place in the trusted allocator's space", nrMmap, []uint64{kernel.HeapHi - abi.PageSize, abi.PageSize, 3, 0x32}},
		{"mremap in the trusted allocator's space", nrMremap, []uint64{kernel.HeapLo, abi.PageSize, 2 * abi.PageSize, 1}},
		{"mremap with flags 0x3", nrMremap, []uint64{dataPage, abi.PageSize, abi.PageSize, 3}},
		{`open("file") for writing is not modelled`, 2, []uint64{at, 0x41}},
		{`openat("file") relative to a directory`, sysOpenat, []uint64{5, at}},
		{"ioctl(0x1234) is not modelled", 16, []uint64{1, 0x1234}},
		{"fcntl(9) is not modelled", 72, []uint64{1, 9}},
		{"fcntl with F_OFD_SETLKW) is not modelled: use a mutex", 72, []uint64{1, 38}},
		{"system call 73 (flock) is not modelled: use a mutex", 73, []uint64{1, 2}},
		{"prctl(22) is not modelled", 157, []uint64{22}},
		{"arch_prctl(0x1011) is not modelled", 158, []uint64{0x1011}},
		{"a stack of 4294967296 bytes for the first thread (RLIMIT_STACK) is more", 302, []uint64{0, rlimitStack, limit + 16}},
		{"a lower limit for the first thread's stack", sysSetrlimit, []uint64{rlimitStack, limit + 32}},
		{"a limit of RLIMIT_AS is not modelled", sysSetrlimit, []uint64{9, limit}},
		{"a limit of more than 1024 descriptors", sysSetrlimit, []uint64{rlimitNofile, limit}},
		{"setpriority of more than one thread", 141, []uint64{2, 0, 5}},
		{"kill with a signal that stops", sysKill, []uint64{firstNumber, sigStop}},
	} {
		p := c.plan(0, tt.nr, tt.args...)
		if p.Effect != kernel.Invalid || !strings.Contains(p.Reason, tt.reason) {
			t.Errorf("call %d %x: effect %d, reason %q, want %q", tt.nr, tt.args, p.Effect, p.Reason, tt.reason)
		}
	}
	if p := c.k.Plan(0, emu.Trap{Vector: 0x80}); p.Effect != kernel.Invalid || !strings.Contains(p.Reason, "int 0x80") {
		t.Errorf("int 0x80: %+v", p)
	}
}

// TestHostileArguments: no argument makes a call panic, whatever it is.
func TestHostileArguments(t *testing.T) {
	values := []uint64{0, 1, 8, 88, dataPage, dataPage + dataSize - 4, codePage, DefaultSpace - 8, 1 << 63, ^uint64(0), ^uint64(7), 0x7ffffffff000}
	for nr := range table {
		if table[nr].do == nil {
			continue
		}
		c := newCaller(t, Config{MemoryLimit: 16 << 20})
		c.spawn(0, dataPage+8)
		for i := range values {
			for j := range values {
				args := []uint64{values[i], values[j], values[(i+j)%len(values)], values[(i+3*j)%len(values)], values[(2*i+j)%len(values)], values[j]}
				if p := c.plan(0, uint64(nr), args...); p.Effect == kernel.Invalid {
					continue
				}
				c.threads[0].regs.RSP = dataPage + 0x8000
				m := c.m.Mark()
				th := *c.threads[0]
				c.k.Do(0, emu.Trap{Syscall: true, Len: 2}, 0, &c.threads[0].regs)
				c.m.Rewind(m)
				*c.threads[0] = th
			}
		}
		c.m.Close()
	}
}

func TestLocalCallsAndEvents(t *testing.T) {
	c := newCaller(t, Config{})
	child := c.spawn(0, dataPage+8)
	at := uint64(dataPage)
	for _, tt := range []struct {
		nr   uint64
		args []uint64
		want trace.OpKind // OpNone: local
		obj  uint64
	}{
		{nrMmap, []uint64{0, abi.PageSize, 3, 0x22}, trace.OpNone, 0},
		{11, []uint64{dataPage, abi.PageSize}, trace.OpNone, 0},
		{nrBrk, nil, trace.OpNone, 0},
		{nrWrite, []uint64{1, at, 4}, trace.OpNone, 0},
		{nrRead, []uint64{0, at, 4}, trace.OpSyscall, resourceFiles},
		{nrFutex, []uint64{at, futexWait, 5}, trace.OpFutexLook, at},
		{nrFutex, []uint64{at, futexWake | futexPrivate, 1}, trace.OpFutexMiss, at},
		{nrFutex, []uint64{at, futexWaitBitset | futexClockRealtime, 5, 0, 0, matchAny}, trace.OpFutexLook, at},
		{nrFutex, []uint64{at + 64, futexWait, 0}, trace.OpFutexWait, at + 64},
		{nrFutex, []uint64{at, futexRequeue, 1, 1, at + 4}, trace.OpFutexRequeue, at},
		{nrFutex, []uint64{at, futexLockPI}, trace.OpFutexLockPI, at},
		{nrFutex, []uint64{at, futexTrylockPI}, trace.OpFutexTryPI, at},
		{nrFutex, []uint64{at, futexUnlockPI}, trace.OpFutexWait, at}, // not the owner: it fails
		{24, nil, trace.OpYield, 0},
		{nrNanosleep, []uint64{at}, trace.OpSleep, 0},
		{nrClockGettime, []uint64{0, at}, trace.OpSyscall, resourceClock},
		{nrExit, []uint64{0}, trace.OpExit, 0},
		{nrGroup, []uint64{0}, trace.OpEnd, 0},
		{sysTkill, []uint64{firstNumber + 1, 0}, trace.OpCancel, uint64(child)},
		{sysTkill, []uint64{firstNumber + 1, sigAbrt}, trace.OpEnd, 0},
		{nrSigaction, []uint64{10, at, 0, 8}, trace.OpSyscall, resourceActions},
		{nrSigaction, []uint64{33, at, 0, 8}, trace.OpSyscall, resourceActions}, // without a C library it is the program's
		{nrSigprocmask, []uint64{0, at, 0, 8}, trace.OpNone, 0},
		{39, nil, trace.OpNone, 0},
		{186, nil, trace.OpNone, 0},
	} {
		p := c.plan(0, tt.nr, tt.args...)
		kind := p.Op.Kind
		if (p.Effect == kernel.Local) != (tt.want == trace.OpNone) || kind != tt.want || p.Op.Obj != tt.obj {
			t.Errorf("%s %x: effect %d, %v, want %v(%#x)", p.Name, tt.args, p.Effect, p.Op, tt.want, tt.obj)
		}
		if p.Yield != (kind == trace.OpYield || kind == trace.OpSleep) {
			t.Errorf("%s: yield %v", p.Name, p.Yield)
		}
	}
	observed := newCaller(t, Config{ObserveStdout: true})
	if p := observed.plan(0, nrWrite, 1, at, 4); p.Effect != kernel.Event || p.Op.Obj != resourceStdout || p.Op.Arg != 1 {
		t.Errorf("an observed write: %+v", p)
	}
}

func TestAccessesAreTheBuffers(t *testing.T) {
	c := newCaller(t, Config{Stdin: []byte("abc")})
	vec := uint64(dataPage + 64)
	c.m.Write(vec, append(pair(dataPage+256, 3), pair(dataPage+512, 5)...))
	for _, tt := range []struct {
		nr   uint64
		args []uint64
		want []trace.Access
	}{
		{nrWrite, []uint64{1, dataPage, 4}, []trace.Access{{Addr: dataPage, Size: 4}}},
		{nrRead, []uint64{0, dataPage, 100}, []trace.Access{{Addr: dataPage, Size: 3, Flags: trace.Write}}},
		{20, []uint64{1, vec, 2}, []trace.Access{{Addr: vec, Size: 32}, {Addr: dataPage + 256, Size: 3}, {Addr: dataPage + 512, Size: 5}}},
		{nrGetrandom, []uint64{dataPage, 8, 0}, []trace.Access{{Addr: dataPage, Size: 8, Flags: trace.Write}}},
		{157, []uint64{prSetName, dataPage + 16}, []trace.Access{{Addr: dataPage + 16, Size: 1}}},
		{nrClockGettime, []uint64{0, dataPage}, []trace.Access{{Addr: dataPage, Size: 16, Flags: trace.Write}}},
		{nrFutex, []uint64{dataPage, futexWait, 1}, []trace.Access{{Addr: dataPage, Size: 4, Flags: trace.Atomic}}},
		{nrFutex, []uint64{dataPage, futexWake, 1}, nil},
	} {
		c.prepare(0, tt.nr, tt.args)
		var got []trace.Access
		for _, a := range c.k.Foresee(0, emu.Trap{Syscall: true, Len: 2}).Accesses {
			if a.PC = 0; a.Addr >= effect.WordsEnd { // not a word of the kernel's
				got = append(got, a)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("call %d: %+v, want %+v", tt.nr, got, tt.want)
		}
	}
}

// TestSyscallRegisters: the instruction leaves rip and rflags in rcx and r11.
func TestSyscallRegisters(t *testing.T) {
	c := newCaller(t, Config{})
	c.do(0, 39)
	r := c.threads[0].regs
	c.want("rip", r.RIP, codePage+2)
	c.want("rcx", r.RCX, codePage+2)
	c.want("r11", r.R11, r.RFLAGS)
	c.want("rax", r.RAX, firstNumber)
}

// TestBootStack checks the block that a program finds at its entry.
func TestBootStack(t *testing.T) {
	c := newCaller(t, Config{Args: []string{"prog", "one"}, Env: []string{"A=b"}})
	sp := c.threads[0].regs.RSP
	c.want("alignment", sp&15, 0)
	c.want("argc", c.m.Read64(sp), 2)
	str := func(at uint64) string { s, _ := c.k.user.path(at); return s }
	if a, b, e := str(c.m.Read64(sp+8)), str(c.m.Read64(sp+16)), str(c.m.Read64(sp+32)); a != "prog" || b != "one" || e != "A=b" {
		t.Errorf("argv %q %q, environment %q", a, b, e)
	}
	c.want("end of argv", c.m.Read64(sp+24), 0)
	c.want("end of environment", c.m.Read64(sp+40), 0)
	aux := map[uint64]uint64{}
	for at := sp + 48; c.m.Read64(at) != atNull; at += 16 {
		aux[c.m.Read64(at)] = c.m.Read64(at + 8)
	}
	c.want("AT_ENTRY", aux[atEntry], codePage)
	c.want("AT_PAGESZ", aux[atPagesz], abi.PageSize)
	if _, vdso := aux[33]; vdso {
		t.Error("AT_SYSINFO_EHDR is there, so time wouldn't come from system calls")
	}
	random := make([]byte, 16)
	c.m.Read(aux[atRandom], random)
	if string(random) != string(randomBytes) {
		t.Errorf("AT_RANDOM %q", random)
	}
	stack := c.k.space.stack
	for _, guard := range []uint64{stack.lo - abi.PageSize, stack.hi} {
		if guard < c.k.cfg.Space && c.m.Prot(guard) != 0 {
			t.Errorf("no guard page at %#x", guard)
		}
	}
}

func TestGetrandomIsTheThreadsOwn(t *testing.T) {
	a, b := newCaller(t, Config{}), newCaller(t, Config{})
	read := func(c *caller, id trace.TID) uint64 {
		c.want("getrandom", c.do(id, nrGetrandom, dataPage+100, 8, 0), 8)
		return c.m.Read64(dataPage + 100)
	}
	ca, cb := a.spawn(0, dataPage+8), b.spawn(0, dataPage+8)
	a0, a1 := read(a, 0), read(a, ca)
	b1, b0 := read(b, cb), read(b, 0)
	if a0 != b0 || a1 != b1 || a0 == a1 || read(a, 0) == a0 {
		t.Errorf("%x %x, in the other order %x %x", a0, a1, b0, b1)
	}
}

// TestManyArguments: a bug file can ask for as many as it likes. To say that they don't fit
// takes as long as to read them.
func TestManyArguments(t *testing.T) {
	args := make([]string, 200_000)
	for i := range args {
		args[i] = "a"
	}
	l := &loader{cfg: &Config{Args: args}, img: &elffile.File{}, space: &space{stack: span{1 << 30, 1<<30 + 8<<20}}}
	began := time.Now()
	if _, err := l.buildStack(); err == nil || !strings.Contains(err.Error(), "don't fit") {
		t.Error(err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %v", took)
	}
}
