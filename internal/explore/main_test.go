package explore

import (
	"os"
	"testing"
	"time"

	"landgo/internal/compile"
)

func TestMain(m *testing.M) {
	leastRefining = time.Hour // the same story, however busy the machine is
	passingSamples = 8        // most tests look for another thing, and pay for all where none passes
	os.Exit(compile.Main(m))
}
