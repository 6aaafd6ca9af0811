package explore

import (
	"strings"

	"landgo/emu"
	"landgo/image"
	"landgo/kernel/pebbles"
)

// onPebbles is a program for Pebbles, 15-410's interface of a kernel, with a thread
// library of its own.
var onPebbles = platform{
	how: func(img *image.Image) string {
		if img.SaysPebbles() {
			return "the symbol or note that Pebbles programs have"
		}
		return "its entry point _main, or the address of its text, as 15-410's Makefiles have them"
	},
	uniprocessor: true,
	testsLibrary: true,
	concludes:    true,
	stepCost:     1,
	machine:      (*Session).pebblesMachine,
	boot:         (*Session).bootPebbles,
	pointless:    (*Session).pointlessProgram,
	trusted: func(s *Session) string {
		if len(s.cfg.Trust) > 0 {
			return "of the thread library " + strings.Join(s.cfg.Trust, ", ") + "; the rest is tested"
		}
		return "nothing: the thread library is tested"
	},
	assumptions: func(*Session) []string { return []string{anySleep} },
}

func (s *Session) pebblesMachine() (emu.Config, error) {
	c := pebbles.MachineConfig(s.img)
	c.Uniprocessor = s.uniprocessor()
	if s.pools() {
		c.Heap, c.HeapOpen = pebbles.UserRange(), true
	}
	return c, nil
}

func (s *Session) bootPebbles(in *inputs) error {
	k, err := pebbles.New(s.plain, s.img, pebbles.Config{
		Args: s.argv(), Stdin: in.stdin, OutputLimit: uint64(s.cfg.MaxOutput), ObserveOutput: s.cfg.ObserveStdout,
	})
	if err != nil {
		return bootError(s.cfg.Guest, err)
	}
	regs, err := k.Boot()
	if err != nil {
		return bootError(s.cfg.Guest, err)
	}
	s.startProgram(k, &regs)
	return nil
}
