package emu

// #include "machine.h"
import "C"

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
)

// A closed machine waits for a guest whose code lies where its own did: another search or replay
// of the same program. That needn't set an engine up, nor translate the same code again. The
// machine is as a new one then, but for the engine's translations. Translations of code that differs are dropped before the first run.

// idleMachine is one that was closed, and is empty.
type idleMachine struct {
	c    *C.struct_machine
	mode Mode
	size uint64  // of the address space
	code []Range // as in its configuration
	was  []byte  // what was there
}

// maxIdle is how many machines wait: few, for each keeps its translations. None waits whose code
// takes more than mostCode.
const (
	maxIdle  = 8
	mostCode = 32 << 20
)

var idle struct {
	sync.Mutex
	list []idleMachine // in the order in which they were closed
}

// takeIdle is a machine that waits for a guest like this, with the code of which its engine has
// translations; nil if there is none.
func takeIdle(cfg *Config, space uint64) (*C.struct_machine, []byte) {
	if cfg.NoEngine || cfg.Bare {
		return nil, nil
	}
	idle.Lock()
	defer idle.Unlock()
	for i := len(idle.list) - 1; i >= 0; i-- {
		if w := idle.list[i]; w.mode == cfg.Mode && w.size == space && slices.Equal(w.code, cfg.Code) {
			idle.list = slices.Delete(idle.list, i, i+1)
			return w.c, w.was
		}
	}
	return nil, nil
}

// keepIdle has the machine wait for another guest, in the place of the one that has waited
// longest if too many do. It reports whether it can.
func (m *Machine) keepIdle() bool {
	was, size := m.was, uint64(0)
	for _, r := range m.cfg.Code {
		size += r.Hi - r.Lo
	}
	if size > mostCode {
		return false
	}
	if m.c.ran {
		was = slices.Grow(was[:0], int(size))
		for _, r := range m.cfg.Code {
			was = append(was, m.Bytes(r.Lo, r.Hi-r.Lo)...)
		}
	}
	if !C.machine_empty(m.c) {
		return false
	}
	idle.Lock()
	defer idle.Unlock()
	if len(idle.list) == maxIdle {
		C.machine_close(idle.list[0].c)
		idle.list = slices.Delete(idle.list, 0, 1)
	}
	idle.list = append(idle.list, idleMachine{m.c, m.cfg.Mode, m.space, m.cfg.Code, was})
	return true
}

// dropOther has the engine forget its translations of pages of code whose bytes differ by now.
func (m *Machine) dropOther() {
	was := m.was
	for _, r := range m.cfg.Code {
		for at := r.Lo; at < r.Hi; at += pageSize {
			same := bytes.Equal(m.Bytes(at, pageSize), was[:pageSize])
			if was = was[pageSize:]; same {
				continue
			}
			if msg := C.machine_drop(m.c, C.uint64_t(at), C.uint64_t(at+pageSize)); msg != nil {
				panic(fmt.Sprintf("emu: the engine keeps its translation of other code at %#x: %s", at, C.GoString(msg)))
			}
		}
	}
}
