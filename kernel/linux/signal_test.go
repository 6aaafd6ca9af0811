package linux

import (
	"encoding/binary"
	"testing"

	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/trace"
	"landgo/kernel"
)

const (
	handlerPC  = codePage + 0x40
	restorerPC = codePage + 0x80
	sigUsr1    = 10
)

// handle installs a handler.
func (c *caller) handle(sig, flags, mask uint64) {
	c.Helper()
	const at = dataPage + 0x500
	c.m.Write(at, append(pair(handlerPC, flags|saRestorer), pair(restorerPC, mask)...))
	c.want("rt_sigaction", c.do(0, nrSigaction, sig, at, 0, 8), 0)
}

func (c *caller) block(id trace.TID, mask uint64) {
	c.Helper()
	c.m.Write(dataPage+0x600, pair(mask, 0)[:8])
	c.do(id, nrSigprocmask, 2, dataPage+0x600, 0, 8)
}

// stack gives a thread a stack pointer of its own.
func (c *caller) stack(id trace.TID) uint64 {
	sp := uint64(dataPage + 0x4000 + 0x1000*uint64(id))
	c.threads[id].regs.RSP = sp
	return sp
}

func TestSignalToItself(t *testing.T) {
	c := newCaller(t, Config{})
	c.handle(sigUsr1, saSiginfo, bit(12))
	sp := c.stack(0)
	r := &c.threads[0].regs
	r.RBX, r.R15, r.RFLAGS = 0x1111, 0x2222, 0x202|abi.DF|1
	_, o := c.choose1(0, 0, sysTgkill, firstNumber, firstNumber, sigUsr1)
	if o.Signal != 0 || o.Invalid != "" {
		t.Fatalf("%+v", o)
	}
	c.want("rip", r.RIP, handlerPC)
	c.want("rdi", r.RDI, sigUsr1)
	c.want("alignment at the handler", r.RSP&15, 8)
	c.want("direction flag", r.RFLAGS&abi.DF, 0)
	if sp-r.RSP < abi.RedZone+frameSize {
		t.Errorf("the frame at %#x is in the red zone of %#x", r.RSP, sp)
	}
	c.want("return address", c.m.Read64(r.RSP), restorerPC)
	c.want("si_signo", uint64(c.m.Read32(r.RSI)), sigUsr1)
	c.want("si_code", uint64(c.m.Read32(r.RSI+8)), uint64(uint32(1<<32+siTkill)))
	c.want("si_pid", uint64(c.m.Read32(r.RSI+16)), firstNumber)
	c.want("ucontext's rip", c.m.Read64(r.RDX+40+16*8), codePage+2)
	c.want("ucontext's rsp", c.m.Read64(r.RDX+40+15*8), sp)
	c.want("the mask inside", c.k.roster.threads[0].blocked.Peek(), bit(sigUsr1)|bit(12))
	// The handler changes a register and returns.
	c.m.Write(r.RDX+40+11*8, pair(0x3333, 0)[:8]) // rbx
	r.RSP += 8
	_, o = c.choose1(0, 0, nrSigreturn)
	if !o.RestoreCPU {
		t.Error("the return doesn't bring the CPU's state back")
	}
	c.want("rip after", r.RIP, codePage+2)
	c.want("rsp after", r.RSP, sp)
	c.want("rax after", r.RAX, 0)
	c.want("rbx after", r.RBX, 0x3333)
	c.want("r15 after", r.R15, 0x2222)
	c.want("rflags after", r.RFLAGS, 0x202|abi.DF|1)
	c.want("the mask after", c.k.roster.threads[0].blocked.Peek(), 0)
}

