package abi

// Errors.
const (
	EPERM           = 1
	ENOENT          = 2
	ESRCH           = 3
	EINTR           = 4
	EBADF           = 9
	ECHILD          = 10
	EAGAIN          = 11
	ENOMEM          = 12
	EACCES          = 13
	EFAULT          = 14
	EBUSY           = 16
	EEXIST          = 17
	ENODEV          = 19
	ENOTDIR         = 20
	EISDIR          = 21
	EINVAL          = 22
	EMFILE          = 24
	ENOTTY          = 25
	EFBIG           = 27
	ENOSPC          = 28
	ESPIPE          = 29
	EPIPE           = 32
	ERANGE          = 34
	EDEADLK         = 35
	ENAMETOOLONG    = 36
	ENOSYS          = 38
	ENOTEMPTY       = 39
	EOVERFLOW       = 75
	ENOTSOCK        = 88
	EMSGSIZE        = 90
	EPROTONOSUPPORT = 93
	ESOCKTNOSUPPORT = 94
	EOPNOTSUPP      = 95
	EAFNOSUPPORT    = 97
	ECONNRESET      = 104
	ENOTCONN        = 107
	ETIMEDOUT       = 110
	ECONNREFUSED    = 111

	MaxErrno = 4095
)

// Clocks.
const (
	ClockRealtime         = 0
	ClockMonotonic        = 1
	ClockProcessCPUTimeID = 2
	ClockThreadCPUTimeID  = 3
	ClockMonotonicRaw     = 4
	ClockRealtimeCoarse   = 5
	ClockMonotonicCoarse  = 6
	ClockBoottime         = 7
	ClockTAI              = 11
)

// Sizes.
const (
	SyscallSize  = 2 // of the instruction
	TimespecSize = 16
)
