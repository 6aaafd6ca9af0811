package scheduler

import (
	"fmt"
	"testing"

	"landgo/internal/image/profile"
	"landgo/internal/trace"
)

// TestPointPlaces: a profile can put a function's point elsewhere exactly if the
// function's role has a point after the call.
func TestPointPlaces(t *testing.T) {
	for role := range profile.NumRoles {
		plain, err := profile.Parse("p.yaml", fmt.Appendf(nil, "functions:\n  %v: a", role))
		if err != nil {
			continue // not a role of profiles
		}
		_, err = profile.Parse("p.yaml", fmt.Appendf(nil, "functions:\n  %v: {name: a, point: none}", role))
		if releases := PointsAt(plain.Bindings[0].Role)&trace.PointUnlock != 0; releases != (err == nil) {
			t.Errorf("%v: a point after the call: %v; placed by a profile: %v", role, releases, err)
		}
	}
}
