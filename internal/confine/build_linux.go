package confine

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Run runs a build to its end. landgo is the path of this program. A context that is
// over ends it.
func (b *Build) Run(ctx context.Context, landgo string) (*BuildEnd, error) {
	text, err := json.Marshal(b)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(landgo, BuildWarden)
	cmd.Env = []string{}
	// A group of its own: the terminal's signals are the front's.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	defer in.Close() // the warden's sign that landgo is gone
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the build can't be started: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { in.Close() })
	defer stop()
	_, err = in.Write(append(text, '\n'))
	if err = errors.Join(err, cmd.Wait()); err != nil {
		b.sweepUser()
		return nil, fmt.Errorf("the build's warden died: %w: %.300s", err, said.String())
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var end BuildEnd
	if err := json.Unmarshal(out.Bytes(), &end); err != nil {
		return nil, fmt.Errorf("the build's warden said nothing of use: %w", err)
	}
	return &end, nil
}

// BuildPart carries out a part of a build, in a process of its own; it returns the exit
// status.
func BuildPart(name string) int {
	part := warden
	if name == BuildInside {
		part = inside
	}
	if err := part(); err != nil {
		fmt.Fprintf(os.Stderr, "landgo: %s: %v\n", name, err)
		return 2
	}
	return 0
}

// readBuild reads the build from a pipe: one line.
func readBuild(f *os.File) (*Build, error) {
	var b Build
	return &b, json.NewDecoder(f).Decode(&b)
}

// warden runs a build and says on standard output how it ended.
func warden() error {
	b, err := readBuild(os.Stdin)
	if err != nil {
		return err
	}
	// Processes that the command leaves behind become children of this process.
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return err
	}
	gone := make(chan bool)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		close(gone)
	}()
	end, err := b.watch(gone)
	if err != nil {
		return err
	}
	text, err := json.Marshal(end)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(text)
	return err
}

// watch runs the inner process until it ends or reaches a limit, and then ends all that
// is left of it.
func (b *Build) watch(gone <-chan bool) (*BuildEnd, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	end := &BuildEnd{}
	heard := &heard{keep: b.Kept, most: b.Output}
	out, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	spec, specIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	told, tell, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	inner := func(flags uintptr) *exec.Cmd {
		if b.Level == Off {
			flags = 0
		}
		return &exec.Cmd{Path: self, Args: []string{self, BuildInside}, Env: []string{}, Dir: b.Work, Stdout: write, Stderr: write,
			ExtraFiles: []*os.File{spec, tell}, SysProcAttr: &syscall.SysProcAttr{Setpgid: true, Cloneflags: flags}}
	}
	// It is the first of a namespace of processes, where this one may make one. Should
	// the warden be killed, the shell is, and the kernel ends all that it has started.
	cmd := inner(unix.CLONE_NEWPID)
	if err := cmd.Start(); err != nil {
		cmd = inner(0)
		if err := cmd.Start(); err != nil {
			return nil, err
		}
	}
	write.Close()
	spec.Close()
	tell.Close()
	go func() {
		json.NewEncoder(specIn).Encode(b)
		specIn.Close()
	}()
	read := make(chan bool)
	go func() {
		heard.read(out)
		close(read)
	}()
	text, _ := io.ReadAll(io.LimitReader(told, 64<<10)) // until it becomes the shell
	if len(text) > 0 {
		json.Unmarshal(text, end)
	}
	over := make(chan bool)
	go func() {
		cmd.Wait()
		close(over)
	}()
	end.Limit = b.limit(over, gone, heard)
	sweep()
	<-over
	sweep() // the remains of the last ones
	end.Status = cmd.ProcessState.ExitCode()
	out.SetReadDeadline(time.Now().Add(time.Second)) // for what the pipe still has
	<-read
	if end.Limit == "" {
		end.Limit = b.full(heard)
	}
	end.Said = heard.String()
	return end, nil
}

// limit waits until the command is over (""), or reaches a limit, which it names.
func (b *Build) limit(over, gone <-chan bool, h *heard) string {
	late := time.After(b.Time)
	begun, waits := time.Now(), waiting{}
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	looked := time.Now()
	for {
		select {
		case <-over:
			return ""
		case <-gone:
			return "the front ended"
		case <-late:
			left := min(b.Time+waits.total, starved*b.Time) - time.Since(begun)
			if left <= 0 {
				return fmt.Sprintf("it took more than %v", b.Time)
			}
			late = time.After(left)
			continue
		case <-tick.C:
		}
		if h.tooMuch() {
			return b.full(h)
		}
		all := descendants()
		waits.look(all)
		if len(all) > b.Processes {
			return fmt.Sprintf("it started more than %d processes", b.Processes)
		}
		if memoryOf(all) > b.Memory {
			return fmt.Sprintf("it took more than %d MiB of memory", b.Memory>>20)
		}
		if time.Since(looked) > 200*time.Millisecond {
			if why := b.full(h); why != "" {
				return why
			}
			looked = time.Now()
		}
	}
}

