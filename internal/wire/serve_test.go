package wire

import (
	"context"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// heard is an engine that says whether it was told to end before it began.
type heard struct{ interrupted bool }

func (h *heard) Run(ctx context.Context, _ config.Config, _ Observer) (*result.Result, error) {
	h.interrupted = ctx.Err() != nil
	return &result.Result{Verdict: result.Budget}, nil
}

func (h *heard) Replay(ctx context.Context, c config.Config, _ *result.BugFile, o Observer) (*result.Result, error) {
	return h.Run(ctx, c, o)
}

func (h *heard) Debug(ctx context.Context, c config.Config, _ *result.BugFile, o Observer, _ func(debugger.Target) error) (*result.Result, error) {
	return h.Run(ctx, c, o)
}

func (h *heard) Explore(ctx context.Context, c config.Config, _ *result.BugFile, o Observer, _ func(debugger.Chooser) error) (*result.Result, error) {
	return h.Run(ctx, c, o)
}

func (h *heard) Inspect(context.Context, config.Config, Observer) (*result.Inspection, error) {
	return &result.Inspection{}, nil
}

// TestEarlyInterrupt: the user may interrupt a run before the engine has its request, and
// that is no fault.
func TestEarlyInterrupt(t *testing.T) {
	for name, c := range map[string]struct {
		before []ToEngine
		fails  bool
		told   bool
	}{
		"not at all": {nil, false, false},
		"once":       {[]ToEngine{{Cancel: true}}, false, true},
		"twice":      {[]ToEngine{{Cancel: true}, {Cancel: true}}, false, true},
		"nonsense":   {[]ToEngine{{}}, true, false},
	} {
		front, engine := pair(t)
		h := &heard{}
		gone := make(chan bool)
		s := Server{Engine: h, Gone: func() { close(gone) }, Confine: func(*Request, []*os.File) Confined { return Confined{} }}
		for _, m := range append(c.before, ToEngine{Request: &Request{Command: Run}}) {
			if err := front.Send(m); err != nil {
				t.Fatal(err)
			}
		}
		if err := s.Serve(engine); (err != nil) != c.fails || h.interrupted != c.told {
			t.Errorf("%s: %v, told to end: %v", name, err, h.interrupted)
		}
		unix.Shutdown(front.fd, unix.SHUT_RDWR)
		if !c.fails {
			<-gone // the listener has left the socket
		}
		engine.Close()
	}
}
