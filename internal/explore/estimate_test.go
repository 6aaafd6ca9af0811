package explore

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

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

type toldProgress struct{ last Progress }

func (o *toldProgress) Progress(p Progress) { o.last = p }
