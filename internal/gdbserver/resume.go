package gdbserver

import (
	"encoding/hex"
	"fmt"
	"strings"

	"landgo/internal/debugger"
)

// The signals of the protocol.
const sigTrap, sigInt = 5, 2

// vCont goes on: each thread as it is said of it first. The run is as it was recorded,
// so to step a thread is to go on until it has made its step.
func (s *server) vCont(p string) (string, error) {
	var o debugger.Order
	for _, action := range strings.Split(p, ";") {
		what, thread, _ := strings.Cut(action, ":")
		if what == "" {
			return refused, nil
		}
		if what[0] == 'c' || what[0] == 'C' {
			continue
		}
		n, ok := 0, true
		if thread != "" {
			n, ok = threadID(thread)
		}
		if !ok {
			return refused, nil
		}
		if n == 0 {
			n = s.stopped
		}
		switch what[0] {
		case 's', 'S':
			o.Step = n
		case 'r':
			low, high, ok := hexPair(what[1:])
			if !ok {
				return refused, nil
			}
			o.Step, o.Low, o.High = n, low, high
		default:
			return refused, nil
		}
		break
	}
	return s.run(o)
}

// resume answers the packets in which one letter says how to go on.
func (s *server) resume(p string) (string, error) {
	var o debugger.Order
	switch {
	case p == "bc":
		o.Back = true
	case p == "bs":
		o.Back, o.Step = true, s.goesOn()
	case p[0] == 's' || p[0] == 'S':
		o.Step = s.goesOn()
	case p[0] == 'c' || p[0] == 'C':
	default:
		return "", nil
	}
	return s.run(o)
}

// goesOn is the thread that is stepped where the packet says none.
func (s *server) goesOn() int {
	if s.resumed != 0 {
		return s.resumed
	}
	return s.stopped
}

// run has the target go, and makes the reply.
func (s *server) run(o debugger.Order) (string, error) {
	o.Breaks = s.breaks
	for _, w := range s.watches {
		o.Watches = append(o.Watches, w.Watch)
	}
	if s.interrupted() { // before it began
		s.target.Interrupt()
	}
	s.written = nil
	stop, err := s.target.Go(o)
	if err != nil {
		s.conn.write("O" + hex.EncodeToString([]byte(err.Error()+"\n")))
		return refused, nil
	}
	s.stopped, s.general, s.resumed = stop.Thread, 0, 0
	signal, reason := sigTrap, ""
	switch stop.Why {
	case debugger.AtBreak:
		reason = "swbreak:;"
	case debugger.AtWatch:
		w := &s.watches[stop.Watch]
		reason = fmt.Sprintf("%s:%x;", w.reason, w.Addr)
	case debugger.AtBegin:
		reason = "replaylog:begin;"
	case debugger.AtEnd:
		if stop.Moved && s.about.Signal != 0 {
			signal = s.about.Signal
		} else {
			reason = "replaylog:end;"
		}
	case debugger.Interrupted:
		signal = sigInt
	}
	s.reply = fmt.Sprintf("T%02xthread:%x;%s", signal, s.stopped, reason)
	return s.reply, nil
}
