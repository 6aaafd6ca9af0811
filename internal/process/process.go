package process

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"

	"landgo/internal/confine"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/host"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// Engine is the engine, in a process of its own for each call.
type Engine struct {
	// Stderr is where a line goes about an engine that isn't confined as it should be.
	Stderr io.Writer
	// Build is the state of the repository that this landgo was built from: the
	// engine's has to be the same.
	Build string
	// Program is the program to start; "" is the engine beside landgo.
	Program string
	// KillLate: an engine that goes on after a limit is killed, and its call returns an
	// error of the limit's kind. Else the caller ends with the process.
	KillLate bool
	// SystemOnly: a guest's libraries are the system's, or in folders that options name. Its
	// own folder has files of others.
	SystemOnly bool
	// Parts, if not nil, is a socket over which parts of a run's search are lent.
	Parts *os.File
	// ahead is an engine that is started before it is asked.
	ahead *early
}

// Run implements wire.Engine.
func (p *Engine) Run(ctx context.Context, c config.Config, o wire.Observer) (*result.Result, error) {
	request := &wire.Request{Command: wire.Run, Config: wire.Exact[config.Config]{Value: c}, Parts: p.Parts != nil}
	return whole(p.call(ctx, request, o))
}

// Help has an engine work on parts of another's search that come over p.Parts, until the
// other end is closed.
func (p *Engine) Help(ctx context.Context, c config.Config, o wire.Observer) error {
	_, err := p.call(ctx, &wire.Request{Command: wire.Help, Config: wire.Exact[config.Config]{Value: c}, Parts: true}, o)
	return err
}

// Replay implements wire.Engine.
func (p *Engine) Replay(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer) (*result.Result, error) {
	end, err := p.call(ctx, &wire.Request{Command: wire.Replay, Config: wire.Exact[config.Config]{Value: c}, BugFile: &wire.Exact[result.BugFile]{Value: *f}}, o)
	return whole(end, err)
}

// Debug implements wire.Engine. use ends with an error where the engine dies.
func (p *Engine) Debug(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer, use func(debugger.Target) error) (*result.Result, error) {
	return p.used(ctx, wire.Debug, c, f, o, func(r *debugger.Remote) error { return use(r) })
}

// Explore implements wire.Engine. choose ends with an error where the engine dies.
func (p *Engine) Explore(ctx context.Context, c config.Config, f *result.BugFile, o wire.Observer, choose func(debugger.Chooser) error) (*result.Result, error) {
	return p.used(ctx, wire.Explore, c, f, o, func(r *debugger.Remote) error { return choose(r) })
}

// used has a command carried out that a user goes on with.
func (p *Engine) used(ctx context.Context, command wire.Command, c config.Config, f *result.BugFile, o wire.Observer, use func(*debugger.Remote) error) (*result.Result, error) {
	request := &wire.Request{Command: command, Config: wire.Exact[config.Config]{Value: c}, BugFile: &wire.Exact[result.BugFile]{Value: *f}}
	u := &user{use: use, answers: make(chan *debugger.Answer, 1), gone: make(chan bool), done: make(chan error, 1)}
	end, err := p.talk(ctx, request, o, u)
	close(u.gone)
	if u.begun && err == nil { // else the user of the run may not hear of its end
		if own := <-u.done; own != nil {
			return nil, own
		}
	}
	return whole(end, err)
}

// Inspect implements wire.Engine.
func (p *Engine) Inspect(ctx context.Context, c config.Config, o wire.Observer) (*result.Inspection, error) {
	end, err := p.call(ctx, &wire.Request{Command: wire.Inspect, Config: wire.Exact[config.Config]{Value: c}}, o)
	if err == nil && end.Inspection == nil {
		err = errors.New("the engine sent no inspection")
	}
	if err != nil {
		return nil, err
	}
	return &end.Inspection.Value, nil
}

func whole(end *wire.End, err error) (*result.Result, error) {
	if err == nil && end.Result == nil {
		err = errors.New("the engine sent no result")
	}
	if err != nil {
		return nil, err
	}
	return end.Result.Whole(), nil
}

// call starts the engine, has it carry out a request, and waits for its end.
func (p *Engine) call(ctx context.Context, r *wire.Request, o wire.Observer) (*wire.End, error) {
	return p.talk(ctx, r, o, nil)
}

