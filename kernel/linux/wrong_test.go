package linux

import (
	"fmt"
	"testing"

	"landgo/internal/abi"
	"landgo/kernel"
)

// TestWrongCalls: calls that Linux has no use for end as on a machine with Linux 6, where a program
// made each of them.
func TestWrongCalls(t *testing.T) {
	c := newCaller(t, Config{})
	const at, unmapped = dataPage + 64, 77
	path := c.text(dataPage+512, "/tmp/no-such-file")
	for _, x := range []struct {
		nr   uint64
		args []uint64
		want uint64
	}{
		{nrFutex, []uint64{at, 77}, enosys},
		{nrFutex, []uint64{at, 2}, enosys},
		{nrFutex, []uint64{at, futexWait | futexClockRealtime, 0}, enosys},
		{nrFutex, []uint64{at, futexWake | futexClockRealtime, 1}, enosys},
		{nrFutex, []uint64{at, futexWakeBitset, 1, 0, 0, 0}, einval},
		{nrFutex, []uint64{at, futexRequeue, 1, 1<<64 - 1, at + 64}, einval},
		{nrFutex, []uint64{at, futexCmpRequeue, 1<<64 - 1, 1, at + 64, 9}, einval},
		{999, nil, enosys},
		{2000, nil, enosys},
		{^uint64(0), nil, enosys},
		{nrMadvise, []uint64{dataPage, abi.PageSize, 99}, einval},
		{324, []uint64{0x7fff}, einval}, // membarrier
		{324, []uint64{1 << 10}, einval},
		{53, []uint64{99, 1, 0, at}, eafnosupport}, // socketpair
		{53, []uint64{99, 1 << 20, 0, at}, einval},
		{16, []uint64{unmapped, 0x1234567}, ebadf}, // ioctl
		{72, []uint64{unmapped, 9999}, ebadf},      // fcntl
		{72, []uint64{1, 9999}, einval},
		{157, []uint64{9999}, einval},           // prctl
		{158, []uint64{0x9999}, einval},         // arch_prctl
		{61, []uint64{1<<64 - 1, 0, 0}, echild}, // wait4
		{61, []uint64{1<<64 - 1, 0, 0x1000}, einval},
		{61, []uint64{1 << 31, 0, 0}, esrch},
		{247, []uint64{0, 0, at, 4}, echild}, // waitid
		{247, []uint64{0, 0, at, 0}, einval},
		{247, []uint64{1, 0, at, 4}, einval},
		{319, []uint64{path, 0x10000000}, einval},            // memfd_create
		{10, []uint64{dataPage, abi.PageSize, 0x40}, einval}, // mprotect
		{318, []uint64{at, 4, 0x77}, einval},                 // getrandom
		{318, []uint64{at, 4, 6}, einval},
		{8, []uint64{0, 0, 77}, einval}, // lseek
		{8, []uint64{unmapped, 0, 77}, ebadf},
		{292, []uint64{0, 5, 7}, einval},                      // dup3
		{21, []uint64{path, 99}, einval},                      // access
		{439, []uint64{^uint64(99), path, 0, 0x9999}, einval}, // faccessat2
		{144, []uint64{0, 99, at}, einval},                    // sched_setscheduler
		{144, []uint64{0, 1, at}, einval},                     // of priority 0
		{203, []uint64{0, 0, at}, einval},                     // sched_setaffinity
	} {
		name := fmt.Sprintf("%s(%#x)", CallName(x.nr), x.args)
		if p := c.plan(0, x.nr, x.args...); p.Effect == kernel.Invalid {
			t.Errorf("%s is invalid: %s", name, p.Reason)
			continue
		}
		c.want(name, c.do(0, x.nr, x.args...), x.want)
	}
	fds := c.text(at, "        ")
	c.want("pipe", c.do(0, sysPipe, fds), 0)
	c.want("ioctl of a pipe", c.do(0, 16, uint64(c.m.Read32(fds)), 0x1234567), enotty)
	if p := c.plan(0, 16, uint64(c.m.Read32(fds)), 0x5451); p.Effect != kernel.Invalid { // FIOCLEX
		t.Errorf("an ioctl of all files: %+v", p)
	}
	if p := c.plan(0, 144, 0, schedBatch, at); p.Effect != kernel.Invalid {
		t.Errorf("SCHED_BATCH: %+v", p)
	}
}
