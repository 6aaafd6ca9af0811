package session

import (
	"fmt"
	"strings"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/profile"
	"landgo/internal/result"
	board "landgo/kernel/bare"
	"landgo/por"
	"landgo/scheduler/steer"
)

// ownKernel is a kernel that owns the machine and schedules its threads itself.
var ownKernel = Platform{
	how: func(*image.Image) string {
		return "a multiboot header, annotations of a kernel, or a profile that describes one"
	},
	uniprocessor: true,
	plainMalloc:  true,
	Interrupts:   true,
	Annotated:    true,
	Kernel:       true,
	Ticks:        true,
	OrdersOnly:   true,
	// Ticks, handlers and switches lie between the steps of its threads, and which can
	// run has to be tried. 10,000 to 50,000 of them a second were measured. All numbers
	// of steps by which jobs are planned are divided by it, or the warm-up alone would
	// use up the time of a small test.
	StepCost:     50,
	userPrograms: true,
	machine: func(p *Program) (emu.Config, error) {
		return board.MachineConfig(p.Image.File, p.pools(), p.boardMemory(), p.loader())
	},
	boot:      (*Session).bootKernel,
	pointless: (*Program).pointlessKernel,
	trusted: func(*Program) (basis, full string) {
		return "its word on its scheduler trusted", "nothing: the kernel is tested, but what it says of its scheduler is believed"
	},
	sleeps: "a sleep ends by the ticks that the kernel counts",
	assumptions: func(s *Session) []string {
		out := []string{"the timer may tick at any point of the granularity, as often as it takes, and nowhere else",
			"other devices interrupt as soon as they can"}
		for i := range s.Config.Files {
			if _, ok := s.Config.Files[i].Disk(); ok {
				out[1] += ", but for disks: these are ready at once, and interrupt at any later point, before sleeps end"
				break
			}
		}
		if s.found != nil {
			out = append(out, s.found()...)
		}
		return out
	},
}

// boardMemory is how much memory a kernel's machine has, if its profile says so.
func (p *Program) boardMemory() uint64 {
	if k := p.profile.Kernel; k != nil {
		return k.Memory
	}
	return 0
}

// loader is how the kernel begins by its profile; nil: a multiboot loader starts it.
func (p *Program) loader() *profile.Loader {
	if k := p.profile.Kernel; k != nil {
		return k.Loader
	}
	return nil
}

// silent says that a kernel doesn't describe its threads, if neither it nor a profile
// does. It would boot, perhaps without an end, and nothing would be known.
func (p *Program) silent() error {
	missing := steer.Untold(p.Image)
	if p.profile.Kernel != nil || len(missing) < steer.Needed {
		return nil
	}
	if p.misfit != nil {
		return &Invalid{Kind: result.NoAnnotations, Reason: fmt.Sprintf("%s is a kernel that landgo has a profile for, but it is built in another way: %v", p.Config.Guest, p.misfit)}
	}
	return &Invalid{Kind: result.NoAnnotations, Reason: fmt.Sprintf("%s is a kernel that doesn't describe its threads: it has none of landgo's annotations (%s)", p.Config.Guest, strings.Join(missing, ", "))}
}

// Hunt says that the search of a kernel that schedules its own threads claims nothing.
func (s *Session) Hunt() { s.hunt() }

// bootKernel boots a kernel that owns the machine, up to where its threads are
// looked at.
func (s *Session) bootKernel(in *inputs) error {
	if spec, err := por.ParseSpec(s.Config.Search); err == nil && spec.NotForKernels() != "" {
		return result.Errorf(result.Usage, "search %s isn't for kernels that schedule their own threads: %s", spec, spec.NotForKernels())
	}
	if err := s.silent(); err != nil {
		return err
	}
	b := board.New(s.Machine, s.Machine, s.Image.File, board.Config{Cmdline: s.Config.Cmdline, OutputLimit: uint64(s.Config.MaxOutput), Memory: s.boardMemory(), Loader: s.loader(), Disks: in.disks(&s.Config)})
	regs, err := b.Boot()
	if err != nil {
		return bootError(s.Config.Guest, err)
	}
	s.Console = b
	own := steer.New(s.Plain, steer.Board{Ports: b, Interrupts: b, Devices: b}, s.roles, s.profile.Kernel)
	s.Guest = &Guest{Runner{own, Sparing{own, own, own, own, own, own, own, own, own, own, own}}, Gatherer{own, own}, Replayed{own, own}, Told{own, own, own}}
	s.found, s.hunt = own.Found, own.Hunt
	s.StopsWithin(true)
	defer s.StopsWithin(false)
	return s.bootKept(b, own, &regs)
}
