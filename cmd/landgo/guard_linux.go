package main

import (
	"os/exec"
	"runtime"
	"syscall"
)

// dieTogether makes the kernel kill the child when the guard is killed, so
// that kill -9 on landgo leaves nothing running. The kernel ties that to the
// thread that starts the child, which therefore has to stay.
func dieTogether(child *exec.Cmd) {
	runtime.LockOSThread()
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
