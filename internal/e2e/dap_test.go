package e2e

import (
	"bufio"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-dap"

	"landgo/internal/compile"
)

// editor is the other end of the Debug Adapter Protocol.
type editor struct {
	t   *testing.T
	in  io.Writer
	out *bufio.Reader
	seq int
	// stops are events that came while a response was awaited.
	stops []*dap.StoppedEvent
}

// ask sends a request and returns its response.
func (e *editor) ask(command string, m dap.RequestMessage) dap.Message {
	e.t.Helper()
	e.seq++
	r := m.GetRequest()
	r.Seq, r.Type, r.Command = e.seq, "request", command
	if err := dap.WriteProtocolMessage(e.in, m); err != nil {
		e.t.Fatal(err)
	}
	for {
		m := e.hear()
		if r, ok := m.(dap.ResponseMessage); ok && r.GetResponse().RequestSeq == e.seq {
			if !r.GetResponse().Success {
				e.t.Fatalf("%s: %s", command, r.GetResponse().Message)
			}
			return m
		}
	}
}

func (e *editor) hear() dap.Message {
	e.t.Helper()
	m, err := dap.ReadProtocolMessage(e.out)
	if err != nil {
		e.t.Fatal(err)
	}
	if s, ok := m.(*dap.StoppedEvent); ok {
		e.stops = append(e.stops, s)
	}
	return m
}

// stop waits for the next stop, and says why it is one.
func (e *editor) stop() dap.StoppedEventBody {
	e.t.Helper()
	for len(e.stops) == 0 {
		e.hear()
	}
	s := e.stops[0]
	e.stops = e.stops[1:]
	return s.Body
}

// line is where a thread stands.
func (e *editor) line(thread int) (frame, line int) {
	e.t.Helper()
	r := e.ask("stackTrace", &dap.StackTraceRequest{Arguments: dap.StackTraceArguments{ThreadId: thread}}).(*dap.StackTraceResponse)
	if len(r.Body.StackFrames) == 0 {
		e.t.Fatal("no frames")
	}
	f := r.Body.StackFrames[0]
	return f.Id, f.Line
}

