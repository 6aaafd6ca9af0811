package explore

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"landgo/guests/ticks"
	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/explore/session"
	"landgo/internal/part"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/por"
	"landgo/scheduler"
	"landgo/scheduler/steer"
)

// kernelBuilt compiles the kernel of guests/kernel for x86-64, with a mistake or
// without.
func kernelBuilt(t testing.TB, program string) string {
	t.Helper()
	part.Row(t)
	path, said, err := compile.Made("../../guests/kernel", program, "MACHINE=x86-64")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

func kernelConfig(guest, test, pp string) config.Config {
	c := config.Default()
	c.Guest, c.Cmdline, c.Out, c.Deepen, c.Race = guest, "test="+test, config.NoFile, false, config.RaceOff
	c.PP, _, _ = trace.ParsePoints(pp)
	return c
}

// kernelEnds is how executions of a kernel end, up to what the order of steps
// that don't interfere may change.
type kernelEnds struct{ ends }

func (e *kernelEnds) Ended(x *por.Execution) bool {
	if x.Ending == por.EndedBlocked || x.Ending == por.EndedPruned {
		return true
	}
	h := hunt{Session: e.Session}
	end := fmt.Sprintf("%016x %s", e.Guest.Blender.(*steer.Kernel).Outcome(), e.Console.Output(1))
	if f := h.failureAt(x); f != nil {
		end = h.key(f)
	}
	e.states[end]++
	e.executions++
	return true
}

// kernelGuest is a kernel on which searches run one after the other: each knows what
// those before it have learned.
type kernelGuest struct{ *session.Session }

func openKernel(t testing.TB, c config.Config) kernelGuest {
	t.Helper()
	s, err := session.Open(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return kernelGuest{s}
}

// explored runs a whole search, within bounds or nil.
func (g kernelGuest) explored(t *testing.T, search string, bounds por.Bounds) *kernelEnds {
	t.Helper()
	g.Guest.Rewind(g.Root)
	e := &kernelEnds{ends{Session: g.Session, states: map[string]int{}}}
	engine, err := por.New(search, por.Options{Bounds: bounds})
	if err != nil {
		t.Fatal(err)
	}
	stats, err := engine.Run(g.Guest, e)
	if err != nil || !stats.Complete {
		t.Fatalf("%s: %v, complete: %v", search, err, stats.Complete)
	}
	return e
}

var (
	kernelSearches = []string{"sleep", "dpor", "dpor:sleep=0", "dpor:figure=3", "dpor:figure=4", "classic", "nidhugg", "source", "optimal"}
	kernelBounded  = []string{"bounded", "bpor", "bpor:sleep=0", "nidhugg-bpor", "source-bpor"}
)

// TestKernelSearchesAgree: the reductions reach the same ends of kernels as no
// reduction does. There are right kernels and wrong ones, with threads that wait,
// sleep, and have priorities. Some tell landgo of wake-ups; of others it reads
// them.
func TestKernelSearchesAgree(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ program, test, pp string }{
		{"kernel", "create", "sti"},
		{"kernel", "lock", "cli,sti"},
		{"kernel", "join", "mem"},
		{"kernel", "yield", "cli"},
		{"kernel", "semaphore", "cli,sti"},
		{"kernel", "race", "mem"},
		{"kernel", "donate", "cli"},
		{"kernel", "sleep", "lock"},
		{"kernel-exit_early", "leave", "cli,sti"},
		{"kernel-wakeup_lost", "semaphore", "cli,sti"},
		{"kernel-donation_missed", "donate", "cli"},
		{"kernel-switch_open", "yield", "sti"},
		{"kernel-restore_nested", "semaphore", "sti"},
		{"course", "copy", "cli"},
		{"course", "nap", "yield"},
		{"course", "doze", "lock"},
		{"course-letter_open", "letters", "sti"},
		{"silent", "semaphore", "cli"},
		{"silent", "sleep", "yield"},
	} {
		t.Run(c.program+" "+c.test+" "+c.pp, func(t *testing.T) {
			t.Parallel()
			var cfg config.Config
			if c.program == "silent" {
				cfg = kernelConfig(silentKernel(t, "x86-64", "kernel", ""), c.test, c.pp)
				cfg.Profile = silentProfile(t, false)
			} else {
				cfg = kernelConfig(kernelBuilt(t, c.program), c.test, c.pp)
			}
			guest := openKernel(t, cfg)
			guest.explored(t, "none", nil)
			want := guest.explored(t, "none", nil)
			for _, search := range kernelSearches {
				got := guest.explored(t, search, nil)
				if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
					t.Errorf("%s: %d executions end in %v, want %v (%d executions)", search, got.executions, got.states, want.states, want.executions)
				}
				if os.Getenv("LANDGO_COUNTS") != "" {
					t.Logf("%s: %d executions of %d, %d ends", search, got.executions, want.executions, len(want.states))
				}
			}
			for k := range 3 {
				bounds := por.Bounds{{Measure: por.Preempt, Limit: k}}
				want := guest.explored(t, "none", bounds)
				for _, search := range kernelBounded {
					got := guest.explored(t, search, bounds)
					if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
						t.Errorf("%s, preempt=%d: %d executions end in %v, want %v (%d executions)", search, k, got.executions, got.states, want.states, want.executions)
					}
				}
			}
		})
	}
}

