package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"landgo/internal/debugger"
	"landgo/internal/explore/config"
	"landgo/internal/process"
	"landgo/internal/result"
	"landgo/internal/trace"
	"landgo/internal/wire"
)

var update = flag.Bool("update", false, "write the pages under docs anew")

// fake is an engine with given results.
type fake struct {
	config config.Config // the arguments of the last call
	file   *result.BugFile
	result *result.Result
	seen   *result.Inspection
	err    error
	act    func(context.Context, wire.Observer)
}

func (f *fake) Run(ctx context.Context, c config.Config, o wire.Observer) (*result.Result, error) {
	f.config = c
	if f.act != nil {
		f.act(ctx, o)
	}
	return f.result, f.err
}

func (f *fake) Replay(ctx context.Context, c config.Config, file *result.BugFile, o wire.Observer) (*result.Result, error) {
	f.file = file
	return f.Run(ctx, c, o)
}

func (f *fake) Debug(ctx context.Context, c config.Config, file *result.BugFile, o wire.Observer, use func(debugger.Target) error) (*result.Result, error) {
	return f.Replay(ctx, c, file, o)
}

func (f *fake) Explore(ctx context.Context, c config.Config, file *result.BugFile, o wire.Observer, _ func(debugger.Chooser) error) (*result.Result, error) {
	return f.Replay(ctx, c, file, o)
}

func (f *fake) Inspect(_ context.Context, c config.Config, _ wire.Observer) (*result.Inspection, error) {
	f.config = c
	return f.seen, f.err
}

// ownDir gives a test a working directory of its own.
func ownDir(t *testing.T) {
	t.Helper()
	before, err := os.Getwd()
	if err == nil {
		err = os.Chdir(t.TempDir())
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chdir(before); err != nil {
			t.Fatal(err)
		}
	})
}

// call runs landgo in this process.
func call(t *testing.T, e wire.Engine, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errOut bytes.Buffer
	status = doMain(args, &out, &errOut, e)
	return status, out.String(), errOut.String()
}

func withVerdict(v result.Verdict) *result.Result {
	r := &result.Result{Verdict: v, Guest: result.Guest{Path: "guest.elf", SHA256: strings.Repeat("a1", 32)}, Granularity: "mem", Bound: "none"}
	if v == result.Buggy {
		r.Bug = &result.Bug{Kind: trace.Assertion, Message: "exit status 3", Thread: "0", Schedule: "s1:0000002a:0@10"}
		r.Bugs = []*result.Bug{r.Bug}
	}
	return r
}

func TestExitStatus(t *testing.T) {
	ownDir(t)
	for verdict, want := range map[result.Verdict]int{result.Verified: 0, result.Bounded: 0, result.Buggy: 1, result.Budget: 3, result.Invalid: 4} {
		status, stdout, stderr := call(t, &fake{result: withVerdict(verdict)}, "run", "guest.elf")
		if status != want || !strings.HasPrefix(stdout, string(verdict)) || stderr != "" {
			t.Errorf("%s: status %d, want %d\n%s%s", verdict, status, want, stdout, stderr)
		}
	}
}

func TestRunWritesBugFiles(t *testing.T) {
	ownDir(t)
	f := &fake{result: withVerdict(result.Buggy)}
	second := *f.result.Bug
	second.Schedule = "s1:0000002a:0@11"
	f.result.Bugs = []*result.Bug{f.result.Bug, &second}
	status, stdout, _ := call(t, f, "run", "--keep-going", "--pp", "lock", "dir/guest.elf", "--", "-n", "3")
	if status != 1 || !strings.Contains(stdout, "landgo replay guest.elf.landgo\n") || !strings.Contains(stdout, "landgo replay guest.elf.2.landgo\n") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	if want := []string{"-n", "3"}; !reflect.DeepEqual(f.config.Args, want) || f.config.Guest != "dir/guest.elf" || !f.config.KeepGoing {
		t.Errorf("configuration %+v", f.config)
	}

	// The file brings the guest, its arguments and the options.
	again := &fake{result: &result.Result{Verdict: result.Buggy, Bug: f.result.Bug, Replay: &result.Replay{Expected: trace.Assertion, Same: true}}}
	if status, _, stderr := call(t, again, "replay", "--quiet", "guest.elf.2.landgo"); status != 1 {
		t.Errorf("replay: status %d: %s", status, stderr)
	}
	if again.file.Schedule != second.Schedule || again.config.Guest != "guest.elf" || !reflect.DeepEqual(again.config.Args, f.config.Args) || again.config.PP != f.config.PP || !again.config.Quiet {
		t.Errorf("replay got %+v, %+v", again.file, again.config)
	}
	if call(t, again, "replay", "guest.elf.landgo", "elsewhere/guest.elf"); again.config.Guest != "elsewhere/guest.elf" {
		t.Errorf("the guest that has moved: %q", again.config.Guest)
	}
}

