package process

import (
	"sync/atomic"

	"landgo/internal/confine"
)

// An engine takes as long to come up as the front does to read its words. So the front may
// start one first; the first call takes it.

// early is an engine that is being started.
type early struct {
	child *child
	err   error
	done  chan bool
	taken atomic.Bool // an Engine may have been copied
}

// Ahead starts the engine for a call that is to come, if that is to be confined. No call
// may be under way. An engine that no call takes ends with this process.
func (p *Engine) Ahead() {
	e := &early{done: make(chan bool)}
	p.ahead = e
	go func() {
		defer close(e.done)
		e.child, e.err = p.start(confine.Best)
	}()
}

// engine is the engine for a call: the one that was started ahead, or one that is started now.
func (p *Engine) engine(level confine.Level) (*child, error) {
	e := p.ahead
	if e == nil || e.taken.Swap(true) {
		return p.start(level)
	}
	<-e.done
	if e.err == nil && level == confine.Off {
		e.child.end()
		return p.start(level)
	}
	return e.child, e.err
}
