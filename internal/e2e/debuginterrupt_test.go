package e2e

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"landgo/internal/result"
)

// TestDebugInterrupt: gdb interrupts a run that it has sent backwards, and forwards, for very
// long: the condition of its breakpoint never holds.
func TestDebugInterrupt(t *testing.T) {
	t.Parallel()
	needsGDB(t)
	dir := t.TempDir()
	guest, bug := filepath.Join(dir, "long"), filepath.Join(dir, "b.landgo")
	source := filepath.Join(dir, "long.c")
	if err := os.WriteFile(source, []byte("#include <assert.h>\nvolatile unsigned work;\nint main(void)\n{\n\tfor (unsigned i = 0; i < 300000; i++)\n\t\twork += i;\n\tassert(!work);\n\treturn 0;\n}\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if text, err := exec.Command("gcc", "-g", "-O1", "-static", "-o", guest, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if e := finish(t, command(t, "run", "--quiet", "--out", bug, guest)); e.status != result.ExitBug {
		t.Fatalf("status %d\n%s%s", e.status, e.stdout, e.stderr)
	}
	gdb := exec.Command("gdb", "-nx", "-q", "-ex", "set confirm off", "-ex", "set pagination off", "-ex", "set sysroot /", "-ex", "set remotetimeout 60", guest)
	gdb.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := gdb.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := gdb.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	gdb.Stderr = gdb.Stdout
	if err := gdb.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		syscall.Kill(-gdb.Process.Pid, syscall.SIGKILL)
		gdb.Wait()
	}()
	lines := make(chan string, 1000)
	go func() {
		for r := bufio.NewReader(out); ; {
			line, err := r.ReadString('\n')
			lines <- line
			if err != nil {
				close(lines)
				return
			}
		}
	}()
	var said strings.Builder
	hears := func(want string) {
		t.Helper()
		for late := time.After(20 * time.Second); ; {
			select {
			case line, more := <-lines:
				said.WriteString(line)
				if strings.Contains(line, want) {
					return
				}
				if !more {
					t.Fatalf("gdb ended without %q:\n%s", want, said.String())
				}
			case <-late:
				t.Fatalf("gdb doesn't say %q:\n%s", want, said.String())
			}
		}
	}
	says := func(text string) { io.WriteString(in, text+"\n") }
	says(fmt.Sprintf("target remote | %s debug --gdb %s %s", landgo, bug, guest))
	for _, way := range []string{"reverse-continue", "continue"} {
		says("break 6 if work == 2")
		says(way)
		hears("Continuing.")
		again := time.AfterFunc(5*time.Second, func() { gdb.Process.Signal(syscall.SIGINT) }) // as one would on a busy machine
		time.Sleep(200 * time.Millisecond)
		gdb.Process.Signal(syscall.SIGINT)
		hears("SIGINT, Interrupt.")
		again.Stop()
		says("delete")
		if way == "reverse-continue" { // and forwards from the beginning
			says(way)
			hears("No more reverse-execution history.")
		}
	}
	says("continue")
	hears("SIGABRT, Aborted.")
}
