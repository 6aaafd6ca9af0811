package explore

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"

	"landgo/internal/result"
)

// spinTests are tests for the kernel in which threads wait in loops without giving
// the processor up.
const spinTests = `static volatile int flag;
static int spinner(void *unused) { (void)unused; while (!flag); return 0; }
static int setter(void *unused) { (void)unused; flag = 1; return 0; }
static int looker(void *unused)
{
	(void)unused;
	for (;;) {
		bool on = interrupts_off();
		int seen = flag;
		interrupts_restore(on);
		if (seen)
			return 0;
	}
}
void watchdog(word ticks) { if (ticks == 100) flag = 1; }
static void test_spin(void) { struct thread *a = thread_create(PRIORITY_NORMAL, spinner, NULL); flag = 1; thread_join(a); }
static void test_await_setter(void) { struct thread *a = thread_create(PRIORITY_NORMAL, setter, NULL); while (!flag); thread_join(a); }
static void test_look(void) { struct thread *a = thread_create(PRIORITY_NORMAL, looker, NULL); flag = 1; thread_join(a); }
static void test_never(void) { thread_join(thread_create(PRIORITY_NORMAL, spinner, NULL)); }
static void test_never_two(void) { thread_create(PRIORITY_NORMAL, spinner, NULL); while (!flag); }
static void test_high(void) { thread_create(PRIORITY_NORMAL + 1, spinner, NULL); flag = 1; }
static const struct {
`

const spinNames = `	{"spin", test_spin}, {"await_setter", test_await_setter}, {"look", test_look}, {"never", test_never}, {"never_two", test_never_two}, {"high", test_high}, {"create", test_create}`

// TestKernelSpins: a thread that waits in a loop for another isn't run again before
// something changes. The awaited change comes, the search has an end, and its
// executions end as those of an exhaustive one. Where no thread is left to change it,
// that is a livelock; not where a tick does.
func TestKernelSpins(t *testing.T) {
	t.Parallel()
	edits := []string{"tests.c", "static const struct {\n", spinTests, "tests.c", `	{"create", test_create}`, spinNames}
	guest := kernelEdited(t, edits...)
	guarded := kernelEdited(t, append(edits, "thread.c", "	ticks++;\n", "	ticks++;\n	extern void watchdog(word);\n	watchdog(ticks);\n")...)
	for _, k := range []struct {
		guest, test string
		livelock    bool
	}{
		{guest, "spin", false}, {guest, "await_setter", false}, {guest, "look", false},
		{guest, "never", true}, {guest, "never_two", true}, {guest, "high", true}, {guarded, "never_two", false},
	} {
		for _, pp := range []string{"yield", "cli", "sti", "mem"} {
			if k.guest == guarded && pp != "yield" {
				continue // where it has points it gets no tick: docs/kernels.md
			}
			t.Run(k.test+" "+pp, func(t *testing.T) {
				t.Parallel()
				c := kernelConfig(k.guest, k.test, pp)
				c.MaxExecutions = 1000
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				if k.livelock {
					if r.Bug == nil || r.Bug.Kind != "livelock" || !strings.Contains(r.Bug.Message, "spins for ever") {
						t.Fatalf("%s (%s) %+v", r.Verdict, r.Reason, r.Bug)
					}
					again, err := Replay(context.Background(), c, &result.BugFile{Schedule: r.Bug.Schedule}, nil)
					if err != nil {
						t.Fatal(err)
					}
					if again.Bug == nil || again.Bug.Message != r.Bug.Message {
						t.Errorf("the replay ended in %s, %+v", again.Verdict, again.Bug)
					}
					return
				}
				if k.guest == guarded { // it waits for time: that it ends is enough
					if r.Bug != nil || r.Executions == 0 {
						t.Errorf("%s (%s), %d executions, %+v", r.Verdict, r.Reason, r.Executions, r.Bug)
					}
					return
				}
				if r.Verdict != result.Verified {
					t.Fatalf("%s (%s) %+v", r.Verdict, r.Reason, r.Bug)
				}
				g := openKernel(t, c)
				g.explored(t, "none", nil)
				want := g.explored(t, "none", nil)
				for _, search := range kernelSearches {
					got := g.explored(t, search, nil)
					if !slices.Equal(slices.Sorted(maps.Keys(got.states)), slices.Sorted(maps.Keys(want.states))) {
						t.Errorf("%s: %d executions end in %v, want %v (%d executions)", search, got.executions, got.states, want.states, want.executions)
					}
				}
			})
		}
	}
}
