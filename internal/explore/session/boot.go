package session

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/kernel"
	"landgo/scheduler/library"
)

// inputs is the guest's input, as a run or a replay gives it.
type inputs struct {
	stdin []byte
	// contents are standard input, then the files in the configuration's order: all
	// that a schedule depends on (Config.Check).
	contents [][]byte
}

// boot makes the kernel and runs the guest to its first preemption point.
func (s *Session) boot() error {
	in, err := s.readInputs()
	if err != nil {
		return err
	}
	s.Inputs = in.contents
	for i := range s.Config.Files {
		if _, ok := s.Config.Files[i].Disk(); ok && !s.Platform.Interrupts {
			return result.Errorf(result.Usage, "--disk is for kernels that own the machine: %s isn't one; a program reads files by --file", s.Config.Guest)
		}
	}
	s.Check = s.Config.Check([]byte(s.Image.SHA256+s.Image.PartsDigest()), in.contents...)
	return s.Platform.boot(s, in)
}

// singleThreaded is glibc's note that there is one thread. Each of its calls that may be cancelled reads it,
// a sleep too. It is written before the second thread begins, and not again but by pthread_cancel.
const singleThreaded = "__libc_single_threaded"

// startProgram runs a program up to its first preemption point, on a kernel that has
// loaded it.
func (s *Session) startProgram(k kernel.Kernel, regs *emu.Regs) {
	s.Console = k
	var constants []emu.Range
	for _, r := range s.Image.Constants() {
		constants = append(constants, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	for i := range s.Image.Symbols {
		if sym := &s.Image.Symbols[i]; sym.Name == singleThreaded {
			constants = append(constants, emu.Range{Lo: sym.Addr &^ 7, Hi: sym.Addr&^7 + 8})
		}
	}
	s.Machine.DeclareConstant(constants)
	lib := library.New(s.Plain, s.libraryConfig())
	s.library = lib
	s.Plain.Boot(k, s.roles, regs)
	if s.pools() {
		lib.OwnMemory(s.profile.Allocators)
	}
}

// argv is the guest's argument vector. Its first element is fixed, for what a
// guest does must not depend on where its file lies.
func (p *Program) argv() []string { return append([]string{"guest"}, p.Config.Args...) }

// disks are the contents of a kernel's disks, by their places.
func (in *inputs) disks(c *config.Config) [][]byte {
	all := make([][]byte, abi.MaxDisks)
	for i := range c.Files {
		if n, ok := c.Files[i].Disk(); ok {
			if all[n] = in.contents[1+i]; all[n] == nil {
				all[n] = []byte{} // a disk without sectors; nil is none
			}
		}
	}
	return all
}

// maxInput bounds what a guest is given to read: it is kept in memory.
const maxInput = 256 << 20

// readInputs reads standard input and the files.
func (p *Program) readInputs() (in *inputs, err error) {
	in = &inputs{stdin: p.Config.Input}
	if p.Config.Stdin != "" {
		if in.stdin, err = result.ReadFile(p.Config.Stdin, maxInput); err != nil {
			return nil, err
		}
	}
	in.contents = append(in.contents, in.stdin)
	for _, f := range p.Config.Files {
		b := f.Content
		if f.Host != "" {
			if b, err = result.ReadFile(f.Host, maxInput); err != nil {
				return nil, err
			}
		}
		in.contents = append(in.contents, b)
	}
	return in, nil
}
