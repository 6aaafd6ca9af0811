package bare

import (
	"landgo/emu"
	"landgo/internal/abi"
	"landgo/internal/image/elffile"
	"landgo/internal/image/profile"
	"landgo/kernel"
)

// Where landgo's own things are in the kernel's memory: below the first
// megabyte, in the pages that a loader uses.
const (
	defaultMemory = 64 << 20
	// heapTables is room behind the machine's memory for the tables of freed
	// blocks, beside an eighth of that.
	heapTables = 1 << 20

	gdtAt         = 0x1000
	trampolineAt  = 0x2000 // into 32-bit mode
	stackAt       = 0x3000 // the end of the first stack
	multibootAt   = 0x4000
	cmdlineAt     = 0x5000
	cmdlineRoom   = 0x1000
	lowerMemory   = 640 << 10
	firstMegabyte = 1 << 20

	screenAt    = 0xb8000
	screenCells = 80 * 25
)

// MachineConfig is the machine for a kernel. followed: the calls of its allocators
// are known. memory is its size, 0 for the usual one. l is how it begins by its profile,
// or nil.
func MachineConfig(img *elffile.File, followed bool, memory uint64, l *profile.Loader) (emu.Config, error) {
	if memory == 0 {
		memory = defaultMemory
	}
	c := emu.Config{Bare: true, Uniprocessor: true, Space: memory, CodeBias: img.Bias, Devices: Devices()}
	c.Programs = img.Machine == elffile.I386 && img.Bias != 0 && img.LoadsTask()
	paged := l != nil && l.Tables != 0
	placed := paged || l != nil && l.Above != 0
	if img.Bias != 0 && (img.Bias < 2*memory || -img.Bias < 2*memory) {
		return c, kernel.Errorf(kernel.GapLayout, "the kernel is loaded at %#x and linked at %#x: landgo needs these further apart, or the same", img.Segments[0].Physical, img.Segments[0].Addr)
	}
	if _, ok := img.Symbol(profile.TellPrefix + "freed"); ok || followed {
		c.Heap, c.HeapOpen = emu.Range{Lo: 0, Hi: memory}, true
		c.Space += memory/8 + heapTables
	}
	if img.Machine == elffile.I386 {
		c.Mode = emu.I386
	}
	for _, s := range img.Segments {
		if err := checkPlace(img, &s, memory, placed); err != nil {
			return c, err
		}
	}
	if !paged {
		for _, r := range img.Code {
			if at := img.Physical(r.Lo); at <= stackAt {
				return c, kernel.Errorf(kernel.GapLayout, "code at %#x, where the loader's data is", at)
			}
		}
	}
	if !paged && img.Machine == elffile.X86_64 {
		c.Code = append(c.Code, emu.Range{Lo: trampolineAt, Hi: trampolineAt + abi.PageSize})
	}
	for _, r := range img.Code {
		c.Code = append(c.Code, emu.Range{Lo: r.Lo, Hi: r.Hi})
	}
	return c, nil
}

// checkPlace: s lies in the machine's memory, and where its file puts it, unless a
// profile's loader has places of its own.
func checkPlace(img *elffile.File, s *elffile.Segment, memory uint64, placed bool) error {
	if at := img.Physical(s.Addr); at > memory || s.MemSize > memory-at {
		return kernel.Errorf(kernel.GapLayout, "a segment at %#x, outside of the machine's %d MiB of memory: a kernel lies at its physical addresses (p_paddr), or below its own by the profile's loader.above", at, memory>>20)
	}
	if placed || img.Bias == 0 {
		return nil
	}
	for _, p := range append([]elffile.Placed{{Addr: s.Addr, Physical: s.Physical}}, s.Rest...) {
		if img.Physical(p.Addr) != p.Physical {
			return kernel.Errorf(kernel.GapLayout, "a segment at %#x is to be loaded at %#x, others at %#x below their addresses. All parts have to be at their own addresses, or moved by the same distance. If the kernel's loader puts it %#[3]x below, say so in a profile (loader: {above: %#[3]x})", p.Addr, p.Physical, img.Bias)
		}
	}
	return nil
}
