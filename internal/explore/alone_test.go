package explore

import (
	"os"
	"os/exec"
	"testing"
)

// inAnother runs a test in a process of its own, and reports whether this one has to do no more.
// A state isn't kept where it could hold an address of the process (emu.Machine.Freeze), and one that
// has run many tests has a heap at the guest's own addresses.
func inAnother(t *testing.T) bool {
	const name = "LANDGO_TEST_ALONE"
	if os.Getenv(name) == t.Name() {
		return false
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), name+"="+t.Name())
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	return true
}