// TestSignalInterruptsSleep: with EINTR, or the call again.
func TestSignalInterruptsSleep(t *testing.T) {
	for _, tt := range []struct {
		name    string
		flags   uint64
		timeout uint64
		cmd     uint64
		again   bool
	}{
		{"wait", 0, 0, futexWait, false},
		{"wait, restart", saRestart, 0, futexWait, true},
		{"timed wait, restart", saRestart, word2, futexWait, false},
		{"timed lock", 0, word2, futexLockPI, true},
	} {
		c := newCaller(t, Config{})
		c.handle(sigUsr1, tt.flags, 0)
		c.timespec(word2, 1<<32, 0)
		id := c.spawn(0, dataPage+8)
		sp := c.stack(id)
		if tt.cmd == futexLockPI {
			c.m.Write32(word, firstNumber)
		}
		if _, o := c.choose1(0, id, nrFutex, word, tt.cmd, 0, tt.timeout); !o.Sleep {
			t.Fatalf("%s: %+v", tt.name, o)
		}
		p := c.plan(0, sysTgkill, firstNumber, firstNumber+1, sigUsr1)
		if p.Op.Kind != trace.OpCancel || p.Op.Obj != uint64(id) {
			t.Errorf("%s: %+v", tt.name, p)
		}
		_, o := c.choose1(0, 0, sysTgkill, firstNumber, firstNumber+1, sigUsr1)
		if len(o.Wakes) != 1 || o.Wakes[0] != id {
			t.Errorf("%s: woke %v", tt.name, o.Wakes)
		}
		r := &c.threads[id].regs
		c.want(tt.name+": handler", r.RIP, handlerPC)
		frame := r.RSP
		pc, rax := c.m.Read64(frame+frameRegs+16*8), c.m.Read64(frame+frameRegs+13*8)
		wantPC, wantRAX := uint64(codePage+2), uint64(eintr)
		if tt.again {
			wantPC, wantRAX = codePage, nrFutex
		}
		c.want(tt.name+": rip", pc, wantPC)
		c.want(tt.name+": rax", rax, wantRAX)
		c.want(tt.name+": rsp", c.m.Read64(frame+frameRegs+15*8), sp)
		c.lastTry(id)
		c.want(tt.name+": rip after the last try", c.m.Read64(frame+frameRIP), wantPC)
		c.want(tt.name+": rax after the last try", c.m.Read64(frame+frameRAX), wantRAX)
		c.want(tt.name+": no thread waits", c.do(0, nrFutex, word, futexWake, 9), 0)
	}
}

// lastTry has a thread go on that a signal has woken.
func (c *caller) lastTry(id trace.TID) *kernel.Outcome {
	o, _ := c.k.LastTry(id, &c.threads[id].regs)
	return o
}

// TestRestOfSleep: a signal ends a sleep, and the call tells what is left of its time in its own
// units. select and its kin need no place for that, and none that can be written.
func TestRestOfSleep(t *testing.T) {
	for _, tt := range []struct {
		nr, left, unit uint64
		args           []uint64
	}{
		{sysSelect, 1_999_999, 1000, []uint64{0, 0, 0, 0, word2}},
		{sysPselect6, 1_999_999, 1, []uint64{0, 0, 0, 0, word2}},
		{sysPpoll, 1_999_999, 1, []uint64{0, 0, word2}},
		{sysPoll, 1_999_999, 0, []uint64{0, 0, 2}},
		{sysNanosleep, 1_999_999, 1, []uint64{word2, word2}},
	} {
		c, name := newCaller(t, Config{}), CallName(tt.nr)
		c.timespec(word2, 0, 2_000_000/max(tt.unit, 1))
		r := &c.threads[0].regs
		r.RAX = tt.nr
		for i, p := range []*uint64{&r.RDI, &r.RSI, &r.RDX, &r.R10, &r.R8}[:len(tt.args)] {
			*p = tt.args[i]
		}
		left, at, ok := c.k.Nap(0)
		if !ok || left != tt.left {
			t.Errorf("%s: %d left, %v", name, left, ok)
		}
		rest := c.k.EndNap(left, at, r)
		c.want(name+": rax", r.RAX, eintr)
		switch {
		case tt.unit == 0 && at == 0 && len(rest) == 0:
		case at != word2 || len(rest) != 16 || binary.LittleEndian.Uint64(rest[8:]) != tt.left/tt.unit:
			t.Errorf("%s: %v at %#x", name, rest, at)
		}
	}
}

