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
	threads, _ := r.threads("")
	if n := len(r.steps); n > 0 {
		threads += fmt.Sprintf("%d steps lie ahead: next goes along them, and a thread's number chooses another\n", n)
	}
	if _, err := io.WriteString(out, threads); err != nil {
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
		answer, _, err := r.perform(line)
		if err != nil {
			failed++
			answer += "error: " + err.Error() + "\n"
		}
		if _, err := io.WriteString(out, "> "+line+"\n"+answer); err != nil {
			return failed, err
		}
	}
	return failed, lines.Err()
}
