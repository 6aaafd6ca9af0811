package bare

import "fmt"

// controller is an 8259A interrupt controller.
type controller struct {
	Mask      uint64 // lines that are off
	Requests  uint64 // lines that ask
	Service   uint64 // lines whose interrupt was delivered and not yet ended
	Base      uint64 // the vector of its first line
	Word      uint64 // the initialisation word that comes next, 0: none
	Four      uint64 // there is a fourth one
	Single    uint64 // there is no third one: it isn't wired to another controller
	Automatic uint64 // interrupts end by themselves
	Selected  flag   // reads of its first port give service, not requests
	Special   flag   // special mask mode: what is in service holds nothing up if its line is off
}

const (
	timerLine   = 0
	slaveLine   = 2
	serialLine  = 4
	linesOfOne  = 8
	initialise  = 0x10 // of the first word
	needsFourth = 0x01
	alone       = 0x02
	readCommand = 0x08
	endCommand  = 0x20
	specific    = 0x40
	autoEnd     = 0x02
	rotation    = 0x80
	specialMask = 0x40 // of a read command: the mode is set,
	specialOn   = 0x20 // on or off
	poll        = 0x04
	selects     = 0x02
)

// raise has a line ask for an interrupt.
func (b *Board) raise(line int) {
	if c := &b.pic[line/linesOfOne]; c.Requests>>(line%linesOfOne)&1 == 0 {
		b.m.Set(&c.Requests, c.Requests|1<<(line%linesOfOne))
		if line != timerLine && line != slaveLine {
			b.raiseIO(line)
		}
	}
}

func (b *Board) lower(line int) {
	c := &b.pic[line/linesOfOne]
	b.m.Set(&c.Requests, c.Requests&^(1<<(line%linesOfOne)))
}

// held are the lines in service that hold others up.
func (c *controller) held() uint64 {
	if c.Special.on() {
		return c.Service &^ c.Mask
	}
	return c.Service
}

// best is the line that a controller would deliver: the first that asks, is on,
// and comes before all that are in service.
func (c *controller) best() (line int, ok bool) {
	for line = 0; line < linesOfOne; line++ {
		bit := uint64(1) << line
		if c.held()&bit != 0 {
			return 0, false
		}
		if c.Requests&^c.Mask&bit != 0 {
			return line, true
		}
	}
	return 0, false
}

// Timer has the timer's line ask for an interrupt. It reports whether one can be
// delivered: the line is on, and its last interrupt has ended.
func (b *Board) Timer() bool {
	if can, known := b.localTimer(); known {
		return can
	}
	c := &b.pic[0]
	if !b.local.passes() || c.Word != 0 || c.Mask&(1<<timerLine) != 0 || c.Service&(1<<timerLine) != 0 {
		return false
	}
	b.raise(timerLine)
	return true
}

// Pending is the vector of the interrupt that is delivered next.
func (b *Board) Pending() (vector uint8, ok bool) {
	if v, ok := b.local.best(); ok {
		return uint8(v), true
	}
	if !b.local.passes() {
		return 0, false
	}
	master := b.pic[0]
	if _, ok := b.pic[1].best(); ok {
		master.Requests |= 1 << slaveLine
	}
	line, ok := master.best()
	if !ok {
		return 0, false
	}
	if line == slaveLine {
		line, _ := b.pic[1].best()
		return uint8(b.pic[1].Base) + uint8(line), true
	}
	return uint8(master.Base) + uint8(line), true
}

// Acknowledge takes the pending interrupt from its controller: it is in service
// until the kernel says that it has ended.
func (b *Board) Acknowledge() {
	if v, ok := b.local.best(); ok {
		b.setBit(&b.local.Requests, v, false)
		b.setBit(&b.local.Service, v, true)
		return
	}
	master := &b.pic[0]
	slave, ok := b.pic[1].best()
	if ok {
		b.raise(slaveLine)
	}
	line, _ := master.best()
	b.take(master, line)
	if line == slaveLine && ok {
		b.take(&b.pic[1], slave)
	}
}

func (b *Board) take(c *controller, line int) {
	b.m.Set(&c.Requests, c.Requests&^(1<<line))
	if c.Automatic == 0 {
		b.m.Set(&c.Service, c.Service|1<<line)
	}
}

// command is a write to a controller's first port.
func (b *Board) command(c *controller, v uint64) error {
	switch {
	case v&initialise != 0:
		b.m.Set(&c.Mask, 0)
		b.m.Set(&c.Service, 0)
		b.m.Set(&c.Requests, 0)
		b.m.Set(&c.Automatic, 0)
		b.turn(&c.Special, false)
		b.m.Set(&c.Four, v&needsFourth)
		b.m.Set(&c.Single, v&alone)
		b.m.Set(&c.Word, 2)
	case v&readCommand != 0 && v&poll != 0, v&readCommand == 0 && v&rotation != 0:
		return fmt.Errorf("the command %#x to an interrupt controller isn't modelled: its lines' order changes, or it is polled", v)
	case v&readCommand != 0:
		if v&specialMask != 0 {
			b.turn(&c.Special, v&specialOn != 0)
		}
		if v&selects != 0 {
			b.turn(&c.Selected, v&1 != 0)
		}
	case v&endCommand != 0 && v&specific != 0:
		b.m.Set(&c.Service, c.Service&^(1<<(v&7)))
	case v&endCommand != 0:
		h := c.held()
		b.m.Set(&c.Service, c.Service&^(h&-h)) // the first in service
	}
	return nil
}

// data is a write to a controller's second port: the next initialisation word,
// or which lines are off.
func (b *Board) data(c *controller, v uint64) {
	switch c.Word {
	case 2:
		b.m.Set(&c.Base, v&^7)
		if b.m.Set(&c.Word, 3); c.Single != 0 {
			b.m.Set(&c.Word, 4*c.Four)
		}
	case 3: // how the two are wired
		b.m.Set(&c.Word, 4*c.Four)
	case 4:
		b.m.Set(&c.Automatic, v&autoEnd)
		b.m.Set(&c.Word, 0)
	default:
		b.m.Set(&c.Mask, v)
	}
}
