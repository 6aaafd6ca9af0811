package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestKernelProfileWords: another way to describe the same kernel gives the same
// interleavings. The profiles vary where a function's point is, and how long a thread
// sleeps. They have numbers in place of names that the debug information hasn't got, and
// functions that it lacks.
func TestKernelProfileWords(t *testing.T) {
	t.Parallel()
	for _, machine := range []string{"x86-64", "i386"} {
		guest := silentKernel(t, machine, "kernel", "-fno-optimize-sibling-calls") // which end in a jump
		if guest == "" {
			continue
		}
		good := silentProfile(t, false).Text
		run := func(test, pp, text string) *result.Result {
			t.Helper()
			c := kernelConfig(guest, test, pp)
			c.Profile, c.Search = &config.Profile{Path: "p.yaml", Text: text}, "none"
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		for _, k := range []struct{ about, test, pp, from, to string }{
			{"a point at the return", "semaphore", "unlock", "semaphore_up, ", "{name: semaphore_up, point: return}, "},
			{"a sleep's length", "sleep", "cli", "  sleepers: {variable: sleepers, first: first, next: next}", "  sleep: {name: thread_sleep, arguments: 1}"},
			{"a sleep without its length", "sleep", "cli", "  sleepers: {variable: sleepers, first: first, next: next}", "  sleep: thread_sleep"},
			{"numbers", "semaphore", "cli", "    state: state\n    ready: [READY, RUNNING]", "    state: standing or 4\n    ready: [IS_READY or 1, RUNNING or 9]"},
			{"functions that it lacks", "semaphore", "lock", "  lock: [semaphore_down, ", "  lock: [mutex_enter, semaphore_down, "},
		} {
			want := run(k.test, k.pp, good)
			if !strings.Contains(good, k.from) {
				t.Fatalf("silent.yaml hasn't %q", k.from)
			}
			r := run(k.test, k.pp, "for: {machine: "+machine+", symbols: [run_test, ready]}\noptional: mutex_enter\n"+strings.Replace(good, k.from, k.to, 1))
			if want.Verdict != result.Verified || r.Verdict != want.Verdict || r.Executions != want.Executions || r.Transitions != want.Transitions {
				t.Errorf("%s, %s: %s (%s), %d executions of %d steps; else %s, %d of %d", machine, k.about,
					r.Verdict, r.Reason, r.Executions, r.Transitions, want.Verdict, want.Executions, want.Transitions)
			}
		}
	}
}

// TestKernelProfileFor: a profile for other guests is refused, with the line that says so;
// and a point can be elsewhere than behind the call in kernels only.
func TestKernelProfileFor(t *testing.T) {
	t.Parallel()
	guest := silentKernel(t, "x86-64", "kernel", "")
	good := silentProfile(t, false).Text
	for text, want := range map[string]string{
		"for: {machine: i386}\n" + good:                                               "p.yaml:1: the profile is for i386, and the guest is for x86-64",
		"for:\n  symbols: [run_test, run_tests]\n" + good:                             "p.yaml:2: the profile is for guests with a symbol run_tests",
		strings.Replace(good, "[semaphore_up,", "[{name: panic_at, point: none},", 1): "p.yaml:6: the guest has no function panic_at",
		good + "  loader: {entry: a, tables: b, stack: c}\n":                          "", // a multiboot loader starts it
		good + "  scroll: scroll\n":                                                   "no function scroll",
		good + "  sleep: {name: thread_sleep, arguments: 4, size: 8}\n":               "",
	} {
		c := kernelConfig(guest, "semaphore", "cli")
		c.Profile = &config.Profile{Path: "p.yaml", Text: text}
		r, err := Run(context.Background(), c, nil)
		if want == "" && (err != nil || r.Verdict != result.Verified) {
			t.Errorf("%q: %v", text, err)
		}
		if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// TestKernelTurnsOffOutside: a function that has its point at its return, or none, has to
// leave interrupts on as well.
func TestKernelTurnsOffOutside(t *testing.T) {
	t.Parallel()
	guest := silentKernel(t, "x86-64", "kernel-release_off", "")
	for _, place := range []string{"return", "none"} {
		c := kernelConfig(guest, "lock", "cli,sti")
		c.Profile = silentProfile(t, false)
		c.Profile.Text = strings.Replace(c.Profile.Text, "lock_release,", "{name: lock_release, point: "+place+"},", 1)
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Bug == nil || !strings.HasPrefix(r.Bug.Message, "lock_release was called with interrupts on") {
			t.Errorf("point %s: %s (%s) %+v", place, r.Verdict, r.Reason, r.Bug)
		}
	}
}

// TestProfileOverBuiltIn: a user's profile goes over landgo's own of a known kernel, which
// still says what its threads are.
func TestProfileOverBuiltIn(t *testing.T) {
	t.Parallel()
	c := kernelConfig(kernelBuilt(t, "course"), "post", "unlock")
	plain, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Profile = &config.Profile{Path: "p.yaml", Text: "functions:\n  none: sema_up"}
	less, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	c.Profile = &config.Profile{Path: "p.yaml", Text: "functions:\n  unlock: thread_unblock"}
	more, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if plain.Verdict != result.Verified || less.Verdict != result.Invalid || less.Problem != result.PointlessPoint || more.Verdict != result.Verified {
		t.Errorf("%s; without its points %s (%s); with more %s (%s)", plain.Verdict, less.Verdict, less.Reason, more.Verdict, more.Reason)
	}
	if !strings.Contains(more.Certificate.Profile, "(built in), p.yaml ") || strings.Contains(plain.Certificate.Profile, "p.yaml") {
		t.Errorf("certificates %+v and %+v", plain.Certificate, more.Certificate)
	}
}

// TestBuiltInMisfit: a known kernel that is built in another way than its profile expects
// isn't run, and the reason says what is missing.
func TestBuiltInMisfit(t *testing.T) {
	t.Parallel()
	guest := edited(t, "course", "course/sync.c", "void sema_up(", "void sema_up(struct semaphore *s);\nvoid sema_twice(struct semaphore *s) { sema_up(s); }\n__attribute__((always_inline)) extern inline void sema_up(")
	r, err := Run(context.Background(), kernelConfig(guest, "post", "cli"), nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Invalid || r.Problem != result.NoAnnotations || !strings.Contains(r.Reason, "sema_up") {
		t.Errorf("%s (%s): %s", r.Verdict, r.Problem, r.Reason)
	}
}
