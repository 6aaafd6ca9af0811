package elffile

import (
	"os"
	"testing"

	"landgo/internal/image/imagetest"
)

func TestMain(m *testing.M) { os.Exit(imagetest.Main(m)) }

// open compiles and opens.
func open(t testing.TB, compiler, source, flags string) *File {
	t.Helper()
	return imagetest.Open(t, Open, compiler, source, flags)
}