// talk is call, with a user of the run if it is to be debugged.
func (p *Engine) talk(ctx context.Context, r *wire.Request, o wire.Observer, u *user) (*wire.End, error) {
	c := &r.Config.Value
	keeper := keeperOf(c, p.SystemOnly)
	defer keeper.Close()
	child, err := p.engine(c.Confine)
	if err != nil {
		return nil, err
	}
	defer child.end()
	if r.Parts {
		child.parts = p.Parts
	}
	child.warn = func(line string) {
		if !c.Quiet {
			fmt.Fprintf(p.Stderr, "landgo: %s\n", line)
		}
	}
	over := make(chan bool)
	defer close(over)
	killed := make(chan result.ErrorKind, 3)
	late := func(why result.ErrorKind) {
		o.Late(why)
		if p.KillLate {
			killed <- why
			child.cmd.Process.Kill()
		}
	}
	go func() {
		select {
		case <-ctx.Done():
			child.conn.Send(wire.ToEngine{Cancel: true})
			hung(over, patience, func() { late(result.Interrupted) })
		case <-over:
		}
	}()
	if c.Time > 0 && !c.ProcessorTime {
		go hung(over, c.Time+patience, func() { late(result.OutOfTime) })
	}
	if c.Memory > 0 {
		go child.watchMemory(over, uint64(c.Memory), func() { late(result.OutOfMemory) })
	}
	end, err := child.converse(r, keeper, observer{o, late}, u)
	if err != nil {
		select {
		case why := <-killed:
			return nil, result.Errorf(why, "the engine was ended, because it went on after a limit")
		default:
			return nil, child.died(err)
		}
	}
	if end.Error != nil {
		return nil, end.Error.Err()
	}
	return end, nil
}

// observer is the caller's, but that a call may end with what is late.
type observer struct {
	wire.Observer
	late func(result.ErrorKind)
}

// Late implements wire.Observer.
func (o observer) Late(why result.ErrorKind) { o.late(why) }

// patience is how long after its limit an engine is waited for that says nothing: it
// says after 650 ms that it is late.
const patience = 850 * time.Millisecond

// hung calls f after a while, if it isn't over.
func hung(over <-chan bool, after time.Duration, f func()) {
	select {
	case <-time.After(after):
		f()
	case <-over:
	}
}

// watchMemory stops an engine that has more memory or threads than it may, and then calls
// f. An engine watches its memory by itself, and ends a run in time: this is for one that
// doesn't, or that hides what it takes.
func (c *child) watchMemory(over <-chan bool, limit uint64, f func()) {
	status, err := os.Open(fmt.Sprintf("/proc/%d/status", c.cmd.Process.Pid))
	if err != nil {
		return
	}
	defer status.Close()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-over:
			return
		case <-tick.C:
		}
		if n, threads, ok := host.Footprint(status); ok && (n > limit+limit/12 || threads > maxThreads) {
			c.cmd.Process.Signal(syscall.SIGSTOP)
			f()
			return
		}
	}
}

// maxThreads is more than an engine starts: Go's own, and one for each worker of a search.
const maxThreads = 2000

// child is an engine that was started.
type child struct {
	conn *wire.Conn
	cmd  *exec.Cmd
	// over is closed when the process has ended; err is how.
	over chan bool
	err  error
	said *tail
	// parts is the socket for parts of the search, nil if there is none.
	parts *os.File
	// missing are the layers of confinement that it hasn't got.
	missing []confine.Missing
	warn    func(string)
	// build is the state of the repository that the engine has to be of.
	build string
}

// start starts an engine. The kernel kills it when this process dies, so kill -9 leaves nothing
// running. In fact the kernel does so when the thread dies that started it, so that thread has to
// stay.
func (p *Engine) start(level confine.Level) (*child, error) {
	name, err := p.Path()
	if err != nil {
		return nil, err
	}
	null, err := nowhere(os.DevNull) // which a confined thread can't open
	if err != nil {
		return nil, err
	}
	defer null.Close()
	conn, socket, err := wire.Pair()
	if err != nil {
		return nil, err
	}
	defer socket.Close()
	c := &child{conn: conn, over: make(chan bool), said: &tail{}, build: p.Build}
	c.cmd = &exec.Cmd{Path: name, Args: []string{Name}, Env: environment(), Stdin: null, Stdout: null, Stderr: c.said, ExtraFiles: []*os.File{socket}}
	dieTogether(c.cmd)
	started := make(chan error)
	go func() {
		runtime.LockOSThread() // for good: the thread is confined
		if level != confine.Off {
			c.missing = confine.Start(name)
		}
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.err = c.cmd.Wait()
		}
		close(c.over)
	}()
	if err := <-started; err != nil {
		conn.Close()
		return nil, fmt.Errorf("landgo's engine can't be started: %w", err)
	}
	return c, nil
}