// TestKernelRefuses: a search that a kernel's steps don't suit says so.
func TestKernelRefuses(t *testing.T) {
	t.Parallel()
	guest := kernelBuilt(t, "kernel")
	for search, bound := range map[string]string{"trust": "", "rounder": "rounds=1", "stateful": "", "lazy-bpor": "preempt=1", "dpor:static=1": ""} {
		c := kernelConfig(guest, "lock", "mem")
		c.Search = search
		if bound != "" {
			c.Bounds, _ = por.ParseBounds(bound)
		}
		if _, err := Run(context.Background(), c, nil); result.KindOf(err) != result.Usage {
			t.Errorf("%s: %v", search, err)
		}
	}
}

// TestKernelLoses: a thread that fell out of the ready list is ready, as the kernel says, and no
// tick brings the processor there: that is reported as what it is. The other bug of the same
// mistake is found as well.
func TestKernelLoses(t *testing.T) {
	t.Parallel()
	c := kernelConfig(kernelBuilt(t, "kernel-create_unguarded"), "create", "mem")
	c.Search, c.KeepGoing = "bounded", true
	c.Bounds = por.Bounds{{Measure: por.Preempt, Limit: 1}}
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[trace.BugKind]string{}
	for _, b := range r.Bugs {
		if b.Preemptions != 1 {
			t.Errorf("%s with %d preemptions", b.Kind, b.Preemptions)
		}
		got[b.Kind] = b.Message
		// A fresh machine hasn't met a ready thread that no tick reaches.
		again, err := Replay(context.Background(), c, &result.BugFile{Schedule: b.Schedule}, nil)
		if err != nil {
			t.Fatal(err)
		}
		if again.Bug == nil || again.Bug.Message != b.Message {
			t.Errorf("the replay of %q ended in %s, %+v", b.Message, again.Verdict, again.Bug)
		}
	}
	if !slices.ContainsFunc(r.Certificate.Assumptions, func(s string) bool { return strings.Contains(s, "no tick took the processor") }) {
		t.Errorf("the certificate doesn't say that a ready thread wasn't reached: %v", r.Certificate.Assumptions)
	}
	if len(got) != 2 || got["segfault"] == "" || got["deadlock"] == "" {
		t.Errorf("found %v (%s %s), want a segfault and a deadlock", got, r.Verdict, r.Reason)
	}
}

// kernelEdited compiles the kernel of guests/kernel with something else in place of
// lines of files: a file, the lines, what is there instead, and so on.
func kernelEdited(t *testing.T, edits ...string) string {
	t.Helper()
	return edited(t, "kernel", edits...)
}

// edited is the same of either of the kernels.
func edited(t *testing.T, program string, edits ...string) string {
	t.Helper()
	var list []compile.Edit
	for ; len(edits) > 0; edits = edits[3:] {
		list = append(list, compile.Edit{File: edits[0], From: edits[1], To: edits[2]})
	}
	path, said, err := compile.Edited(t, "../../guests/kernel", program, list, "MACHINE=x86-64")
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return path
}