func TestNoBugFile(t *testing.T) {
	ownDir(t)
	status, stdout, _ := call(t, &fake{result: withVerdict(result.Buggy)}, "run", "--out", "none", "--pp", "lock", "guest.elf", "--", "a b")
	if status != 1 || !strings.Contains(stdout, "landgo replay --schedule s1:0000002a:0@10 --pp yield,lock guest.elf -- 'a b'\n") {
		t.Errorf("status %d\n%s", status, stdout)
	}
	if files, _ := filepath.Glob("*"); len(files) > 0 {
		t.Errorf("written: %v", files)
	}
}

func TestReplaySchedule(t *testing.T) {
	ownDir(t)
	f := &fake{result: withVerdict(result.Budget)}
	f.result.Replay = &result.Replay{}
	status, _, _ := call(t, f, "replay", "--schedule", "s1:0000002a:0@10", "--up", "guest.elf", "--", "x")
	if status != 3 || f.file.Schedule != "s1:0000002a:0@10" || f.config.Guest != "guest.elf" || f.config.Processors != config.ProcessorsUP {
		t.Errorf("status %d, %+v, %+v", status, f.file, f.config)
	}
}

// TestUnwritable: a search doesn't start whose bug couldn't be written.
func TestUnwritable(t *testing.T) {
	ownDir(t)
	f := &fake{result: withVerdict(result.Buggy), act: func(context.Context, wire.Observer) { t.Error("the search started") }}
	status, stdout, stderr := call(t, f, "run", "--out", "none/x.landgo", "guest.elf")
	if status != 2 || stdout != "" || !strings.Contains(stderr, "[unwritable]") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("status %d, stdout %q, stderr %q", status, stdout, stderr)
	}
}

// brokenWriter is a full disk.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestFullDisk(t *testing.T) {
	ownDir(t)
	for _, args := range []string{"run guest.elf", "run --json guest.elf", "run --json --serch guest.elf", "completion bash", "schema"} {
		var stderr bytes.Buffer
		status := doMain(strings.Fields(args), brokenWriter{}, &stderr, &fake{result: withVerdict(result.Verified)})
		if want := "[no-output]"; status != 2 || !strings.Contains(stderr.String(), want) && !strings.Contains(args, "serch") {
			t.Errorf("%s: status %d, %q", args, status, stderr.String())
		}
	}
}

func TestFaults(t *testing.T) {
	ownDir(t)
	for name, f := range map[string]*fake{
		"panic":            {act: func(context.Context, wire.Observer) { panic("broken invariant") }},
		"unexplained":      {err: errors.New("broken invariant")},
		"unknown verdict":  {result: &result.Result{Verdict: "fine"}},
		"runtime's fault":  {act: func(context.Context, wire.Observer) { _ = []int{}[len(os.Args)] }},
		"engine is unfit":  {err: result.Errorf(result.BadEngine, "unicorn 1.0.2 is too old")},
		"unknown of usage": {err: &result.Error{Kind: "never-heard-of"}},
	} {
		if name == "unknown of usage" {
			f.err = result.Errorf("never-heard-of", "broken invariant")
		}
		status, stdout, stderr := call(t, f, "run", "--quiet", "guest.elf")
		if status != 5 {
			t.Errorf("%s: status %d\n%s", name, status, stderr)
		}
		if name != "unknown verdict" && (stdout != "" || !strings.HasPrefix(stderr, "landgo: ")) {
			t.Errorf("%s: stdout %q, stderr %q", name, stdout, stderr)
		}
	}
}

func TestJSONIsOneObject(t *testing.T) {
	ownDir(t)
	for verdict := range map[result.Verdict]int{result.Verified: 0, result.Buggy: 1, result.Invalid: 4} {
		_, stdout, stderr := call(t, &fake{result: withVerdict(verdict)}, "run", "--json", "guest.elf")
		var r result.Result
		d := json.NewDecoder(strings.NewReader(stdout))
		d.DisallowUnknownFields()
		if err := d.Decode(&r); err != nil || d.More() || stderr != "" {
			t.Errorf("%s: %v\n%s", verdict, err, stdout)
		}
		if r.Schema != "landgo/1" || r.Verdict != verdict || r.Version != result.Version {
			t.Errorf("%+v", r)
		}
	}
}

