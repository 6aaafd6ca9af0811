package process

import (
	"io"
	"path/filepath"
	"testing"
)

// TestNowhere: nothing comes from it, whether the root has such a device or not.
func TestNowhere(t *testing.T) {
	for _, null := range []string{"/dev/null", filepath.Join(t.TempDir(), "null")} {
		f, err := nowhere(null)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if b, err := io.ReadAll(f); len(b) > 0 || err != nil {
			t.Errorf("%s: %q %v", null, b, err)
		}
		if _, err := f.WriteString("x"); err != nil {
			t.Error(err)
		}
	}
}
