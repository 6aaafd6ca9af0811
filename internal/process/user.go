package process

import (
	"errors"

	"landgo/internal/debugger"
	"landgo/internal/wire"
)

// user is the user that debugs a run in the engine.
type user struct {
	use     func(*debugger.Remote) error
	answers chan *debugger.Answer
	gone    chan bool  // closed when the engine says nothing any more
	begun   bool       // use was called
	done    chan error // its result
}

// begin has the run used, in a goroutine of its own: this one hears the engine.
func (u *user) begin(conn *wire.Conn) {
	if u.begun {
		return
	}
	u.begun = true
	target := &debugger.Remote{
		Send: func(r *debugger.Request) (*debugger.Answer, error) {
			if err := conn.Send(wire.ToEngine{Debug: &wire.Exact[debugger.Request]{Value: *r}}); err != nil {
				return nil, errGone
			}
			select {
			case a := <-u.answers:
				return a, nil
			case <-u.gone:
				return nil, errGone
			}
		},
		Stop: func() { conn.Send(wire.ToEngine{Interrupt: true}) },
	}
	go func() {
		u.done <- u.use(target)
		conn.Send(wire.ToEngine{Leave: true})
	}()
}

var errGone = errors.New("the process that has the run is gone")

// answer gives an answer of the engine's to the user. One that wasn't asked for is left
// out: the engine may be hostile.
func (u *user) answer(a *debugger.Answer) {
	select {
	case u.answers <- a:
	default:
	}
}
