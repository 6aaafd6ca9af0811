package explore

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
	"landgo/internal/trace"
)

// counted3 prints what three increments without a lock result in.
const counted3 = `#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static int c, d;
static void *f(void *p) { c++; return p; }
int main(void)
{
	pthread_t t[3];
	for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
	for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
	printf("counter\n = %d\n", c);
#ifdef AT_ONCE
	_exit(0);
#endif
#ifdef FLUSHED
	fflush(stdout);
#endif
}
`

// printers print a line each.
const printers = `#include <pthread.h>
#include <unistd.h>
static void *f(void *p) { write(1, p, 2); return p; }
int main(void)
{
	pthread_t t, u;
	pthread_create(&t, 0, f, "a\n");
	pthread_create(&u, 0, f, "b\n");
	pthread_join(t, 0);
	pthread_join(u, 0);
}
`

// outputsOf are the outputs of a result, in alphabetical order, and how many
// executions had one.
func outputsOf(r *result.Result) (texts []string, executions uint64) {
	for _, o := range r.Outcomes {
		texts = append(texts, o.Output)
		executions += o.Executions
	}
	slices.Sort(texts)
	return texts, executions
}

// TestOutputs: every search sees the outputs that there are, counts each of its
// executions once, and shows one of each by a schedule that prints it again.
func TestOutputs(t *testing.T) {
	t.Parallel()
	want := []string{"counter\n = 1\n", "counter\n = 2\n", "counter\n = 3\n"}
	for _, flags := range []string{"", "#define FLUSHED\n"} {
		c := config.Default()
		c.Guest, c.Out = compile.Text(t, "gcc", flags+counted3), config.NoFile
		traces := uint64(0)
		for _, search := range []string{"", "none", "sleep", "source", "optimal", "trust", "random:runs=300"} {
			for _, jobs := range []int{1, 3} {
				own := c
				own.Jobs = jobs
				if search != "" {
					own.Deepen, own.Search = false, search
				}
				r, err := Run(context.Background(), own, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, executions := outputsOf(r)
				if !slices.Equal(got, want) || executions != r.Executions {
					t.Errorf("%s: %q in %d executions of %d", search, got, executions, r.Executions)
				}
				if search == "optimal" || search == "" || search == "source" {
					if traces == 0 {
						traces = executions
					}
					if executions != traces {
						t.Errorf("%s: %d executions, there are %d traces", search, executions, traces)
					}
				}
				for _, o := range r.Outcomes {
					again, err := Replay(context.Background(), own, &result.BugFile{Schedule: o.Schedule}, nil)
					if err != nil || len(again.Outcomes) != 1 || again.Outcomes[0].Output != o.Output {
						t.Errorf("%s, %s: %v %+v", search, o.Output, err, again)
					}
				}
			}
		}
	}
}

// TestOutputByName: what a program writes to standard output by its name is its output.
func TestOutputByName(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"} {
		c := config.Default()
		c.Guest, c.Out = compile.Text(t, "gcc", `#include <stdio.h>
#include <pthread.h>
static volatile int x = 1;
static void *f(void *p) { x = 2; return p; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	FILE *out = fopen("`+path+`", "w");
	if (!out)
		return 1;
	fprintf(out, "%d\n", x);
	fclose(out);
	pthread_join(t, 0);
}
`), config.NoFile
		r, err := Run(context.Background(), c, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := outputsOf(r); r.Verdict != result.Verified || !slices.Equal(got, []string{"1\n", "2\n"}) {
			t.Errorf("%s: %s (%s), output %q", path, r.Verdict, r.Reason, got)
		}
	}
}

// TestSilence: an execution that writes nothing is shown by a schedule, beside one that
// writes.
func TestSilence(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out = compile.Text(t, "gcc", `#include <pthread.h>
#include <unistd.h>
static volatile int x;
static void *f(void *p) { x = 1; return p; }
int main(void)
{
	pthread_t t;
	pthread_create(&t, 0, f, 0);
	if (x) write(1, "x\n", 2);
	pthread_join(t, 0);
}
`), config.NoFile
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := outputsOf(r); !slices.Equal(got, []string{"", "x\n"}) {
		t.Fatalf("the outputs are %q", got)
	}
	for _, o := range r.Outcomes {
		again, err := Replay(context.Background(), c, &result.BugFile{Schedule: o.Schedule}, nil)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, seen := range again.Outcomes {
			got += seen.Output
		}
		if got != o.Output {
			t.Errorf("the schedule of %q writes %q", o.Output, got)
		}
	}
}

// TestNoOutputs: what exit would have written is no output of a process that ends
// without it.
func TestNoOutputs(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out = compile.Text(t, "gcc", "#define AT_ONCE\n"+counted3), config.NoFile
	if r, err := Run(context.Background(), c, nil); err != nil || len(r.Outcomes) != 0 || r.Verdict != result.Verified {
		t.Errorf("%v %+v", err, r.Outcomes)
	}
}

// TestOutputsWithoutOrder: lines in another order are another outcome only where the
// order is explored.
func TestOutputsWithoutOrder(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Out = config.NoFile
	// By write, and by stdio, which keeps it in a buffer.
	for _, source := range []string{printers, strings.NewReplacer("write(1, ", "fwrite(", ", 2)", ", 1, 2, stdout)", "<unistd.h>", "<stdio.h>").Replace(printers)} {
		c.Guest = compile.Text(t, "gcc", source)
		for observe, want := range map[bool][]string{false: {"a\nb\n"}, true: {"a\nb\n", "b\na\n"}} {
			c.ObserveStdout = observe
			c.Deepen = false
			for _, c.Search = range []string{"optimal", "none"} {
				r, err := Run(context.Background(), c, nil)
				if err != nil {
					t.Fatal(err)
				}
				got, _ := outputsOf(r)
				if len(got) != len(want) || observe && !slices.Equal(got, want) {
					t.Errorf("%s, observed %v: %q", c.Search, observe, got)
				}
			}
		}
	}
}

// TestOutputsCutShort: a process that ends while its threads print has an outcome for
// each place where that cuts the output. So it is by write and by stdio, whichever
// thread ends it. One that waits for its threads has none of that, and no more steps.
func TestOutputsCutShort(t *testing.T) {
	t.Parallel()
	const head = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <unistd.h>\nstatic sem_t s;\n"
	for _, p := range []struct {
		source string
		want   []string
	}{
		{`static void *f(void *p) { write(1, "a\n", 2); write(1, "b\n", 2); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }`, []string{"", "a\n", "a\nb\n"}},
		{`static void *f(void *p) { puts("a"); fputs("b\n", stdout); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }`, []string{"", "a\n", "a\nb\n"}},
		{`static void *f(void *p) { exit(0); }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); printf("%s\n", "a"); pthread_join(t, 0); }`, []string{"", "a\n"}},
		{`static void *f(void *p) { _exit(0); }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); puts("a"); fflush(stdout); pthread_join(t, 0); }`, []string{"", "a\n"}},
		{`static void *f(void *p) { sem_post(&s); write(1, "a\n", 2); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); sem_wait(&s); return 0; }`, []string{"", "a\n"}},
		{`static void *f(void *p) { puts("a"); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); puts("b"); pthread_join(t, 0); }`, []string{"a\nb\n"}},
		// putc_unlocked of glibc's header is stores of the program's, which the end of the process looks at.
		{`static void *f(void *p) { putc_unlocked('a', stdout); putc_unlocked('b', stdout); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }`, []string{"", "a", "ab"}},
		{`static void *f(void *p) { putc_unlocked('a', stdout); return p; }
int main(void) { pthread_t t; printf("x"); pthread_create(&t, 0, f, 0); return 0; }`, []string{"x", "xa"}},
		// The rest of the buffer is lost: a print shows if a flush comes after it, another
		// thread's too.
		{`static void *f(void *p) { puts("a"); sem_post(&s); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); fflush(stdout); sem_wait(&s); _exit(0); }`, []string{"", "a\n"}},
		{`static void *f(void *p) { puts("a"); sem_post(&s); return p; }
static void *g(void *p) { fflush(0); sem_post(&s); return p; }
int main(void) { pthread_t t, u; pthread_create(&t, 0, f, 0); pthread_create(&u, 0, g, 0); sem_wait(&s); sem_wait(&s); _exit(0); }`, []string{"", "a\n"}},
		{`static void *f(void *p) { puts("a"); close(1); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); fflush(stdout); pthread_join(t, 0); }`, []string{"", "a\n"}},
		{`static void *f(void *p) { puts("a"); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); close(1); pthread_join(t, 0); }`, nil},
		// quick_exit writes nothing; and exit neither, where a handler ends the process.
		{`static void *f(void *p) { puts("a"); return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); fflush(stdout); pthread_join(t, 0); quick_exit(0); }`, []string{"", "a\n"}},
		{`static void h(void) { _exit(0); }
static void *f(void *p) { puts("a"); return p; }
int main(void) { pthread_t t; atexit(h); pthread_create(&t, 0, f, 0); fflush(stdout); pthread_join(t, 0); return 0; }`, []string{"", "a\n"}},
	} {
		c := config.Default()
		c.Guest, c.Out = compile.Text(t, "gcc", head+p.source), config.NoFile
		for _, search := range []string{"", "none", "optimal"} {
			own := c
			if search != "" {
				own.Deepen, own.Search = false, search
			}
			r, err := Run(context.Background(), own, nil)
			if err != nil {
				t.Fatal(err)
			}
			got, _ := outputsOf(r)
			if len(got) != len(p.want) || len(got) > 1 && !slices.Equal(got, p.want) || len(got) == 1 && r.Executions != 1 {
				t.Errorf("%s: %q in %d executions of\n%s", search, got, r.Executions, p.source)
			}
		}
	}
}

// TestOutputsLimit: of more outcomes than are distinguished, the executions are counted.
func TestOutputsLimit(t *testing.T) {
	var all, half outputs
	for i := range 100 {
		n := &output{text: fmt.Sprint(i % 50), key: fmt.Sprint(i % 50), executions: 1}
		all.take(n)
		half.take(n)
	}
	all.merge(&half)
	sum := all.others
	for _, n := range all.list {
		sum += n.executions
	}
	if len(all.list) != maxOutcomes || sum != 200 || all.others != 4*(50-maxOutcomes) {
		t.Errorf("%d outcomes, %d others, %d in all", len(all.list), all.others, sum)
	}
	var again outputs
	again.reload(all.saved())
	if again.others != all.others || !slices.Equal(slices.Sorted(maps.Keys(again.by)), slices.Sorted(maps.Keys(all.by))) || strings.Compare(again.list[3].text, all.list[3].text) != 0 {
		t.Errorf("saved, and taken up: %+v", again)
	}
}

// TestFailOnOutput: two outputs are a bug that can be replayed, whichever search saw
// them; one is none.
func TestFailOnOutput(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest, c.Out, c.FailOnOutput = compile.Text(t, "gcc", counted3), config.NoFile, true
	for _, search := range []string{"", "optimal", "none", "random:runs=100"} {
		for _, jobs := range []int{1, 3} {
			for _, going := range []bool{false, true} {
				own := c
				own.Jobs, own.KeepGoing = jobs, going
				if search != "" {
					own.Deepen, own.Search = false, search
				}
				r, err := Run(context.Background(), own, nil)
				if err != nil {
					t.Fatal(err)
				}
				if r.Finish(); r.Verdict != result.Buggy || len(r.Bugs) != 1 || r.Bug.Kind != trace.Output || len(r.Outcomes) < 2 {
					t.Fatalf("%s: %s, %d outcomes", search, r.Verdict, len(r.Outcomes))
				}
				if len(r.Bug.Stack) > 0 { // main has returned
					t.Errorf("%s: the stack is %+v", search, r.Bug.Stack)
				}
				again, err := Replay(context.Background(), own, result.NewBugFile(r, r.Bug, own.Saved()), nil)
				if err != nil || !again.Replay.Same || again.Bug.Preemptions != r.Bug.Preemptions {
					t.Errorf("%s: %v %+v", search, err, again)
				}
				other := result.NewBugFile(r, r.Bug, own.Saved())
				for _, o := range r.Outcomes { // an execution with another output isn't the bug's
					if !prints(r.Bug.Message, []byte(o.Output)) && o.Schedule != "" {
						other.Schedule = o.Schedule
						if again, err = Replay(context.Background(), own, other, nil); err != nil || again.Replay.Same {
							t.Errorf("%s, %s: %v %+v", search, o.Output, err, again)
						}
					}
				}
			}
		}
	}
	c.Guest = compile.Text(t, "gcc", printers)
	if r, err := Run(context.Background(), c, nil); err != nil || r.Verdict != result.Verified {
		t.Errorf("one outcome: %v %s", err, r.Verdict)
	}
	c.ObserveStdout = true
	if r, err := Run(context.Background(), c, nil); err != nil || r.Verdict != result.Buggy {
		t.Errorf("two orders: %v %s", err, r.Verdict)
	}
}

// TestPIOwnerEnds: the owner of a lock with priority inheritance ends without an unlock, and
// the lock isn't robust. It goes to a thread that waits, marked, and one that comes later
// gets ESRCH. The machine shows 0 0 and 3 0.
func TestPIOwnerEnds(t *testing.T) {
	t.Parallel()
	for _, native := range []bool{false, true} {
		c := onProgram(compile.File(t, "gcc", "testdata/piowner.c"))
		c.PP, c.NativeSync = trace.MemPoints, native
		for _, search := range []string{"optimal", "none"} {
			l := list(c, search, 30000, 0)
			if got := strings.Join(slices.Sorted(maps.Keys(l.outcomes)), "|"); got != "0 0|0 1|3 0" || !l.complete {
				t.Errorf("native %v, %s: %q: %v", native, search, got, l)
			}
		}
	}
}
