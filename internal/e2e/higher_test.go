package e2e

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"landgo/emu"
	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestHigherHalf: a kernel that is loaded at 1 MiB, linked far above, and maps
// itself there, is the same kernel: as many executions, the same bug, the same
// names. Where the engine doesn't follow page tables, one line says so.
func TestHigherHalf(t *testing.T) {
	t.Parallel()
	m, err := emu.New(emu.Config{Code: []emu.Range{{Lo: 0x1000, Hi: 0x2000}}})
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, x := range []struct{ build, machine, above string }{
		{"kernel", "", "0xffffffff80000000"},
		{"kernel-i386", "i386", "0xc0000000"},
	} {
		if x.machine == "i386" && !makes32(t) {
			continue
		}
		out := t.TempDir()
		for _, k := range []struct{ name, test, within string }{
			{"kernel", "create", ""}, {"kernel", "semaphore", "semaphore_down"}, {"kernel-wakeup_lost", "semaphore", ""},
		} {
			high := filepath.Join(out, k.name)
			build := exec.Command("make", "-s", "-C", filepath.Join(top, "guests/kernel"), "MACHINE="+x.machine, "ABOVE="+x.above, "OUT="+out, high)
			if said, err := build.CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, said)
			}
			flags := []string{"run", "--json", "--quiet", "--out", "none", "--pp", "cli", "--cmdline", "test=" + k.test}
			if k.within != "" { // a caller of the function in which the point is
				flags = append(flags, "--within", k.within)
			}
			r := run(t, append(flags, high)...).decode(t)
			if !m.HasPaging() {
				if r.Verdict != result.Invalid || !strings.Contains(r.Reason, x.above+" above") || !strings.Contains(r.Reason, "libunicorn 2.1") {
					t.Errorf("%s %s: %s: %s", x.build, k.name, r.Verdict, r.Reason)
				}
				continue
			}
			low := run(t, append(flags, compile.Guest(t, x.build, k.name))...).decode(t)
			if r.Verdict != low.Verdict || r.Executions != low.Executions || r.Executions == 0 {
				t.Errorf("%s %s: %s after %d executions (%s), linked where it is loaded %s after %d",
					x.build, k.name, r.Verdict, r.Executions, r.Reason, low.Verdict, low.Executions)
			}
			if (r.Bug == nil) != (low.Bug == nil) || r.Bug != nil && (r.Bug.Message != low.Bug.Message || r.Bug.Preemptions != low.Bug.Preemptions) {
				t.Errorf("%s %s: the bug is %+v, linked where it is loaded %+v", x.build, k.name, r.Bug, low.Bug)
			}
		}
	}
}
