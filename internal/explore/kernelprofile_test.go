package explore

import (
	"context"
	"os"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/por"
)

// silentKernel compiles the kernel of guests/kernel as if it had no annotations,
// with further flags; "" where gcc can't.
func silentKernel(t testing.TB, machine, program, flags string) string {
	t.Helper()
	part.Row(t)
	path, said, err := compile.Made("../../guests/kernel", program, "MACHINE="+machine, "CFLAGS=-DLANDGO_SILENT "+flags)
	if err != nil && machine == "i386" {
		return ""
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

// silentProfile is the profile for it; running: a variable tells which thread runs.
func silentProfile(t testing.TB, running bool) *config.Profile {
	t.Helper()
	text, err := os.ReadFile("../../guests/kernel/silent.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p := &config.Profile{Path: "silent.yaml", Text: string(text)}
	if running {
		head, rest, ok := strings.Cut(p.Text, "    stack: 4096")
		_, rest, ok2 := strings.Cut(rest, "\n")
		if !ok || !ok2 {
			t.Fatal("silent.yaml says nothing of stacks")
		}
		p.Text = head + "\n  current: running\n" + rest
	}
	return p
}

// TestSilentKernel: a kernel without annotations that no profile describes isn't
// booted; the result says what it lacks, and what to do.
func TestSilentKernel(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"x86-64", "i386"} {
		guest := silentKernel(t, machine, "kernel", "")
		if guest == "" {
			continue
		}
		c := kernelConfig(guest, "lock", "mem")
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Finish()
		cure := result.Explain(r.Problem).Cure
		if r.Verdict != result.Invalid || r.Problem != result.NoAnnotations || !strings.Contains(r.Reason, "landgo_booted") || !strings.Contains(cure, "landgo header") || r.Instructions != 0 {
			t.Errorf("%s: %s (%s: %s) after %d instructions; cure: %s", machine, r.Verdict, r.Problem, r.Reason, r.Instructions, cure)
		}
		c.Profile = silentProfile(t, false)
		if r, err = Run(context.Background(), c, nil); err != nil || r.Verdict == result.Invalid {
			t.Errorf("%s, with a profile: %v %+v", machine, err, r)
		}
	}
}

// TestSilentKernelCounts: without annotations, by a profile, a kernel has as many
// interleavings as with them. Stacks tell which thread runs, or a variable that is
// assigned before or after the switch of stacks. Threads switch to each other, or
// to a scheduler that looks for the next one with interrupts on.
func TestSilentKernelCounts(t *testing.T) {
	t.Parallel()
	type build struct{ machine, flags string }
	told := kernelBuilt(t, "kernel")
	guests := map[build]string{}
	for _, b := range []build{{"x86-64", ""}, {"i386", ""}, {"x86-64", "-DKEEP_RUNNING=1"}, {"x86-64", "-DKEEP_RUNNING=2"}, {"x86-64", "-DKEEP_RUNNING=2 -DSCHEDULER=1"}} {
		guests[b] = silentKernel(t, b.machine, "kernel", b.flags)
	}
	for _, test := range []string{"create", "join", "yield", "semaphore", "donate", "sleep"} {
		t.Run(test, func(t *testing.T) {
			t.Parallel()
			c := kernelConfig(told, test, "cli")
			c.Search = "none" // reductions depend on how the code was compiled
			want, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			for b, guest := range guests {
				if guest == "" {
					continue
				}
				c := c
				c.Guest, c.Profile = guest, silentProfile(t, b.flags != "")
				scheduler := strings.Contains(b.flags, "SCHEDULER")
				if scheduler {
					c.Profile.Text = strings.Replace(c.Profile.Text, "  idle: idle\n", "", 1)
				}
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				// To yield to oneself is a switch there, to the scheduler and back.
				longer := scheduler && test == "yield" && r.Transitions > want.Transitions
				if r.Verdict != result.Verified || r.Executions != want.Executions || r.Transitions != want.Transitions && !longer || r.Threads != want.Threads {
					t.Errorf("%v: %s (%s), %d executions of %d steps, %d threads; with annotations %d of %d, %d", b, r.Verdict, r.Reason,
						r.Executions, r.Transitions, r.Threads, want.Executions, want.Transitions, want.Threads)
				}
			}
		})
	}
}

// TestSilentKernelMistakes: the kernel's mistakes are found without annotations as
// well, with as few preemptions, and replay. page_free ends in a jump to another
// function: where that has a role too, both calls have ended.
func TestSilentKernelMistakes(t *testing.T) {
	t.Parallel()
	for _, k := range []struct{ program, test, pp, kind, text string }{
		{"kernel-wakeup_lost", "semaphore", "cli", "deadlock", "semaphore"},
		{"kernel-exit_early", "leave", "cli", "use-after-free", "4096 bytes that has been freed"},
		{"kernel-donation_missed", "donate", "cli", "assertion", "high_done"},
		{"kernel-donation_dropped", "donate_two", "lock", "assertion", "high_done"},
		{"kernel-sleep_unguarded", "sleep", "cli", "assertion", "t->state == BLOCKED"},
	} {
		t.Run(k.program, func(t *testing.T) {
			t.Parallel()
			c := kernelConfig(silentKernel(t, "x86-64", k.program, ""), k.test, k.pp)
			c.Profile = silentProfile(t, false)
			c.Profile.Text = strings.Replace(c.Profile.Text, "unlock: [", "unlock: [interrupts_restore, ", 1)
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Bug == nil || string(r.Bug.Kind) != k.kind || r.Bug.Preemptions != 1 || !strings.Contains(r.Bug.Message, k.text) {
				t.Fatalf("%s (%s): %+v, want %s with 1 preemption", r.Verdict, r.Reason, r.Bug, k.kind)
			}
			again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
			if err != nil {
				t.Fatal(err)
			}
			if again.Bug == nil || again.Bug.Message != r.Bug.Message {
				t.Errorf("the replay ended in %+v, want %s", again.Bug, r.Bug.Message)
			}
		})
	}
}

// TestSilentKernelRefuses: what a profile says of a kernel that it hasn't got is
// told in one line.
func TestSilentKernelRefuses(t *testing.T) {
	t.Parallel()
	guest := silentKernel(t, "x86-64", "kernel", "")
	good := silentProfile(t, false).Text
	for _, k := range []struct{ from, to, want string }{
		{"booted: run_test", "booted: run_tests", "the guest has no function run_tests, did you mean run_test?"},
		{"booted: run_test", "booted: thread_ready", "the compiler has put thread_ready into"},
		{"state: state", "state: stat", "no field stat of a structure thread"},
		{"type: thread", "type: proc", "no field state of a structure proc"},
		{"[READY, RUNNING]", "[READY, RUNS]", "no enumerator RUNS"},
		{"variable: ready, first: first", "variable: ready, first: head", "no field head of the variable ready"},
		{"variable: ready,", "variable: readies,", "no variable readies with a size, did you mean ready?"},
		{"state: state", "state: 4000000", "want a field or its offset, below 65536, got"},
		{"idle: idle", "idle: idler", "no variable idler"},
		{"free: page_free", "free: page_free\n    memory: free_pages", "leave memory out"},
	} {
		if !strings.Contains(good, k.from) {
			t.Fatalf("silent.yaml hasn't %q", k.from)
		}
		c := kernelConfig(guest, "lock", "cli")
		c.Profile = &config.Profile{Path: "p.yaml", Text: strings.Replace(good, k.from, k.to, 1)}
		_, err := Run(context.Background(), c, nil)
		if err == nil || !strings.Contains(err.Error(), k.want) || !strings.HasPrefix(err.Error(), "p.yaml:") {
			t.Errorf("%s: %v, want %q", k.to, err, k.want)
		}
	}
	// What a run contradicts: nothing is verified by it.
	for _, ready := range []string{"[READY]", "[RUNNING]"} {
		c := kernelConfig(guest, "semaphore", "cli")
		c.Profile = &config.Profile{Path: "p.yaml", Text: strings.Replace(good, "[READY, RUNNING]", ready, 1)}
		if r, err := Run(context.Background(), c, nil); err != nil || r.Verdict != result.Invalid || !strings.Contains(r.Reason, "the profile's ready ones") {
			t.Errorf("ready: %s: %+v, %v", ready, r, err)
		}
	}
	// A kernel without a profile says nothing itself.
	c := kernelConfig(guest, "lock", "cli")
	if r, err := Run(context.Background(), c, nil); err != nil || r.Verdict != result.Invalid {
		t.Errorf("without a profile: %+v, %v", r, err)
	}
}

// TestInterruptsLeftOff: a function that lets go of something and was called with
// interrupts on mustn't return with them off. One that was called with them off
// may, as the kernel's own do.
func TestInterruptsLeftOff(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"x86-64", "i386"} {
		guest := silentKernel(t, machine, "kernel-release_off", "")
		if guest == "" {
			continue
		}
		for _, points := range []string{"", "cli,sti"} {
			c := kernelConfig(guest, "lock", points)
			c.Profile = silentProfile(t, false)
			if points == "" {
				c.PP, c.Deepen = config.Default().PP, true
			} else {
				c.Search, c.Bounds = "bounded", por.Bounds{{Measure: por.Preempt, Limit: 1}}
			}
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			const says = "lock_release was called with interrupts on, and returns with them off"
			if r.Bug == nil || r.Bug.Message != says || r.Bug.Preemptions != 1 {
				t.Errorf("%s, points %q: %s (%s) %+v", machine, points, r.Verdict, r.Reason, r.Bug)
			}
		}
	}
}
