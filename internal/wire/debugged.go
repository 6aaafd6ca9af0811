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

	mu     sync.Mutex
	target debugger.Target // nil: not yet, or not any more
}

// use answers the front's questions until it leaves.
func (d *debugged) use(t debugger.Target) error {
	d.set(t)
	defer d.set(nil)
	if err := d.front.Send(FromEngine{Ready: true}); err != nil {
		return err
	}
	for {
		select {
		case r := <-d.asked:
			a := debugger.Ask(t, r)
			if err := d.front.Send(FromEngine{Debug: &Exact[debugger.Answer]{*a}}); err != nil {
				return err
			}
		case <-d.left:
			return nil
		}
	}
}

func (d *debugged) set(t debugger.Target) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.target = t
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
	if d.target != nil {
		d.target.Interrupt()
	}
}

func (d *debugged) leave() { d.once.Do(func() { close(d.left) }) }
