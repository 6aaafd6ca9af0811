//go:build !linux

package process

import "os"

func nowhere(null string) (*os.File, error) { return os.OpenFile(null, os.O_RDWR, 0) }
