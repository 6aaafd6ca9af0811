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
	im, err := Open(imagetest.Compile(t, compiler, source, flags), linked.Search{})
	if err != nil {
		t.Fatal(err)
	}
	return im
}
