package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"landgo/internal/explore/limits"
	"landgo/internal/result"
)

// Why a second process: a fault of landgo's own, an abort in the engine's C
// code included, has to end with exit status 5 and never look like a verdict. A
// process that aborts can't choose its status, and a Go program that dies of a
// runtime error exits with 2, which means something else here. So the commands
// that run a guest do it in a child. The child reports its status over a pipe
// just before it exits; a child that ends without a report has failed.

// statusFD names, in the child's environment, the descriptor of the pipe.
const statusFD = "LANDGO_STATUS_FD"

// guarded runs f, in a child process where the command needs one, and returns
// the exit status.
func guarded(args []string, stderr io.Writer, f func() int) int {
	if fd, err := strconv.Atoi(os.Getenv(statusFD)); err == nil {
		os.Unsetenv(statusFD)
		limits.Guarded()
		status := f()
		tell(os.NewFile(uintptr(fd), "status"), status)
		return status
	}
	if len(args) == 0 || args[0] != "run" && args[0] != "replay" && args[0] != "inspect" {
		return f()
	}
	status, err := inChild(stderr)
	if errors.Is(err, errNoChild) {
		return f() // no guard is better than no answer
	}
	if err != nil {
		reportFault(stderr, err.Error(), nil)
	}
	return status
}

// tell writes the exit status to the guard.
func tell(pipe *os.File, status int) {
	if _, err := pipe.Write([]byte{byte(status)}); err != nil {
		return // the guard was killed
	}
	pipe.Close()
}

var errNoChild = errors.New("no child process")

// inChild runs this program again with the same arguments and returns the
// status that it tells.
func inChild(stderr io.Writer) (int, error) {
	self, err := os.Executable()
	if err != nil {
		return 0, errNoChild
	}
	pipe, childEnd, err := os.Pipe()
	if err != nil {
		return 0, errNoChild
	}
	defer pipe.Close()
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	child := &exec.Cmd{
		Path:       self,
		Args:       os.Args,
		Env:        append(os.Environ(), statusFD+"=3"),
		Stdin:      os.Stdin,
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		ExtraFiles: []*os.File{childEnd},
	}
	dieTogether(child)
	err = child.Start()
	childEnd.Close()
	if err != nil {
		return 0, errNoChild
	}
	killed := make(chan bool, 1)
	go pass(signals, child.Process, killed)

	told := make([]byte, 1)
	n, _ := pipe.Read(told)
	err = child.Wait()
	switch {
	case n == 1:
		return int(told[0]), nil
	case len(killed) > 0:
		fmt.Fprintln(stderr, "landgo: killed before there was a result")
		return result.ExitBudget, nil
	}
	return result.ExitFault, fmt.Errorf("the process that ran the guest died: %w", errOr(err))
}

// doubled is how close two signals come that are one: "timeout" sends one to the
// process and one to its group.
const doubled = 100 * time.Millisecond

// patience is the time for a child to report its results so far.
const patience = 3 * time.Second

// pass hands signals to the child. The first asks it for its results so far,
// within a second; the second asks for them at once, and the third just ends
// it. A child that doesn't come to an end by itself is ended.
func pass(signals <-chan os.Signal, child *os.Process, killed chan<- bool) {
	n := 0
	var last time.Time
	var hung <-chan time.Time
	kill := func() {
		select {
		case killed <- true:
		default:
		}
		child.Kill()
	}
	for {
		select {
		case s := <-signals:
			if time.Since(last) < doubled {
				continue
			}
			last = time.Now()
			switch n++; n {
			case 1:
				child.Signal(s)
				hung = time.After(patience)
			case 2:
				child.Signal(syscall.SIGUSR1)
			default:
				kill()
			}
		case <-hung:
			kill()
		}
	}
}

func errOr(err error) error {
	if err == nil {
		return errors.New("it said nothing")
	}
	return err
}
