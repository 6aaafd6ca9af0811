package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// helper has a bug that needs four preemptions in one of the two callers of a
// function, and many more accesses by the other.
const helper = `#include <assert.h>
#include <pthread.h>
static int noise, tally;
static __attribute__((noinline)) void bump(int *p) { *p = *p + 1; }
static __attribute__((noinline)) void rattle(void) { for (int i = 0; i < 30; i++) bump(&noise); }
static __attribute__((noinline)) void add(void) { bump(&tally); }
static void *work(void *a) { for (int i = 0; i < 3; i++) { add(); rattle(); } return a; }
int main(void)
{
	pthread_t t[2];
	for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, 0);
	for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
	assert(tally > 2);
}
`

// TestNarrow: where the space of one instruction is too large, that of its accesses
// within one caller is explored, and has the bug. The larger one hasn't reached it
// in twice as many executions as there were in all.
func TestNarrow(t *testing.T) {
	warm(t, 2_000)
	rounds(t, 3_000, 2_000)
	c := config.Default()
	c.Guest, c.Out, c.Jobs = compile.Text(t, "gcc", helper), config.NoFile, 2
	r, err := Run(context.Background(), c, nil)
	if err != nil {
		t.Fatal(err)
	}
	found, whole := "", ""
	for _, j := range r.Jobs {
		switch {
		case j.State == "bug":
			found += j.PP
		case strings.HasPrefix(j.PP, "yield,race=") && !strings.Contains(j.PP, " "):
			whole = j.PP
		}
		if strings.Contains(j.PP, "within") && !strings.HasSuffix(j.PP, "within add") && !strings.HasSuffix(j.PP, "within rattle") {
			t.Errorf("a job %s", j.PP)
		}
	}
	if r.Verdict != result.Buggy || found != whole+" within add" {
		t.Fatalf("%s: found at %q, of %q: %+v", r.Verdict, found, whole, r.Jobs)
	}
	r.Finish()
	file := result.NewBugFile(r, r.Bug, c.For(&r.Guest, r.Bug).Kept())
	cfg, err := config.ConfigOf(file)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Replay(context.Background(), cfg, file, nil); err != nil || !again.Replay.Same {
		t.Errorf("it doesn't come again: %v", err)
	}
	if err := config.OptionNamed("pp").Apply(&c, whole); err != nil {
		t.Fatal(err)
	}
	c.MaxExecutions = 2 * r.Executions
	if alone, err := Run(context.Background(), c, nil); err != nil || alone.Verdict != result.Budget {
		t.Errorf("%s alone: %v %v", whole, alone.Verdict, err)
	}
}
