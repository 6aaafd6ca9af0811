package e2e

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"landgo/guests"
	"landgo/guests/ticks"
	"landgo/internal/compile"
	"landgo/internal/result"
)

// kernelTests is the rows of guests/kernel/expect.json, and the builds that there
// are.
func kernelTests(t *testing.T) (all []guests.KernelTest, builds []string) {
	t.Helper()
	all, err := guests.Kernels()
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range guests.KernelBuilds {
		if b == "kernel" || makes32(t) {
			builds = append(builds, b)
		}
	}
	return all, builds
}

// kernelRuns has the result of each run by what it is a run of, a *kernelRun: the
// tests ask for some more than once, and they take long.
var kernelRuns sync.Map

type kernelRun struct {
	sync.Mutex
	*result.Result
}

// onKernel is landgo's result for a test of the small kernel.
func onKernel(t *testing.T, k guests.KernelTest, build string, flags ...string) *result.Result {
	t.Helper()
	path := compile.Guest(t, build, k.Program)
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v: run make guests first", err)
	}
	args := slices.Concat([]string{"run", "--json", "--quiet", "--out", "none"}, k.Flags, flags)
	if build == guests.KernelBuilds[0] && (soaks || len(k.Name)%3 == 0) {
		args = append(args, "--self-check") // which takes as long again: a third of the rows
	}
	args = append(args, path)
	kept, _ := kernelRuns.LoadOrStore(strings.Join(args, " "), &kernelRun{})
	r := kept.(*kernelRun)
	r.Lock()
	defer r.Unlock()
	if r.Result == nil { // or no thread ended
		r.Result = run(t, args...).decode(t)
	}
	return r.Result
}

// kernelPoints has landgo run a test at some points. A mistake's space at every access is
// large, so its preemptions are bounded there: depth first, one bug came after 136,972
// executions.
func kernelPoints(k guests.KernelTest, points string) []string {
	if k.Verdict == guests.Bug && points == "mem" {
		return withinPreemptions(k, points)
	}
	return []string{"--pp", points}
}

// withinPreemptions has it run within as many preemptions as the mistake's bugs need.
func withinPreemptions(k guests.KernelTest, points string) []string {
	most := 0
	for _, f := range k.Failures {
		most = max(most, f.Preemptions)
	}
	flags := []string{"--pp", points}
	if most > 0 { // whose space may be large
		flags = append(flags, "--search", "bpor", "--bound", fmt.Sprintf("preempt=%d", most))
	}
	return flags
}

// TestKernels: the small kernel is verified, and each mistake in it is found with
// the least number of preemptions, in both builds, and comes again in a replay. A
// mistake's row mustn't fit what its test gives on the good kernel.
func TestKernels(t *testing.T) {
	all, builds := kernelTests(t)
	for i, k := range all {
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			r := onKernel(t, k, builds[0], kernelPoints(k, k.PP)...)
			report(t, k.Guest, builds[0], r)
			if r.Bug != nil {
				args := slices.Concat([]string{"replay", "--json", "--schedule", r.Bug.Schedule, "--pp", k.PP}, k.Flags, []string{compile.Guest(t, builds[0], k.Program)})
				if again := run(t, args...).decode(t); again.Bug == nil || again.Bug.Kind != r.Bug.Kind || again.Bug.Message != r.Bug.Message {
					t.Errorf("the replay ended in %+v, want %s", again.Bug, r.Bug.Message)
				}
			}
			flags := withinPreemptions(k, k.PP)
			for _, build := range builds[1:] {
				if !soaks && i%6 > 0 {
					continue // a sixth of the rows has both
				}
				report(t, k.Guest, build, onKernel(t, k, build, flags...))
			}
			twin := k
			twin.Program = k.Kernel
			if k.Variant != "" && len(differences(k.Guest, onKernel(t, twin, builds[0], flags...))) == 0 {
				t.Error("the check doesn't tell it from the good kernel")
			}
		})
	}
}

