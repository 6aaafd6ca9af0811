package confine

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// memoryOf is the memory that processes take of the machine: resident or put out to disk,
// the kernel's tables of their pages, and all that they share without a file. That stays
// when a process lets go of its pages, and is only told by its size.
func memoryOf(pids []int) (bytes uint64) {
	shared := map[string]bool{}
	for _, pid := range pids {
		dir := "/proc/" + strconv.Itoa(pid)
		status, err := os.ReadFile(dir + "/status")
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(status), "\n") {
			switch name, value, _ := strings.Cut(line, ":"); name {
			case "RssAnon", "RssFile", "VmSwap", "VmPTE":
				n, _ := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 54)
				bytes += n << 10
			}
		}
		maps, err := os.ReadFile(dir + "/maps")
		if err != nil {
			continue
		}
		for _, line := range strings.Split(string(maps), "\n") {
			// begin-end rights offset device inode /dev/zero (deleted)
			if !strings.HasSuffix(line, "/dev/zero (deleted)") {
				continue
			}
			fields := strings.Fields(line)
			if part := strings.Join(fields[2:5], " "); !shared[part] {
				shared[part] = true
				begin, end, _ := strings.Cut(fields[0], "-")
				from, _ := strconv.ParseUint(begin, 16, 64)
				to, _ := strconv.ParseUint(end, 16, 64)
				bytes += to - from
			}
		}
	}
	return bytes
}

// process is one that isn't over.
type process struct{ pid, parent int }

// processes are those of the machine.
func processes() (all []process) {
	names, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, n := range names {
		pid, err := strconv.Atoi(n.Name())
		if err != nil {
			continue
		}
		text, err := os.ReadFile("/proc/" + n.Name() + "/stat")
		if err != nil {
			continue
		}
		// pid (name) state parent ...; a name may have anything in it.
		fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
		if len(fields) < 2 || string(fields[0]) == "Z" || string(fields[0]) == "X" {
			continue
		}
		parent, _ := strconv.Atoi(string(fields[1]))
		all = append(all, process{pid, parent})
	}
	return all
}

// descendants are the processes beneath this one.
func descendants() (pids []int) {
	children := map[int][]int{}
	for _, p := range processes() {
		children[p.parent] = append(children[p.parent], p.pid)
	}
	for next := children[os.Getpid()]; len(next) > 0; next = next[1:] {
		pids = append(pids, next[0])
		next = append(next, children[next[0]]...)
	}
	return pids
}

// starved is by how much a build's time is stretched at most where it waits for a processor.
const starved = 3

// waiting is how long a build was kept waiting for a processor that others had: a build
// isn't slow because the machine is busy.
type waiting struct {
	total  time.Duration
	delays map[int]time.Duration // of each process, so far
	looked time.Time
}

// look adds what has come since the last look. Processes that waited side by side count once.
func (w *waiting) look(pids []int) {
	now, delays, more := time.Now(), make(map[int]time.Duration, len(pids)), time.Duration(0)
	for _, pid := range pids {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/schedstat") // time run, time waited, turns
		if err != nil {
			continue
		}
		if fields := bytes.Fields(text); len(fields) > 1 {
			n, _ := strconv.ParseInt(string(fields[1]), 10, 64)
			delays[pid] = time.Duration(n)
			more += max(0, delays[pid]-w.delays[pid])
		}
	}
	if !w.looked.IsZero() {
		w.total += min(more, now.Sub(w.looked))
	}
	w.delays, w.looked = delays, now
}

// sweep ends all processes beneath this one. It stops them before it kills the first:
// those that are stopped start no others, and still count against the limit of
// processes.
func sweep() {
	stopped := map[int]bool{}
	for range 1000 {
		fresh := false
		for _, pid := range descendants() {
			if !stopped[pid] {
				stopped[pid], fresh = true, true
				unix.Kill(pid, unix.SIGSTOP)
			}
		}
		if !fresh {
			break
		}
	}
	endAll(descendants)
}

// endAll kills processes until there are none.
func endAll(all func() []int) {
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		left := all()
		if len(left) == 0 {
			return
		}
		for _, pid := range left {
			unix.Kill(pid, unix.SIGKILL)
		}
	}
}

// sweepUser ends the processes of a build whose warden was killed, by the user that no
// others have, if there is one.
func (b *Build) sweepUser() {
	if b.User == 0 || b.Level == Off {
		return
	}
	endAll(func() (pids []int) {
		for _, p := range processes() {
			var st unix.Stat_t
			if unix.Stat("/proc/"+strconv.Itoa(p.pid), &st) == nil && int(st.Uid) == b.User {
				pids = append(pids, p.pid)
			}
		}
		return pids
	})
}

// sizeOf is the size of a folder in bytes, and how many files it has; it stops counting
// soon after the most that there may be.
func sizeOf(dir string, most int) (size uint64, files int, err error) {
	err = filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // it went away, or can't be read
		}
		if files++; files > most+1 {
			return filepath.SkipAll
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			size += uint64(info.Size())
		}
		return nil
	})
	return size, files, err
}