func TestProgressGoesToStderr(t *testing.T) {
	ownDir(t)
	act := func(_ context.Context, o wire.Observer) {
		o.Progress(result.Progress{Phase: "searching", Executions: 7, Elapsed: time.Minute})
	}
	_, stdout, stderr := call(t, &fake{result: withVerdict(result.Verified), act: act}, "run", "guest.elf")
	if !strings.HasPrefix(stdout, "verified") || !strings.HasPrefix(stderr, "landgo: searching: 7 executions") {
		t.Errorf("stdout %q\nstderr %q", stdout, stderr)
	}
	if _, _, stderr := call(t, &fake{result: withVerdict(result.Verified), act: act}, "run", "--quiet", "guest.elf"); stderr != "" {
		t.Errorf("quiet, but %q", stderr)
	}
}

// TestOneWorker: a search that can't be divided says why in one line, if several
// workers were asked for.
func TestOneWorker(t *testing.T) {
	for search, says := range map[string]bool{"optimal": false, "classic": true, "stateful": true, "dpor:sleep=0": true} {
		verified := &fake{result: withVerdict(result.Verified)}
		_, _, stderr := call(t, verified, "run", "--pp", "mem", "--jobs", "2", "--search", search, "guest.elf")
		if (strings.Count(stderr, "\n") == 1 && strings.Contains(stderr, "runs with one worker: ")) != says || !says && stderr != "" {
			t.Errorf("%s: %q", search, stderr)
		}
	}
}

// TestInterrupt: a signal ends the search, and its result is shown.
func TestInterrupt(t *testing.T) {
	ownDir(t)
	for _, s := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		f := &fake{result: withVerdict(result.Budget)}
		f.result.Reason = "interrupted"
		f.act = func(ctx context.Context, _ wire.Observer) {
			if err := syscall.Kill(os.Getpid(), s); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ctx.Done():
			case <-time.After(10 * time.Second):
				t.Error("the search wasn't told")
			}
		}
		status, stdout, _ := call(t, f, "run", "guest.elf")
		if status != 3 || !strings.HasPrefix(stdout, "budget: interrupted") {
			t.Errorf("%v: status %d\n%s", s, status, stdout)
		}
	}
}

// scripted is an engine whose guests have their outcomes as names: for tests
// that run landgo as a program.
type scripted struct{ fake }

func (s *scripted) Run(ctx context.Context, c config.Config, o wire.Observer) (*result.Result, error) {
	guest := filepath.Base(c.Guest)
	switch guest {
	case "none":
		return nil, result.Errorf(result.NoFile, "%s: no such file", c.Guest)
	case "abort":
		syscall.Kill(os.Getpid(), syscall.SIGABRT)
		select {}
	case "killed": // as by the kernel, when memory is short
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "found": // something, before it is killed
		o.SoFar(withVerdict(result.Buggy))
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	case "crash":
		go panic("in another goroutine")
		select {}
	case "wait":
		os.WriteFile("waiting", nil, 0o644)
		<-ctx.Done()
		r := withVerdict(result.Budget)
		r.Reason = "interrupted"
		return r, nil
	case "deaf":
		os.WriteFile("waiting", nil, 0o644)
		select {}
	}
	return withVerdict(result.Verdict(guest)), nil
}

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"landgo": func() {
			name, err := exec.LookPath(process.Name)
			if err != nil {
				panic(err)
			}
			os.Exit(doMain(os.Args[1:], os.Stdout, os.Stderr, &process.Engine{Stderr: os.Stderr, Build: version, Program: name}))
		},
		process.Name: func() {
			signal.Ignore(syscall.SIGINT, syscall.SIGTERM)
			s := wire.Server{Build: version, Engine: &scripted{}, Gone: func() {}, Confine: func(*wire.Request, []*os.File) wire.Confined { return wire.Confined{} }}
			if err := s.Serve(wire.Open(3)); err != nil {
				panic(err)
			}
		},
	})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"status": status,
		},
	})
}

// status is a command of the scripts: "status N COMMAND..." runs a command and
// wants that exit status. Its output is for stdout and stderr to look at.
func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command...")
	}
	err := ts.Exec(args[1], args[2:]...)
	got := "0"
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		got = exit.ProcessState.String()
		got = strings.TrimPrefix(got, "exit status ")
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != args[0] {
		ts.Fatalf("exit status %s, want %s", got, args[0])
	}
}

// TestWantsEngine: an engine is started ahead where a guest is to be run, and not for help.
func TestWantsEngine(t *testing.T) {
	for words, want := range map[string]bool{
		"run a": true, "replay a.landgo": true, "inspect a": true, "run a -- --help": true,
		"": false, "run": false, "help run": false, "run --help": false, "run -h": false, "version": false,
		"grade class": false, "run --confine off a": false, "run --confine=off a": false,
	} {
		if got := wantsEngine(strings.Fields(words)); got != want {
			t.Errorf("%q: %v", words, got)
		}
	}
}
