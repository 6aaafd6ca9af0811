package process

import (
	"os/exec"
	"syscall"
)

// dieTogether makes the kernel kill the child when the thread that starts it ends.
func dieTogether(child *exec.Cmd) {
	child.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
}
