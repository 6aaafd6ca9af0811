package unwind

import (
	"os"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
)

func TestMain(m *testing.M) { os.Exit(imagetest.Main(m)) }

// guest is a file with its stacks.
type guest struct {
	*elffile.File
	*Table
}

// open compiles and opens.
func open(t testing.TB, compiler, source, flags string) *guest {
	t.Helper()
	f := imagetest.Open(t, elffile.Open, compiler, source, flags)
	return &guest{f, New(f)}
}
