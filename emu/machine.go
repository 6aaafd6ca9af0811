package emu

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#cgo LDFLAGS: -lunicorn -lm
#include <stdlib.h>
#include "classify.h"
#include "machine.h"

static unsigned engine_version(void)
{
	unsigned major, minor;
	return uc_version(&major, &minor);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"slices"
	"sort"
	"unsafe"

	"landgo/internal/abi"
	"landgo/internal/trace"
)

const (
	maxSpace = 1 << 44 // a third of the host's possible reservation

	defaultSpace64 = 128 << 30
	defaultSpace32 = 4 << 30
	// maxSpace32: the addresses above an i386 guest's are for the bits of
	// Config.Heap, and isn't mapped into the engine.
	maxSpace32 = 2 * defaultSpace32
)

// Machine is one guest machine. It is used by one goroutine at a time;
// different machines are independent.
type Machine struct {
	c     *C.struct_machine
	cfg   Config
	space uint64
	mem   unsafe.Pointer // host address of guest address 0
	perm  []uint8        // by page
	// written, by page: not 0 if it may hold something, as far as the journal was looked at.
	written []uint8
	code    []uint8            // class bytes of code, see classify.h
	brk     []uint8            // breakpoint classes of code
	point   []uint8            // marks of code, see Points
	lo      uint64             // physical address of code[0] and brk[0]
	named   []uint64           // the instructions that Points named
	broken  []uint64           // where brk isn't 0, or was not
	claimed map[uint64]claimed // by where a range begins: see Claim (sharing.go)
	hulls   [64]hullFound      // see SharedHull (sharing.go)
	// loaded is where Load has written.
	loaded []Range
	log    []change
	marks  []mark
	free   []Ctx // made since the latest mark, and given up
	stop   Stop

	regsSet bool // stop.Regs isn't zero
	regs    Regs // scratch of the method: a variable that C sees is on the heap
	board   board
	recall  recall

	digests         []digestPoint // oldest first
	words           map[*uint64]uint64
	granules, pages []touched // scratch of Digest
	firsts          []First   // and of Firsts
}

// New returns a machine with empty, inaccessible memory.
func New(cfg Config) (*Machine, error) {
	space, err := checkConfig(&cfg)
	if err != nil {
		return nil, err
	}
	lo := cfg.Code[0].Lo
	n := cfg.Code[len(cfg.Code)-1].Hi - lo
	if cfg.Programs {
		lo, n = 0, space // it may be anywhere
	}
	var msg *C.char
	c := C.machine_open(C.bool(!cfg.NoEngine), C.bool(cfg.Mode == I386), C.uint64_t(space), C.uint64_t(lo), C.uint64_t(n), &msg)
	if c == nil {
		return nil, fmt.Errorf("can't set up the machine: %s", C.GoString(msg))
	}
	m := &Machine{
		claimed: map[uint64]claimed{},
		c:       c,
		cfg:     cfg,
		space:   space,
		mem:     unsafe.Pointer(c.mem),
		perm:    unsafe.Slice((*uint8)(c.perm), space>>abi.PageShift),
		written: unsafe.Slice((*uint8)(c.written), space>>abi.PageShift),
		code:    unsafe.Slice((*uint8)(c.code), n),
		brk:     unsafe.Slice((*uint8)(c.brk), n),
		point:   unsafe.Slice((*uint8)(c.point), n),
		lo:      lo,
	}
	c.uniprocessor = C.bool(cfg.Uniprocessor)
	c.bare, c.code_bias = C.bool(cfg.Bare), C.uint64_t(cfg.CodeBias)
	m.mapHeap()
	if cfg.NoEngine {
		return m, nil
	}
	m.populateCode()
	if err := m.mapBoard(); err != nil {
		m.Close()
		return nil, err
	}
	if err := m.mapMemory(); err != nil {
		m.Close()
		return nil, err
	}
	return m, nil
}

// muchCode is more code than is asked memory for before it runs.
const muchCode = 8 << 20

// populateCode asks for the memory of what is known of the code.
func (m *Machine) populateCode() {
	all := uint64(0)
	for _, r := range m.cfg.Code {
		all += r.Hi - r.Lo
	}
	if all > muchCode || m.cfg.Programs {
		return
	}
	for _, r := range m.cfg.Code {
		C.machine_populate_code(m.c, C.uint64_t(r.Lo-m.lo), C.uint64_t(r.Hi-r.Lo))
	}
}

// ErrCode: the code lies where a machine can't have it.
var ErrCode = errors.New("a bad range of code")

// checkConfig completes a configuration and returns the size of the space.
func checkConfig(cfg *Config) (uint64, error) {
	space := cfg.Space
	if space == 0 {
		space = defaultSpace64
		if cfg.Mode == I386 {
			space = defaultSpace32
		}
	}
	if space%abi.PageSize != 0 || space > maxSpace || cfg.Mode == I386 && space > maxSpace32 {
		return 0, fmt.Errorf("an address space of %#x bytes is not possible", space)
	}
	if len(cfg.Code) == 0 {
		return 0, errors.New("a machine needs a range of code")
	}
	if cfg.CodeBias != 0 && (cfg.CodeBias < space || -cfg.CodeBias < space) {
		return 0, fmt.Errorf("code %#x above its memory would overlap it", cfg.CodeBias)
	}
	cfg.Code = append([]Range(nil), cfg.Code...)
	for i, r := range cfg.Code {
		cfg.Code[i] = Range{Lo: cfg.codeAt(r.Lo), Hi: cfg.codeAt(r.Hi-1) + 1}
	}
	sort.Slice(cfg.Code, func(i, j int) bool { return cfg.Code[i].Lo < cfg.Code[j].Lo })
	if err := checkHeap(cfg, space); err != nil {
		return 0, err
	}
	end := uint64(0)
	for _, r := range cfg.Code {
		if r.Lo%abi.PageSize != 0 || r.Hi%abi.PageSize != 0 || r.Lo >= r.Hi || r.Lo < end || r.Hi > space {
			return 0, fmt.Errorf("%w: %#x-%#x is empty, unaligned, overlapping or out of the address space", ErrCode, r.Lo, r.Hi)
		}
		end = r.Hi
	}
	return space, nil
}

