package dap

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/google/go-dap"
)

func (s *server) threads(r *dap.Request) (dap.Message, error) {
	t, err := s.gdb.ask("-thread-info")
	if err != nil {
		return nil, err
	}
	out := &dap.ThreadsResponse{Response: to(r), Body: dap.ThreadsResponseBody{Threads: []dap.Thread{}}}
	for _, x := range t.all("threads") {
		name := x.text("name")
		if name == "" {
			name = x.text("target-id")
		}
		if about := x.text("details"); about != "" {
			name += ": " + about
		}
		out.Body.Threads = append(out.Body.Threads, dap.Thread{Id: x.number("id"), Name: name})
	}
	return out, nil
}

// A frame's number has its thread's and its level in it, and so has the reference to its
// variables. References beyond are to parts of variables.
const levels, frames = 1 << 10, 1 << 28

func frameID(thread, level int) int { return thread*levels + level%levels }

func localsOf(reference int) (thread, level int, ok bool) {
	return reference / levels, reference % levels, reference > 0 && reference < frames
}

func (s *server) stackTrace(r *dap.Request, a *dap.StackTraceArguments) (dap.Message, error) {
	t, err := s.gdb.ask("-stack-list-frames --thread %d", a.ThreadId)
	if err != nil {
		return nil, err
	}
	out := &dap.StackTraceResponse{Response: to(r)}
	all := t.all("stack")
	out.Body.TotalFrames, out.Body.StackFrames = len(all), []dap.StackFrame{}
	for i, f := range all {
		if i < a.StartFrame || a.Levels > 0 && i >= a.StartFrame+a.Levels {
			continue
		}
		frame := dap.StackFrame{Id: frameID(a.ThreadId, i), Name: f.text("func"), Line: f.number("line"), InstructionPointerReference: f.text("addr")}
		if frame.Name == "" {
			frame.Name = f.text("addr")
		}
		if path := f.text("fullname"); path != "" {
			frame.Source = &dap.Source{Name: filepath.Base(path), Path: path}
		}
		out.Body.StackFrames = append(out.Body.StackFrames, frame)
	}
	return out, nil
}

func (s *server) scopes(r *dap.Request, a *dap.ScopesArguments) dap.Message {
	return &dap.ScopesResponse{Response: to(r), Body: dap.ScopesResponseBody{Scopes: []dap.Scope{
		{Name: "Locals", PresentationHint: "locals", VariablesReference: a.FrameId},
	}}}
}

// object is gdb's variable object of a reference, or "".
func (s *server) object(reference int) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.vars[reference]
}

// keep gives a variable object a reference, until the next stop.
func (s *server) keep(object string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := frames + len(s.vars)
	s.vars[n] = object
	return n
}

// variable is a variable object as the editor shows it.
func (s *server) variable(name string, t tuple) dap.Variable {
	v := dap.Variable{Name: name, Value: t.text("value"), Type: t.text("type"), EvaluateName: name}
	if t.number("numchild") > 0 {
		v.VariablesReference = s.keep(t.text("name"))
	}
	return v
}

func (s *server) variables(r *dap.Request, a *dap.VariablesArguments) (dap.Message, error) {
	out := &dap.VariablesResponse{Response: to(r), Body: dap.VariablesResponseBody{Variables: []dap.Variable{}}}
	thread, level, locals := localsOf(a.VariablesReference)
	if !locals {
		t, err := s.gdb.ask("-var-list-children --all-values %s", s.object(a.VariablesReference))
		if err != nil {
			return nil, err
		}
		for _, c := range t.all("children") {
			out.Body.Variables = append(out.Body.Variables, s.variable(c.text("exp"), c))
		}
		return out, nil
	}
	t, err := s.gdb.ask("-stack-list-variables --thread %d --frame %d --no-values", thread, level)
	if err != nil {
		return nil, err
	}
	for _, v := range t.all("variables") {
		name := v.text("name")
		object, err := s.gdb.ask("-var-create --thread %d --frame %d - * %s", thread, level, quote(name))
		if err != nil {
			out.Body.Variables = append(out.Body.Variables, dap.Variable{Name: name, Value: err.Error()})
			continue
		}
		out.Body.Variables = append(out.Body.Variables, s.variable(name, object))
	}
	return out, nil
}

// evaluate evaluates an expression. A line typed in the editor's console is a command
// of gdb's.
func (s *server) evaluate(r *dap.Request, a *dap.EvaluateArguments) (dap.Message, error) {
	frame := ""
	if thread, level, ok := localsOf(a.FrameId); ok {
		frame = fmt.Sprintf("--thread %d --frame %d ", thread, level)
	}
	out := &dap.EvaluateResponse{Response: to(r)}
	if a.Context == "repl" {
		s.gdb.said()
		_, err := s.gdb.ask("-interpreter-exec %sconsole %s", frame, quote(a.Expression))
		if err != nil {
			return nil, err
		}
		out.Body.Result = strings.TrimRight(s.gdb.said(), "\n")
		return out, nil
	}
	t, err := s.gdb.ask("-var-create %s- * %s", frame, quote(a.Expression))
	if err != nil {
		return nil, err
	}
	v := s.variable(a.Expression, t)
	out.Body = dap.EvaluateResponseBody{Result: v.Value, Type: v.Type, VariablesReference: v.VariablesReference}
	return out, nil
}
