// Package image turns an executable file into plain data. Its rooms, from the bottom up:
//
//   - elffile: segments, symbols, sections
//   - linked: the dynamic linker and the libraries that a program is linked with
//   - x86: instructions, their text and their effects
//   - fields: the fields of debugging sections
//   - unwind: the stacks of threads
//   - debuginfo: source lines, variables, types
//   - static: what the code says without being run
//   - libc: what is known of glibc and musl
//   - profile: the meaning of the guest's functions
//
// The package itself opens a file with all of it, and finds out for which system the file
// is. It stands between a file and everything else. The emulator loads its segments, kernel
// takes its guest from it, scheduler finds the trusted functions in it. Package result and
// report name code and data by it. It never runs anything and knows nothing of a machine's
// state.
//
// Invariants: an Image is a function of the bytes of the file, and of the libraries that it
// is linked with, so the same on any machine.
// All addresses in it are those that the guest will see: the load base is added already.
// After Open it never changes for a caller, but for OwnKernel of a profile. Its methods may
// be called from any goroutine. A file is untrusted: any sequence of bytes gives an Image or
// an error, in memory proportional to the file.
package image

import (
	"sync"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/linked"
	"landgo/internal/image/profile"
	"landgo/internal/image/static"
)

// Image is an executable, and what its debug information says of it.
type Image struct {
	*debuginfo.Info
	// FlagsCross is static.FlagsCross, asked once.
	FlagsCross func() bool
}

// Open reads the executable at path, and what it is linked with.
func Open(path string, libraries linked.Search) (*Image, error) {
	f, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	linked.AddDebug(f, libraries)
	if f, err = linked.Join(f, libraries); err != nil {
		return nil, err
	}
	return recognized(f), nil
}

// Of is the image of a file whose kernel is known.
func Of(f *elffile.File) *Image {
	return &Image{debuginfo.New(f), sync.OnceValue(func() bool { return static.FlagsCross(f) })}
}

// recognized finds out for which system the file is.
func recognized(f *elffile.File) *Image {
	im := Of(f)
	im.Kernel = im.recognizeKernel()
	if im.Kernel == elffile.Bare {
		im.NarrowCode()
	}
	return im
}

// recognizeKernel: Pebbles says so itself. Anything else for x86-64 is a Linux
// program: gcc -static makes these, with a libc or without. Files for i386 of the
// course's own Makefiles have no mark, but begin at _main or have their text at an
// address of its own. Any other one is a kernel, if it sets up interrupts as only
// kernels do, or nothing that is known here.
func (im *Image) recognizeKernel() elffile.Kernel {
	if im.SaysPebbles() {
		return elffile.Pebbles
	}
	if im.saysBare() {
		return elffile.Bare
	}
	if im.Machine == elffile.X86_64 {
		return elffile.Linux
	}
	if s, ok := im.Symbol("_main"); ok && s.Addr == im.Entry || im.Code[0].Lo == elffile.PebblesStart {
		return elffile.Pebbles
	}
	if im.LoadsGates() {
		return elffile.Bare
	}
	return elffile.UnknownKernel
}

// saysBare: the file says that it is a kernel, or can be nothing else.
func (im *Image) saysBare() bool {
	if _, ok := im.Symbol(profile.TellPrefix + "booted"); ok || profile.Known(im.Info) != nil || im.Multiboot() != nil {
		return true
	}
	n := len(im.Segments)
	return im.Segments[n-1].Addr >= elffile.AddressLimit(im.Machine) // where only kernels are
}
