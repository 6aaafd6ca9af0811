package gdbserver

import (
	"encoding/binary"
	"encoding/hex"
	"strconv"

	"landgo/internal/debugger"
)

// layout is a thread's registers as target.xml lists them, one after the other.
func (s *server) layout(r *debugger.Registers) (all [][]byte) {
	word := func(v uint64, bytes int) {
		all = append(all, binary.LittleEndian.AppendUint64(nil, v)[:bytes])
	}
	wide, vectors := 8, 16
	if !s.about.Wide {
		wide, vectors = 4, 8
	}
	for _, c := range cores(s.about.Wide) {
		word(c.of(r), wide)
	}
	word(r.RFLAGS, 4)
	for _, name := range segments {
		word(s.segment(name), 4)
	}
	for i := range 8 {
		all = append(all, r.X87[10*i:10*i+10])
	}
	for _, name := range controls {
		word(map[string]uint64{"fctrl": r.Control, "fstat": r.Status, "ftag": r.Tags}[name], 4)
	}
	for i := range vectors {
		all = append(all, r.XMM[16*i:16*i+16])
	}
	word(r.MXCSR, 4)
	if s.about.Linux {
		word(^uint64(0), wide) // no call is under way
	}
	if s.about.Wide {
		word(r.FSBase, 8)
		word(r.GSBase, 8)
	}
	return all
}

// segment is a segment register's value. gdb asks by it which mode the processor is in.
func (s *server) segment(name string) uint64 {
	switch {
	case name == "fs" || name == "gs":
		return 0
	case !s.about.Linux && name == "cs":
		return 0x8
	case !s.about.Linux:
		return 0x10
	case name == "cs" && s.about.Wide:
		return 0x33 // of Linux
	case name == "cs":
		return 0x23
	}
	return 0x2b
}

func (s *server) registers() (string, error) {
	r, err := s.target.Registers(s.looked())
	if err != nil {
		return refused, nil
	}
	var out []byte
	for _, b := range s.layout(r) {
		out = append(out, b...)
	}
	return hex.EncodeToString(out), nil
}

func (s *server) register(p string) (string, error) {
	n, err := strconv.ParseUint(p, 16, 16)
	if err != nil {
		return refused, nil
	}
	r, err := s.target.Registers(s.looked())
	if err != nil {
		return refused, nil
	}
	all := s.layout(r)
	if n >= uint64(len(all)) {
		return refused, nil
	}
	return hex.EncodeToString(all[n]), nil
}
