package profile

import (
	"os"
	"testing"

	"landgo/internal/image/debuginfo"
	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
)

func TestMain(m *testing.M) { os.Exit(imagetest.Main(m)) }

// open compiles and opens.
func open(t testing.TB, compiler, source, flags string) *debuginfo.Info {
	t.Helper()
	return debuginfo.New(imagetest.Open(t, elffile.Open, compiler, source, flags))
}
