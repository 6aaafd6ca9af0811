package host

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"syscall"
)

// Op is a request's kind.
type Op string

const (
	opStat      Op = "stat"
	opOpen      Op = "open"
	opCreate    Op = "create"
	opCache     Op = "cache"
	opTemporary Op = "temporary"
	opLibrary   Op = "library"
	opKeep      Op = "keep" // the file that Of has begun
	opDrop      Op = "drop"
)

// Request asks a Keeper for something.
type Request struct {
	ID   uint64
	Op   Op
	Path string
	Root string // of a library
	Room int64
	Of   uint64 // the ID of the request that began a file
}

// Answer is a Keeper's; a descriptor comes beside it where a file was opened.
type Answer struct {
	ID   uint64
	Info Info
	// Failed: it couldn't be done, for the reason Errno if that isn't 0, else Text.
	Failed bool
	Op     string
	Path   string
	Errno  int
	Text   string
}

// Asked is the way to files by a Keeper in another process.
type Asked struct {
	send func(Request) error

	mu      sync.Mutex
	last    uint64
	waiting map[uint64]chan reply
	over    bool
}

type reply struct {
	answer Answer
	file   *os.File
}

// Ask makes a way to files that sends requests by a function.
func Ask(send func(Request) error) *Asked {
	return &Asked{send: send, waiting: map[uint64]chan reply{}}
}

// Answered hands an answer to the goroutine that asked.
func (a *Asked) Answered(answer Answer, files []*os.File) {
	var r reply
	r.answer = answer
	if len(files) > 0 {
		r.file = files[0]
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.waiting[answer.ID]; c != nil {
		c <- r
		delete(a.waiting, answer.ID)
	}
}

// Close says that no more answers come.
func (a *Asked) Close() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.over = true
	for id, c := range a.waiting {
		close(c)
		delete(a.waiting, id)
	}
}

var errNoKeeper = errors.New("the process that opens files is gone")

func (a *Asked) ask(r Request) (id uint64, got reply, err error) {
	answered := make(chan reply, 1)
	a.mu.Lock()
	a.last++
	r.ID = a.last
	over := a.over
	if !over {
		a.waiting[r.ID] = answered
	}
	a.mu.Unlock()
	if over {
		return 0, reply{}, errNoKeeper
	}
	if err := a.send(r); err != nil {
		return 0, reply{}, err
	}
	got, ok := <-answered
	if !ok {
		return 0, reply{}, errNoKeeper
	}
	return r.ID, got, got.answer.err()
}

// err is the error that the Keeper met.
func (a *Answer) err() error {
	if !a.Failed {
		return nil
	}
	cause := errors.New(a.Text)
	if a.Errno != 0 {
		cause = syscall.Errno(a.Errno)
	}
	return &fs.PathError{Op: a.Op, Path: a.Path, Err: cause}
}

// Stat implements Files.
func (a *Asked) Stat(path string) (Info, error) {
	_, r, err := a.ask(Request{Op: opStat, Path: path})
	return r.answer.Info, err
}

// Open implements Files.
func (a *Asked) Open(path string) (*os.File, error) {
	_, f, err := a.open(Request{Op: opOpen, Path: path})
	return f, err
}

// Temporary implements Files.
func (a *Asked) Temporary() (*os.File, error) {
	_, f, err := a.open(Request{Op: opTemporary})
	return f, err
}

// Library implements Files.
func (a *Asked) Library(root, path string) (*os.File, error) {
	_, f, err := a.open(Request{Op: opLibrary, Root: root, Path: path})
	return f, err
}

// Create implements Files.
func (a *Asked) Create(path string) (New, error) { return a.begin(Request{Op: opCreate, Path: path}) }

// Cache implements Files.
func (a *Asked) Cache(path string, room int64) (New, error) {
	return a.begin(Request{Op: opCache, Path: path, Room: room})
}

func (a *Asked) open(r Request) (uint64, *os.File, error) {
	id, got, err := a.ask(r)
	if err == nil && got.file == nil {
		err = fmt.Errorf("%s: no file came", r.Path)
	}
	return id, got.file, err
}

func (a *Asked) begin(r Request) (New, error) {
	id, f, err := a.open(r)
	if err != nil {
		return nil, err
	}
	return &asked{a, f, id}, nil
}

// asked is a file that a Keeper has begun.
type asked struct {
	by *Asked
	f  *os.File
	id uint64
}

func (n *asked) File() *os.File { return n.f }

func (n *asked) Keep() error {
	if err := n.f.Close(); err != nil {
		return err
	}
	_, _, err := n.by.ask(Request{Op: opKeep, Of: n.id})
	n.id = 0
	return err
}

func (n *asked) Drop() {
	n.f.Close()
	if n.id != 0 {
		n.by.ask(Request{Op: opDrop, Of: n.id})
		n.id = 0
	}
}
