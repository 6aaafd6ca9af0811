package kernel

import (
	"landgo/internal/image/elffile"
)

// IsLibrarys reports whether a real-time signal is one that a C library keeps for
// itself: glibc's cancellation and setxid (32, 33), musl's timers, cancellation and
// synchronous calls (32, 33, 34). SIGRTMIN is the first behind them.
func IsLibrarys(libc elffile.Libc, sig uint64) bool {
	switch libc {
	case elffile.Glibc:
		return sig == 32 || sig == 33
	case elffile.Musl:
		return sig >= 32 && sig <= 34
	}
	return false
}

// Cancels reports whether a C library cancels threads by a signal.
func Cancels(libc elffile.Libc, sig uint64) bool {
	return libc == elffile.Glibc && sig == 32 || libc == elffile.Musl && sig == 33
}