// TestKernelUnmet: where no run reaches points of a kind, or the timer never
// interrupts, the verdict says so.
func TestKernelUnmet(t *testing.T) {
	t.Parallel()
	late := kernelEdited(t, "sync.c", "	landgo_locking(l);\n	bool on = interrupts_off();\n", "	bool on = interrupts_off();\n	landgo_locking(l);\n")
	masked := kernelEdited(t, "interrupt.c", "out8(MASTER_MASK, 0xfe);", "out8(MASTER_MASK, 0xff);")
	whole := kernelBuilt(t, "kernel")
	for _, c := range []struct{ guest, test, pp, want string }{
		{late, "lock", "lock", "no run reached a preemption point of lock "},
		{late, "lock", "lock,unlock", "no run reached a preemption point of lock "},
		{late, "lock", "unlock", ""},
		{late, "lock", "mem", ""},
		{whole, "lock", "lock", ""},
		{whole, "yield", "lock,unlock", "no run reached a preemption point of lock, unlock "},
		{masked, "yield", "cli", "the timer never interrupted"},
	} {
		r, err := Run(context.Background(), kernelConfig(c.guest, c.test, c.pp), nil)
		if err != nil {
			t.Fatal(err)
		}
		said := ""
		for _, w := range r.Warnings {
			said += w.Text
		}
		if r.Verdict != result.Verified || (c.want == "") != (said == "") || !strings.Contains(said, c.want) {
			t.Errorf("%s at %s: %s (%s) after %d executions, want %q", c.test, c.pp, r.Verdict, said, r.Executions, c.want)
		}
	}
}

// TestKernelAnnotations: a kernel that lacks an annotation, or calls one where it
// isn't true, isn't verified, and has no bug that is none: the result is invalid
// and says which. Where only one thread runs after landgo_booted, a verdict
// says so.
func TestKernelAnnotations(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, line, instead, test, want string }{
		{"thread.c", "	queue_add(&ready, t);\n	landgo_ready(t->id);\n	interrupts_restore(on || RESTORE_NESTED);", "	queue_add(&ready, t);\n	interrupts_restore(on);",
			"lock", "landgo_ready wasn't called"},
		{"thread.c", "	landgo_unready(me->id);\n", "", "semaphore", ""},
		{"thread.c", "	me->state = RUNNING;\n	landgo_switch(me->id);\n	if (SEGMENT_LATE)", "	me->state = RUNNING;\n	if (SEGMENT_LATE)",
			"lock", "landgo_switch wasn't called"},
		{"thread.c", "	landgo_sleep(me->id);\n", "", "sleep", "neither landgo_sleep nor landgo_unready"},
		{"thread.c", "	landgo_sleep(me->id);\n", "	landgo_unready(me->id);\n", "sleep", "landgo_sleep wasn't called"},
		{"thread.c", "	landgo_created(t->id);\n", "", "lock", "landgo_created hasn't"},
		{"main.c", "	landgo_booted();\n", "", "lock", "landgo_booted"},
	} {
		t.Run(c.test+" "+c.want, func(t *testing.T) {
			t.Parallel()
			r, err := Run(context.Background(), kernelConfig(kernelEdited(t, c.file, c.line, c.instead), c.test, "cli"), nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				if r.Verdict == result.Buggy {
					t.Errorf("%s: %s", r.Verdict, r.Bug.Message)
				}
			} else if r.Verdict != result.Invalid || !strings.Contains(r.Reason, c.want) {
				t.Errorf("%s (%s), want invalid for %q", r.Verdict, r.Reason, c.want)
			}
		})
	}
}

// TestKernelDeepens: where landgo chooses the points, it reaches the search by
// preemptions long before a kernel's steps have used up the time. They take many
// times as long as a program's, and the plan allows for that. Between the two
// accesses of this mistake is neither a cli nor a sti, and the space of all points
// is large.
func TestKernelDeepens(t *testing.T) {
	t.Parallel()
	c := kernelConfig(kernelBuilt(t, "kernel-create_unguarded"), "create", "yield")
	c.Deepen, c.PP, c.MaxExecutions = true, trace.MemPoints, 0
	c.Race, c.Jobs = config.RaceLimited, 1
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r.Verdict != result.Buggy || r.Bug.Preemptions != 1 {
		t.Fatalf("%s (%s), want a bug with 1 preemption", r.Verdict, r.Reason)
	}
	if r.Transitions > 50_000 {
		t.Errorf("the bug was found after %d steps, in more than seconds", r.Transitions)
	}
	again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if again.Bug == nil || again.Bug.Message != r.Bug.Message {
		t.Errorf("the replay of %q ended in %s, %+v", r.Bug.Message, again.Verdict, again.Bug)
	}
}

