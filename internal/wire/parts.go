package wire

import (
	"errors"
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// Part is a message over the socket for parts of a search, which goes beside the first one.
// It goes from an engine that lends parts to the process that hands them out, or from that
// to an engine that works on them. One of its fields is there.
type Part struct {
	// Offer has the parts of a batch, in their order. An engine that helps gets one.
	Offer *Offer `json:"offer,omitempty"`
	// Over: what isn't back of this batch and those before isn't wanted any more.
	Over uint64 `json:"over,omitempty"`
	// Done is the outcome of a part.
	Done *Done `json:"done,omitempty"`
}

// Offer is a batch's parts.
type Offer struct {
	// Batch numbers the batches of a search, from 1.
	Batch uint64   `json:"batch"`
	Parts [][]byte `json:"parts"`
}

// Done is the outcome of a part.
type Done struct {
	Batch uint64 `json:"batch"`
	// Part is its place in the batch.
	Part   int    `json:"part"`
	Result []byte `json:"result,omitempty"`
	// Error says why it couldn't be worked on.
	Error string `json:"error,omitempty"`
}

// Lender is the engine's end where parts are lent. It implements explore.Lender.
type Lender struct {
	conn *Conn

	mu    sync.Mutex
	batch uint64
	done  func(int, []byte) // nil: between two batches
	gone  bool
}

// Lend begins to hear what comes back.
func Lend(conn *Conn) *Lender {
	l := &Lender{conn: conn}
	go func() {
		for {
			var m Part
			files, err := conn.Receive(&m)
			closeAll(files)
			l.mu.Lock()
			l.gone = l.gone || err != nil
			done := l.done
			if m.Done == nil || m.Done.Batch != l.batch || m.Done.Error != "" {
				done = nil
			}
			l.mu.Unlock()
			if err != nil {
				return
			}
			if done != nil {
				done(m.Done.Part, m.Done.Result)
			}
		}
	}()
	return l
}

// Offer implements explore.Lender. Where none listens any more, all is done here.
func (l *Lender) Offer(parts [][]byte, done func(part int, result []byte)) {
	l.mu.Lock()
	l.batch++
	l.done = done
	batch, gone := l.batch, l.gone
	l.mu.Unlock()
	if !gone {
		l.conn.Send(Part{Offer: &Offer{Batch: batch, Parts: parts}})
	}
}

// Over implements explore.Lender.
func (l *Lender) Over() {
	l.mu.Lock()
	l.done = nil
	batch, gone := l.batch, l.gone
	l.mu.Unlock()
	if !gone {
		l.conn.Send(Part{Over: batch})
	}
}

// Work has parts that come worked on, one after the other, until no more can come.
func Work(conn *Conn, work func(part []byte) ([]byte, error)) error {
	for {
		var m Part
		files, err := conn.Receive(&m)
		closeAll(files)
		if err != nil || m.Offer == nil || len(m.Offer.Parts) != 1 {
			return nil // the process that hands parts out has closed its end
		}
		d := &Done{Batch: m.Offer.Batch}
		if d.Result, err = work(m.Offer.Parts[0]); err != nil {
			d.Error = err.Error()
		}
		if err := conn.Send(Part{Done: d}); err != nil {
			return nil
		}
	}
}

// Ask has an engine that helps work on a part.
func Ask(conn *Conn, part []byte) ([]byte, error) {
	if err := conn.Send(Part{Offer: &Offer{Batch: 1, Parts: [][]byte{part}}}); err != nil {
		return nil, err
	}
	var m Part
	files, err := conn.Receive(&m)
	closeAll(files)
	switch {
	case err != nil:
		return nil, err
	case m.Done == nil:
		return nil, errors.New("the engine didn't give the part's outcome")
	case m.Done.Error != "":
		return nil, &RefusedPart{m.Done.Error}
	}
	return m.Done.Result, nil
}

// RefusedPart says why an engine can't work on a part.
type RefusedPart struct{ Why string }

func (r *RefusedPart) Error() string { return r.Why }

// Of is the end of a socket that came as a file, which is closed.
func Of(f *os.File) (*Conn, error) {
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	f.Close()
	if err != nil {
		return nil, err
	}
	unix.SetNonblock(fd, false)
	return &Conn{fd: fd}, nil
}
