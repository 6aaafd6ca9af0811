package session

import (
	"strings"

	"landgo/emu"
	"landgo/internal/image"
	"landgo/kernel/pebbles"
)

// onPebbles is a program for Pebbles, 15-410's interface of a kernel, with a thread
// library of its own.
var onPebbles = Platform{
	how: func(img *image.Image) string {
		if img.SaysPebbles() {
			return "the symbol or note that Pebbles programs have"
		}
		return "its entry point _main, or the address of its text, as 15-410's Makefiles have them"
	},
	uniprocessor: true,
	testsLibrary: true,
	Concludes:    true,
	StepCost:     1,
	ByStates:     true,
	machine:      (*Program).pebblesMachine,
	boot:         (*Session).bootPebbles,
	pointless:    (*Program).pointlessProgram,
	trusted: func(p *Program) (basis, full string) {
		if len(p.Config.Trust) > 0 {
			groups := strings.Join(p.Config.Trust, ", ")
			return "the library's " + groups + " trusted", "of the thread library " + groups + "; the rest is tested"
		}
		return nothingTrusted, "nothing: the thread library is tested"
	},
	assumptions: func(*Session) []string { return []string{anySleep} },
}

func (p *Program) pebblesMachine() (emu.Config, error) {
	c := pebbles.MachineConfig(p.Image.File)
	c.Uniprocessor = p.uniprocessor()
	if p.pools() {
		c.Heap, c.HeapOpen = pebbles.UserRange(), true
	}
	return c, nil
}

func (s *Session) bootPebbles(in *inputs) error {
	k, err := pebbles.New(s.Plain.Host(), s.Image.File, pebbles.Config{
		Args: s.argv(), Stdin: in.stdin, OutputLimit: uint64(s.Config.MaxOutput), ObserveOutput: s.Config.ObserveStdout,
	})
	if err != nil {
		return bootError(s.Config.Guest, err)
	}
	regs, err := k.Boot()
	if err != nil {
		return bootError(s.Config.Guest, err)
	}
	s.startProgram(k, &regs)
	return nil
}
