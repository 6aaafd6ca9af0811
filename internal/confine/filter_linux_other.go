//go:build linux && !amd64

package confine

import (
	"errors"

	"golang.org/x/sys/unix"
)

func program(uint32) ([]unix.SockFilter, error) {
	return nil, errors.New("landgo has none for this processor")
}
