package gdbserver

import (
	"encoding/hex"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"landgo/internal/debugger"
)

// gdb's questions about a run that stands still.

func (s *server) query(p string) (string, error) {
	name, rest, _ := strings.Cut(p, ":")
	switch name {
	case "qAttached":
		return "1", nil
	case "qSymbol":
		return "OK", nil
	case "qC":
		return fmt.Sprintf("QC%x", s.stopped), nil
	case "qOffsets":
		if s.about.Bias == 0 {
			return "", nil
		}
		return fmt.Sprintf("Text=%x;Data=%[1]x;Bss=%[1]x", s.about.Bias), nil
	case "qfThreadInfo":
		return s.threadList()
	case "qsThreadInfo":
		return "l", nil
	case "qXfer":
		return s.transfer(rest)
	case "qGetTLSAddr":
		return s.threadLocal(rest)
	}
	switch {
	case strings.HasPrefix(p, "qRcmd,"):
		return s.monitor(p[len("qRcmd,"):])
	case strings.HasPrefix(p, "qThreadExtraInfo,"):
		return s.threadText(p[len("qThreadExtraInfo,"):])
	}
	return "", nil
}

// choose has gdb choose a thread: of the kind g or c.
func (s *server) choose(p string) string {
	if p == "" {
		return refused
	}
	n, ok := threadID(p[1:])
	if !ok {
		return refused
	}
	switch p[0] {
	case 'g':
		s.general = n
	case 'c':
		s.resumed = n
	}
	return "OK"
}

// threadID reads a thread's number; 0 for any, and for all of them.
func threadID(text string) (int, bool) {
	if text == "-1" {
		return 0, true
	}
	n, err := strconv.ParseUint(text, 16, 31)
	return int(n), err == nil
}

// looked is the thread whose registers gdb asks for.
func (s *server) looked() int {
	if s.general != 0 {
		return s.general
	}
	return s.stopped
}

func (s *server) memory(p string) (string, error) {
	addr, size, ok := hexPair(p)
	if !ok {
		return refused, nil
	}
	b, err := s.target.Memory(addr, min(size, maxPacket/2-16))
	if err != nil || len(b) == 0 && size > 0 {
		return refused, nil
	}
	s.overlay(addr, b)
	return hex.EncodeToString(b), nil
}

// hexPair reads two numbers with a comma between.
func hexPair(p string) (a, b uint64, ok bool) {
	x, y, _ := strings.Cut(p, ",")
	a, err := strconv.ParseUint(x, 16, 64)
	if err != nil {
		return 0, 0, false
	}
	b, err = strconv.ParseUint(y, 16, 64)
	return a, b, err == nil
}

// monitor answers what a user asks with gdb's command monitor.
func (s *server) monitor(p string) (string, error) {
	line, err := hex.DecodeString(p)
	if err != nil {
		return refused, nil
	}
	text, err := s.target.Tell(debugger.Question{Words: strings.Fields(string(line))})
	if err != nil {
		text = err.Error() + "\n"
	}
	const part = maxPacket/2 - 16
	for len(text) > 0 {
		n := min(len(text), part)
		if err := s.conn.write("O" + hex.EncodeToString([]byte(text[:n]))); err != nil {
			return "", err
		}
		text = text[n:]
	}
	return "OK", nil
}

// transfer sends a part of an object that gdb reads.
func (s *server) transfer(p string) (string, error) {
	f := strings.Split(p, ":")
	if len(f) != 4 || f[1] != "read" {
		return "", nil
	}
	offset, size, ok := hexPair(f[3])
	if !ok {
		return refused, nil
	}
	var object string
	switch {
	case f[0] == "features" && f[2] == "target.xml":
		object = s.targetXML()
	case f[0] == "threads":
		if offset == 0 {
			text, err := s.threadsXML()
			if err != nil {
				return refused, nil
			}
			s.xml = text
		}
		object = s.xml
	case f[0] == "auxv" && len(s.about.Auxv) > 0:
		object = string(s.about.Auxv)
	case f[0] == "exec-file":
		path, err := filepath.Abs(s.about.Guest)
		if err != nil {
			return refused, nil
		}
		object = path
	default:
		return "E00", nil
	}
	if offset >= uint64(len(object)) {
		return "l", nil
	}
	object = object[offset:]
	if n := min(size, maxPacket/2); uint64(len(object)) > n {
		return "m" + object[:n], nil
	}
	return "l" + object, nil
}

// threadLocal is the address of a thread-local variable of a static program: its block
// lies below the thread's control block.
func (s *server) threadLocal(p string) (string, error) {
	f := strings.Split(p, ",")
	if len(f) < 2 || s.about.ThreadLocal == 0 {
		return "", nil
	}
	t, ok := threadID(f[0])
	offset, err := strconv.ParseUint(f[1], 16, 64)
	if !ok || err != nil {
		return refused, nil
	}
	r, err := s.target.Registers(t)
	if err != nil {
		return refused, nil
	}
	return fmt.Sprintf("%x", r.FSBase-s.about.ThreadLocal+offset), nil
}
