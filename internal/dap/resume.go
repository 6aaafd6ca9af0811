package dap

import (
	"fmt"
	"strings"

	"github.com/google/go-dap"
)

// begin tells the editor where the run stands.
func (s *server) begin() {
	s.mu.Lock()
	s.begun = true
	thread := max(s.stopped, 1)
	s.mu.Unlock()
	if s.ended {
		s.tell(thread, "exception", s.bug)
		return
	}
	s.tell(thread, "entry", "")
}

func (s *server) tell(thread int, reason, text string) {
	s.send(&dap.StoppedEvent{Event: dap.Event{Event: "stopped"}, Body: dap.StoppedEventBody{Reason: reason, Description: text, Text: text, ThreadId: thread, AllThreadsStopped: true}})
}

// reasons are the editor's words for gdb's.
var reasons = map[string]string{
	"breakpoint-hit": "breakpoint", "watchpoint-trigger": "data breakpoint", "read-watchpoint-trigger": "data breakpoint", "access-watchpoint-trigger": "data breakpoint",
	"end-stepping-range": "step", "function-finished": "step", "location-reached": "step",
}

// stoppedAt hears of a stop.
func (s *server) stoppedAt(t tuple) {
	s.mu.Lock()
	if n := t.number("thread-id"); n != 0 {
		s.stopped = n
	}
	thread, begun, pausing := s.stopped, s.begun, s.pausing
	s.pausing = false
	clear(s.vars)
	s.mu.Unlock()
	if !begun {
		return
	}
	reason, text := reasons[t.text("reason")], ""
	switch {
	case reason != "":
	case pausing || t.text("signal-name") == "SIGINT":
		reason = "pause"
	case t.text("reason") == "no-history" || strings.Contains(s.gdb.said(), "No more reverse-execution history"): // gdb 13 says it in words only
		reason, text = "pause", "the recording begins or ends here"
	case t.text("reason") == "signal-received" && t.text("signal-name") != "SIGTRAP":
		reason, text = "exception", s.bug
	default:
		reason = "goto"
	}
	s.tell(thread, reason, text)
}

// resume answers the requests to go on. The stop comes as an event.
func (s *server) resume(m dap.Message, r *dap.Request) (dap.Message, error) {
	var err error
	step := func(what string, thread int, g dap.SteppingGranularity, back bool) {
		command := "-exec-" + what
		if g == "instruction" {
			command += "-instruction"
		}
		reverse := ""
		if back {
			reverse = " --reverse"
		}
		_, err = s.gdb.ask("%s --thread %d%s", command, thread, reverse)
	}
	switch m := m.(type) {
	case *dap.ContinueRequest:
		_, err = s.gdb.ask("-exec-continue")
		return &dap.ContinueResponse{Response: to(r), Body: dap.ContinueResponseBody{AllThreadsContinued: true}}, err
	case *dap.ReverseContinueRequest:
		_, err = s.gdb.ask("-exec-continue --reverse")
		return &dap.ReverseContinueResponse{Response: to(r)}, err
	case *dap.NextRequest:
		step("next", m.Arguments.ThreadId, m.Arguments.Granularity, false)
		return &dap.NextResponse{Response: to(r)}, err
	case *dap.StepInRequest:
		step("step", m.Arguments.ThreadId, m.Arguments.Granularity, false)
		return &dap.StepInResponse{Response: to(r)}, err
	case *dap.StepBackRequest:
		step("next", m.Arguments.ThreadId, m.Arguments.Granularity, true)
		return &dap.StepBackResponse{Response: to(r)}, err
	case *dap.StepOutRequest:
		step("finish", m.Arguments.ThreadId, "", false)
		return &dap.StepOutResponse{Response: to(r)}, err
	case *dap.PauseRequest:
		s.mu.Lock()
		s.pausing = true
		s.mu.Unlock()
		_, err = s.gdb.ask("-exec-interrupt")
		return &dap.PauseResponse{Response: to(r)}, err
	}
	return nil, fmt.Errorf("landgo doesn't know the request %s", strings.TrimSpace(r.Command))
}
