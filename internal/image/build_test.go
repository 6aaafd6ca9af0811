package image

import (
	"landgo/internal/image/linked"
	"os"
	"testing"

	"landgo/internal/image/imagetest"
)

func TestMain(m *testing.M) { os.Exit(imagetest.Main(m)) }

// open compiles and opens.
func open(t testing.TB, compiler, source, flags string) *Image {
	t.Helper()
	read := func(path string) (*Image, error) { return Open(path, linked.Search{}) }
	return imagetest.Open(t, read, compiler, source, flags)
}