// TestWakeAfterSignal: a wake finds a thread that a signal has woken, until the thread goes on.
// Its handler comes after the call.
func TestWakeAfterSignal(t *testing.T) {
	for _, flags := range []uint64{0, saRestart} {
		c := newCaller(t, Config{})
		c.handle(sigUsr1, flags, 0)
		id := c.spawn(0, dataPage+8)
		c.stack(id)
		if _, o := c.choose1(0, id, nrFutex, word, futexWait, 0, 0); !o.Sleep {
			t.Fatalf("%+v", o)
		}
		c.do(0, sysTgkill, firstNumber, firstNumber+1, sigUsr1)
		frame := c.threads[id].regs.RSP
		c.want("woken", c.do(0, nrFutex, word, futexWake, 1), 1)
		c.want("rip", c.m.Read64(frame+frameRIP), codePage+2)
		c.want("rax", c.m.Read64(frame+frameRAX), 0)
		c.want("woken again", c.do(0, nrFutex, word, futexWake, 1), 0)
		if o := c.lastTry(id); o == nil || len(o.Ops) != 1 || o.Ops[0].Kind != trace.OpFutexTimeout || o.Ops[0].Obj != word {
			t.Errorf("its next step isn't in order with the wake: %+v", o)
		}
		c.want("rax after that", c.m.Read64(frame+frameRAX), 0)
		if c.lastTry(id) != nil {
			t.Error("it tries twice")
		}
	}
}

func TestBlockedSignalWaits(t *testing.T) {
	c := newCaller(t, Config{})
	c.handle(sigUsr1, 0, 0)
	id := c.spawn(0, dataPage+8)
	c.stack(id)
	c.block(id, bit(sigUsr1)|bit(sigKill))
	c.want("kill can't be blocked", c.k.roster.threads[id].blocked.Peek(), bit(sigUsr1))
	c.do(0, sysTkill, firstNumber+1, sigUsr1)
	c.do(id, 127, word, 8)
	c.want("pending", c.m.Read64(word), bit(sigUsr1))
	c.block(id, 0)
	c.want("delivered when unblocked", c.threads[id].regs.RIP, handlerPC)
}

// TestDeadlySignals end the process, and that is known before.
func TestDeadlySignals(t *testing.T) {
	c := newCaller(t, Config{})
	if p := c.plan(0, sysTkill, firstNumber, sigAbrt); p.Op.Kind != trace.OpEnd {
		t.Errorf("raise: %+v", p)
	}
	// musl blocks everything, raises, unblocks.
	c.block(0, ^uint64(0))
	if p := c.plan(0, sysTkill, firstNumber, sigAbrt); p.Effect != kernel.Local {
		t.Errorf("raise of a blocked signal: %+v", p)
	}
	c.do(0, sysTkill, firstNumber, sigAbrt)
	c.m.Write(word, pair(bit(sigAbrt), 0)[:8])
	if p := c.plan(0, nrSigprocmask, 1, word, 0, 8); p.Op.Kind != trace.OpEnd {
		t.Errorf("unblocking: %+v", p)
	}
	if _, o := c.choose1(0, 0, nrSigprocmask, 1, word, 0, 8); o.Signal != sigAbrt {
		t.Errorf("unblocking: %+v", o)
	}
}

func TestIgnoredSignals(t *testing.T) {
	c := newCaller(t, Config{})
	c.want("SIGCHLD", c.do(0, sysTkill, firstNumber, sigChld), 0)
	c.m.Write(dataPage, append(pair(sigIgnore, 0), pair(0, 0)...))
	c.do(0, nrSigaction, 15, dataPage, 0, 8)
	if _, o := c.choose1(0, 0, sysKill, firstNumber, 15); o.Signal != 0 || len(o.Wakes) != 0 {
		t.Errorf("an ignored signal: %+v", o)
	}
	c.want("SIGKILL's action", c.do(0, nrSigaction, sigKill, dataPage, 0, 8), einval)
	c.want("no such signal", c.do(0, sysTkill, firstNumber, 99), einval)
	c.want("no such thread", c.do(0, sysTkill, 77, 15), esrch)
	c.want("tkill of no thread's number", c.do(0, sysTkill, 0, 15), einval)
	c.want("tgkill of no process's number", c.do(0, sysTgkill, 0, firstNumber, 0), einval)
}

