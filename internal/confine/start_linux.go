package confine

import (
	"debug/elf"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Start confines the calling thread, and what it starts from then on. The caller has
// locked its goroutine to the thread and never unlocks it. program is the path of the
// engine, which is to be started.
func Start(program string) (missing []Missing) {
	if err := keepFiles(); err != nil {
		missing = append(missing, Missing{"files kept back", err.Error()})
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		missing = append(missing, Missing{"no new privileges", err.Error()})
	}
	// The capabilities that a privileged parent has passed on; older kernels have no such
	// set.
	unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	if err := landlock(readable(program)); err != nil {
		missing = append(missing, Missing{"landlock", err.Error()})
	}
	return missing
}

// keepFiles closes all other files to the processes that this one starts from now on: they get
// only those that they are given. The user's shell may have opened others, which landlock doesn't
// take away.
func keepFiles() error {
	const first = 3
	if unix.CloseRange(first, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return nil
	}
	open, err := os.ReadDir("/proc/self/fd") // before Linux 5.11
	for _, f := range open {
		if fd, err := strconv.Atoi(f.Name()); err == nil && fd >= first {
			unix.CloseOnExec(fd)
		}
	}
	return err
}

// Rights of landlock's first version, and those that came later.
const (
	readRights = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE
	fsRights   = readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// beneath is a place in the file system, and the rights of landlock that there are at it
// and beneath it.
type beneath struct {
	path   string
	rights uint64
}

// landlock leaves the thread the rights that are given, where there is something. Files
// that are passed as descriptors aren't landlock's business.
func landlock(places []beneath) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("the kernel has none: %w", errno)
	}
	attr := unix.LandlockRulesetAttr{Access_fs: fsRights}
	if version >= 2 {
		attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_REFER
	}
	if version >= 3 {
		attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= 4 {
		attr.Access_net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	if version >= 5 {
		attr.Access_fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version >= 6 {
		attr.Scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	}
	size := unsafe.Sizeof(attr)
	if version < 6 {
		size -= unsafe.Sizeof(attr.Scoped)
	}
	if version < 4 {
		size -= unsafe.Sizeof(attr.Access_net)
	}
	rules, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(rules))
	for _, p := range places {
		if err := allow(int(rules), p.path, p.rights&attr.Access_fs); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, rules, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// ofFiles are the rights that a file can have; the others are folders'.
const ofFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
	unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV

// allow gives rights to what is at or beneath a path, if it is there.
func allow(rules int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil
	}
	defer unix.Close(fd)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	if st.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= ofFiles
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(rules), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// readable leaves a program the files that it needs to start: itself, the libraries that it is
// linked with, and the files that the C library and Go's runtime read.
func readable(program string) (places []beneath) {
	for _, path := range needed(program) {
		places = append(places, beneath{path, readRights})
	}
	return places
}

func needed(program string) []string {
	paths := []string{program, "/lib", "/lib32", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64",
		"/etc/ld.so.cache", "/etc/ld.so.preload", "/sys/kernel/mm/transparent_hugepage", "/sys/fs/cgroup", "/sys/devices/system/cpu", "/dev/null"}
	paths = append(paths, filepath.SplitList(os.Getenv("LD_LIBRARY_PATH"))...)
	f, err := elf.Open(program)
	if err != nil {
		return paths // it can't be started either
	}
	defer f.Close()
	for _, tag := range []elf.DynTag{elf.DT_RUNPATH, elf.DT_RPATH} {
		lists, err := f.DynString(tag)
		if err != nil {
			continue
		}
		for _, list := range lists {
			for _, dir := range strings.Split(list, ":") {
				paths = append(paths, strings.ReplaceAll(dir, "$ORIGIN", filepath.Dir(program)))
			}
		}
	}
	return paths
}
