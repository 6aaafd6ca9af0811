package debugger

import (
	"errors"
	"fmt"
)

// Request is a question for a Target, or a Chooser, in another process: one of its fields is there.
type Request struct {
	Describe  bool
	Threads   bool
	Registers int // a thread
	Memory    *Memory
	Go        *Order
	Tell      *Question
	Choose    *Move
}

// Memory is a range.
type Memory struct{ Addr, Size uint64 }

// Answer is that to a Request: one of its fields is there, or Error.
type Answer struct {
	Description *Description
	Threads     *Threads
	Registers   *Registers
	Memory      []byte
	Stop        *Stop
	Text        string
	View        *View
	// Error says why there is no answer. The target stands where it stood.
	Error string
}

// Ask carries a request out.
func Ask(t Target, r *Request) *Answer {
	var a Answer
	var err error
	switch {
	case r.Describe:
		a.Description, err = t.Describe()
	case r.Threads:
		a.Threads, err = t.Threads()
	case r.Registers != 0:
		a.Registers, err = t.Registers(r.Registers)
	case r.Memory != nil:
		a.Memory, err = t.Memory(r.Memory.Addr, r.Memory.Size)
	case r.Go != nil:
		a.Stop, err = t.Go(*r.Go)
	case r.Tell != nil:
		a.Text, err = t.Tell(*r.Tell)
	default:
		err = errors.New("nothing was asked")
	}
	if err != nil {
		return &Answer{Error: err.Error()}
	}
	return &a
}

// Remote is a Target or a Chooser in another process.
type Remote struct {
	// Send sends a request, and waits for its answer.
	Send func(*Request) (*Answer, error)
	// Stop asks for the end of what is under way.
	Stop func()
}

func (r *Remote) ask(q *Request, there func(*Answer) bool) (*Answer, error) {
	a, err := r.Send(q)
	switch {
	case err != nil:
		return nil, err
	case a.Error != "":
		return nil, errors.New(a.Error)
	case !there(a):
		return nil, fmt.Errorf("the engine's answer has nothing in it")
	}
	return a, nil
}

// Describe implements Target.
func (r *Remote) Describe() (*Description, error) {
	a, err := r.ask(&Request{Describe: true}, func(a *Answer) bool { return a.Description != nil })
	if err != nil {
		return nil, err
	}
	return a.Description, nil
}

// Threads implements Target.
func (r *Remote) Threads() (*Threads, error) {
	a, err := r.ask(&Request{Threads: true}, func(a *Answer) bool { return a.Threads != nil })
	if err != nil {
		return nil, err
	}
	return a.Threads, nil
}

// Registers implements Target.
func (r *Remote) Registers(thread int) (*Registers, error) {
	a, err := r.ask(&Request{Registers: thread}, func(a *Answer) bool {
		return a.Registers != nil && len(a.Registers.X87) == 8*10 && len(a.Registers.XMM) == 16*16
	})
	if err != nil {
		return nil, err
	}
	return a.Registers, nil
}

// Memory implements Target.
func (r *Remote) Memory(addr, size uint64) ([]byte, error) {
	a, err := r.ask(&Request{Memory: &Memory{addr, size}}, func(a *Answer) bool { return uint64(len(a.Memory)) <= size })
	if err != nil {
		return nil, err
	}
	return a.Memory, nil
}

// Go implements Target.
func (r *Remote) Go(o Order) (*Stop, error) {
	a, err := r.ask(&Request{Go: &o}, func(a *Answer) bool {
		return a.Stop != nil && (a.Stop.Why != AtWatch || a.Stop.Watch >= 0 && a.Stop.Watch < len(o.Watches))
	})
	if err != nil {
		return nil, err
	}
	return a.Stop, nil
}

// Tell implements Target.
func (r *Remote) Tell(q Question) (string, error) {
	a, err := r.ask(&Request{Tell: &q}, func(*Answer) bool { return true })
	if err != nil {
		return "", err
	}
	return a.Text, nil
}

// Interrupt implements Target.
func (r *Remote) Interrupt() { r.Stop() }
