package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// usedLate has errors of the heap in some executions, and behind them a lost update.
const usedLate = heapHead + `
struct node { int v[4]; } *head;
static volatile int done;
__attribute__((noinline)) static int pop(struct node *n) { KEEP(n); return n->v[0]; }
__attribute__((noinline)) static int peek(struct node *n) { KEEP(n); return n->v[1] + 1; }
static void *reader(void *a) { struct node *n = head; int x = pop(n) + peek(n); done++; return (void *)(long)x; }
static void *freer(void *a) { free(head); done++; return 0; }
int main(void)
{
	head = calloc(1, sizeof *head);
	GO(t, reader);
	GO(u, freer);
	pthread_join(t, 0), pthread_join(u, 0);
	assert(done == 2);
}`

// bugsOf are the bugs of a result, by kind and function.
func bugsOf(r *result.Result) (list []string) {
	for _, b := range r.Bugs {
		list = append(list, fmt.Sprintf("%s@%s", b.Kind, result.Innermost(b.Stack).Function))
	}
	slices.Sort(list)
	return list
}

// TestBehindBugs: the searches find the same bugs behind errors of the heap, with what is
// ignored and without.
func TestBehindBugs(t *testing.T) {
	t.Parallel()
	path := compile.Text(t, "gcc", usedLate)
	for _, c := range []struct {
		going   bool
		ignored []string
		verdict result.Verdict
		want    string
	}{
		{true, nil, result.Buggy, "[assertion@main use-after-free@peek use-after-free@pop]"},
		{true, []string{"heap@pop"}, result.Buggy, "[assertion@main use-after-free@peek]"},
		{true, []string{"heap@reader", "assertion"}, result.Verified, "[]"},
		{false, []string{"use-after-free"}, result.Buggy, "[assertion@main]"},
		{false, []string{"heap@pop", "assertion"}, result.Buggy, "[use-after-free@peek]"},
		{true, []string{"deadlock"}, result.Buggy, "[assertion@main use-after-free@peek use-after-free@pop]"},
	} {
		for _, search := range []string{"", "none", "optimal", "source", "dpor", "stateful"} {
			cfg := onProgram(path)
			if search != "" {
				cfg = config.Default()
				cfg.Guest, cfg.Deepen, cfg.Search, cfg.PP = path, false, search, trace.MemPoints
			}
			cfg.KeepGoing = c.going
			for _, rule := range c.ignored {
				if err := config.OptionNamed("ignore").Apply(&cfg, rule); err != nil {
					t.Fatal(err)
				}
			}
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(bugsOf(r)); r.Verdict != c.verdict || got != c.want {
				t.Errorf("%q, keep-going %v, ignored %v: %s (%s), %s; want %s, %s", search, c.going, c.ignored, r.Verdict, r.Reason, got, c.verdict, c.want)
			}
			if n := len(r.Ignored); c.verdict == result.Verified && (n != len(c.ignored) || r.Warnings[0].Code != result.IgnoredBugs) {
				t.Errorf("%q, ignored %v: %+v %+v", search, c.ignored, r.Ignored, r.Warnings)
			}
			for _, b := range r.Bugs {
				comesBack(t, &cfg, b)
			}
		}
	}
}

// comesBack has a bug's file lead to the bug.
func comesBack(t *testing.T, cfg *config.Config, b *result.Bug) {
	t.Helper()
	own := cfg.For(&result.Guest{}, b)
	file := result.NewBugFile(&result.Result{Guest: result.Guest{Path: cfg.Guest}}, b, own.Saved())
	back, err := config.ConfigOf(file)
	if err != nil {
		t.Fatal(err)
	}
	back.GuestNamed = true
	r, err := Replay(context.Background(), back, file, nil)
	if err != nil || !r.Replay.Same || r.Bug == nil || fmt.Sprint(r.Bug.Stack) != fmt.Sprint(b.Stack) {
		t.Errorf("%s: replayed: %+v %v", b.Message, r, err)
	}
}

// TestLetThrough: which errors an execution goes past, in the guest's own code and in
// what landgo carries out for it.
func TestLetThrough(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, body, want string }{
		{"a read out of bounds", `char *p = malloc(8); KEEP(p); char v = p[9]; KEEP(v); assert(!v);`, "[heap-overflow@main]"},
		{"a read out of bounds, by the library", `char *p = malloc(8), q[16]; KEEP(p); char *to = q; KEEP(to); memcpy(to, p, 10); KEEP(to); assert(0);`, "[assertion@main heap-overflow@main]"},
		{"a write out of bounds ends it", `char *p = malloc(8); KEEP(p); p[8] = 1; assert(0);`, "[heap-overflow@main]"},
		{"a write after the free", `int *p = malloc(8); KEEP(p); free(p); KEEP(p); *p = 7; KEEP(p); assert(*p == 8);`, "[assertion@main use-after-free@main use-after-free@main]"},
		{"a lock that was freed", `pthread_mutex_t *p = malloc(sizeof *p); pthread_mutex_init(p, 0); free(p); KEEP(p); pthread_mutex_lock(p); pthread_mutex_unlock(p); assert(0);`, "[assertion@main use-after-free@main use-after-free@main]"},
		{"a loop", `int *p = calloc(100, 4); free(p); KEEP(p); int n = 0; for (int i = 0; i < 100; i++) n += p[i]; assert(n);`, "[assertion@main use-after-free@main]"},
		{"a call of the kernel's", `char *p = strdup("ab"); free(p); KEEP(p); assert(write(1, p, 2) == 3);`, "[assertion@main use-after-free@main]"},
		{"a double free ends it", `char *p = malloc(8); KEEP(p); free(p); KEEP(p); free(p); assert(0);`, "[double-free@main]"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cfg := onProgram(compile.Text(t, "gcc", heapHead+"static void *run(void *a) { return a; }\nint main(void) { GO(t, run); pthread_join(t, 0);\n"+strings.ReplaceAll(c.body, "; ", ";\n")+"\n}"))
			cfg.KeepGoing = true
			r, err := Run(context.Background(), cfg, nil)
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprint(bugsOf(r)); got != c.want {
				t.Errorf("%s (%s): %s, want %s", r.Verdict, r.Reason, got, c.want)
			}
			for _, b := range r.Bugs {
				comesBack(t, &cfg, b)
			}
		})
	}
	t.Run("delete for free", func(t *testing.T) {
		t.Parallel()
		cfg := onProgram(compile.Text(t, "g++", heapHead+"int main(void) { int *p = new int; KEEP(p); free(p); p = (int *)malloc(4); KEEP(p); delete p; assert(0); }", "-Wno-mismatched-new-delete"))
		cfg.KeepGoing = true
		r, err := Run(context.Background(), cfg, nil)
		if err != nil || len(r.Bugs) != 3 {
			t.Errorf("%+v %v", r, err)
		}
	})
}