// TestFaultHandler: a handler of SIGSEGV gets the address; without one, or in
// it, the fault is a bug.
func TestFaultHandler(t *testing.T) {
	c := newCaller(t, Config{})
	c.stack(0)
	f := emu.Fault{Kind: emu.FaultWrite, Addr: 16, Size: 4}
	r := c.threads[0].regs
	if c.k.Fault(0, f, &r) {
		t.Error("handled without a handler")
	}
	c.handle(sigSegv, saSiginfo, 0)
	if !c.k.Fault(0, f, &r) || r.RIP != handlerPC || r.RDI != sigSegv {
		t.Fatalf("not handled: %+v", r)
	}
	c.want("si_addr", c.m.Read64(r.RSI+16), 16)
	c.want("si_code", uint64(c.m.Read32(r.RSI+8)), 1) // nothing is mapped there
	if c.k.Fault(0, f, &r) {
		t.Error("handled within the handler")
	}
	c = newCaller(t, Config{})
	c.stack(0)
	c.handle(sigSegv, saSiginfo, 0)
	none := c.do(0, nrMmap, 0, abi.PageSize, 0, anonymous)
	r = c.threads[0].regs
	c.k.Fault(0, emu.Fault{Kind: emu.FaultRead, Addr: none + 8, Size: 4}, &r)
	c.want("si_code of a page that allows nothing", uint64(c.m.Read32(r.RSI+8)), 2)
}

// TestFaultErrorCode: a handler is shown the processor's error code, by which it tells a
// store from a load.
func TestFaultErrorCode(t *testing.T) {
	c := newCaller(t, Config{})
	c.stack(0)
	c.handle(sigSegv, saSiginfo|saNodefer, 0)
	none := c.do(0, nrMmap, 0, abi.PageSize, 0, anonymous)
	readable := c.do(0, nrMmap, 0, abi.PageSize, 1, anonymous)
	for _, f := range []struct {
		emu.Fault
		want uint64
	}{
		{emu.Fault{Kind: emu.FaultRead, Addr: none}, 4},
		{emu.Fault{Kind: emu.FaultWrite, Addr: none}, 6},
		{emu.Fault{Kind: emu.FaultWrite, Addr: readable}, 7},
		{emu.Fault{Kind: emu.FaultFetch, Addr: readable}, 0x15},
		{emu.Fault{Kind: emu.FaultRead, Addr: 1<<64 - 8}, 5},
		{emu.Fault{Kind: emu.FaultDivide}, 0},
	} {
		r := c.threads[0].regs
		if f.Kind == emu.FaultDivide {
			c.handle(8, saSiginfo, 0)
		}
		if !c.k.Fault(0, f.Fault, &r) {
			t.Fatalf("%+v: not handled", f)
		}
		c.want("the error code", c.m.Read64(r.RDX-frameContext+frameErr), f.want)
	}
}

func TestAlternativeStack(t *testing.T) {
	c := newCaller(t, Config{})
	c.stack(0)
	const alt = dataPage + 0x8000
	c.m.Write(dataPage, binary.LittleEndian.AppendUint64(pair(alt, 0), 0x2000))
	c.want("sigaltstack", c.do(0, 131, dataPage, 0), 0)
	c.handle(sigUsr1, saOnstack, 0)
	c.do(0, sysTkill, firstNumber, sigUsr1)
	if sp := c.threads[0].regs.RSP; sp < alt || sp > alt+0x2000 {
		t.Errorf("the handler's stack is at %#x", sp)
	}
	c.want("changed while in use", c.do(0, 131, dataPage, 0), eperm)
}

