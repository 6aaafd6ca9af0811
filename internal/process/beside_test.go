package process

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"landgo/internal/result"
)

// TestNoProc: a system without /proc, as a bare root is, is told so.
func TestNoProc(t *testing.T) {
	defer func(f func() (string, error)) { executable = f }(executable)
	executable = func() (string, error) {
		return "", &fs.PathError{Op: "readlink", Path: "/proc/self/exe", Err: fs.ErrNotExist}
	}
	_, err := (&Engine{}).Path()
	var e *result.Error
	if !errors.As(err, &e) || e.Kind != result.BadEngine || !strings.Contains(err.Error(), "mount -t proc proc /proc") {
		t.Errorf("%v", err)
	}
}
