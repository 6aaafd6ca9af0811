package explore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestWrongProfiles: a profile that is wrong about a kernel's threads verifies nothing
// in fewer executions than the right one does, and makes no bug of what is none. The
// result is invalid, with the contradiction as the reason.
func TestWrongProfiles(t *testing.T) {
	t.Parallel()
	const list, sleepers = "ready-list: {variable: ready, first: first, next: next", "sleepers: {variable: sleepers, first"
	const unlisted, sleeps, ended, ready = "doesn't list as ready", "a tick has woken thread", "had ended, by the profile's ended states", "ready ones"
	type wrong struct{ from, to, want string }
	for _, k := range []struct {
		flags    string
		profiles []wrong
	}{
		{"", []wrong{
			{list, "ready-list: {variable: sleepers, first: first, next: next", unlisted},
			{list, "ready-list: {variable: free_pages, first: 0, next: next", unlisted},
			{list, list + ", link: next", unlisted},
			{list, strings.Replace(list, "next: next", "next: joiner", 1), ""},
			{list + "}", "created: page_free", unlisted},
			{sleepers, "sleepers: {variable: ready, first", sleeps},
			{sleepers, "sleepers: {variable: sleepers, link: next, first", sleeps},
			{"  idle: idle\n", "", unlisted},
			{"idle: idle", "idle: ready", "idle variables"},
			{"[READY, RUNNING]", "[READY]", ready},
			{"[READY, RUNNING]", "[RUNNING]", ready},
			{"[READY, RUNNING]", "[READY, RUNNING, BLOCKED]", ""},
			{"ended: ENDED", "ended: BLOCKED", ended},
			{"ended: ENDED", "ended: [BLOCKED, ENDED]", ended},
			{"ended: ENDED", "ended: READY", "creates more than"},
			{"ended: ENDED", "ended: RUNNING", ""},
			{"state: state", "state: id", ready},
			{"state: state", "state: priority", ready},
			{"priority: priority", "priority: state", ""},
			{"priority: priority", "priority: id", ""},
			{"stack: 4096", "stack: 8192", ready},
			{"stack: 4096", "stack: 1024", ready},
		}},
		{"-DKEEP_RUNNING=2", []wrong{
			{list, "ready-list: {variable: sleepers, first: first, next: next", unlisted},
			{"[READY, RUNNING]", "[RUNNING]", ready},
			{"state: state", "state: id", "doesn't tell whose"},
			{"current: running", "current: ready.first", ready},
			{"current: running", "current: idle", "idle variables"},
		}},
		{"-DKEEP_RUNNING=2 -DSCHEDULER=1", []wrong{
			{list, "ready-list: {variable: sleepers, first: first, next: next", unlisted},
			{"[READY, RUNNING]", "[RUNNING]", "gives the processor to thread"},
			{"state: state", "state: id", "doesn't tell whose"},
			{"priority: priority", "priority: state", ""},
		}},
	} {
		guest := silentKernel(t, "x86-64", "kernel", k.flags)
		right := silentProfile(t, k.flags != "")
		if strings.Contains(k.flags, "SCHEDULER") {
			right.Text = strings.Replace(right.Text, "  idle: idle\n", "", 1)
		}
		run := func(test, text string) *result.Result {
			c := kernelConfig(guest, test, "cli")
			c.Search, c.Profile = "none", &config.Profile{Path: "p.yaml", Text: text}
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			return r
		}
		counts := map[string]*result.Result{}
		for _, p := range k.profiles {
			if !strings.Contains(right.Text, p.from) {
				t.Fatalf("the profile hasn't %q", p.from)
			}
			reasons := ""
			tests := []string{"semaphore", "donate"}
			if strings.HasPrefix(p.from, "priority") {
				tests = tests[:1] // priorities that tell nothing take long
			} else if p.want == sleeps || p.want == ended || p.to == "" {
				tests = []string{"sleep"}
			}
			for _, test := range tests {
				name := fmt.Sprintf("%s, %s: %s", k.flags, test, p.to)
				r := run(test, strings.Replace(right.Text, p.from, p.to, 1))
				if counts[test] == nil {
					counts[test] = run(test, right.Text)
				}
				switch want := counts[test]; {
				case r.Verdict == result.Invalid:
					reasons += r.Reason
				case r.Verdict != result.Verified || r.Executions < want.Executions:
					t.Errorf("%s: %s (%s) after %d executions; the right profile is %s after %d", name, r.Verdict, r.Reason, r.Executions, want.Verdict, want.Executions)
				}
			}
			if !strings.Contains(reasons, p.want) {
				t.Errorf("%s: the reasons %q haven't %q", p.to, reasons, p.want)
			}
		}
	}
}

// TestListedThread: a thread that the kernel has left in its ready list can run,
// whatever its state says. Here its page is freed, and its state set to ENDED, before it
// has left the processor for the last time.
func TestListedThread(t *testing.T) {
	guest, said, err := compile.Edited(t, "../../guests/kernel", "kernel",
		[]compile.Edit{{File: "thread.c", From: "	int status = t->status;\n", To: "	int status = t->status;\n	t->state = ENDED;\n"}},
		"MACHINE=x86-64", "CFLAGS=-DLANDGO_SILENT -DEXIT_EARLY=1")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	c := kernelConfig(guest, "lock", "cli")
	c.Profile = silentProfile(t, false)
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Bug == nil || r.Bug.Kind != "use-after-free" {
		t.Errorf("%s (%s) after %d executions, want a use-after-free", r.Verdict, r.Reason, r.Executions)
	}
}
