package session

import (
	"fmt"

	"landgo/emu"
	"landgo/internal/explore/config"
	"landgo/internal/image"
	"landgo/internal/image/elffile"
	"landgo/internal/image/static"
	"landgo/kernel/linux"
	"landgo/scheduler/library"
)

// onLinux is a program for Linux, whose system calls landgo models.
var onLinux = Platform{
	how: func(img *image.Image) string {
		if img.Libc() != elffile.NoLibc {
			return "the C library"
		}
		return "a static executable without a C library"
	},
	carriesOut:  true,
	plainMalloc: true,
	Concludes:   true,
	Buffered:    true,
	StepCost:    1,
	ByStates:    true,
	machine:     (*Program).linuxMachine,
	boot:        (*Session).bootLinux,
	pointless:   (*Program).pointlessProgram,
	trusted:     (*Program).trustedLibrary,
	assumptions: (*Session).assumedOfLinux,
}

// assumedOfLinux is the assumptions of certificates of Linux programs.
func (s *Session) assumedOfLinux() []string {
	if s.openMP() {
		return []string{anySleep, "the guest has " + passive + ": threads of OpenMP sleep at once where they would turn in a loop first"}
	}
	return []string{anySleep}
}

func (p *Program) linuxMachine() (emu.Config, error) {
	c := emu.Config{Uniprocessor: p.uniprocessor(), Space: linux.DefaultSpace}
	if !p.Config.NoHeap {
		c.Heap, c.HeapHole = library.HeapRange(p.Image)
		if p.Config.Malloc == config.MallocNative || p.pools() {
			c.Heap, c.HeapHole, c.HeapOpen = library.EveryRange(), emu.Range{}, true
		}
	}
	for _, r := range static.ReadsAhead(p.Image.Info) {
		c.Ahead = append(c.Ahead, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	for _, r := range p.Image.Code {
		c.Code = append(c.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	return c, nil
}

// guestMemory is a Linux guest's memory by default: room for the stacks of as many
// threads as --max-threads allows then, twice over. Where it allows more threads, they
// have more.
const guestMemory, threadMemory = 2 << 30, 16 << 20

func (p *Program) guestMemory() uint64 {
	return max(guestMemory, uint64(p.Config.MaxThreads)*threadMemory)
}

func (s *Session) bootLinux(in *inputs) error {
	files := map[string][]byte{}
	for i, f := range s.Config.Files {
		if f.Guest == config.WritesFiles {
			continue
		}
		files[f.Guest] = in.contents[1+i]
	}
	k, err := linux.New(s.Plain.Host(), s.Image.File, linux.Config{
		Args: s.argv(), Env: s.environment(), Stdin: in.stdin, Contents: files, MemoryLimit: s.guestMemory(),
		OutputLimit: uint64(s.Config.MaxOutput), TimeoutsAny: s.Config.Timeouts == config.TimeoutsAny,
		ObserveStdout: s.Config.ObserveStdout, WriteFiles: s.Config.WritesFiles(), Lacks: s.lacks,
	})
	if err != nil {
		return bootError(s.Config.Guest, err)
	}
	regs, err := k.Boot()
	if err != nil {
		return bootError(s.Config.Guest, err)
	}
	s.startProgram(k, &regs)
	return s.findStart()
}

// trustedLibrary says which of the C library's functions are taken as correct.
func (p *Program) trustedLibrary() (basis, full string) {
	if p.NoRoles() {
		why := "has none of the functions that landgo knows"
		if p.Image.Stripped {
			why = "has no symbols"
		}
		return nothingTrusted, "nothing: the guest " + why + ", so lock and unlock mean its futex calls and locked instructions"
	}
	if p.Config.Malloc == config.MallocNative {
		full = fmt.Sprintf("%s's thread, lock and output functions; its allocator runs uninterrupted", p.Image.Libc())
	} else {
		full = fmt.Sprintf("%s's thread, lock, allocation and output functions", p.Image.Libc())
	}
	return fmt.Sprintf("%s's locks trusted", p.Image.Libc()), full
}

const nothingTrusted = "nothing trusted"
