package explore

import (
	"os"
	"testing"

	"landgo/internal/compile"
)

func TestMain(m *testing.M) {
	passingSamples = 8 // most tests look for another thing, and pay for all where none passes
	os.Exit(compile.Main(m))
}
