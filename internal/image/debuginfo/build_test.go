package debuginfo

import (
	"os"
	"testing"

	"landgo/internal/image/elffile"
	"landgo/internal/image/imagetest"
)

func TestMain(m *testing.M) { os.Exit(imagetest.Main(m)) }

// open compiles and opens.
func open(t testing.TB, compiler, source, flags string) *Info {
	t.Helper()
	return imagetest.Open(t, read, compiler, source, flags)
}

// read opens a file.
func read(path string) (*Info, error) {
	f, err := elffile.Open(path)
	if err != nil {
		return nil, err
	}
	return New(f), nil
}
