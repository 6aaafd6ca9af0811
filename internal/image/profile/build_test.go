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
	f, err := elffile.Open(imagetest.Compile(t, compiler, source, flags))
	if err != nil {
		t.Fatal(err)
	}
	return debuginfo.New(f)
}
