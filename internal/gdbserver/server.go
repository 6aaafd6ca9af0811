package gdbserver

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"syscall"
	"time"

	"landgo/internal/debugger"
)

// server answers one gdb.
type server struct {
	ready  <-chan debugger.Target
	target debugger.Target // nil: there is none yet
	conn   *conn
	about  *debugger.Description

	mu   sync.Mutex // of what listen asks for: target, and
	busy bool       // a packet is being answered,
	stop bool       // which gdb has interrupted
	late time.Time  // when gdb has interrupted last while there was none

	breaks  []uint64
	watches []watchpoint
	// general and resumed are the threads that gdb has chosen for registers and for
	// going on; 0: the one of the latest stop.
	general, resumed int
	stopped          int    // the thread of the latest stop
	reply            string // that announced it
	xml              string // of the threads, while gdb reads it

	notes   io.Writer       // text for gdb's user; nil: gdb shows nothing but answers
	written map[uint64]byte // memory that was written since the run came here
}

// errLeft: gdb has detached, or killed the target.
var errLeft = errors.New("gdb has left")

// Serve answers gdb until it leaves.
func Serve(rw io.ReadWriter, t debugger.Target) error {
	ready := make(chan debugger.Target, 1)
	ready <- t
	return ServeWhen(rw, ready, nil)
}

// ServeWhen is Serve with a target that comes later: gdb waits for two seconds only for
// the answers to its first questions, and to make the target may take longer. A channel
// that is closed is a target that didn't come. Where gdb shows its user what is written to
// notes, memory can be written (write.go); notes is nil where it doesn't.
func ServeWhen(rw io.ReadWriter, ready <-chan debugger.Target, notes io.Writer) error {
	s := &server{ready: ready, conn: newConn(rw), notes: notes}
	events, over := make(chan event), make(chan error, 1)
	done := make(chan bool)
	defer close(done)
	go s.listen(events, over, done)
	for {
		select {
		case e := <-events:
			answer, err := s.answer(e.packet)
			s.answering(false)
			if err != nil && !errors.Is(err, errLeft) {
				return err
			}
			if werr := s.conn.write(answer); werr != nil || err != nil {
				return quiet(werr) // a killed target needn't be heard
			}
		case err := <-over:
			return quiet(err)
		}
	}
}

// quiet is an error but for the end of a connection.
func quiet(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe) || errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) {
		return nil
	}
	return err
}

// listen hears gdb while a packet is being answered: it may interrupt that.
func (s *server) listen(events chan<- event, over chan<- error, done <-chan bool) {
	for {
		e, err := s.conn.read()
		if err != nil {
			s.interrupt()
			over <- err
			return
		}
		if e.interrupt {
			s.interrupt()
			continue
		}
		s.answering(true)
		select {
		case events <- e:
		case <-done:
			return
		}
	}
}

// answering notes that a packet is being answered, or isn't any more. An interrupt is
// meant for the one before it, or for a run that comes just behind (soon).
func (s *server) answering(busy bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.busy, s.stop = busy, false
}

// interrupt ends what the target does, or is about to do.
func (s *server) interrupt() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = s.busy
	if !s.busy {
		s.late = time.Now()
	}
	if s.busy && s.target != nil {
		s.target.Interrupt()
	}
}

// interrupted reports whether the packet that is being answered was interrupted.
func (s *server) interrupted() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	late := time.Since(s.late) < soon
	s.late = time.Time{}
	return s.stop || late
}

// soon is how long an interrupt between two packets holds for the next run. gdb sends it
// there while it looks at a breakpoint's condition, and goes on by itself in a few
// milliseconds. A user just too late to stop a run takes longer.
const soon = 300 * time.Millisecond

// begin waits for the target, and finds out where it stands.
func (s *server) begin() error {
	t, ok := <-s.ready
	if !ok {
		return errLeft
	}
	about, err := t.Describe()
	if err != nil {
		return err
	}
	all, err := t.Threads()
	if err != nil {
		return err
	}
	s.mu.Lock()
	s.target = t
	s.mu.Unlock()
	s.about, s.stopped = about, all.Current
	signal := s.about.Signal
	if signal == 0 || !all.Ended {
		signal = sigTrap
	}
	s.reply = fmt.Sprintf("T%02xthread:%x;", signal, s.stopped)
	return nil
}

// refused is the answer to what can't be done; an empty answer is that to what isn't
// known.
const refused = "E01"

// answer answers a packet. An error is one of the target's process; what gdb asks for
// and can't have is an answer.
func (s *server) answer(p string) (string, error) {
	if p == "" {
		return "", nil
	}
	if text, ok := s.early(p); ok {
		return text, nil
	}
	if s.target == nil {
		if err := s.begin(); err != nil {
			return "", err
		}
	}
	switch p[0] {
	case '?':
		return s.reply, nil
	case 'g':
		return s.registers()
	case 'p':
		return s.register(p[1:])
	case 'G', 'P':
		return refused, nil // the run is recorded
	case 'M', 'X':
		return s.write(p)
	case 'm':
		return s.memory(p[1:])
	case 'H':
		return s.choose(p[1:]), nil
	case 'T':
		return s.alive(p[1:])
	case 'Z', 'z':
		return s.point(p), nil
	case 'c', 'C', 's', 'S', 'b':
		return s.resume(p)
	case 'D':
		return "OK", errLeft
	case 'k':
		return "", errLeft
	case 'v':
		return s.verbose(p)
	case 'q', 'Q':
		return s.query(p)
	}
	return "", nil
}

func (s *server) verbose(p string) (string, error) {
	switch {
	case p == "vCont?":
		return "vCont;c;C;s;S;r", nil
	case strings.HasPrefix(p, "vCont;"):
		return s.vCont(p[len("vCont;"):])
	case strings.HasPrefix(p, "vKill"):
		return "OK", errLeft
	}
	return "", nil
}

// features are landgo's features for gdb.
const features = "PacketSize=%x;QStartNoAckMode+;qXfer:features:read+;qXfer:threads:read+;qXfer:exec-file:read+;qXfer:auxv:read+;vContSupported+;ReverseContinue+;ReverseStep+;swbreak+;hwbreak+"

// early answers what can be answered without the target.
func (s *server) early(p string) (string, bool) {
	name, _, _ := strings.Cut(p, ":")
	switch name {
	case "qSupported":
		return fmt.Sprintf(features, maxPacket), true
	case "vMustReplyEmpty":
		return "", true
	case "QStartNoAckMode":
		s.conn.quiet()
		return "OK", true
	}
	return "", false
}
