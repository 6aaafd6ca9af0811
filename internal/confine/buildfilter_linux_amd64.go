package confine

import "golang.org/x/sys/unix"

// forbidden are the system calls that no compiler needs: the network, other processes'
// memory, namespaces, the kernel's own settings, and what outlives a process.
var forbidden = []uint32{
	unix.SYS_SOCKET, unix.SYS_CONNECT, unix.SYS_BIND, unix.SYS_LISTEN, unix.SYS_ACCEPT, unix.SYS_ACCEPT4,
	unix.SYS_PTRACE, unix.SYS_PROCESS_VM_READV, unix.SYS_PROCESS_VM_WRITEV, unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_GETFD, unix.SYS_KCMP,
	unix.SYS_UNSHARE, unix.SYS_SETNS, unix.SYS_MOUNT, unix.SYS_UMOUNT2, unix.SYS_PIVOT_ROOT, unix.SYS_CHROOT,
	unix.SYS_OPEN_TREE, unix.SYS_MOVE_MOUNT, unix.SYS_FSOPEN, unix.SYS_FSMOUNT, unix.SYS_FSCONFIG, unix.SYS_MOUNT_SETATTR,
	unix.SYS_IO_URING_SETUP, unix.SYS_IO_URING_ENTER, unix.SYS_IO_URING_REGISTER, unix.SYS_BPF, unix.SYS_PERF_EVENT_OPEN, unix.SYS_USERFAULTFD,
	unix.SYS_ADD_KEY, unix.SYS_REQUEST_KEY, unix.SYS_KEYCTL, unix.SYS_MEMFD_CREATE, unix.SYS_MEMFD_SECRET,
	unix.SYS_SHMGET, unix.SYS_SHMAT, unix.SYS_MSGGET, unix.SYS_SEMGET, unix.SYS_MQ_OPEN,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE,
	unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME, unix.SYS_ADJTIMEX, unix.SYS_CLOCK_ADJTIME,
	unix.SYS_ACCT, unix.SYS_QUOTACTL, unix.SYS_SYSLOG, unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_IOPL, unix.SYS_IOPERM,
	unix.SYS_NAME_TO_HANDLE_AT, unix.SYS_OPEN_BY_HANDLE_AT, unix.SYS_FANOTIFY_INIT, unix.SYS_MKNOD, unix.SYS_MKNODAT, unix.SYS_VHANGUP,
}

// newNamespace are the flags of clone that make one.
const newNamespace = unix.CLONE_NEWNS | unix.CLONE_NEWCGROUP | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC | unix.CLONE_NEWUSER | unix.CLONE_NEWPID | unix.CLONE_NEWNET

// buildProgram is the filter of a build: what is forbidden fails, and all else goes.
func buildProgram() (p []unix.SockFilter) {
	ret := func(action uint32) { p = append(p, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}) }
	load := func(at uint32) { p = append(p, unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}) }
	// on runs what follows, of n instructions, if the condition holds for the loaded word.
	on := func(code uint16, k uint32, n uint8) {
		p = append(p, unix.SockFilter{Code: unix.BPF_JMP | code | unix.BPF_K, K: k, Jf: n})
	}
	const refuse = unix.SECCOMP_RET_ERRNO
	load(atArch)
	p = append(p, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.AUDIT_ARCH_X86_64, Jt: 1})
	ret(unix.SECCOMP_RET_KILL_PROCESS)
	load(atNumber)
	on(unix.BPF_JGE, 0x40000000, 1) // numbers of another kind, x32's
	ret(unix.SECCOMP_RET_KILL_PROCESS)
	for _, nr := range forbidden {
		on(unix.BPF_JEQ, nr, 1)
		ret(refuse | uint32(unix.EPERM))
	}
	on(unix.BPF_JEQ, unix.SYS_CLONE3, 1) // its flags are in memory: libraries go on with clone
	ret(refuse | uint32(unix.ENOSYS))
	on(unix.BPF_JEQ, unix.SYS_CLONE, 3)
	load(atArgs)
	on(unix.BPF_JSET, newNamespace, 1)
	ret(refuse | uint32(unix.EPERM))
	ret(unix.SECCOMP_RET_ALLOW)
	return p
}
