package pebbles

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/image/elffile"
	"landgo/internal/trace"
	"landgo/kernel"
)

// memory is the guest's.
type memory interface {
	Load(addr uint64, p []byte) error
	Read(addr uint64, p []byte) bool
	Read32(addr uint64) uint32
	Read64(addr uint64) uint64
	Write(addr uint64, p []byte) bool
}

// machine is the rest of emu.Machine that the kernel uses.
type machine interface {
	Protect(addr, size uint64, p emu.Prot)
	Prot(addr uint64) emu.Prot
	Set(p *uint64, v uint64)
	Sharing(addr uint64) (owner trace.TID, shared bool)
}

// Kernel implements kernel.Kernel.
type Kernel struct {
	cfg  Config
	img  *elffile.File
	host kernel.Host
	mem  memory
	m    machine
	form *form

	threads []*thread            // by TID, nil for those of no interest; grows only
	numbers map[uint64]trace.TID // by guest thread id; grows only
	live    uint64               // threads that haven't vanished
	status  uint64               // the last set_status

	regions []*region // the mappings of new_pages, only the first `mapped` of them; grows only
	// These are of all regions that there ever were, on any path: within hull, some
	// removed, some lent. They save looking through regions, which go back, and never change
	// what is found: a stack that grows by the page makes thousands.
	hull               emu.Range
	someGone, someLent bool
	mapped             uint64
	used               uint64 // bytes given out by new_pages
	output             []byte // only the first `printed` count
	printed            uint64
	consumed           uint64 // bytes of input read
	now                uint64

	// Scratch of one call, so that calls make no garbage.
	call     call
	accesses []trace.Access
	wakes    []trace.TID
	spawn    kernel.Spawn
	plan     kernel.Plan
	outcome  kernel.Outcome
}

var (
	_ kernel.Kernel = (*Kernel)(nil)
	_ kernel.Leaver = (*Kernel)(nil)
)

// New prepares a kernel for img. Nothing of the machine is touched before Boot.
func New(host kernel.Host, img *elffile.File, cfg Config) (*Kernel, error) {
	cfg.setDefaults()
	if err := checkLayout(img, &cfg); err != nil {
		return nil, err
	}
	if err := checkVersion(img); err != nil {
		return nil, err
	}
	k := &Kernel{
		cfg: cfg, img: img, host: host, mem: host.Machine, m: host.Machine, form: &form64,
		numbers: map[uint64]trace.TID{},
	}
	if img.Machine == elffile.I386 {
		k.form = &form32
	}
	k.addThread(0, rootNumber).state = running
	k.live = 1
	return k, nil
}

// Plan implements kernel.Kernel.
func (k *Kernel) Plan(t trace.TID, trap emu.Trap) kernel.Plan {
	c := k.begin(t, trap, k.host.Regs(t))
	if c.row == nil {
		return kernel.Plan{Effect: kernel.Invalid, Name: "trap", Reason: unknown(trap)}
	}
	p := &k.plan
	*p = kernel.Plan{Name: c.row.name}
	switch {
	case c.bad:
		c.misses(p, k.form.argument(c.regs), uint64(c.row.args)*k.form.word, emu.ProtRead)
	case c.row.plan != nil:
		c.row.plan(c, p)
	}
	return *p
}

// Foresee implements kernel.Kernel: a plan finds out all that its call touches.
func (k *Kernel) Foresee(t trace.TID, trap emu.Trap) kernel.Foresight {
	k.Plan(t, trap)
	return kernel.Foresight{Accesses: k.accesses}
}

// Do implements kernel.Kernel. The operation that a call carries out is the
// plan's, unless the outcome is idle.
func (k *Kernel) Do(t trace.TID, trap emu.Trap, _ trace.Choice, regs *emu.Regs) kernel.Outcome {
	c := k.begin(t, trap, regs)
	if c.row == nil || c.row.do == nil {
		return kernel.Outcome{Invalid: unknown(trap)}
	}
	regs.RIP += uint64(trap.Len)
	o := &k.outcome
	*o = kernel.Outcome{}
	result := badPointer
	if !c.bad {
		result = c.row.do(c, o)
	}
	if !c.adopted {
		k.form.setResult(regs, result)
	}
	o.Accesses, o.Wakes = k.accesses, k.wakes
	return *o
}

// Output implements kernel.Kernel: there is one console.
func (k *Kernel) Output(fd int) []byte {
	if fd != 1 {
		return nil
	}
	return k.output[:k.printed]
}

// set assigns a word of the kernel's state.
func (k *Kernel) set(p *uint64, v uint64) {
	if *p != v {
		k.m.Set(p, v)
	}
}

func unknown(trap emu.Trap) string {
	if trap.Syscall || trap.Sysenter {
		return "syscall and sysenter are not modelled on pebbles: its calls are traps (int 0x41 to int 0x74)"
	}
	if r := table[trap.Vector]; r != nil {
		return fmt.Sprintf("trap %#x (%s) is not modelled", trap.Vector, r.name)
	}
	return fmt.Sprintf("trap %#x is no call of the pebbles interface", trap.Vector)
}
