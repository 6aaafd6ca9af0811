// Package linux is the kernel that an x86-64 Linux program believes it
// runs on: memory, threads, futexes, signals, a clock, descriptors. landgo is
// that kernel. No system call of the guest reaches the host, and no byte of
// the guest is an argument of one.
//
//	scheduler ── Plan, Foresee, Do ──> Kernel ── table of calls ──> memory.go, futex.go, ...
//	                                     └── effect.Log: guest memory, pages, words of state
//
// Each call is a row of the table (table.go): whether it is modelled and
// possible (plan), and doing it. Its accesses aren't listed anywhere: handlers
// reach memory and state through the log only, which records them. The accesses
// of a future call are found by carrying it out and taking that back (Foresee).
// A call that other threads can observe is an event. If a call is modelled only
// in part, the plan says so by name (kernel.Invalid), and nothing is ever
// guessed.
//
// A Kernel plans, foresees and does calls. Their data is in parts, each with its words of
// state. These are the roster of threads, the queues in which they sleep, and signals (with
// the timers that send some). Objects (pipes, sockets, epolls), files, the clock and the
// space of addresses are the others. user is the guest's memory as calls find it.
//
// Invariants:
//   - Every word that an execution changes is an effect.Word, or a byte of guest
//     memory. The rest (the tables of threads and futexes met so far, caches) has
//     the same value in every execution. The links of futex queues are words without
//     a record: the futex operations of their address stand for them.
//   - Thread ids and addresses are functions of (name of the asking thread, its
//     own history): see layout.go and thread.go.
//   - Where several threads could be woken, choices number the subsets of the
//     waiters in the order of their thread ids, never of their arrival.
//
// # The files
//
//	the kernel    linux (Plan, Foresee, Do), config, call (one call), table (a row for each), lockless, refused, copies (in several steps), names
//	              (of calls, and what to do without those that aren't modelled), errno, words (the
//	              addresses of words of state, of the map in package effect), subset (choices of several), fail (--faults)
//	a beginning   boot (the first stack), linked (a dynamic linker), ldcache, layout (addresses)
//	threads       thread, clone, exit, wait (for processes), robust (locks of threads that end), archprctl (a thread's base
//	              registers), traits (prctl, processors, niceness), policy (of scheduling), comm (names)
//	sleeping      queue (threads that sleep on a futex), interest (those that sleep for events of
//	              objects), futex, pi (futexes with owners), eintr (sleeps that a signal ends), lasttry (calls
//	              that a signal interrupts)
//	signals       signal (actions, delivery), arrival (in steps of their own), sigframe, sigqueue, sigwait, mask (calls with
//	              masks), kill (to whom), timer (alarms)
//	memory        memory (mmap, mprotect), remap (mremap, madvise, brk), kept (through madvise), maps (/proc/self/maps), membarrier
//	objects       object (pipes and their like), flow (bytes on their way), pipe, socket, counter (eventfd,
//	              timerfd, signalfd), epoll, poll
//	files         files (descriptors), fcntl, standard (output by its name), inode (files that the guest
//	              makes), fallocate, recordlock (fcntl's locks), paths, stat (statx too), ioctl, read, write, buffers (that
//	              calls copy, as far as they can), vectored (preadv), devices, capture (what is written to standard output)
//	the rest      time, usage, limits, choice (landgo_choice), random, ordinary (ids, uname, advice)
package linux
