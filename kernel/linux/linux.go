// Package linux is the kernel that a static x86-64 Linux program believes it
// runs on: memory, threads, futexes, signals, a clock, descriptors. landgo is
// that kernel. No system call of the guest reaches the host, and no byte of
// the guest is an argument of one.
//
//	scheduler ── Plan, Do ──> Kernel ── table of calls ──> memory.go, futex.go, ...
//	                            └── emu.Machine: guest memory, journal
//
// Each call is a row of the table (table.go): what its arguments point to, what
// it would do (plan), and doing it. A call that other threads could tell from
// its absence is an event; where a call is modelled only in part, the plan says
// so by name (kernel.Invalid) and nothing is ever guessed.
//
// Invariants:
//   - Every word that an execution changes is assigned through Machine.Set, or
//     is a byte of guest memory. What isn't (the tables of threads and futexes
//     met so far, caches) has the same value in every execution.
//   - Thread ids and addresses are functions of (name of the asking thread, its
//     own history): see layout.go and thread.go.
//   - Where several threads could be woken, choices number the subsets of the
//     waiters in the order of their thread ids, never of their arrival.
package linux

import (
	"fmt"

	"landgo/emu"
	"landgo/image"
	"landgo/kernel"
	"landgo/trace"
)

// Kernel implements kernel.Kernel.
type Kernel struct {
	cfg  Config
	img  *image.Image
	host kernel.Host
	m    *emu.Machine

	threads []*thread            // by TID; grows only
	numbers map[uint64]trace.TID // guest thread ids; grows only
	windows map[uint64]trace.TID // by first address, see layout.go
	live    uint64               // threads that haven't exited

	space     space
	queues    map[uint64]*queue // by address; grows only
	clock     uint64            // CLOCK_REALTIME, in nanoseconds
	actions   [numSignals]action
	pending   uint64 // signals sent to the process that every thread blocks
	handlers  frames
	files     files
	out, errs capture

	// Scratch of one call, so that calls make no garbage.
	call     call
	plan     kernel.Plan
	outcome  kernel.Outcome
	accesses []trace.Access
	ops      []trace.Op
	wakes    []trace.TID
	spawn    kernel.Spawn
}

var _ kernel.Kernel = (*Kernel)(nil)

// New prepares a kernel for img. Nothing of the machine is touched before Boot.
func New(host kernel.Host, img *image.Image, cfg Config) (*Kernel, error) {
	cfg.setDefaults()
	k := &Kernel{
		cfg:     cfg,
		img:     img,
		host:    host,
		m:       host.Machine(),
		numbers: map[uint64]trace.TID{},
		windows: map[uint64]trace.TID{},
		queues:  map[uint64]*queue{},
		clock:   epoch,
	}
	k.out.limit, k.errs.limit = cfg.OutputLimit, cfg.OutputLimit
	if err := k.space.lay(img, &cfg); err != nil {
		return nil, err
	}
	if err := k.files.open(&cfg); err != nil {
		return nil, err
	}
	k.addFirstThread()
	return k, nil
}

// Plan implements kernel.Kernel.
func (k *Kernel) Plan(t trace.TID, trap emu.Trap) kernel.Plan {
	if !trap.Syscall {
		return kernel.Plan{Effect: kernel.Invalid, Name: "trap", Reason: trapReason(trap)}
	}
	k.begin(t, k.host.Regs(t))
	c := &k.call
	row := c.row()
	if row == nil {
		return kernel.Plan{Effect: kernel.Invalid, Name: CallName(c.nr), Reason: unmodelled(c.nr)}
	}
	k.plan = kernel.Plan{Name: row.name}
	if row.mem != nil {
		row.mem(c)
	}
	if row.plan != nil {
		row.plan(c, &k.plan)
	}
	k.plan.Accesses, k.plan.Pages = k.accesses, c.pages
	return k.plan
}

// Do implements kernel.Kernel.
func (k *Kernel) Do(t trace.TID, trap emu.Trap, choice trace.Choice, regs *emu.Regs) kernel.Outcome {
	if !trap.Syscall {
		return kernel.Outcome{Invalid: trapReason(trap)}
	}
	k.begin(t, regs)
	c := &k.call
	c.choice = uint64(choice)
	row := c.row()
	if row == nil {
		return kernel.Outcome{Invalid: unmodelled(c.nr)}
	}
	if row.mem != nil {
		row.mem(c)
	}
	// As the syscall instruction leaves them.
	regs.RIP += uint64(trap.Len)
	regs.RCX, regs.R11 = regs.RIP, regs.RFLAGS
	o := &k.outcome
	*o = kernel.Outcome{}
	result := row.do(c, o)
	switch {
	case o.Sleep:
		k.set(&c.t.sleepCall, c.nr)
	case o.ExitThread || o.ExitProcess || o.Signal != 0 || o.Invalid != "":
	default:
		if !c.returned {
			regs.RAX = result
		}
		k.deliver(c.t, regs, o)
	}
	o.Fresh = c.fresh
	o.Accesses, o.Pages, o.Ops, o.Wakes = k.accesses, c.pages, k.ops, k.wakes
	return *o
}

// Output implements kernel.Kernel.
func (k *Kernel) Output(fd int) []byte {
	switch fd {
	case 1:
		return k.out.bytes()
	case 2:
		return k.errs.bytes()
	}
	return nil
}

func trapReason(trap emu.Trap) string {
	return fmt.Sprintf("int %#x is not modelled on linux (32-bit system calls): build the guest for x86-64", trap.Vector)
}

func unmodelled(nr uint64) string {
	return fmt.Sprintf("system call %d (%s) is not modelled", nr, CallName(nr))
}
