package outside

func init() {
	themes = append(themes, channels...)
}

// channels are the themes about what threads talk through in the kernel. fd[0] is read, and
// fd[1] written; eve is an eventfd, and ep an epoll.
var channels = []theme{
	{name: "pipes", weight: 4, setup: []string{`{pipe2(fd, {0|0|O_NONBLOCK});|socketpair(AF_UNIX, {SOCK_STREAM|SOCK_DGRAM|SOCK_SEQPACKET}, 0, fd);}`, `signal(SIGPIPE, SIG_IGN);`, `{tell(fd[1], 5, 1);|}`}, statements: []statement{
		{text: `tell(fd[1], {n}, {1|2});`, weight: 5},
		{text: `hear(fd[0], {1|2});`, weight: 4},
		{text: `SEE(ERR(close(fd[{0|1|1}])));`, weight: 2},
		{text: `SEE(polled(fd[{0|1}], {POLLIN|POLLOUT|INOUT}, 0));`, weight: 2},
		{text: `SEE(polled(fd[0], POLLIN, -1)); {P} hear(fd[0], 1);`, weight: 2},
		{text: `SEE(polled(fd[0], POLLIN, 1));`, timed: true},
		{text: `SEE(selected(fd[0], 0));`},
		{text: `{ int k = -1; SEE(ERR(ioctl(fd[0], FIONREAD, &k))); SEE(k); }`},
		{text: `SEE(ERR(fcntl(fd[0], F_SETFL, {0|O_NONBLOCK})));`},
		{text: `SEE(dup2(fd[1], fd[1]));`},
		{text: `{ char b[2] = { {n}, 9 }; struct iovec w[2] = { { b, 1 }, { b + 1, 1 } }; SEE((int)writev(fd[1], w, 2)); }`},
		{text: `{ char b[2] = { 0 }; SEE((int)recv(fd[0], b, 2, MSG_DONTWAIT)); SEE(b[0]); }`},
		{text: `SEE(ERR(shutdown(fd[{0|1}], {SHUT_WR|SHUT_RD|SHUT_WR})));`},
	}},
	{name: "full", weight: 2, setup: []string{`{pipe2(fd, {0|O_NONBLOCK}); stuff(fd[1], 65536);|socketpair(AF_UNIX, {SOCK_STREAM|SOCK_DGRAM}, 0, fd); fcntl(fd[1], F_SETFL, O_NONBLOCK); stuff(fd[1], 300000); fcntl(fd[1], F_SETFL, 0);}`, `signal(SIGPIPE, SIG_IGN);`}, statements: []statement{
		{text: `tell(fd[1], {n}, {1|2});`, weight: 3},
		{text: `SEE(drain(fd[0], {1|4096|4097|60000}));`, weight: 4},
		{text: `SEE(polled(fd[1], POLLOUT, {0|0|-1}));`, weight: 2},
		{text: `SEE(ERR(close(fd[0])));`},
		{text: `SEE(stuff(fd[1], {5000|9000}));`},
	}},
	{name: "counters", weight: 3, setup: []string{`eve = eventfd({0|1|2}, {0|EFD_SEMAPHORE|EFD_NONBLOCK});`}, statements: []statement{
		{text: `SEE(raised(eve, {n}));`, weight: 4},
		{text: `SEE(lowered(eve));`, weight: 4},
		{text: `SEE(polled(eve, POLLIN, {0|0|-1}));`, weight: 2},
		{text: `SEE(polled(eve, POLLIN, 1));`, timed: true},
		{text: `SEE(ERR(close(eve)));`},
	}},
	{name: "epolls", weight: 3, setup: []string{`pipe2(fd, O_NONBLOCK); eve = eventfd({0|1}, EFD_NONBLOCK); ep = epoll_create1(0);`,
		`watch(EPOLL_CTL_ADD, fd[0], {EPOLLIN|EDGE|ONE});`, `{watch(EPOLL_CTL_ADD, eve, {EPOLLIN|EDGE});|}`}, statements: []statement{
		{text: `tell(fd[1], {n}, 1);`, weight: 3},
		{text: `SEE(raised(eve, {n}));`, weight: 3},
		{text: `hear(fd[0], 1);`, weight: 2},
		{text: `SEE(lowered(eve));`, weight: 2},
		{text: `SEE(events({1|2}, {0|0|-1}));`, weight: 5},
		{text: `SEE(watch(EPOLL_CTL_MOD, fd[0], {EPOLLIN|EDGE|ONE}));`},
		{text: `SEE(watch({EPOLL_CTL_ADD|EPOLL_CTL_DEL}, {fd[0]|eve}, EPOLLIN));`},
		{text: `SEE(ERR(close(fd[{0|1}])));`},
		{text: `SEE(polled(ep, POLLIN, 0));`},
	}},
	{name: "woken", weight: 2, setup: []string{`pipe2(fd, 0);`, `act(SIGUSR1, on, {0|SA_RESTART});`}, statements: []statement{
		{text: `SEE(pthread_kill(th[{0|1}], SIGUSR1));`, weight: 4, only: inMain},
		{text: `pthread_kill(th[{o}], SIGUSR1);`, weight: 2},
		{text: `hear(fd[0], 1);`, weight: 4},
		{text: `tell(fd[1], {n}, 1);`, weight: 4},
		{text: `SEE(polled(fd[0], POLLIN, -1));`, weight: 2},
	}},
	{name: "shared files", weight: 2, setup: []string{`fd[0] = shm_open("/outside", O_CREAT | O_RDWR | O_TRUNC, 0600); shm_unlink("/outside");`, `{ftruncate(fd[0], 4096);|ftruncate(fd[0], 2);}`, `common = (volatile char *)mmap(0, 4096, RW, MAP_SHARED, fd[0], 0);`}, statements: []statement{
		{text: `common[{x}] = {n};`, weight: 3},
		{text: `SEE(common[{x}]);`, weight: 3},
		{text: `{ char b = {n}; SEE((int)pwrite(fd[0], &b, 1, {x})); }`, weight: 2},
		{text: `{ char b = 0; SEE((int)pread(fd[0], &b, 1, {x})); SEE(b); }`, weight: 2},
		{text: `SEE(ERR(ftruncate(fd[0], {1|2|3})));`},
		{text: `SEE((int)lseek(fd[0], 0, SEEK_END));`},
	}},
}
