package choose

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"landgo/internal/debugger"
)

// Script carries commands out, a line each, and writes each with its answer. A command that
// fails says why, and the next comes. failed is how many did.
func (r *Run) Script(ctx context.Context, in io.Reader, out io.Writer) (failed int, err error) {
	if _, err := r.do(debugger.Move{Verb: debugger.DoLook}); err != nil {
		return 0, err
	}
	if err := r.write(out, "", "", nil); err != nil {
		return 0, err
	}
	defer context.AfterFunc(ctx, r.Chooser.Interrupt)()
	lines := bufio.NewScanner(in)
	for lines.Scan() && ctx.Err() == nil {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if line == "quit" {
			return failed, nil
		}
		answer, moves, err := r.perform(line)
		if err != nil {
			failed++
		}
		if moves && r.JSON { // its text is in the steps
			answer = strings.Join(r.view.Told, "\n")
		}
		if err := r.write(out, line, answer, err); err != nil {
			return failed, err
		}
	}
	return failed, lines.Err()
}

// write prints the outcome of a command; without one, where the run stands at first.
func (r *Run) write(out io.Writer, command, answer string, failure error) (err error) {
	text := "> " + command + "\n" + answer
	switch {
	case r.JSON:
		text, err = r.asJSON(command, answer, failure)
	case command == "":
		if text, err = r.threads(""); len(r.steps) > 0 {
			text += fmt.Sprintf("%d steps lie ahead: next goes along them, and a thread's number chooses another\n", len(r.steps))
		}
	case failure != nil:
		text += "error: " + failure.Error() + "\n"
	}
	if err == nil {
		_, err = io.WriteString(out, text)
	}
	return err
}
