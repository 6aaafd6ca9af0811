package process

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"

	"landgo/internal/wire"
)

// Lending is the process that hands out the parts of a search.
type Lending struct {
	cmd *exec.Cmd
	in  io.Closer
	out io.Reader
}

// Lend starts a program that hands out the parts of a search, and waits until it can. It
// gets what it has to know, has one end of a socket as its descriptor 3, and ends when
// its standard input does. The engine gets the socket's other end.
func Lend(program string, asked any, stderr io.Writer, args ...string) (engine *os.File, l *Lending, err error) {
	near, far, err := wire.Sockets()
	if err != nil {
		return nil, nil, err
	}
	defer near.Close()
	defer func() {
		if err != nil {
			far.Close()
		}
	}()
	own := &Lending{cmd: &exec.Cmd{Path: program, Args: append([]string{program}, args...), Stderr: stderr, ExtraFiles: []*os.File{near}}}
	in, err := own.cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := own.cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	own.in, own.out = in, out
	if err = own.cmd.Start(); err != nil {
		return nil, nil, fmt.Errorf("%s can't be started: %w", program, err)
	}
	defer func() {
		if err != nil {
			own.End()
		}
	}()
	if err := json.NewEncoder(in).Encode(asked); err != nil {
		return nil, nil, err
	}
	var failed *wire.Error
	if err := json.NewDecoder(out).Decode(&failed); err != nil {
		return nil, nil, fmt.Errorf("%s has ended: %w", program, err)
	}
	if failed != nil {
		return nil, nil, failed.Err()
	}
	return far, own, nil
}

// End ends the process, which reports its outcome.
func (l *Lending) End() {
	l.in.Close()
	io.Copy(io.Discard, l.out)
	l.cmd.Wait()
}
