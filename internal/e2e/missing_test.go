package e2e

import (
	"path/filepath"
	"strings"
	"testing"

	"landgo/internal/result"
	"landgo/internal/trace"
)

// TestMissingPages: a call that fails for memory that isn't there, and a fault
// that a handler gets, come in either order with the new_pages or remove_pages
// of another thread. The order in which threads get the last memory isn't
// explored, and no verdict is given then.
func TestMissingPages(t *testing.T) {
	machines := []string{"-m64"}
	if makes32(t) {
		machines = append(machines, "-m32")
	}
	abi := filepath.Join(top, "guests/pebbles/abi")
	for _, machine := range machines {
		guest := pebblesProgram(t, machine, "testdata/missing.c", "-I"+abi, filepath.Join(abi, "fork_call.S"))
		for _, program := range []string{"print", "deschedule", "swexn", "no-swexn", "fault", "no-fault", "grow 0", "grow 1", "grow 2", "limit"} {
			args := []string{"run", "--json", "--quiet", "--out", "none", "--pp", "mem", "--self-check", guest, "--"}
			r := run(t, append(args, strings.Fields(program)...)...).decode(t)
			switch {
			case program == "limit":
				if r.Verdict != result.Invalid || !strings.Contains(r.Reason, "ask for more than") {
					t.Errorf("%s %s: %s (%s) %+v", machine, program, r.Verdict, r.Reason, r.Bug)
				}
			case r.Bug == nil || r.Bug.Kind != trace.Assertion:
				t.Errorf("%s %s: %s (%s) after %d executions, %+v", machine, program, r.Verdict, r.Reason, r.Executions, r.Bug)
			}
		}
	}
}