// TestDAP: an editor goes back in a run, and sees threads, stacks and variables.
func TestDAP(t *testing.T) {
	t.Parallel()
	needsGDB(t)
	guest := compile.Guest(t, "musl-O1/lost_update")
	cmd := exec.Command("timeout", "120", landgo, "debug", "--dap", bugOf(t, guest), guest)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		time.AfterFunc(20*time.Second, func() { cmd.Process.Kill() })
		in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("landgo ended so: %v", err)
		}
	}()
	e := &editor{t: t, in: in, out: bufio.NewReader(out)}
	can := e.ask("initialize", &dap.InitializeRequest{Arguments: dap.InitializeRequestArguments{AdapterID: "landgo"}}).(*dap.InitializeResponse)
	if !can.Body.SupportsStepBack || !can.Body.SupportsDataBreakpoints {
		t.Errorf("%+v", can.Body)
	}
	e.ask("launch", &dap.LaunchRequest{Arguments: []byte("{}")})
	e.ask("configurationDone", &dap.ConfigurationDoneRequest{})
	if s := e.stop(); s.Reason != "exception" || !strings.Contains(s.Description, "assertion failed: x == 2") {
		t.Errorf("at the end: %+v", s)
	}
	// Back to the store that changed x last.
	info := e.ask("dataBreakpointInfo", &dap.DataBreakpointInfoRequest{Arguments: dap.DataBreakpointInfoArguments{Name: "x"}}).(*dap.DataBreakpointInfoResponse)
	id, ok := info.Body.DataId.(string)
	if !ok {
		t.Fatalf("%+v", info.Body)
	}
	set := e.ask("setDataBreakpoints", &dap.SetDataBreakpointsRequest{Arguments: dap.SetDataBreakpointsArguments{Breakpoints: []dap.DataBreakpoint{{DataId: id, AccessType: "write"}}}}).(*dap.SetDataBreakpointsResponse)
	if len(set.Body.Breakpoints) != 1 || !set.Body.Breakpoints[0].Verified {
		t.Fatalf("%+v", set.Body)
	}
	e.ask("reverseContinue", &dap.ReverseContinueRequest{})
	stop := e.stop()
	threads := e.ask("threads", &dap.ThreadsRequest{}).(*dap.ThreadsResponse)
	name := ""
	for _, th := range threads.Body.Threads {
		if th.Id == stop.ThreadId {
			name = th.Name
		}
	}
	frame, line := e.line(stop.ThreadId)
	if stop.Reason != "data breakpoint" || name != "0.2 add: next: writes x" || line != 21 {
		t.Errorf("%+v, thread %q, line %d, of %+v", stop, name, line, threads.Body)
	}
	if x := e.ask("evaluate", &dap.EvaluateRequest{Arguments: dap.EvaluateArguments{Expression: "x", FrameId: frame, Context: "watch"}}).(*dap.EvaluateResponse); x.Body.Result != "0" {
		t.Errorf("x is %q", x.Body.Result)
	}
	// Editors take no null for an empty list: Visual Studio Code shows no threads then.
	none := e.ask("setDataBreakpoints", &dap.SetDataBreakpointsRequest{}).(*dap.SetDataBreakpointsResponse)
	lines := e.ask("setBreakpoints", &dap.SetBreakpointsRequest{Arguments: dap.SetBreakpointsArguments{Source: dap.Source{Path: "lost_update.c"}}}).(*dap.SetBreakpointsResponse)
	if none.Body.Breakpoints == nil || lines.Body.Breakpoints == nil {
		t.Errorf("null for no breakpoints: %+v, %+v", none.Body, lines.Body)
	}
	e.ask("stepBack", &dap.StepBackRequest{Arguments: dap.StepBackArguments{ThreadId: stop.ThreadId}})
	stop = e.stop()
	if _, line := e.line(stop.ThreadId); stop.Reason != "step" || line != 20 {
		t.Errorf("a step back: %+v, line %d", stop, line)
	}
	// To the other thread's call, backwards, and its variables.
	e.ask("setFunctionBreakpoints", &dap.SetFunctionBreakpointsRequest{Arguments: dap.SetFunctionBreakpointsArguments{Breakpoints: []dap.FunctionBreakpoint{{Name: "add"}}}})
	e.ask("reverseContinue", &dap.ReverseContinueRequest{})
	if stop = e.stop(); stop.Reason != "breakpoint" {
		t.Errorf("%+v", stop)
	}
	frame, _ = e.line(stop.ThreadId)
	scopes := e.ask("scopes", &dap.ScopesRequest{Arguments: dap.ScopesArguments{FrameId: frame}}).(*dap.ScopesResponse)
	variables := e.ask("variables", &dap.VariablesRequest{Arguments: dap.VariablesArguments{VariablesReference: scopes.Body.Scopes[0].VariablesReference}}).(*dap.VariablesResponse)
	if all := variables.Body.Variables; len(all) == 0 || all[0].Name != "a" || all[0].Value != "0x0" {
		t.Errorf("%+v", all)
	}
	lanes := e.ask("evaluate", &dap.EvaluateRequest{Arguments: dap.EvaluateArguments{Expression: "monitor lanes", Context: "repl"}}).(*dap.EvaluateResponse)
	if !strings.Contains(lanes.Body.Result, "0.2 add: moments") {
		t.Errorf("the console says %q", lanes.Body.Result)
	}
	e.ask("setFunctionBreakpoints", &dap.SetFunctionBreakpointsRequest{})
	e.ask("reverseContinue", &dap.ReverseContinueRequest{})
	if stop = e.stop(); stop.Text != "the recording begins or ends here" {
		t.Errorf("at the beginning: %+v", stop)
	}
	e.ask("disconnect", &dap.DisconnectRequest{})
}
