package emu

/*
#include "machine.h"
*/
import "C"

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"unsafe"

	"landgo/internal/abi"
)

// Frozen is a machine's state after a guest has run in it alone: memory, and
// one context. Another machine of the same configuration can continue from it,
// in another process too. Permissions, breakpoints and the knowledge of sharing
// aren't in it. It is plain data.
type Frozen struct {
	CPU       []byte // as the engine has it
	PC, Clock uint64
	ClockRead uint64   // times that the guest asked for the time
	Check     []uint64 // registers, as they are read from CPU
	// Pages are the numbers of the pages of memory that aren't all 0,
	// ascending, and Data are their contents.
	Pages []uint64
	Data  []byte
	// Filled are pages that hold one byte throughout, but for the first eight:
	// a kernel fills free pages so.
	Filled []Filled
}

// Freeze copies the state with a context. It fails if that holds an address of
// landgo's own process, by which it would mean something else in another one.
func (m *Machine) Freeze(c Ctx) (*Frozen, error) {
	var cpu Processor
	err := m.FreezeCPU(c, &cpu)
	if err == nil {
		err = m.Movable(&cpu)
	}
	if err != nil {
		return nil, err
	}
	s := m.slot(c)
	f := &Frozen{CPU: cpu.State, PC: uint64(s.pc), Clock: uint64(s.clock), ClockRead: m.ClockReads(), Check: cpu.Check}
	m.eachWritten(0, m.space, func(at uint64) {
		if page := m.Bytes(at, abi.PageSize); !f.fills(at, page) {
			f.Pages = append(f.Pages, at/abi.PageSize)
			f.Data = append(f.Data, page...)
		}
	})
	return f, nil
}

// Filled is a page that holds one byte throughout, but for the first eight.
type Filled struct {
	Page  uint64
	First uint64
	Byte  uint64
}

// fills keeps a page that is filled with anything but 0.
func (f *Frozen) fills(at uint64, page []byte) bool {
	c := page[abi.PageSize-1]
	if c == 0 || !bytes.Equal(page[8:abi.PageSize-1], page[9:]) {
		return false
	}
	f.Filled = append(f.Filled, Filled{at / abi.PageSize, binary.LittleEndian.Uint64(page), uint64(c)})
	return true
}

// registers are a context's, those of a board included.
func (m *Machine) registers(c Ctx) []uint64 {
	w := make([]uint64, C.CONTEXT_WORDS)
	m.slot(c)
	C.context_words(m.c, C.int32_t(c), (*C.uint64_t)(unsafe.Pointer(&w[0])))
	b := m.BoardRegs(c)
	return append(w, b.CR0, b.CR2, b.CR3, b.CR4, b.GDT, b.IDT, b.IDTLimit, b.CS, b.SS)
}

// Thaw puts a frozen state into a machine in which nothing has run, and returns its
// context. An error leaves the machine unusable.
func (m *Machine) Thaw(f *Frozen) (Ctx, error) {
	if len(f.Data) != len(f.Pages)*abi.PageSize || m.c.ran {
		return 0, errOtherMachine
	}
	for _, r := range m.loaded {
		clear(m.Bytes(r.Lo, r.Hi-r.Lo))
	}
	for i := 0; i < len(f.Pages); {
		k := i + 1 // neighbours go together
		for k < len(f.Pages) && f.Pages[k] == f.Pages[k-1]+1 {
			k++
		}
		if f.Pages[k-1] >= m.space/abi.PageSize {
			return 0, errors.New("the state has more memory than the machine")
		}
		if err := m.Load(f.Pages[i]*abi.PageSize, f.Data[i*abi.PageSize:k*abi.PageSize]); err != nil {
			return 0, err
		}
		i = k
	}
	var page [abi.PageSize]byte
	for _, x := range f.Filled {
		for i := range page {
			page[i] = byte(x.Byte)
		}
		binary.LittleEndian.PutUint64(page[:], x.First)
		if x.Page >= m.space/abi.PageSize {
			return 0, errors.New("the state has more memory than the machine")
		}
		if err := m.Load(x.Page*abi.PageSize, page[:]); err != nil {
			return 0, err
		}
	}
	c := m.Start(&Regs{RIP: f.PC})
	m.c.clock_reads = C.uint64_t(f.ClockRead)
	return c, m.thawCPU(c, &Processor{f.CPU, f.Check}, f.PC, f.Clock)
}

