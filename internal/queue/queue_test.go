package queue

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"landgo/internal/course"
	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/grade"
	"landgo/internal/grade/flags"
	"landgo/internal/result"
	"landgo/internal/wire"
)

// fake is an engine that says of a program what its text says, with its input.
type fake struct {
	took time.Duration
	// each is called in each run, with the program's text.
	each func(ctx context.Context, text string)

	mu   sync.Mutex
	runs map[string]int
}

func (f *fake) Run(ctx context.Context, c config.Config, _ wire.Observer) (*result.Result, error) {
	text, err := os.ReadFile(c.Guest)
	if err != nil {
		return nil, err
	}
	input, err := os.ReadFile(c.Stdin)
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	if f.runs == nil {
		f.runs = map[string]int{}
	}
	f.runs[string(text)+string(input)]++
	f.mu.Unlock()
	if f.each != nil {
		f.each(ctx, string(text))
	}
	time.Sleep(f.took)
	verdict, rest, _ := strings.Cut(string(text), " ")
	r := &result.Result{Verdict: result.Verdict(verdict), Guest: result.Guest{Path: c.Guest}, Seconds: rand.Float64(), Reason: "reason " + c.Guest + " " + c.Stdin + "\xff" + string(input)}
	if r.Verdict == result.Buggy {
		stack := []result.Frame{{Function: "push", File: "lib.c", Line: 3}}
		r.Bugs = []*result.Bug{{Kind: "deadlock", Message: rest, Schedule: "s1:00000000:0@1", Stack: stack, Output: strings.Repeat(rest, 1000)}}
	}
	return r, nil
}

func (f *fake) Replay(context.Context, config.Config, *result.BugFile, wire.Observer) (*result.Result, error) {
	return nil, errors.New("not asked for")
}

func (f *fake) Debug(context.Context, config.Config, *result.BugFile, wire.Observer, func(debugger.Target) error) (*result.Result, error) {
	return nil, errors.New("not asked for")
}

func (f *fake) Explore(context.Context, config.Config, *result.BugFile, wire.Observer, func(debugger.Chooser) error) (*result.Result, error) {
	return nil, errors.New("not asked for")
}

func (f *fake) Inspect(context.Context, config.Config, wire.Observer) (*result.Inspection, error) {
	return nil, errors.New("not asked for")
}

const twoTests = `
tests:
  - {name: one, guest: a, stdin: in.txt}
  - {name: two, guest: b, stdin: in2.txt, hidden: true}
`

