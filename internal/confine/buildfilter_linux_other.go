//go:build linux && !amd64

package confine

import "golang.org/x/sys/unix"

// buildProgram has no instruction, which the kernel refuses: the layer is missing.
func buildProgram() []unix.SockFilter { return []unix.SockFilter{{}} }
