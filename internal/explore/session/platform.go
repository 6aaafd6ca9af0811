package session

import (
	"landgo/emu"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/result"
)

// Platform is all that depends on which kernel the guest runs on, or is. Each field
// answers one question of the rest of landgo, so that no other code asks for the
// kernel itself.
type Platform struct {
	// how is by what the file is recognised.
	how func(*image.Image) string

	// uniprocessor: its guests run on one processor, unless the user says otherwise.
	uniprocessor bool
	// carriesOut: landgo carries the C library's functions out, and --malloc native
	// is about its allocator.
	carriesOut bool
	// testsLibrary: the guest's thread library is tested, but for what --trust names.
	testsLibrary bool
	// plainMalloc: an allocator is known by its functions' names alone.
	plainMalloc bool

	// Interrupts: the guest switches interrupts off and on, and there are preemption
	// points where it does. Sections without them are one step, whatever they do.
	Interrupts bool
	// Annotated: locks are known by what the kernel tells landgo of them, beside
	// their functions' names.
	Annotated bool
	// Kernel: the guest is a kernel itself, and its threads are its own.
	Kernel bool
	// ByStates: its state is known well enough to search by states.
	ByStates bool
	// Ticks: the timer drives the guest's own scheduler. Threads are switched by
	// ticks, sleeps end by them, and a machine is stopped only between two.
	Ticks bool
	// OrdersOnly: locks are known only by what they order, so that races are found by
	// happens-before.
	OrdersOnly bool
	// Concludes: data-race candidates show all that preemption points leave out. A
	// kernel's candidates show nothing of races with the timer's interrupt.
	Concludes bool
	// Buffered: its processors have store buffers (x86-TSO), and what the kernel and the C
	// library do about them is known.
	Buffered bool
	// StepCost is how many steps of a program one of the guest takes as long as.
	StepCost uint64
	// userPrograms: code below the image is a user program's.
	userPrograms bool

	machine func(*Program) (emu.Config, error)
	boot    func(*Session, *inputs) error
	// pointless says which kinds of preemption points the guest can't have (pointless.go).
	pointless func(*Program) string

	// The texts of certificates.
	trusted     func(*Program) (basis, full string)
	sleeps      string // when a sleep ends by itself, "": as --timeouts says
	assumptions func(*Session) []string
}

// platformOf is the platform of a kernel's guests.
func platformOf(k elffile.Kernel) *Platform {
	switch k {
	case elffile.Linux:
		return &onLinux
	case elffile.Pebbles:
		return &onPebbles
	case elffile.Bare:
		return &ownKernel
	}
	return &unknown
}

// Linux reports whether the guest is a program for Linux, whose calls landgo models.
func (p *Platform) Linux() bool { return p.carriesOut }

// unknown is a file that doesn't say what it runs on: it can be inspected.
var unknown = Platform{
	how:          func(*image.Image) string { return "nothing" },
	uniprocessor: true,
	plainMalloc:  true,
	Concludes:    true,
	StepCost:     1,
	ByStates:     true,
	machine:      (*Program).linuxMachine,
	boot: func(s *Session, _ *inputs) error {
		if s.Image.Machine == elffile.I386 {
			return result.Errorf(result.WrongMachine, "%s: built for i386, and not for Pebbles", s.Config.Guest)
		}
		return result.Errorf(result.NoKernel, "%s: nothing in the file says what it runs on: it is neither a Linux program nor one for Pebbles", s.Config.Guest)
	},
	pointless:   (*Program).pointlessProgram,
	trusted:     (*Program).trustedLibrary,
	assumptions: func(*Session) []string { return []string{anySleep} },
}

// anySleep is the assumption about sleeps in programs' certificates.
const anySleep = "a sleep may end at any point"