// class is one of this many students, whose programs are all different. Its folder is told by the
// caller, which can run it again.
func class(t testing.TB, dir, run string, n int) *grade.Class {
	t.Helper()
	handedIn := filepath.Join(dir, "submissions")
	put := func(path, text string) {
		os.MkdirAll(filepath.Dir(path), 0o755)
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	put(filepath.Join(dir, "in.txt"), "input")
	put(filepath.Join(dir, "in2.txt"), "input 2")
	for i := range n {
		verdicts := []string{"verified", "bug", "invalid", "budget"}
		put(filepath.Join(handedIn, fmt.Sprintf("s%03d", i), "a"), verdicts[i%4]+fmt.Sprint(" ", i))
		put(filepath.Join(handedIn, fmt.Sprintf("s%03d", i), "b"), verdicts[i/2%4]+fmt.Sprint(" b", i))
	}
	c, err := course.Parse("course.yaml", dir, []byte(twoTests))
	if err != nil {
		t.Fatal(err)
	}
	all, err := grade.Submissions(handedIn)
	if err != nil {
		t.Fatal(err)
	}
	store, err := grade.OpenStore(filepath.Join(dir, run))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	return &grade.Class{Course: c, Submissions: all, Store: store, Engine: &fake{}, Jobs: 2}
}

// tables are all that a class has for its users, but the pages.
func tables(t testing.TB, c *grade.Class) string {
	t.Helper()
	table, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return textOf(table)
}

func textOf(table *grade.Table) string {
	var b bytes.Buffer
	table.Text(&b)
	table.CSV(&b)
	json.NewEncoder(&b).Encode(table)
	return b.String()
}

// wait is how soon a worker counts as dead in these tests.
const wait = time.Second

func open(t testing.TB, urls ...string) *Queue {
	t.Helper()
	q, err := Open(context.Background(), Options{Queue: flags.Queue{URLs: urls, DeadAfter: wait}, Version: "v"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(q.Close)
	return q
}

// one is a server by itself.
func one(t testing.TB, dir string, port int) *server.Server {
	t.Helper()
	return start(t, &server.Options{ServerName: "one", Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoLog: true, NoSigs: true})
}

func start(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s := begin(t, o)
	if !s.ReadyForConnections(10 * time.Second) {
		t.Fatal("no server")
	}
	return s
}

// begin starts a server, and doesn't wait for it.
func begin(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	go s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	return s
}

// machine is a worker on another machine, as far as the queue can tell: a connection and
// a store of its own.
type machine struct {
	q      *Queue
	cancel context.CancelFunc
	ended  chan bool
}

func newMachine(t testing.TB, e wire.Engine, jobs int, urls ...string) *machine {
	t.Helper()
	store, err := grade.OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(store.Close)
	m := &machine{q: open(t, urls...), ended: make(chan bool)}
	var ctx context.Context
	ctx, m.cancel = context.WithCancel(context.Background())
	go func() {
		defer close(m.ended)
		w := grade.Workers{Engine: e, Store: store, Desk: m.q.Desk(store), Number: jobs}
		w.Run(ctx)
	}()
	t.Cleanup(m.kill)
	return m
}

// kill ends a machine with no word to the server.
func (m *machine) kill() {
	m.q.conn.Close()
	m.cancel()
	<-m.ended
}

// TestQueue: the tables are those of a class without a queue, each job is done once, and
// a second class of the same programs asks no worker.
func TestQueue(t *testing.T) {
	dir := t.TempDir()
	want := tables(t, class(t, dir, "local", 8))
	s := one(t, t.TempDir(), -1)
	e := &fake{}
	newMachine(t, e, 2, s.ClientURL())
	for _, run := range []string{"run", "another"} {
		c := class(t, dir, run, 8)
		c.Post, c.Engine = open(t, s.ClientURL()), e
		if got := tables(t, c); got != want {
			t.Errorf("%s:\n%s\nwant\n%s", run, got, want)
		}
		bugs, _ := filepath.Glob(filepath.Join(dir, run, "bugs", "*"))
		local, _ := filepath.Glob(filepath.Join(dir, "local", "bugs", "*"))
		if len(bugs) == 0 || len(bugs) != len(local) {
			t.Errorf("%d files of bugs, want %d", len(bugs), len(local))
		}
		text, err := os.ReadFile(bugs[0])
		if err != nil || !bytes.Contains(text, []byte(filepath.Join(dir, run, "guests"))) || bytes.Contains(text, []byte("landgo-file:")) {
			t.Errorf("the file of a bug isn't for this folder: %s", text)
		}
	}
	if len(e.runs) != 16 {
		t.Errorf("%d jobs", len(e.runs))
	}
	for text, n := range e.runs {
		if n != 1 {
			t.Errorf("%s ran %d times", text, n)
		}
	}
}

// TestOtherVersion: a worker takes no job of another landgo's.
func TestOtherVersion(t *testing.T) {
	s := one(t, t.TempDir(), -1)
	e := &fake{}
	m := newMachine(t, e, 1, s.ClientURL())
	q, err := Open(context.Background(), Options{Queue: flags.Queue{URLs: []string{s.ClientURL()}, DeadAfter: wait}, Version: "w"})
	if err != nil {
		t.Fatal(err)
	}
	defer q.Close()
	c := class(t, t.TempDir(), "run", 1)
	c.Post = q
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	if _, err := c.Run(ctx); err == nil || len(e.runs) > 0 {
		t.Errorf("%v, %v", e.runs, err)
	}
	m.kill()
}

// TestPoison: a job that kills each of its workers is told as lost, and the others'
// results stand.
func TestPoison(t *testing.T) {
	s := one(t, t.TempDir(), -1)
	deaths := 0
	var machines []*machine
	for range grade.Tries + 1 {
		var m *machine
		ready := make(chan bool)
		e := &fake{each: func(ctx context.Context, text string) {
			<-ready
			if strings.HasPrefix(text, "invalid b") {
				deaths++ // one at a time has the job
				m.q.conn.Close()
				m.cancel()
			}
		}}
		m = newMachine(t, e, 1, s.ClientURL())
		close(ready)
		machines = append(machines, m)
	}
	c := class(t, t.TempDir(), "run", 5)
	c.Post = open(t, s.ClientURL())
	table, err := c.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	lost := 0
	for _, row := range table.Students {
		for _, cell := range row.Cells {
			if cell.Reason == "worker lost" {
				lost++
				if cell.Verdict != "invalid" || row.Name != "s004" {
					t.Errorf("%s: %+v", row.Name, cell)
				}
			}
		}
	}
	if lost != 1 || deaths != grade.Tries {
		t.Errorf("%d lost after %d deaths", lost, deaths)
	}
	for _, m := range machines {
		m.kill()
	}
}

// BenchmarkJobs has an engine that takes no time: the rest is a job's cost beside
// its search. The figure of interest is ms/job, with one worker, against that of a class
// without a queue.
func BenchmarkJobs(b *testing.B) {
	const students = 100
	s := one(b, b.TempDir(), -1)
	dir := b.TempDir()
	e := &fake{}
	for _, far := range []bool{false, true} {
		b.Run(fmt.Sprintf("queue=%v", far), func(b *testing.B) {
			for i := range b.N {
				c := class(b, dir, fmt.Sprintf("run-%v-%d-%d", far, b.N, i), students)
				c.Jobs, c.Engine = 1, e
				if far {
					c.Post, c.Searches = open(b, s.ClientURL()), 1
				}
				for j := range c.Course.Tests { // all jobs are new
					c.Course.Tests[j].Config.Time = time.Duration(b.N*1000+i+1) * time.Second
				}
				tables(b, c)
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(b.N*2*students), "ms/job")
		})
	}
}
