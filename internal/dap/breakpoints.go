package dap

import (
	"fmt"

	"github.com/google/go-dap"
)

// place sets breakpoints in the stead of those that a source, or a kind, had.
func (s *server) place(of string, commands []string) (out []dap.Breakpoint) {
	for _, n := range s.breaks[of] {
		s.gdb.ask("-break-delete %d", n)
	}
	s.breaks[of] = nil
	out = []dap.Breakpoint{} // an editor may not take null for none
	for _, c := range commands {
		b := dap.Breakpoint{}
		t, err := s.gdb.ask("%s", c)
		if err != nil {
			b.Message = err.Error()
			out = append(out, b)
			continue
		}
		set := t.of("bkpt")
		for _, kind := range []string{"wpt", "hw-rwpt", "hw-awpt"} {
			if w := t.of(kind); w != nil {
				set = w
			}
		}
		b.Id, b.Verified, b.Line = set.number("number"), true, set.number("line")
		s.breaks[of] = append(s.breaks[of], b.Id)
		out = append(out, b)
	}
	return out
}

func insert(where, condition string) string {
	command := "-break-insert "
	if condition != "" {
		command += "-c " + quote(condition) + " "
	}
	return command + where
}

func (s *server) setBreakpoints(r *dap.Request, a *dap.SetBreakpointsArguments) dap.Message {
	var commands []string
	for _, b := range a.Breakpoints {
		commands = append(commands, insert(fmt.Sprintf("--source %s --line %d", quote(a.Source.Path), b.Line), b.Condition))
	}
	return &dap.SetBreakpointsResponse{Response: to(r), Body: dap.SetBreakpointsResponseBody{Breakpoints: s.place("source "+a.Source.Path, commands)}}
}

func (s *server) setFunctionBreakpoints(r *dap.Request, a *dap.SetFunctionBreakpointsArguments) dap.Message {
	var commands []string
	for _, b := range a.Breakpoints {
		commands = append(commands, insert("--function "+quote(b.Name), b.Condition))
	}
	return &dap.SetFunctionBreakpointsResponse{Response: to(r), Body: dap.SetFunctionBreakpointsResponseBody{Breakpoints: s.place("functions", commands)}}
}

// dataBreakpointInfo says under what name a variable can be watched: as an expression
// for its place, which doesn't depend on the frame.
func (s *server) dataBreakpointInfo(r *dap.Request, a *dap.DataBreakpointInfoArguments) dap.Message {
	out := &dap.DataBreakpointInfoResponse{Response: to(r)}
	expression := a.Name
	if object := s.object(a.VariablesReference); object != "" {
		if t, err := s.gdb.ask("-var-info-path-expression %s.%s", object, a.Name); err == nil {
			expression = t.text("path_expr")
		}
	}
	frame := ""
	if thread, level, ok := localsOf(a.VariablesReference); ok {
		frame = fmt.Sprintf("--thread %d --frame %d ", thread, level)
	}
	address, err := s.gdb.ask("-data-evaluate-expression %s%s", frame, quote("(unsigned long)&("+expression+")"))
	size, err2 := s.gdb.ask("-data-evaluate-expression %s%s", frame, quote("sizeof("+expression+")"))
	if err != nil || err2 != nil {
		out.Body.Description = expression + " has no place in memory"
		return out
	}
	out.Body = dap.DataBreakpointInfoResponseBody{
		DataId: fmt.Sprintf("*(char (*)[%s])%s", size.text("value"), address.text("value")), Description: expression,
		AccessTypes: []dap.DataBreakpointAccessType{"read", "write", "readWrite"},
	}
	return out
}

func (s *server) setDataBreakpoints(r *dap.Request, a *dap.SetDataBreakpointsArguments) dap.Message {
	var commands []string
	for _, b := range a.Breakpoints {
		kind := map[dap.DataBreakpointAccessType]string{"read": "-r ", "readWrite": "-a "}[b.AccessType]
		commands = append(commands, "-break-watch "+kind+quote(b.DataId))
	}
	return &dap.SetDataBreakpointsResponse{Response: to(r), Body: dap.SetDataBreakpointsResponseBody{Breakpoints: s.place("data", commands)}}
}
