package explore

import (
	"context"
	"slices"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/config"
	"landgo/internal/result"
)

// TestOpenMP: a program of OpenMP's is verified by default, because its library doesn't turn in
// loops. The user's word about turns counts.
func TestOpenMP(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Guest = compile.Text(t, "gcc", `#include <stdio.h>
static int x;
int main(void)
{
	#pragma omp parallel num_threads(2)
	x++;
	printf("%d\n", x);
}
`, "-O1", "-fopenmp")
	c.Out, c.Race, c.Model = config.NoFile, config.RaceOff, config.ModelSC
	r, err := Run(context.Background(), c, nil)
	if err != nil || r.Verdict != result.Verified || r.Executions > 1_000 {
		t.Fatalf("%v, %s %s, %d executions", err, r.Verdict, r.Reason, r.Executions)
	}
	if texts, _ := outputsOf(r); !slices.Equal(texts, []string{"1\n", "2\n"}) {
		t.Errorf("outputs %q", texts)
	}
	if a := r.Certificate.Assumptions; !strings.Contains(strings.Join(a, ";"), "OMP_WAIT_POLICY=passive") {
		t.Errorf("assumptions %q", a)
	}
	c.Env, c.MaxExecutions = []string{"GOMP_SPINCOUNT=1"}, 1
	if r, err = Run(context.Background(), c, nil); err != nil || strings.Contains(strings.Join(r.Certificate.Assumptions, ";"), "OMP_WAIT") {
		t.Errorf("as the user says: %v, assumptions %q", err, r.Certificate.Assumptions)
	}
}

// TestOpenMPShared: a variable of a function whose code is taken out for OpenMP has its name.
func TestOpenMPShared(t *testing.T) {
	t.Parallel()
	guest := compile.Text(t, "gcc", `
#include <assert.h>
int main(void) {
	int pair[2] = {0, 0}, sum = 0;
#pragma omp parallel num_threads(2)
	{
		pair[1]++;
		sum += 2;
	}
	assert(pair[1] == 2 && sum == 4);
	return 0;
}
`, "-O0", "-fopenmp")
	r, err := Run(context.Background(), onProgram(guest), nil)
	if err != nil || r.Bug == nil || !strings.Contains(r.Bug.Mistake, "change of main::pair[1] (guest.c:7)") && !strings.Contains(r.Bug.Mistake, "change of main::sum (guest.c:8)") {
		t.Errorf("%+v %v", r.Bug, err)
	}
}
