package linux

import "landgo/internal/abi"

// Error results, as a system call returns them: numbers below 0.
const (
	eperm           uint64 = 1<<64 - abi.EPERM
	enoent          uint64 = 1<<64 - abi.ENOENT
	esrch           uint64 = 1<<64 - abi.ESRCH
	eintr           uint64 = 1<<64 - abi.EINTR
	echild          uint64 = 1<<64 - abi.ECHILD
	ebadf           uint64 = 1<<64 - abi.EBADF
	eagain          uint64 = 1<<64 - abi.EAGAIN
	enomem          uint64 = 1<<64 - abi.ENOMEM
	eacces          uint64 = 1<<64 - abi.EACCES
	efault          uint64 = 1<<64 - abi.EFAULT
	ebusy           uint64 = 1<<64 - abi.EBUSY
	eexist          uint64 = 1<<64 - abi.EEXIST
	enodev          uint64 = 1<<64 - abi.ENODEV
	enotdir         uint64 = 1<<64 - abi.ENOTDIR
	eisdir          uint64 = 1<<64 - abi.EISDIR
	einval          uint64 = 1<<64 - abi.EINVAL
	emfile          uint64 = 1<<64 - abi.EMFILE
	enotty          uint64 = 1<<64 - abi.ENOTTY
	efbig           uint64 = 1<<64 - abi.EFBIG
	enospc          uint64 = 1<<64 - abi.ENOSPC
	espipe          uint64 = 1<<64 - abi.ESPIPE
	epipe           uint64 = 1<<64 - abi.EPIPE
	erange          uint64 = 1<<64 - abi.ERANGE
	edeadlk         uint64 = 1<<64 - abi.EDEADLK
	enosys          uint64 = 1<<64 - abi.ENOSYS
	enotempty       uint64 = 1<<64 - abi.ENOTEMPTY
	enotsock        uint64 = 1<<64 - abi.ENOTSOCK
	emsgsize        uint64 = 1<<64 - abi.EMSGSIZE
	eprotonosupport uint64 = 1<<64 - abi.EPROTONOSUPPORT
	esocktnosupport uint64 = 1<<64 - abi.ESOCKTNOSUPPORT
	eopnotsupp      uint64 = 1<<64 - abi.EOPNOTSUPP
	eafnosupport    uint64 = 1<<64 - abi.EAFNOSUPPORT
	econnreset      uint64 = 1<<64 - abi.ECONNRESET
	enotconn        uint64 = 1<<64 - abi.ENOTCONN
	etimedout       uint64 = 1<<64 - abi.ETIMEDOUT
	econnrefused    uint64 = 1<<64 - abi.ECONNREFUSED

	firstErrno uint64 = 1<<64 - abi.MaxErrno
)

// failed reports whether a result is an error.
func failed(r uint64) bool { return r >= firstErrno }