func TestSigwait(t *testing.T) {
	c := newCaller(t, Config{})
	id := c.spawn(0, dataPage+8)
	for _, who := range []trace.TID{0, id} {
		c.block(who, bit(sigUsr1))
	}
	c.m.Write(word, pair(bit(sigUsr1), 0)[:8])
	if _, o := c.choose1(0, id, 128, word, dataPage+0x700, 0, 8); !o.Sleep {
		t.Fatalf("%+v", o)
	}
	// Sent to the process: the thread that waits for it takes it.
	if _, o := c.choose1(0, 0, sysKill, firstNumber, sigUsr1); len(o.Wakes) != 1 || o.Wakes[0] != id {
		t.Fatalf("%+v", o)
	}
	c.want("sigwait", c.do(id, c.threads[id].regs.RAX, word, dataPage+0x700, 0, 8), sigUsr1)
	c.want("si_signo", uint64(c.m.Read32(dataPage+0x700)), sigUsr1)
	c.do(0, sysTkill, firstNumber, sigUsr1)
	c.want("one that has come", c.do(0, 128, word, 0, 0, 8), sigUsr1)
	c.want("none, no time", c.do(0, 128, word, 0, c.timespec(word2, 0, 0), 8), eagain)
}

// TestSigsuspend: the mask is another one until a handler returns.
func TestSigsuspend(t *testing.T) {
	c := newCaller(t, Config{})
	id := c.spawn(0, dataPage+8)
	c.stack(id)
	c.handle(sigUsr1, 0, 0)
	c.block(id, bit(sigUsr1))
	c.m.Write(word, pair(bit(12), 0)[:8])
	if _, o := c.choose1(0, id, 130, word, 8); !o.Sleep {
		t.Fatalf("%+v", o)
	}
	c.do(0, sysTkill, firstNumber+1, sigUsr1)
	r := &c.threads[id].regs
	c.want("handler", r.RIP, handlerPC)
	r.RSP += 8
	c.do(id, nrSigreturn)
	c.want("result", r.RAX, eintr)
	c.want("the mask again", c.k.roster.threads[id].blocked.Peek(), bit(sigUsr1))
	// A signal without an effect doesn't end it.
	c.m.Write(dataPage+0x500, append(pair(sigIgnore, 0), pair(0, 0)...))
	c.do(0, nrSigaction, 12, dataPage+0x500, 0, 8)
	c.block(id, bit(12))
	c.do(0, sysTkill, firstNumber+1, 12)
	c.m.Write(word, pair(0, 0)[:8])
	if _, o := c.choose1(0, id, 130, word, 8); !o.Sleep {
		t.Errorf("a signal that is ignored: %+v", o)
	}
}

// TestHostilePendingSleep: a pause in one thread and its end by another's exit.
func TestPause(t *testing.T) {
	c := newCaller(t, Config{})
	id := c.spawn(0, dataPage+8)
	c.stack(id)
	c.handle(sigUsr1, saRestart, 0)
	if _, o := c.choose1(0, id, 34); !o.Sleep {
		t.Fatalf("%+v", o)
	}
	if who, _ := c.k.nextDeadline(); who != trace.NoThread {
		t.Errorf("a pause has a deadline")
	}
	c.do(0, sysTkill, firstNumber+1, sigUsr1)
	c.want("rax", c.m.Read64(c.threads[id].regs.RSP+frameRegs+13*8), eintr)
}

// TestRetarget: a thread blocks a signal to the process that it was notified of. The next one is
// told then, in the order in which threads were created, whatever their numbers are.
func TestRetarget(t *testing.T) {
	c := newCaller(t, Config{})
	c.handle(sigUsr1, 0, 0)
	a := c.spawn(0, dataPage+8)
	v := c.spawn(a, dataPage+16)
	u := c.spawn(0, dataPage+24)
	threads, k := c.k.roster.threads, c.k
	if threads[v].number < threads[u].number {
		t.Fatalf("the numbers %d, %d are in the order of creation", threads[v].number, threads[u].number)
	}
	for _, from := range []struct{ told, next trace.TID }{{a, v}, {v, u}, {u, a}} {
		c.block(0, bit(sigUsr1))
		for _, id := range []trace.TID{a, v, u} {
			k.log.Init(&threads[id].blocked, 0)
			k.log.InitBit(&threads[id].told, false)
		}
		k.log.Init(&k.signals.pending, bit(sigUsr1))
		k.log.InitBit(&threads[from.told].told, true)
		c.block(from.told, bit(sigUsr1))
		for _, id := range []trace.TID{a, v, u} {
			c.want("told", threads[id].told.Peek(), uint64(b2i(id == from.next)))
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