// codeAt is where the code at an address is in memory.
func (c *Config) codeAt(pc uint64) uint64 {
	if pc >= c.CodeBias {
		return pc - c.CodeBias
	}
	return pc
}

// mapMemory tells the engine where code is and where data is, and registers the
// hooks.
func (m *Machine) mapMemory() error {
	at := uint64(0)
	end := m.space
	if m.cfg.Mode == I386 {
		end = min(end, defaultSpace32)
	}
	for _, r := range append(m.cfg.Code, Range{Lo: end, Hi: end}) {
		if err := m.mapRange(at, r.Lo, false); err != nil {
			return err
		}
		if err := m.mapRange(r.Lo, r.Hi, true); err != nil {
			return err
		}
		at = r.Hi
	}
	if msg := C.machine_hook(m.c); msg != nil {
		return fmt.Errorf("can't set up the machine: %s", C.GoString(msg))
	}
	return nil
}

func (m *Machine) mapRange(lo, hi uint64, code bool) error {
	if lo == hi {
		return nil
	}
	if msg := C.machine_map(m.c, C.uint64_t(lo), C.uint64_t(hi), C.bool(code)); msg != nil {
		return fmt.Errorf("can't map guest memory %#x-%#x: %s", lo, hi, C.GoString(msg))
	}
	return nil
}

// Close releases the machine and its memory. Views from Bytes and the last
// Stop's slices die with it.
func (m *Machine) Close() {
	if m.c == nil {
		return
	}
	C.machine_close(m.c)
	*m = Machine{}
}

// Version is the version of the engine.
func (m *Machine) Version() string {
	v := uint32(C.engine_version())
	return fmt.Sprintf("unicorn %d.%d.%d", v>>24, v>>16&0xff, v>>8&0xff)
}

// Space is the size of the guest's address space.
func (m *Machine) Space() uint64 { return m.space }

// Late is the number of runs that had to be made again because an instruction
// couldn't be stopped in its middle.
func (m *Machine) Late() uint64 { return uint64(m.c.late) }

// DeclareAllShared makes every access, outside Solo and Quiet runs, an event,
// whichever threads have touched the memory. For tests.
func (m *Machine) DeclareAllShared(on bool) {
	m.recall.forget()
	m.c.all_shared = C.bool(on)
}

// Break sets a breakpoint of some class before the instruction at addr; class 0
// removes it. Breakpoints aren't part of the marked state. It reports whether
// addr is in a code range.
func (m *Machine) Break(addr uint64, class uint8) bool {
	off := m.cfg.codeAt(addr) - m.lo
	if off >= uint64(len(m.code)) {
		return false
	}
	if m.brk[off] == 0 && class != 0 {
		m.broken = append(m.broken, addr)
	}
	m.recall.forget()
	m.brk[off] = class
	if class == 0 {
		m.code[off] &^= C.CODE_BREAK
	} else {
		m.code[off] |= C.CODE_BREAK
	}
	return true
}

// Broken are the addresses of all breakpoints, in no order.
func (m *Machine) Broken() []uint64 {
	return slices.DeleteFunc(slices.Clone(m.broken), func(a uint64) bool { return !m.Breaks(a) })
}

// Breaks reports whether there is a breakpoint before the instruction at addr.
func (m *Machine) Breaks(addr uint64) bool {
	off := m.cfg.codeAt(addr) - m.lo
	return off < uint64(len(m.code)) && m.brk[off] != 0
}

// Points names the instructions before whose shared events a run with
// StopPoints stops, in place of those named before. It isn't part of the marked
// state. Addresses that hold no code are left out. An address of user programs is one in each of
// them.
func (m *Machine) Points(addrs []uint64) {
	m.recall.forget()
	for _, a := range m.named {
		m.point[m.cfg.codeAt(a)-m.lo] = 0
	}
	m.named = m.named[:0]
	var programs []uint64
	for _, a := range addrs {
		if m.HasPrograms() && a < m.cfg.CodeBias {
			programs = append(programs, a)
		} else if off := m.cfg.codeAt(a) - m.lo; off < uint64(len(m.point)) {
			m.point[off] = 1
			m.named = append(m.named, a)
		}
	}
	slices.Sort(programs)
	C.free(unsafe.Pointer(m.c.marked))
	m.c.marked, m.c.nmarked = nil, C.uint32_t(len(programs))
	if n := len(programs); n > 0 {
		p := C.malloc(C.size_t(n) * 8)
		copy(unsafe.Slice((*uint64)(p), n), programs)
		m.c.marked = (*C.uint64_t)(p)
	}
}

// Sharing is the knowledge of the 8 bytes around addr: the only thread that
// has touched them, or shared. Owner is trace.NoThread for untouched memory, for
// memory that only trusted code has touched, and for shared memory.
func (m *Machine) Sharing(addr uint64) (owner trace.TID, shared bool) {
	if addr >= m.space {
		return trace.NoThread, false
	}
	b := *(*uint8)(unsafe.Add(unsafe.Pointer(m.c.shadow), addr>>C.GRANULE_SHIFT))
	switch {
	case b == C.SHARED:
		return trace.NoThread, true
	case b == C.UNTOUCHED || b > C.LAST_OWNER:
		return trace.NoThread, false
	}
	return trace.TID(b) - 1, false
}
