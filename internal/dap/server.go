package dap

import (
	"bufio"
	"errors"
	"io"
	"sync"

	"github.com/google/go-dap"
)

// server answers one editor.
type server struct {
	r   *bufio.Reader
	gdb *GDB
	bug string // the failure at the run's end
	// ended: the run stands at its end when the editor comes.
	ended bool

	mu      sync.Mutex // of writing, and of
	w       io.Writer
	seq     int
	begun   bool // stops are sent to the editor
	stopped int  // the thread of the latest stop
	pausing bool
	breaks  map[string][]int // gdb's numbers, by source, or by a kind's name
	vars    map[int]string   // gdb's variable objects, by reference
}

// Serve answers an editor until it leaves. gdb's machine interface is read from out and asked
// by in. gdb has the program, and connects to the run by the given command. The run's failure
// is bug, and ended says whether it stands at its end.
func Serve(editor io.ReadWriter, out io.Reader, in io.Writer, connect, bug string, ended bool) error {
	s := &server{r: bufio.NewReader(editor), w: editor, bug: bug, ended: ended, breaks: map[string][]int{}, vars: map[int]string{}}
	s.gdb = newGDB(out, in, s.stoppedAt)
	for _, c := range []string{"-gdb-set mi-async on", "-gdb-set width 0", connect} {
		if _, err := s.gdb.ask("%s", c); err != nil {
			return err
		}
	}
	for {
		m, err := dap.ReadProtocolMessage(s.r)
		if err != nil {
			if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
				return nil
			}
			var unknown *dap.DecodeProtocolMessageFieldError
			if !errors.As(err, &unknown) {
				return err
			}
			s.fail(&dap.Request{ProtocolMessage: dap.ProtocolMessage{Seq: unknown.Seq}, Command: unknown.FieldValue}, "landgo has no such request")
			continue
		}
		if s.answer(m) {
			return nil
		}
	}
}

// send sends a response or an event.
func (s *server) send(m dap.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seq++
	switch m := m.(type) {
	case dap.ResponseMessage:
		r := m.GetResponse()
		r.Seq, r.Type = s.seq, "response"
	case dap.EventMessage:
		e := m.GetEvent()
		e.Seq, e.Type = s.seq, "event"
	}
	dap.WriteProtocolMessage(s.w, m) // an editor that is gone is noticed where it is read
}

// to is the head of the response to a request.
func to(r *dap.Request) dap.Response {
	return dap.Response{RequestSeq: r.Seq, Command: r.Command, Success: true}
}

// fail answers a request that can't be carried out.
func (s *server) fail(r *dap.Request, why string) {
	e := &dap.ErrorResponse{Response: to(r)}
	e.Success, e.Message = false, why
	e.Body.Error = &dap.ErrorMessage{Id: 1, Format: why, ShowUser: true}
	s.send(e)
}

// answer answers a message, and reports whether it was the last.
func (s *server) answer(m dap.Message) (last bool) {
	request, ok := m.(dap.RequestMessage)
	if !ok {
		return false
	}
	r := request.GetRequest()
	response, err := s.carryOut(m, r)
	if err != nil {
		s.fail(r, err.Error())
		return false
	}
	s.send(response)
	switch m.(type) {
	case *dap.InitializeRequest:
		s.send(&dap.InitializedEvent{Event: dap.Event{Event: "initialized"}})
	case *dap.ConfigurationDoneRequest:
		s.begin()
	case *dap.DisconnectRequest, *dap.TerminateRequest:
		s.gdb.ask("-gdb-exit")
		s.send(&dap.TerminatedEvent{Event: dap.Event{Event: "terminated"}})
		return true
	}
	return false
}

// carryOut is the response to a request.
func (s *server) carryOut(m dap.Message, r *dap.Request) (dap.Message, error) {
	switch m := m.(type) {
	case *dap.InitializeRequest:
		return &dap.InitializeResponse{Response: to(r), Body: dap.Capabilities{
			SupportsConfigurationDoneRequest: true, SupportsFunctionBreakpoints: true, SupportsConditionalBreakpoints: true,
			SupportsEvaluateForHovers: true, SupportsStepBack: true, SupportsDataBreakpoints: true, SupportsSteppingGranularity: true, SupportsTerminateRequest: true,
		}}, nil
	case *dap.LaunchRequest:
		return &dap.LaunchResponse{Response: to(r)}, nil
	case *dap.AttachRequest:
		return &dap.AttachResponse{Response: to(r)}, nil
	case *dap.ConfigurationDoneRequest:
		return &dap.ConfigurationDoneResponse{Response: to(r)}, nil
	case *dap.SetExceptionBreakpointsRequest:
		return &dap.SetExceptionBreakpointsResponse{Response: to(r)}, nil
	case *dap.DisconnectRequest:
		return &dap.DisconnectResponse{Response: to(r)}, nil
	case *dap.TerminateRequest:
		return &dap.TerminateResponse{Response: to(r)}, nil
	case *dap.SetBreakpointsRequest:
		return s.setBreakpoints(r, &m.Arguments), nil
	case *dap.SetFunctionBreakpointsRequest:
		return s.setFunctionBreakpoints(r, &m.Arguments), nil
	case *dap.DataBreakpointInfoRequest:
		return s.dataBreakpointInfo(r, &m.Arguments), nil
	case *dap.SetDataBreakpointsRequest:
		return s.setDataBreakpoints(r, &m.Arguments), nil
	case *dap.ThreadsRequest:
		return s.threads(r)
	case *dap.StackTraceRequest:
		return s.stackTrace(r, &m.Arguments)
	case *dap.ScopesRequest:
		return s.scopes(r, &m.Arguments), nil
	case *dap.VariablesRequest:
		return s.variables(r, &m.Arguments)
	case *dap.EvaluateRequest:
		return s.evaluate(r, &m.Arguments)
	}
	return s.resume(m, r)
}
