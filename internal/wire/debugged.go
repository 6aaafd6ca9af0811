package wire

import (
	"sync"

	"landgo/internal/debugger"
)

// debugged is the engine's end of a debugging.
type debugged struct {
	front *Conn
	asked chan *debugger.Request // one at a time: the front waits for each answer
	left  chan bool
	once  sync.Once

	mu            sync.Mutex
	interruptible interruptible // nil: not yet, or not any more
}

// interruptible is the target of the questions.
type interruptible interface{ Interrupt() }

// use answers the front's questions about a recorded run until it leaves.
func (d *debugged) use(t debugger.Target) error {
	return d.serve(t, func(r *debugger.Request) *debugger.Answer { return debugger.Ask(t, r) })
}

// choose has the front choose the threads until it leaves.
func (d *debugged) choose(c debugger.Chooser) error {
	return d.serve(c, func(r *debugger.Request) *debugger.Answer { return debugger.AskChooser(c, r) })
}

func (d *debugged) serve(t interruptible, answer func(*debugger.Request) *debugger.Answer) error {
	d.set(t)
	defer d.set(nil)
	if err := d.front.Send(FromEngine{Ready: true}); err != nil {
		return err
	}
	for {
		select {
		case r := <-d.asked:
			a := answer(r)
			if err := d.front.Send(FromEngine{Debug: &Exact[debugger.Answer]{*a}}); err != nil {
				return err
			}
		case <-d.left:
			return nil
		}
	}
}

func (d *debugged) set(t interruptible) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.interruptible = t
}

// ask has a question answered. One that comes before the answer to the one before it is
// a front's mistake, and waits.
func (d *debugged) ask(r *debugger.Request) {
	select {
	case d.asked <- r:
	case <-d.left:
	}
}

func (d *debugged) interrupt() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.interruptible != nil {
		d.interruptible.Interrupt()
	}
}

func (d *debugged) leave() { d.once.Do(func() { close(d.left) }) }