// lowest is below all memory that isn't the program's own. The engine is a
// library, and its blocks lie with those, or in the system's heap.
const lowest = 1 << 32

// maps lists this process's memory, if it is given: a confined process can't open it.
var maps *os.File

// Prepare gives machines the file /proc/PID/maps of this process.
func Prepare(own *os.File) { maps = own }

// ownMemory is where landgo's own memory lies.
func ownMemory() (mapped []Range, err error) {
	maps := maps
	if maps == nil {
		if maps, err = os.Open("/proc/self/maps"); err != nil {
			return nil, fmt.Errorf("whether the state can be moved isn't known: %w", err)
		}
		defer maps.Close()
	}
	if _, err := maps.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	for lines := bufio.NewScanner(maps); lines.Scan(); {
		var r Range
		if _, err := fmt.Sscanf(lines.Text(), "%x-%x", &r.Lo, &r.Hi); err == nil && (r.Lo >= lowest || strings.HasSuffix(lines.Text(), "[heap]")) {
			mapped = append(mapped, r)
		}
	}
	return mapped, nil
}

// noAddresses looks for words that are addresses of the engine's: in mapped. A program's
// heap may lie where a constant of the processor's (0x50000000, say) looks like one: that
// is the same in another machine. It may lie where the guest has its own, too: that is in a
// word where a fresh processor has no address.
func (m *Machine) noAddresses(state []byte, mapped []Range) error {
	isAddress := func(v uint64) bool {
		return slices.ContainsFunc(mapped, func(r Range) bool { return v >= r.Lo && v < r.Hi })
	}
	var other []byte
	for at := 0; at+8 <= len(state); at += 8 {
		v := binary.LittleEndian.Uint64(state[at:])
		for _, r := range mapped {
			if v < r.Lo || v >= r.Hi {
				continue
			}
			if r.Lo < lowest && other == nil {
				var err error
				if other, err = m.fresh(len(state)); err != nil {
					return err
				}
			}
			if r.Lo < lowest {
				if was := binary.LittleEndian.Uint64(other[at:]); was == v || v < m.space && !isAddress(was) {
					continue
				}
			}
			return fmt.Errorf("the engine's saved state has an address of its own process, at %d", at)
		}
	}
	return nil
}

// fresh is the state of a processor of another machine, in which nothing has run.
func (m *Machine) fresh(size int) ([]byte, error) {
	o, err := New(Config{Bare: true, Mode: m.cfg.Mode, Space: 1 << 20, Uniprocessor: true, Code: []Range{{Lo: abi.PageSize, Hi: 2 * abi.PageSize}}})
	if err != nil {
		return nil, err
	}
	defer o.Close()
	n := int(C.context_frozen(o.c))
	if n < size {
		return nil, fmt.Errorf("a fresh processor's state has %d bytes, this one's %d", n, size)
	}
	state := make([]byte, n)
	C.context_freeze(o.c, C.int32_t(o.Start(&Regs{RIP: abi.PageSize})), unsafe.Pointer(&state[0]))
	return state[:size], nil // a program's has the beginning alone (part.c)
}

// Layout is the form in which the engine keeps a processor's state: frozen ones
// are of use to machines with the same only.
func (m *Machine) Layout() string {
	at := unsafe.Slice((*int32)(unsafe.Pointer(&m.c.reg_at[0])), int(C.NREGS))
	return fmt.Sprint(m.Version(), " ", uint64(C.context_frozen(m.c)), at)
}