// environment is the engine's part of the user's environment: the variables of the loader and of
// Go's runtime, and the name of the folder for kept boots.
func environment() []string {
	env := []string{} // nil would be all that landgo has
	if dir, err := os.UserCacheDir(); err == nil {
		env = append(env, "XDG_CACHE_HOME="+dir)
	}
	for _, name := range []string{"LD_LIBRARY_PATH", "GODEBUG", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOTRACEBACK"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	return env
}

// converse sends the request and hears the engine until its end.
func (c *child) converse(r *wire.Request, k *host.Keeper, o wire.Observer, u *user) (*wire.End, error) {
	var m wire.FromEngine
	if _, err := c.conn.Receive(&m); err != nil {
		return nil, err
	}
	if m.Hello == nil || m.Hello.Protocol != wire.Protocol || m.Hello.Version != result.Version || m.Hello.Build != c.build {
		return nil, result.Errorf(result.BadEngine, "the landgo-engine beside this landgo is another version's")
	}
	r.Missing = c.missing
	r.Memory, _ = host.Resident(os.Getpid())
	if err := c.send(r); err != nil {
		return nil, err
	}
	m = wire.FromEngine{}
	if _, err := c.conn.Receive(&m); err != nil {
		return nil, err
	}
	if m.Confined == nil {
		return nil, errors.New("the engine didn't say how it is confined")
	}
	if missing := m.Confined.Missing; len(missing) > 0 {
		if r.Config.Value.Confine == confine.Require {
			return nil, result.Errorf(result.Unconfined, "the engine would run without %s", confine.Tell(missing))
		}
		c.warn("the process that runs the guest is confined without " + confine.Tell(missing))
	}
	for {
		m = wire.FromEngine{}
		files, err := c.conn.Receive(&m)
		if err != nil {
			return nil, err
		}
		for _, f := range files { // it has none to give
			f.Close()
		}
		switch {
		case m.Progress != nil:
			o.Progress(m.Progress.Value)
		case m.SoFar != nil:
			o.SoFar(m.SoFar.Whole())
		case m.Late != "":
			o.Late(m.Late)
		case m.File != nil:
			if err := c.answer(k.Answer(m.File.Value)); err != nil {
				return nil, err
			}
		case m.Ready && u != nil:
			u.begin(c.conn)
		case m.Debug != nil && u != nil:
			u.answer(&m.Debug.Value)
		case m.End != nil:
			return m.End, nil
		}
	}
}

// send sends the request, and beside it what the system says of the engine's process.
func (c *child) send(r *wire.Request) error {
	var files []*os.File
	for _, name := range []string{"maps", "statm"} {
		if f, err := os.Open(fmt.Sprintf("/proc/%d/%s", c.cmd.Process.Pid, name)); err == nil {
			defer f.Close()
			files = append(files, f)
		}
	}
	if c.parts != nil {
		files = append(files, c.parts)
		defer c.parts.Close() // the engine's alone: its other end sees the engine's death
	}
	return c.conn.Send(wire.ToEngine{Request: r}, files...)
}

func (c *child) answer(a host.Answer, f *os.File) error {
	m := wire.ToEngine{File: &wire.Exact[host.Answer]{Value: a}}
	if f == nil {
		return c.conn.Send(m)
	}
	defer f.Close()
	return c.conn.Send(m, f)
}

// died is the error for an engine that said nothing more.
func (c *child) died(err error) error {
	var own *result.Error
	if errors.As(err, &own) {
		return err
	}
	c.conn.Close() // one that lives hears that the front is gone
	select {
	case <-c.over:
	case <-time.After(time.Second):
		c.cmd.Process.Kill()
		<-c.over
	}
	why := c.err
	if why == nil {
		why = err
	}
	message := fmt.Sprintf("the process that ran the guest died: %v", why)
	if w, ok := c.cmd.ProcessState.Sys().(syscall.WaitStatus); ok && w.Signaled() && w.Signal() == syscall.SIGKILL {
		message += " (by a user, or by the system, which does so when memory runs out: see --memory and --jobs)"
	}
	return &wire.Failed{Message: message, Stack: c.said.String()}
}

// end ends the engine and waits until it is gone.
func (c *child) end() {
	c.conn.Close()
	c.cmd.Process.Kill()
	<-c.over
}

// tail keeps the beginning and no more of what an engine says when it fails, harmless
// for a terminal.
type tail struct {
	mu   sync.Mutex
	text bytes.Buffer
}

// maxSaid bounds what is kept, in bytes.
const maxSaid = 16 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text.Write(p[:min(len(p), max(maxSaid-t.text.Len(), 0))])
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b bytes.Buffer
	for _, line := range bytes.SplitAfter(t.text.Bytes(), []byte("\n")) {
		text, ended := bytes.CutSuffix(line, []byte("\n"))
		for i, part := range bytes.Split(text, []byte("\t")) {
			if i > 0 {
				b.WriteByte('\t')
			}
			b.WriteString(result.Printable(string(part)))
		}
		if ended {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
