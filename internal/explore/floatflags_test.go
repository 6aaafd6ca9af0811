package explore

import (
	"context"
	"strings"
	"testing"

	"landgo/internal/compile"
	"landgo/internal/result"
)

// TestFloatFlags: what looks at the flags of floating-point exceptions ends as invalid, by its
// name; what sets the rounding, and keeps the flags on the way, doesn't.
func TestFloatFlags(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ does, names string }{
		{"y = 1 / x; if (fetestexcept(FE_INEXACT)) y = 0;", "fetestexcept"},
		{"y = fma(x, x, x);", "fma"},
		{"fesetround(FE_UPWARD); y = 1 / x;", ""},
	} {
		guest := compile.Text(t, "gcc", `#include <fenv.h>
#include <math.h>
#include <pthread.h>
volatile double x = 3, y;
void *f(void *p) { `+c.does+` return p; }
int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); pthread_join(t, 0); return 0; }`, compile.Dynamic, "-Wl,--no-as-needed", "-lm") // whose fma has no name in its file
		r, err := Run(context.Background(), onProgram(guest), nil)
		if err != nil {
			t.Fatal(err)
		}
		if invalid := c.names != ""; (r.Verdict == result.Invalid) != invalid || !strings.HasPrefix(r.Reason, c.names) {
			t.Errorf("%s: %s (%s)", c.does, r.Verdict, r.Reason)
		}
	}
}