// TestKernelOnBothMachines: a kernel has the same interleavings on x86-64 and on
// i386.
func TestKernelOnBothMachines(t *testing.T) {
	t.Parallel()
	part.Row(t)
	narrow, _, err := compile.Made("../../guests/kernel", "kernel", "MACHINE=i386")
	if err != nil {
		t.Skip("gcc -m32 doesn't work here")
	}
	wide := kernelBuilt(t, "kernel")
	for _, test := range []string{"yield", "lock", "semaphore", "donate"} {
		var counts []uint64
		for _, guest := range []string{wide, narrow} {
			c := kernelConfig(guest, test, "cli,sti")
			c.Search = "none" // reductions depend on what shares a word
			r, err := Run(context.Background(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if r.Verdict != result.Verified {
				t.Errorf("%s: %s (%s)", test, r.Verdict, r.Reason)
			}
			counts = append(counts, r.Executions)
		}
		if counts[0] != counts[1] {
			t.Errorf("%s: %d executions on x86-64, %d on i386", test, counts[0], counts[1])
		}
	}
}

// TestKernelCounts: in as many orders as package ticks counts without a machine,
// sections without interrupts come: all that the timer can do, and nothing else.
func TestKernelCounts(t *testing.T) {
	t.Parallel()
	guest := kernelBuilt(t, "kernel")
	for _, test := range []string{"create", "join", "leave", "lock", "semaphore", "buffer"} {
		want, err := ticks.Count(test, ticks.Mistakes{})
		if err != nil {
			t.Fatal(err)
		}
		c := kernelConfig(guest, test, "cli")
		c.Search = "none"
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if r.Executions != uint64(want.Orders) {
			t.Errorf("%s: %d executions, want %d", test, r.Executions, want.Orders)
		}
	}
}

// TestKernelForetold: when a sleep ends is foretold once, and has the result of letting
// time pass in every state does, in as many executions.
func TestKernelForetold(t *testing.T) {
	t.Parallel()
	guest := kernelBuilt(t, "kernel")
	for _, pp := range []string{"yield", "lock", "cli"} {
		c := kernelConfig(guest, "sleep", pp)
		guest := openKernel(t, c)
		foretold := guest.explored(t, "optimal", nil)
		known := guest.Guest.Knowledge()
		if known.Unsteady {
			t.Errorf("%s: a tick has woken a thread that it wasn't foretold to", pp)
		}
		known.Unsteady = true
		other := openKernel(t, c)
		if _, err := other.Guest.Learn(known); err != nil {
			t.Fatal(err)
		}
		asked := other.explored(t, "optimal", nil)
		if foretold.executions != asked.executions || !maps.Equal(foretold.states, asked.states) {
			t.Errorf("%s: %d executions with %d ends if sleeps are foretold, %d with %d if time is let pass", pp,
				foretold.executions, len(foretold.states), asked.executions, len(asked.states))
		}
	}
}

// TestKernelStepStops: a step ends early when it is asked to, and can be made again.
func TestKernelStepStops(t *testing.T) {
	s, err := session.Open(kernelConfig(kernelBuilt(t, "kernel"), "sleep", "yield"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	b := s.Guest.Blender.(*steer.Kernel)
	b.StopIf(func() bool { return true })
	for range 100_000 {
		b.Rewind(s.Root)
		if _, err = b.Step(0, 0); errors.Is(err, scheduler.ErrStopped) {
			break
		}
	}
	if !errors.Is(err, scheduler.ErrStopped) {
		t.Fatalf("no step of many has ended early: %v", err)
	}
	b.StopIf(nil)
	b.Rewind(s.Root)
	if tr, err := b.Step(0, 0); tr == nil || err != nil && !errors.Is(err, por.ErrFiner) {
		t.Errorf("the step can't be made again: %v", err)
	}
}
