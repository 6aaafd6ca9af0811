package imagetest

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// Tracee runs a program of ours one instruction at a time under ptrace, to
// compare what the package says about an instruction with what it does.
type Tracee struct {
	pid int
	mem *os.File
}

// Steps calls visit before each instruction of the program, with the
// thread's registers and the signal that it is about to get. It returns how
// the program ended (killed, if that took minutes). visit may read the
// program's memory.
func Steps(t *testing.T, program string, visit func(tr *Tracee, tid int, regs *syscall.PtraceRegs, signal int)) syscall.WaitStatus {
	t.Helper()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cmd := exec.Command(program)
	cmd.SysProcAttr = &syscall.SysProcAttr{Ptrace: true}
	if err := cmd.Start(); err != nil {
		t.Fatalf("cannot trace a program (is ptrace forbidden here?): %v", err)
	}
	tr := &Tracee{pid: cmd.Process.Pid}
	defer func() {
		cmd.Process.Kill()
		cmd.Process.Release()
	}()
	watchdog := time.AfterFunc(15*time.Minute, func() { cmd.Process.Kill() })
	defer watchdog.Stop()
	var err error
	if tr.mem, err = os.Open(fmt.Sprintf("/proc/%d/mem", tr.pid)); err != nil {
		t.Fatal(err)
	}
	defer tr.mem.Close()
	options := false
	for {
		var status syscall.WaitStatus
		tid, err := syscall.Wait4(-1, &status, syscall.WALL, nil)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			t.Fatalf("wait: %v", err)
		}
		if status.Exited() || status.Signaled() {
			if tid != tr.pid {
				continue
			}
			return status
		}
		if !options {
			const exitKill = 0x100000
			if err := syscall.PtraceSetOptions(tr.pid, syscall.PTRACE_O_TRACECLONE|exitKill); err != nil {
				t.Fatal(err)
			}
			options = true
		}
		signal := 0
		switch status.StopSignal() {
		case syscall.SIGTRAP, syscall.SIGSTOP:
		default:
			signal = int(status.StopSignal())
		}
		var regs syscall.PtraceRegs
		if err := syscall.PtraceGetRegs(tid, &regs); err == nil && status.TrapCause() <= 0 {
			visit(tr, tid, &regs, signal)
		}
		syscall.RawSyscall6(syscall.SYS_PTRACE, syscall.PTRACE_SINGLESTEP, uintptr(tid), 0, uintptr(signal), 0, 0)
	}
}

// Read reads a word of the program's memory.
func (tr *Tracee) Read(addr uint64) (uint64, bool) {
	var b [8]byte
	if _, err := tr.mem.ReadAt(b[:], int64(addr)); err != nil {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[:]), true
}