// TestKernelPoints: each mistake shows at the coarsest points that its row names,
// and at no coarser ones.
func TestKernelPoints(t *testing.T) {
	all, _ := kernelTests(t)
	for _, k := range all {
		if k.Verdict != guests.Bug {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			for _, points := range guests.KernelPointLists {
				r := onKernel(t, k, "kernel", kernelPoints(k, points)...)
				if points == k.PP {
					if r.Bug == nil {
						t.Errorf("--pp %s: %s (%s)", points, r.Verdict, r.Reason)
					}
					return
				}
				if r.Bug != nil {
					t.Errorf("the bug shows at --pp %s already, not only at %s: %s", points, k.PP, r.Bug.Message)
				}
			}
		})
	}
}

// TestKernelOrders: an exhaustive search with a point before each section
// without interrupts makes as many executions as a model of the kernel has
// orders of such sections. optimal, which makes one of each class of orders,
// makes no more. A thread may give the processor up and go on at once (a yield,
// one of higher priority). The rest of its section can then run for it or as
// its own step: that order is made twice.
func TestKernelOrders(t *testing.T) {
	all, builds := kernelTests(t)
	twice := []string{"yield", "steal", "donate", "donate_two"}
	for i, k := range all {
		if k.Kernel == "course" && !slices.Contains([]string{"post", "guard"}, k.Test) {
			continue
		}
		if k.Variant != "" || k.Verdict != guests.Verified || slices.Contains([]string{"steal", "sleep", "alarm"}, k.Test) {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			t.Parallel()
			want, err := ticks.Count(k.Test, ticks.Mistakes{})
			if err != nil {
				t.Fatal(err)
			}
			for b, build := range builds {
				if i%2 != b%2 && !soaks {
					continue // the other build's code differs, and has the other half of the rows
				}
				none := onKernel(t, k, build, "--pp", "cli", "--search", "none")
				optimal := onKernel(t, k, build, "--pp", "cli")
				if n := int(none.Executions); n < want.Orders || n > want.Orders && !slices.Contains(twice, k.Test) {
					t.Errorf("%s: %d executions, the model has %d orders", build, n, want.Orders)
				}
				if optimal.Executions > none.Executions || none.Verdict != result.Verified || optimal.Verdict != result.Verified {
					t.Errorf("%s: exhaustive %s with %d executions, optimal %s with %d", build, none.Verdict, none.Executions, optimal.Verdict, optimal.Executions)
				}
			}
		})
	}
}

// TestDisk: --disk is for kernels. A bug file has what was on a small disk, so the replay
// needs none.
func TestDisk(t *testing.T) {
	t.Parallel()
	disk := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(disk, make([]byte, 1024), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "run", "--disk", disk, compile.Guest(t, "glibc-O2/aba")); r.status != result.ExitUsage || !strings.Contains(r.stderr, "--disk is for kernels") {
		t.Errorf("a program with a disk: %d, %s", r.status, r.stderr)
	}
	if !makes32(t) {
		t.Skip("this gcc doesn't make programs for i386")
	}
	polling := compile.Guest(t, "kernel-i386/polling-add_open")
	bug := filepath.Join(t.TempDir(), "bug.landgo")
	args := []string{"run", "--quiet", "--pp", "yield", "--out", bug, "--profile", filepath.Join(top, "guests/kernel/polling/polling.yaml")}
	r := run(t, append(args, polling)...)
	if strings.Contains(r.stdout, "libunicorn 2.1") {
		t.Skip(r.stdout)
	}
	if r.status != result.ExitInvalid || !strings.Contains(r.stdout, "no disk") {
		t.Errorf("without its disk: %d, %s", r.status, r.stdout)
	}
	if r := run(t, append(args, "--disk", "1:"+disk, polling)...); r.status != result.ExitBug || !strings.Contains(r.stdout, "an addition is lost") {
		t.Fatalf("with its disk: %d, %s%s", r.status, r.stdout, r.stderr)
	}
	if r := run(t, "replay", bug); r.status != result.ExitBug || !strings.Contains(r.stdout, "an addition is lost") {
		t.Errorf("the replay: %d, %s%s", r.status, r.stdout, r.stderr)
	}
}
