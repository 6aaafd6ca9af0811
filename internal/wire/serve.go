package wire

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"landgo/internal/debugger"
	"landgo/internal/host"
	"landgo/internal/result"
)

// Server is an engine's end of the talk.
type Server struct {
	// Build is the state of the repository that the engine was built from.
	Build  string
	Engine Engine
	// Confine is called with the request before anything of the guest is read, and
	// confines the process.
	Confine func(*Request, []*os.File) Confined
	// Gone is called when the front is gone: what the engine finds has no reader.
	Gone func()
}

// Serve carries out the one request that comes.
func (s *Server) Serve(front *Conn) error {
	if err := front.Send(FromEngine{Hello: &Hello{Protocol: Protocol, Version: result.Version, Build: s.Build}}); err != nil {
		return err
	}
	first, files, early, err := request(front)
	if err != nil {
		return err
	}
	var parts *Conn
	if n := len(files); first.Parts && n > 0 {
		if parts, err = Of(files[n-1]); err != nil {
			return err
		}
		files = files[:n-1]
	}
	confined := s.Confine(first, files)
	if err := front.Send(FromEngine{Confined: &confined}); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if early {
		cancel()
	}
	asked := host.Ask(func(r host.Request) error { return front.Send(FromEngine{File: &Exact[host.Request]{r}}) })
	host.Through(asked)
	d := &debugged{front: front, asked: make(chan *debugger.Request, 1), left: make(chan bool)}
	go s.listen(front, asked, d, cancel)
	return front.Send(FromEngine{End: carryOut(ctx, s.Engine, first, observer{front}, d, parts)})
}

// request hears the request, and whether the user has interrupted it by then.
func request(front *Conn) (r *Request, files []*os.File, interrupted bool, err error) {
	for {
		var m ToEngine
		if files, err = front.Receive(&m); err != nil {
			return nil, nil, false, err
		}
		switch {
		case m.Request != nil:
			return m.Request, files, interrupted, nil
		case !m.Cancel:
			return nil, nil, false, errors.New("landgo's first message is no request")
		}
		interrupted = true
	}
}

// listen hears what landgo says while the guest runs.
func (s *Server) listen(front *Conn, files *host.Asked, d *debugged, cancel context.CancelFunc) {
	for {
		var m ToEngine
		opened, err := front.Receive(&m)
		switch {
		case err != nil:
			s.Gone()
			files.Close()
			d.leave()
			cancel()
			return
		case m.Cancel:
			cancel()
			d.leave()
		case m.File != nil:
			files.Answered(m.File.Value, opened)
		case m.Debug != nil:
			d.ask(&m.Debug.Value)
		case m.Interrupt:
			d.interrupt()
		case m.Leave:
			d.leave()
		}
	}
}

// carryOut is the end of a request. A failure of landgo's own code is one, too.
func carryOut(ctx context.Context, e Engine, r *Request, o Observer, d *debugged, parts *Conn) (end *End) {
	defer func() {
		if p := recover(); p != nil {
			end = &End{Error: &Error{Kind: result.Fault, Message: fmt.Sprint(p), Stack: string(debug.Stack())}}
		}
	}()
	var err error
	var res *result.Result
	var seen *result.Inspection
	lending, lends := e.(Lending)
	switch {
	case r.Command == Run && parts != nil && lends:
		res, err = lending.RunLent(ctx, r.Config.Value, o, parts)
	case r.Command == Help && parts != nil && lends:
		err = lending.Help(ctx, r.Config.Value, parts)
	case r.Command == Run:
		res, err = e.Run(ctx, r.Config.Value, o)
	case r.Command == Replay && r.BugFile != nil:
		res, err = e.Replay(ctx, r.Config.Value, &r.BugFile.Value, o)
	case r.Command == Debug && r.BugFile != nil:
		res, err = e.Debug(ctx, r.Config.Value, &r.BugFile.Value, o, d.use)
	case r.Command == Explore && r.BugFile != nil:
		res, err = e.Explore(ctx, r.Config.Value, &r.BugFile.Value, o, d.choose)
	case r.Command == Inspect:
		seen, err = e.Inspect(ctx, r.Config.Value, o)
	default:
		err = fmt.Errorf("no command %q", r.Command)
	}
	switch {
	case err != nil:
		return &End{Error: ErrorOf(err)}
	case seen != nil:
		return &End{Inspection: &Exact[result.Inspection]{*seen}}
	}
	return &End{Result: ResultOf(res)}
}

// observer tells the front how far a run is. A message that can't be sent has no reader.
type observer struct{ front *Conn }

// Progress implements Observer.
func (o observer) Progress(p result.Progress) {
	o.front.Send(FromEngine{Progress: &Exact[result.Progress]{p}})
}

// SoFar implements Observer.
func (o observer) SoFar(r *result.Result) { o.front.Send(FromEngine{SoFar: ResultOf(r)}) }

// Late implements Observer.
func (o observer) Late(why result.ErrorKind) { o.front.Send(FromEngine{Late: why}) }
