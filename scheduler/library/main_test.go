package library

import (
	"os"
	"testing"

	"landgo/internal/compile"
)

func TestMain(m *testing.M) { os.Exit(compile.Main(m)) }

// needsProcessor skips a test that runs a program which is built, where there is no compiler
// or no processor of Unicorn's: go test -short runs the others.
func needsProcessor(t testing.TB) {
	t.Helper()
	if testing.Short() {
		t.Skip("it runs a program on Unicorn's processor")
	}
}
