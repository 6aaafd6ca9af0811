package linux

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
	"landgo/kernel/effect"
)

// Kernel implements kernel.Kernel.
type Kernel struct {
	cfg Config
	img *elffile.File
	log effect.Log
	doing

	user      user
	roster    roster
	queues    queues
	signals   signals
	clock     clocks
	space     space
	loader    loader
	files     files
	objects   objects
	fences    effect.Word // the commands of membarrier that the process may use
	limits    limits
	dumpable  effect.Word
	out, errs capture

	// Scratch of one call, so that calls make no garbage.
	plan  kernel.Plan
	tried emu.Regs    // of the caller, while its call is tried
	stand kernel.Host // a bystander, in place of the host while a call is tried
	spawn kernel.Spawn
}

// doing is the call under way, with its outcome so far.
type doing struct {
	host    kernel.Host // or a bystander, while a call is tried
	call    call
	outcome kernel.Outcome
	ops     []trace.Op
	wakes   []trace.TID
}

var (
	_ kernel.Kernel = (*Kernel)(nil)
	_ kernel.Leaver = (*Kernel)(nil)
)

// New prepares a kernel for img. Nothing of the machine is touched before Boot.
func New(host kernel.Host, img *elffile.File, cfg Config) (*Kernel, error) {
	cfg.setDefaults()
	k := &Kernel{
		cfg:      cfg,
		img:      img,
		doing:    doing{host: host},
		stand:    kernel.Host{Machine: host.Machine, Threads: still{host.Threads}, Interrupter: deaf{host.Interrupter}},
		log:      effect.New(host.Machine),
		fences:   effect.At(wordFences, 0),
		dumpable: effect.At(wordDumps, 1),
	}
	now, log := &k.doing, &k.log
	k.user = user{log}
	k.roster = roster{now: now, log: log, numbers: map[uint64]trace.TID{}, live: effect.At(wordList, 1), list: effect.At(wordList, 0)}
	k.queues = queues{now: now, log: log, user: &k.user, roster: &k.roster, objects: &k.objects, at: map[uint64]*queue{}}
	k.signals = signals{now: now, log: log, img: img, anywhere: img.MayCall("pthread_setcanceltype"), user: &k.user, roster: &k.roster, queues: &k.queues, objects: &k.objects,
		pending: effect.At(wordPending, 0), backlog: newBacklog(wordPending)}
	k.clock = clocks{log: log, now: effect.At(wordClock, epoch), busy: effect.At(wordClock, 0)}
	k.objects = objects{now: now, log: log, roster: &k.roster, queues: &k.queues, signals: &k.signals, clock: &k.clock, files: &k.files,
		n: effect.At(wordFiles, 0)}
	k.space = space{doing: now, log: log, img: img, roster: &k.roster, files: &k.files, windows: map[uint64]trace.TID{}}
	k.loader = loader{now: now, cfg: &k.cfg, img: img, space: &k.space}
	for sig := range k.signals.actions {
		k.signals.actions[sig] = newAction(uint64(sig))
	}
	k.out.limit, k.errs.limit = cfg.OutputLimit, cfg.OutputLimit
	if err := k.space.lay(img, &cfg); err != nil {
		return nil, err
	}
	k.limits.begin(&cfg)
	k.files.log, k.files.limit = &k.log, &k.limits[rlimitNofile].soft
	if err := k.files.open(&cfg, img); err != nil {
		return nil, err
	}
	k.roster.addFirstThread()
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
	l := c.locking(row)
	k.plan = kernel.Plan{Name: row.name, Lockless: c.lockless(row.name, &l), Rests: c.rests(row.name, &l), About: c.about(row)}
	if row.plan != nil {
		row.plan(c, &k.plan)
	}
	return k.plan
}

// Foresee implements kernel.Kernel: the call is carried out, and taken back. A
// call's accesses don't depend on its outcome.
func (k *Kernel) Foresee(t trace.TID, trap emu.Trap) kernel.Foresight {
	host := k.host
	k.tried = *host.Regs(t)
	k.host = k.stand
	var o kernel.Outcome
	host.Machine.Try(func() { o = k.Do(t, trap, 0, &k.tried) })
	k.host = host
	f := kernel.Foresight{Accesses: o.Accesses, Others: o.Others, Pages: o.Pages, Ops: o.Ops}
	if o.Signal != 0 {
		k.ops = append(k.ops, trace.Op{Kind: trace.OpEnd})
		f.Ops = k.ops
	}
	return f
}

// try carries the present call out, shows f its outcome, and takes it back.
func (k *Kernel) try(f func(*kernel.Outcome)) {
	host, was, ops, wakes := k.host, k.call, len(k.ops), len(k.wakes)
	k.tried = *was.regs
	k.call.regs, k.host = &k.tried, k.stand
	host.Machine.Try(func() {
		var o kernel.Outcome
		k.call.row().do(&k.call, &o)
		f(&o)
	})
	k.host, k.call = host, was
	k.ops, k.wakes = k.ops[:ops], k.wakes[:wakes]
}

// still and deaf are a bystander's, for a call that is tried: its threads stay as they are.
type still struct{ kernel.Threads }

func (still) SetResult(trace.TID, uint64)  {}
func (still) SetRegs(trace.TID, *emu.Regs) {}

type deaf struct{ of kernel.Interrupter }

func (d deaf) Arrival(t trace.TID) kernel.Arrival { return d.of.Arrival(t) }
func (d deaf) TakesInCall(t trace.TID) bool       { return d.of.TakesInCall(t) }
func (deaf) Interrupt(trace.TID, *emu.Regs)       {}
func (deaf) CPU(trace.TID) emu.Ctx                { return 0 }
func (deaf) KeepCPU(emu.Ctx)                      {}

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
	// As the syscall instruction leaves them.
	regs.RIP += uint64(trap.Len)
	regs.RCX, regs.R11 = regs.RIP, regs.RFLAGS
	o := &k.outcome
	*o = kernel.Outcome{}
	result := row.do(c, o)
	if !o.Sleep {
		k.objects.finish(c.t)
	}
	switch {
	case o.Sleep:
		c.set(&c.t.sleepCall, c.nr)
	case o.ExitThread || o.ExitProcess || o.Signal != 0 || o.Invalid != "":
	default:
		if !c.returned {
			regs.RAX = result
		}
		if c.unmasks {
			k.signals.deliver(c.t, regs, o)
		}
		c.leave(o)
	}
	o.Fresh = c.fresh
	o.Accesses, o.Others, o.Pages, o.Emptied = k.log.Made(), k.log.Others(), k.log.Pages(), k.log.Emptied()
	o.Ops, o.Wakes = k.ops, k.wakes
	return *o
}

// Touched lists the accesses of the latest Fault or Leave, for the thread and
// for others.
func (k *Kernel) Touched() ([]trace.Access, []kernel.Deed) { return k.log.Made(), k.log.Others() }

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
	if trap.Vector != 0x80 {
		return fmt.Sprintf("int %#x is not modelled on linux", trap.Vector)
	}
	return fmt.Sprintf("int %#x is not modelled on linux (32-bit system calls): build the guest for x86-64", trap.Vector)
}

func unmodelled(nr uint64) string {
	if why, ok := instead[nr]; ok {
		return fmt.Sprintf("system call %d (%s) is not modelled: %s", nr, CallName(nr), why)
	}
	return fmt.Sprintf("system call %d (%s) is not modelled", nr, CallName(nr))
}
