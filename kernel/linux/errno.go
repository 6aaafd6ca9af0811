package linux

// Error results, as a system call returns them.
const (
	eperm   = ^uint64(iota) // 1
	enoent                  // 2
	esrch                   // 3
	eintr                   // 4
	eio                     // 5
	enxio                   // 6
	e2big                   // 7
	enoexec                 // 8
	ebadf                   // 9
	echild                  // 10
	eagain                  // 11
	enomem                  // 12
	eacces                  // 13
	efault                  // 14
	enotblk                 // 15
	ebusy                   // 16
	eexist                  // 17
	exdev                   // 18
	enodev                  // 19
	enotdir                 // 20
	eisdir                  // 21
	einval                  // 22
	enfile                  // 23
	emfile                  // 24
	enotty                  // 25
)

const (
	enospc    = ^uint64(27)
	espipe    = ^uint64(28)
	epipe     = ^uint64(31)
	erange    = ^uint64(33)
	edeadlk   = ^uint64(34)
	enosys    = ^uint64(37)
	enotempty = ^uint64(38)
	enotsock  = ^uint64(87)
	emsgsize  = ^uint64(89)

	eprotonosupport = ^uint64(92)
	esocktnosupport = ^uint64(93)

	eafnosupport = ^uint64(96)
	econnreset   = ^uint64(103)
	enotconn     = ^uint64(106)
	etimedout    = ^uint64(109)
	econnrefused = ^uint64(110)
	firstErrno   = ^uint64(4094)
)

// failed reports whether a result is an error.
func failed(r uint64) bool { return r >= firstErrno }
