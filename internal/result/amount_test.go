package result

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestAmounts: whatever the counts and the share are, an estimate has a JSON form
// that comes back, and a time that isn't negative.
func TestAmounts(t *testing.T) {
	shares := []float64{0, 1, 0.5, 5e-324, 1e-308, 1e-300, math.NaN(), math.Inf(1), -1}
	counts := []float64{0, 1, 7, math.MaxUint64, math.MaxFloat64}
	for range 1000 {
		shares = append(shares, math.Float64frombits(rand.Uint64()))
		counts = append(counts, float64(rand.Uint64()>>rand.IntN(64)))
	}
	unknown := 0
	for i, share := range shares {
		for _, n := range []float64{counts[i%len(counts)], 1, math.MaxUint64} {
			e := Estimate{Executions: Total(n, share), Explored: Amount(share), SecondsLeft: Rest(n, share)}
			r := &Result{Verdict: Budget, Estimate: e, Jobs: []Job{{Explored: Amount(share), Estimate: Total(n, share)}}}
			r.Finish()
			text, err := json.Marshal(r)
			if err != nil {
				t.Fatalf("%v of %v: %v", n, share, err)
			}
			var back Result
			if err := json.Unmarshal(text, &back); err != nil {
				t.Fatalf("%v of %v: %v", n, share, err)
			}
			if !e.Executions.Known() {
				unknown++
			}
			if got := back.Estimate.Executions; got != e.Executions && (got.Known() || e.Executions.Known()) {
				t.Errorf("%v of %v: %v came back as %v", n, share, e.Executions, got)
			}
			if d := e.SecondsLeft.Seconds(); d < 0 || d > longest*time.Second {
				t.Errorf("%v of %v: %v left", n, share, d)
			}
		}
	}
	if unknown == 0 {
		t.Error("no amount was beyond all numbers: the test shows nothing")
	}
}
