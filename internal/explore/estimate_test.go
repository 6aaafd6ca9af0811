package explore

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/explore/limits"
	"landgo/internal/explore/session"
	"landgo/internal/result"
	"landgo/por"
)

// TestEstimatesHaveJSON: a search's share of the space can be so small that an
// estimate made of it is no number. Every result has a JSON form all the same, and
// what is shown on the way a time that isn't negative.
func TestEstimatesHaveJSON(t *testing.T) {
	t.Parallel()
	shares := []float64{0, 1, 5e-324, 1e-308, 2e-320, math.NaN()}
	for range 200 {
		shares = append(shares, math.Ldexp(rand.Float64(), -rand.IntN(1100)))
	}
	for _, kind := range por.Kinds() {
		for _, share := range shares {
			told := &toldProgress{}
			h := &hunt{Session: &session.Session{Clock: limits.StartClock(false)}, result: &result.Result{Search: kind.Name}, obs: told}
			p := por.Progress{Stats: por.Stats{Executions: rand.Uint64()}, Share: share}
			h.Progress(p)
			h.counts(p.Stats)
			h.result.Finish()
			if _, err := json.Marshal(h.result); err != nil {
				t.Errorf("%s, a share of %v: %v", kind.Name, share, err)
			}
			if told.last.Left < 0 {
				t.Errorf("%s, a share of %v: %v left", kind.Name, share, told.last.Left)
			}
		}
	}
}

// TestEstimateIsOfOneSearch: where several searches have run, the estimate is that of the one with all
// points, by its own executions.
func TestEstimateIsOfOneSearch(t *testing.T) {
	warm(t, 1000)
	cfg := onProgram(compile.Text(t, "gcc", heapHead+`
static volatile int x, y;
static void *adds(void *a) { for (int i = 0; i < 4; i++) { x++; y++; } return a; }
int main(void) { pthread_t u; GO(t, adds); pthread_create(&u, 0, adds, 0); pthread_join(t, 0); pthread_join(u, 0); return 0; }`))
	cfg.MaxExecutions = 3000
	r := ran(t, cfg)
	own := result.Amount(0)
	for _, j := range r.Jobs {
		if j.PP == "mem" && j.Search == "" && j.Bound == "" {
			own = j.Estimate
		}
	}
	sum := uint64(0)
	for _, j := range r.Jobs {
		sum += j.Executions
	}
	if own == 0 || float64(sum) < float64(own*r.Estimate.Explored)+100 {
		t.Fatalf("%d jobs, an estimate of %v: %+v", len(r.Jobs), own, r.Jobs)
	}
	if e := &r.Estimate; e.Executions != own || e.Least > e.Executions || e.Most < e.Executions {
		t.Errorf("%+v, the search with all points has %v", *e, own)
	}
}

type toldProgress struct{ last Progress }

func (o *toldProgress) Progress(p Progress) { o.last = p }