// full says which limit of the folder or of the output is exceeded, or "".
func (b *Build) full(h *heard) string {
	if h.tooMuch() {
		return fmt.Sprintf("it wrote more than %d KiB of output", b.Output>>10)
	}
	size, files, err := sizeOf(b.Dir, b.Files)
	switch {
	case err == nil && files > b.Files:
		return fmt.Sprintf("it made more than %d files", b.Files)
	case err == nil && size > b.Disk:
		return fmt.Sprintf("its files have more than %d MiB", b.Disk>>20)
	}
	return ""
}

// heard is a command's output.
type heard struct {
	keep, most uint64

	mu   sync.Mutex
	text []byte
	n    uint64
}

func (h *heard) read(f *os.File) {
	part := make([]byte, 32<<10)
	for {
		n, err := f.Read(part)
		h.mu.Lock()
		h.n += uint64(n)
		if room := int(h.keep) - len(h.text); room > 0 {
			h.text = append(h.text, part[:min(n, room)]...)
		}
		h.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (h *heard) tooMuch() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.n > h.most
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return string(h.text)
}

// inside confines this process and becomes the shell.
func inside() error {
	runtime.LockOSThread()
	spec, told := os.NewFile(3, "build"), os.NewFile(4, "told")
	b, err := readBuild(spec)
	if err != nil {
		return err
	}
	unix.CloseOnExec(int(told.Fd()))
	spec.Close()
	var end BuildEnd
	layer := func(name string, f func() error) {
		if err := f(); err != nil {
			end.Missing = append(end.Missing, Missing{name, err.Error()})
		}
	}
	if b.Level != Off {
		layer("files kept back", keepFiles)
		layer("no new privileges", func() error { return unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) })
		layer("another user", func() error { return b.become() })
		layer("limits", b.setLimits)
		layer("landlock", func() error { return landlock(b.places()) })
		layer("a filter of system calls", func() error { return install(buildProgram(), 0) })
	}
	if b.Level == Require && len(end.Missing) > 0 {
		end.Err = "it would run without " + Tell(end.Missing)
	}
	text, err := json.Marshal(end)
	if err != nil {
		return err
	}
	if _, err := told.Write(text); err != nil || end.Err != "" {
		return errors.Join(err, errors.New(end.Err))
	}
	unix.Umask(0o077)
	// Should the warden be killed, the shell is too.
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	return unix.Exec("/bin/sh", []string{"sh", "-c", b.Command}, b.Env)
}

// become gives up root.
func (b *Build) become() error {
	if b.User == 0 {
		return nil
	}
	return errors.Join(syscall.Setgroups(nil), syscall.Setresgid(b.User, b.User, b.User), syscall.Setresuid(b.User, b.User, b.User))
}

// setLimits sets those that the kernel holds. Without a user of its own, the number of
// processes is the warden's to watch: the kernel counts all of the user's.
func (b *Build) setLimits() error {
	limits := map[int]uint64{
		unix.RLIMIT_CORE: 0, unix.RLIMIT_FSIZE: b.Disk, unix.RLIMIT_NOFILE: 256, unix.RLIMIT_MEMLOCK: 0, unix.RLIMIT_MSGQUEUE: 0,
		unix.RLIMIT_CPU: uint64((b.Time+time.Second-1)/time.Second) * uint64(runtime.NumCPU()),
		// The limit is on addresses, and the warden's is on memory. It holds at once, for this
		// process too, where Go's runtime reserves more than a gigabyte that it never uses.
		unix.RLIMIT_AS: b.Memory + 4<<30,
	}
	if b.User != 0 {
		limits[unix.RLIMIT_NPROC] = uint64(b.Processes)
	}
	for which, n := range limits {
		var now unix.Rlimit
		if err := unix.Getrlimit(which, &now); err != nil {
			return err
		}
		n = min(n, now.Max)
		if err := unix.Setrlimit(which, &unix.Rlimit{Cur: n, Max: n}); err != nil {
			return err
		}
	}
	return nil
}

// places are the paths that a build reads, and the folder that it writes beneath.
func (b *Build) places() []beneath {
	const folder = readRights | unix.LANDLOCK_ACCESS_FS_READ_DIR
	places := []beneath{{b.Dir, fsRights | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE},
		{"/dev/null", readRights | unix.LANDLOCK_ACCESS_FS_WRITE_FILE}}
	for _, path := range []string{"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/usr", "/opt", "/etc/alternatives",
		"/etc/ld.so.cache", "/etc/ld.so.conf", "/etc/ld.so.conf.d", "/dev/zero", "/dev/urandom", "/dev/full", "/sys/devices/system/cpu"} {
		places = append(places, beneath{path, folder})
	}
	return places
}
